package io.tickwheel.wheel.netty;

import io.netty.util.Timeout;
import io.netty.util.TimerTask;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A task and what has become of it: what the wheel runs, and what the user holds. Thread-safe. */
final class NettyTimeout implements Timeout, Runnable, TimerThread.Cancelled {
    /*
     * One word says it all, and is changed by compare-and-set:
     *
     *     null, being scheduled --> the timeout of the wheel, pending --run or rejected--> EXPIRED
     *           |                                  '---------cancel, or the stop---------> CANCELLED
     *           '----- the same, if it is due, or the timer stopped, before its schedule call has returned
     */
    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(NettyTimeout.class, "state", Object.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private enum End {
        EXPIRED,
        CANCELLED
    }

    private final NettyWheelTimer timer;
    private final TimerTask task;
    private volatile @Nullable Object state;

    NettyTimeout(NettyWheelTimer timer, TimerTask task) {
        this.timer = timer;
        this.task = task;
    }

    void scheduledAs(io.tickwheel.wheel.Timeout inWheel) {
        if (!STATE.compareAndSet(this, null, inWheel) && state == End.CANCELLED) {
            inWheel.cancel();
        }
    }

    @Override
    public void run() {
        if (!(end(End.EXPIRED) instanceof End)) {
            try {
                task.run(this);
            } catch (Exception thrown) {
                // The wheel tells the listener, which logs.
                NettyTimeout.<RuntimeException>rethrow(thrown);
            }
        }
    }

    /** Throws a checked exception where none is declared. */
    @SuppressWarnings("unchecked")
    private static <E extends Exception> void rethrow(Exception thrown) throws E {
        throw (E) thrown;
    }

    /** The task was refused by the executor: it does not count as pending any more, nor as cancelled. */
    void rejected() {
        end(End.EXPIRED);
    }

    @Override
    public boolean cancel() {
        Object before = end(End.CANCELLED);
        if (before instanceof End) {
            return false;
        }
        if (before instanceof io.tickwheel.wheel.Timeout inWheel) {
            inWheel.cancel();
        }
        if (CancelledCallback.isOverriddenBy(task)) {
            timer.tellCancelled(this);
        }
        return true;
    }

    /** Ends a timeout whose task the wheel has given up without running it; false if it was cancelled meanwhile. */
    boolean markCancelled() {
        return !(end(End.CANCELLED) instanceof End);
    }

    /** Ends the timeout, unless it has ended before, and returns the state that it was in. */
    private @Nullable Object end(End end) {
        Object before = state;
        while (!(before instanceof End) && !STATE.compareAndSet(this, before, end)) {
            before = state;
        }
        return before;
    }

    @Override
    public void tellCancelled() {
        try {
            task.cancelled(this);
        } catch (Throwable thrown) {
            TaskLog.INSTANCE.callbackFailed(this, thrown);
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

    @Override
    public boolean isExpired() {
        return state == End.EXPIRED;
    }

    @Override
    public boolean isCancelled() {
        return state == End.CANCELLED;
    }

    @Override
    public String toString() {
        return "NettyTimeout[" + describe(state) + ", task: " + task + "]";
    }

    private static String describe(@Nullable Object state) {
        if (state == End.EXPIRED) {
            return "expired";
        }
        if (state == End.CANCELLED) {
            return "cancelled";
        }
        Duration remaining = state instanceof io.tickwheel.wheel.Timeout inWheel ? inWheel.remaining() : Duration.ZERO;
        return remaining.compareTo(Duration.ZERO) > 0 ? "due in " + remaining.toNanos() + " ns" : "due";
    }
}
