package io.tickwheel.engine;

import io.tickwheel.store.CalendarListener;
import io.tickwheel.store.PendingTimer;
import io.tickwheel.wheel.HierarchicalWheel;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The timing wheel over what the calendar has loaded; a tick is a millisecond of the wall clock. It holds no truth: each timer
 * in it is in the calendar, and leaves when the calendar says so. Owned by the loop.
 */
final class DueIndex implements CalendarListener {

    private HierarchicalWheel<DueTimer> wheel = new HierarchicalWheel<>(0);
    private final int capacity;
    private int held;
    private @Nullable Deliveries deliveries;

    /** @param capacity how many timers may be loaded at once, in the wheel and in the lanes together */
    DueIndex(int capacity) {
        this.capacity = capacity;
    }

    /** To be called once, before anything is loaded. */
    void start(Deliveries expiresInto, long nowMs) {
        deliveries = expiresInto;
        wheel = new HierarchicalWheel<>(tick(nowMs));
    }

    /** How many more timers may be loaded; 0 when a calendar told more than that. */
    int room() {
        return Math.max(0, capacity - held);
    }

    @Override
    public void loaded(PendingTimer timer) {
        held++;
        DueTimer due = new DueTimer(timer);
        timer.attach(due);
        schedule(due);
    }

    @Override
    public void unloaded(PendingTimer timer) {
        DueTimer due = (DueTimer) Objects.requireNonNull(timer.attachment());
        timer.attach(null);
        held--;
        if (!wheel.cancel(due)) {
            Objects.requireNonNull(deliveries).withdraw(due);
        }
    }

    /** Lets go of a timer whose claim was granted and is used. */
    void claimed(DueTimer due) {
        due.timer.attach(null);
        held--;
    }

    /** Puts a timer (back) into the wheel that is not due by the clock. */
    void schedule(DueTimer due) {
        wheel.schedule(due, tick(due.timer.dueAtMs()));
    }

    /**
     * Moves what is due to its lane, at most {@code limit} timers; returns 0 when nothing was due. Timers that were loaded
     * when they were overdue already come in the order in which they were loaded.
     */
    int expire(long nowMs, int limit) {
        if (nowMs < wheel.currentTick()) {
            stepBack(nowMs);
        }
        Deliveries expiresInto = Objects.requireNonNull(deliveries);
        int expired = wheel.advance(nowMs, limit, due -> expiresInto.due(due, nowMs));
        return expired == 0 && wheel.hasDue(nowMs) ? 1 : expired;
    }

    /** When the next timer is due; far away when there is none. */
    long nextDueMs() {
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
