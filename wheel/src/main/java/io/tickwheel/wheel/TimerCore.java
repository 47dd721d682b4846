package io.tickwheel.wheel;

import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * What the stripes of a {@link WheelTimer} and the timeouts in them share: the clock and the slack, the limit, who is told of
 * failures, and how the expiry is woken. Thread-safe.
 */
final class TimerCore {
    final TickClock ticks;
    final WakeTick wakeTick = new WakeTick();
    final @Nullable PendingLimit permits;

    private final String name;
    private final long slackNanos;
    private final WheelTimerListener listener;
    private final Lifecycle lifecycle;
    private final LongAdder failed = new LongAdder();
    private final LongAdder rejected = new LongAdder();
    // No stripe accepts anything any more.
    private volatile boolean closed;

    TimerCore(TimerSettings settings, Lifecycle lifecycle) {
        this.lifecycle = lifecycle;
        name = settings.name();
        ticks = new TickClock(settings.clock(), settings.tickNanos());
        permits = settings.maxPending() == Integer.MAX_VALUE ? null : new PendingLimit(settings.maxPending());
        slackNanos = settings.slackNanos();
        listener = settings.listener();
    }

    /** Returns what the timer is called. */
    String name() {
        return name;
    }

    /** Returns the tick of a deadline for which the slack of the settings holds. */
    long tickWithSlack(long deadlineNanos) {
        return ticks.tickWithin(deadlineNanos, slackNanos);
    }

    /** Called before a timeout ends outside of the expiry: there is stack to give its place back, or the call throws. */
    void reserveStack() {
        if (permits != null || closed) {
            StackReserve.touch();
        }
    }

    /** Takes notice of a stripe's new earliest deadline, and has the expiry run if it would sleep through it. */
    void wakeFor(long tick) {
        if (wakeTick.mustWakeFor(tick)) {
            boolean woken = false;
            try {
                lifecycle.wake();
                woken = true;
            } finally {
                if (!woken) {
                    wakeTick.sleepTo(Long.MAX_VALUE);
                }
            }
        }
    }

    /** Counts a timeout that has expired as pending again. */
    void retried() {
        if (permits != null) {
            permits.takeBack();
        }
    }

    /** Gives back the place of a timeout that was cancelled before it was in a wheel. There is stack for that then, or it throws before. */
    void endedBeforeItBegan() {
        if (permits != null) {
            StackReserve.touch();
            permits.release();
        }
    }

    /** Gives back the places of timeouts that are not pending any more. */
    void ended(int timeouts) {
        if (permits != null) {
            permits.release(timeouts);
        }
        if (closed) {
            lifecycle.noteIdle();
        }
    }

    /** Called once every stripe refuses what is new. */
    void close() {
        closed = true;
    }

    boolean isClosed() {
        return closed;
    }

    void taskFailed(Timeout timeout, Throwable thrown) {
        try {
            failed.increment();
            listener.taskFailed(timeout, thrown);
        } catch (Throwable again) {
            LoggingListener.listenerFailed(name, again);
        }
    }

    void taskRejected(Timeout timeout, Runnable task, Throwable cause) {
        try {
            listener.taskRejected(timeout, task, cause);
        } catch (Throwable again) {
            LoggingListener.listenerFailed(name, again);
        }
    }

    void countRejection() {
        rejected.increment();
    }

    long failed() {
        return failed.sum();
    }

    long rejected() {
        return rejected.sum();
    }
}
