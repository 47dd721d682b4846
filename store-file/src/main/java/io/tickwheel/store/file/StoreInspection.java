package io.tickwheel.store.file;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is in the directory of a store.
 *
 * @param format the version of the file format
 * @param storeId the identity of the store, as it stands in the ids of its timers
 * @param epoch one higher at each opening
 * @param generation one higher at each writing of the manifest
 * @param checkpointLsn the position in the log where the next opening begins to read
 * @param syncedLsn the log was synced at least up to here when the manifest was written
 * @param nextSeq the number that the next record would have had when the manifest was written
 * @param segments the files of the log, in their order
 * @param spares the files for later segments
 * @param runs the runs that count, by number
 * @param progress the file that says which runs count and what of them has ended; null when there is none
 * @param keys the file with the key index of a clean close; null when there is none
 * @param finished how many finished timers the progress remembers
 * @param queues the timers in runs, by queue in the order of the names: as of the last checkpoint, without what the log
 *     has said since
 */
public record StoreInspection(
        int format,
        String storeId,
        int epoch,
        long generation,
        long checkpointLsn,
        long syncedLsn,
        long nextSeq,
        List<File> segments,
        List<File> spares,
        List<Run> runs,
        @Nullable File progress,
        @Nullable File keys,
        int finished,
        List<Queue> queues) {

    /** Copies the lists. */
    public StoreInspection {
        segments = List.copyOf(segments);
        spares = List.copyOf(spares);
        runs = List.copyOf(runs);
        queues = List.copyOf(queues);
    }

    /** A file, by its name relative to the directory, and its length in bytes. */
    public record File(String name, long bytes) {}

    /**
     * A run.
     *
     * @param tier how far ahead its timers were due: {@code NEAR}, {@code MID} or {@code FAR}; {@code DEAD} for those that
     *     were given up
     * @param timers how many timers it was written with
     * @param present how many of them had not ended at the last checkpoint
     */
    public record Run(
            int number,
            String file,
            String tier,
            int timers,
            int present,
            long bytes,
            Instant firstDue,
            Instant lastDue) {}

    /** How many timers of a queue are pending, and how many were given up. */
    public record Queue(String name, long pending, long dead) {}
}
