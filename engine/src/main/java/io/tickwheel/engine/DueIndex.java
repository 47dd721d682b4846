package io.tickwheel.engine;

import io.tickwheel.store.Calendar;
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

    private static final int EXPIRIES_A_TURN = 2_048;

    private HierarchicalWheel<DueTimer> wheel = new HierarchicalWheel<>(0);
    private @Nullable Calendar calendar;
    private @Nullable Deliveries deliveries;

    /** To be called once, before anything is loaded. Starts at the oldest timer, so that a backlog expires in due order. */
    void start(Calendar loadedFrom, Deliveries expiresInto, long nowMs) {
        calendar = loadedFrom;
        deliveries = expiresInto;
        long oldestMs = loadedFrom.loadedTo();
        wheel = new HierarchicalWheel<>(tick(oldestMs == Long.MIN_VALUE ? nowMs : Math.min(nowMs, oldestMs)));
    }

    @Override
    public void loaded(PendingTimer timer) {
        DueTimer due = new DueTimer(timer);
        timer.attach(due);
        schedule(due);
    }

    @Override
    public void unloaded(PendingTimer timer) {
        DueTimer due = (DueTimer) Objects.requireNonNull(timer.attachment());
        timer.attach(null);
        if (!wheel.cancel(due)) {
            Objects.requireNonNull(deliveries).withdraw(due);
        }
    }

    /** Puts a timer (back) into the wheel that is not due by the clock. */
    void schedule(DueTimer due) {
        wheel.schedule(due, tick(due.timer.dueAtMs()));
    }

    /** Moves what is due to its lane; returns 0 when nothing was due. */
    int expire(long nowMs) {
        if (nowMs < wheel.currentTick()) {
            stepBack(nowMs);
        }
        long loadedTo = Objects.requireNonNull(calendar).loadedTo();
        long toMs = loadedTo > nowMs ? nowMs : loadedTo - 1;
        int expired = wheel.advance(toMs, EXPIRIES_A_TURN, Objects.requireNonNull(deliveries)::due);
        return expired == 0 && wheel.hasDue(toMs) ? 1 : expired;
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
