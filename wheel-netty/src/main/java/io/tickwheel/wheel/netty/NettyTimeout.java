package io.tickwheel.wheel.netty;

import io.netty.util.Timeout;
import io.netty.util.TimerTask;
import io.tickwheel.wheel.TimeoutNode;
import java.time.Duration;

/** A task and what has become of it: what the wheel runs, and what the user holds. One object of 48 bytes. Thread-safe. */
final class NettyTimeout extends TimeoutNode implements Timeout, TimerThread.Cancelled {
    private final NettyWheelTimer timer;
    private final TimerTask task;

    NettyTimeout(NettyWheelTimer timer, TimerTask task) {
        super(timer.wheel());
        this.timer = timer;
        this.task = task;
    }

    @Override
    protected void expired() throws Exception {
        task.run(this);
    }

    @Override
    protected void cancelled() {
        if (CancelledCallback.isOverriddenBy(task)) {
            timer.tellCancelled(this);
        }
    }

    @Override
    public void tellCancelled() {
        try {
            task.cancelled(this);
        } catch (Throwable thrown) {
            timer.log().callbackFailed(this, thrown);
        }
    }

    @Override
    public NettyWheelTimer timer() {
        return timer;
    }

    @Override
    public TimerTask task() {
        return task;
    }

    /** Also true of a task that the executor has refused: it does not count as pending any more, nor as cancelled. */
    @Override
    public boolean isExpired() {
        State state = state();
        return state == State.STARTED || state == State.FAILED;
    }

    @Override
    public boolean isCancelled() {
        return state() == State.CANCELLED;
    }

    @Override
    public String toString() {
        return "NettyTimeout[" + describe() + ", task: " + task + "]";
    }

    private String describe() {
        return switch (state()) {
            case STARTED, FAILED -> "expired";
            case CANCELLED -> "cancelled";
            case PENDING -> {
                Duration remaining = remaining();
                yield remaining.compareTo(Duration.ZERO) > 0 ? "due in " + remaining.toNanos() + " ns" : "due";
            }
        };
    }
}
