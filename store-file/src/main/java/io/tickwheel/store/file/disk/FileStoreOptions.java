package io.tickwheel.store.file.disk;

import java.nio.file.Path;
import java.util.Objects;

/**
 * With what a store is opened. Immutable; each {@code with} method gives a changed copy.
 *
 * @param segmentBytes how large a file of the commit log gets, about: 4 KiB to 1 GiB
 * @param checkpointBytes how much log may gather before it is trimmed: from 4 KiB
 * @param finishedRemembered how many finished timers are remembered: from 0
 * @param syncPolicy when the log is synced
 * @param turnTimers how many timers are moved, captured, looked at or indexed in a turn of the loop, about; tests take few, so
 *     that much comes between
 * @param queryBounds how much a list and a count do
 */
public record FileStoreOptions(
        Path directory,
        long segmentBytes,
        long checkpointBytes,
        int finishedRemembered,
        SyncPolicy syncPolicy,
        int turnTimers,
        QueryBounds queryBounds) {

    private static final long MIN_BYTES = 4_096;
    private static final long MAX_SEGMENT_BYTES = 1 << 30;

    public FileStoreOptions {
        Objects.requireNonNull(directory, "directory");
        if (segmentBytes > MAX_SEGMENT_BYTES) {
            throw new IllegalArgumentException(
                    "segmentBytes is " + segmentBytes + ", must be at most " + MAX_SEGMENT_BYTES);
        }
        checkAtLeast("segmentBytes", segmentBytes, MIN_BYTES);
        checkAtLeast("checkpointBytes", checkpointBytes, MIN_BYTES);
        checkAtLeast("finishedRemembered", finishedRemembered, 0);
        checkAtLeast("timers", turnTimers, 1);
    }

    /** The defaults, for a store in {@code directory}. */
    public static FileStoreOptions in(Path directory) {
        return new FileStoreOptions(
                directory, 64 << 20, 128 << 20, 100_000, SyncPolicy.SYNC, 8_192, QueryBounds.DEFAULT);
    }

    public FileStoreOptions withSegmentBytes(long bytes) {
        return new FileStoreOptions(
                directory, bytes, checkpointBytes, finishedRemembered, syncPolicy, turnTimers, queryBounds);
    }

    public FileStoreOptions withCheckpointBytes(long bytes) {
        return new FileStoreOptions(
                directory, segmentBytes, bytes, finishedRemembered, syncPolicy, turnTimers, queryBounds);
    }

    public FileStoreOptions withFinishedRemembered(int timers) {
        return new FileStoreOptions(
                directory, segmentBytes, checkpointBytes, timers, syncPolicy, turnTimers, queryBounds);
    }

    public FileStoreOptions withSyncPolicy(SyncPolicy policy) {
        return new FileStoreOptions(
                directory, segmentBytes, checkpointBytes, finishedRemembered, policy, turnTimers, queryBounds);
    }

    public FileStoreOptions withTurnTimers(int timers) {
        return new FileStoreOptions(
                directory, segmentBytes, checkpointBytes, finishedRemembered, syncPolicy, timers, queryBounds);
    }

    public FileStoreOptions withQueryBounds(QueryBounds bounds) {
        return new FileStoreOptions(
                directory, segmentBytes, checkpointBytes, finishedRemembered, syncPolicy, turnTimers, bounds);
    }

    private static void checkAtLeast(String name, long value, long min) {
        if (value < min) {
            throw new IllegalArgumentException(name + " is " + value + ", must be at least " + min);
        }
    }
}
