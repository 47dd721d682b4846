package io.tickwheel.engine.loop;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.delivery.DueIndex;
import io.tickwheel.engine.due.DueWheel;
import io.tickwheel.store.Calendar;
import java.time.Duration;
import java.time.Instant;

/** Has the calendar load what is due soon, and knows by that when the next timer is due. Owned by the loop. */
final class LoadAhead {

    static final int LOADS_A_TURN = 4_096;
    static final long LOOK_MS = 500;

    /**
     * Ten times as long as between two looks, so that a loop that wakes late, or waits for a read of the store, still has each timer
     * before it is due. No more, as what is loaded takes room: at 50,000 timers due a second this is about all of it.
     */
    private static final long AHEAD_MS = 10 * LOOK_MS;

    /** As nanoseconds this fits into a long. */
    private static final long LONGEST_MS = Duration.ofDays(100_000).toMillis();

    private static final long NANOS_A_MS = 1_000_000;

    private final Calendar calendar;
    private final DueIndex index;
    private final DueWheel wheel;
    private final Clock clock;
    private boolean allLoaded;

    LoadAhead(Calendar calendar, DueIndex index, DueWheel wheel, Clock clock) {
        this.calendar = calendar;
        this.index = index;
        this.wheel = wheel;
        this.clock = clock;
    }

    /**
     * Loads what is due soon, as far as there is room, and returns how many timers that were. When that is not all, the loop
     * comes back without being told to: room is made by an outcome or a cancel, and a store that stops for another reason calls
     * the waker.
     */
    int load(long nowMs) {
        long before = index.loadedSoFar();
        allLoaded = calendar.load(nowMs, nowMs + AHEAD_MS, LOADS_A_TURN);
        return (int) (index.loadedSoFar() - before);
    }

    /** In how many nanoseconds a timer is due, or is to be loaded. */
    long nextDueNanos() {
        Instant now = clock.now();
        long nowMs = now.toEpochMilli();
        long wakeAtMs = wheel.nextDueMs();
        long loadedTo = calendar.loadedTo();
        // What was not loaded ahead for want of room is due from then on; what is overdue waits for an outcome to make
        // room.
        if (!allLoaded && loadedTo > nowMs) {
            wakeAtMs = Math.min(wakeAtMs, loadedTo);
        }
        // Either may be at an end of time: what is subtracted from it must not leave the range.
        long firstToLoad = calendar.firstToLoad();
        long lookAtMs = nowMs + LOOK_MS;
        wakeAtMs = Math.min(wakeAtMs, firstToLoad > lookAtMs + AHEAD_MS ? firstToLoad - AHEAD_MS : lookAtMs);
        if (wakeAtMs >= nowMs + LONGEST_MS) {
            return Long.MAX_VALUE;
        }
        return Math.max(0, Duration.between(now, Instant.ofEpochMilli(wakeAtMs)).toNanos());
    }

    /** For how many nanoseconds surely no timer is due; it does not look further than it loads. */
    long quietNanos(long nowMs) {
        long nextDueMs = Math.min(wheel.nextDueMs(), nowMs + AHEAD_MS);
        return allLoaded ? Math.max(0, nextDueMs - nowMs) * NANOS_A_MS : 0;
    }
}
