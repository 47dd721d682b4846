package io.tickwheel.engine.due;

import io.tickwheel.wheel.ExpiryHandler;
import io.tickwheel.wheel.HierarchicalWheel;

/**
 * The timing wheel over what the calendar has loaded and what is not due yet; a tick is a millisecond of the wall clock, which may step
 * back. Owned by the loop.
 */
public final class DueWheel {

    private HierarchicalWheel<DueTimer> wheel = new HierarchicalWheel<>(0);

    /** Begins at a time, without a timer. To be called once, before anything is scheduled. */
    public void start(long nowMs) {
        wheel = new HierarchicalWheel<>(tick(nowMs));
    }

    /** Puts a timer (back) into the wheel that is not due by the clock. */
    public void schedule(DueTimer due) {
        wheel.schedule(due, tick(due.timer.attemptAtMs()));
    }

    /** Takes a timer out; returns false when it is not in the wheel. */
    public boolean cancel(DueTimer due) {
        return wheel.cancel(due);
    }

    /**
     * Hands over what is due, at most {@code limit} timers; returns 0 when nothing was due. Timers that were loaded when they were
     * overdue already come in the order in which they were loaded.
     */
    public int expire(long nowMs, int limit, ExpiryHandler<DueTimer> due) {
        if (nowMs < wheel.currentTick()) {
            stepBack(nowMs);
        }
        int expired = wheel.advance(nowMs, limit, due);
        return expired == 0 && wheel.hasDue(nowMs) ? 1 : expired;
    }

    /** When the next timer is due; far away when there is none. */
    public long nextDueMs() {
        return wheel.nextDeadlineTick();
    }

    /** A wheel knows no way back, but it can be made again: what is due later than now must not count as due. */
    private void stepBack(long nowMs) {
        HierarchicalWheel<DueTimer> ahead = wheel;
        wheel = new HierarchicalWheel<>(tick(nowMs));
        while (!ahead.isEmpty()) {
            ahead.advance(Long.MAX_VALUE, Integer.MAX_VALUE, this::schedule);
        }
    }

    /** All that was due before the epoch is due at its first tick. */
    private static long tick(long ms) {
        return Math.max(0, ms);
    }
}
