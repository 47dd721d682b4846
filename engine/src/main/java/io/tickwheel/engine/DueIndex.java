package io.tickwheel.engine;

import io.tickwheel.store.CalendarListener;
import io.tickwheel.store.Lane;
import io.tickwheel.store.LoadRoom;
import io.tickwheel.store.PendingTimer;
import io.tickwheel.wheel.HierarchicalWheel;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The timing wheel over what the calendar has loaded; a tick is a millisecond of the wall clock. It holds no truth: each timer
 * in it is in the calendar, and leaves when the calendar says so. Owned by the loop.
 */
final class DueIndex implements CalendarListener {

    private final Destinations destinations;
    private final LoadRoom room;
    private HierarchicalWheel<DueTimer> wheel = new HierarchicalWheel<>(0);
    private long loaded;
    private @Nullable Deliveries deliveries;

    DueIndex(Destinations destinations, LoadRoom room) {
        this.destinations = destinations;
        this.room = room;
    }

    /** To be called once, before anything is loaded. */
    void start(Deliveries expiresInto, long nowMs) {
        deliveries = expiresInto;
        wheel = new HierarchicalWheel<>(tick(nowMs));
    }

    /** How many timers were loaded so far. */
    long loadedSoFar() {
        return loaded;
    }

    @Override
    public boolean mayStart(Lane lane) {
        return destinations.has(lane) && !Objects.requireNonNull(deliveries).isSuspended(lane);
    }

    @Override
    public LoadRoom room() {
        return room;
    }

    @Override
    public void loaded(PendingTimer timer) {
        loaded++;
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

    /** Lets go of a timer that is due and not claimed: the calendar loads it again. */
    void forget(DueTimer due) {
        due.timer.attach(null);
    }

    /** Puts a timer (back) into the wheel that is not due by the clock. */
    void schedule(DueTimer due) {
        wheel.schedule(due, tick(due.timer.attemptAtMs()));
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
