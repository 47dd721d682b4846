package io.tickwheel.store.file.disk;

import io.tickwheel.store.Durability;
import java.time.Duration;

/**
 * When the commit log is synced.
 *
 * @param intervalNanos with {@code INTERVAL}, how long something written may go without a sync; else 0
 */
public record SyncPolicy(Durability durability, long intervalNanos) {

    public static final SyncPolicy SYNC = new SyncPolicy(Durability.SYNC, 0);
    public static final SyncPolicy NONE = new SyncPolicy(Durability.NONE, 0);

    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofSeconds(60);

    public static SyncPolicy interval(Duration interval) {
        if (interval.compareTo(SHORTEST) < 0 || interval.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("sync interval is " + interval.toMillis() + " ms (" + interval
                    + "), must be from " + SHORTEST.toMillis() + " ms to " + LONGEST.toMillis() + " ms");
        }
        return new SyncPolicy(Durability.INTERVAL, interval.toNanos());
    }

    /** Whether each frame is synced before what is in it is accepted. */
    public boolean isEachFrameSynced() {
        return durability.kind() == Durability.Kind.SYNC;
    }

    /** Whether what was written so long ago must be synced now. */
    public boolean isDue(long unsyncedNanos) {
        return durability.kind() == Durability.Kind.INTERVAL && unsyncedNanos >= intervalNanos;
    }
}
