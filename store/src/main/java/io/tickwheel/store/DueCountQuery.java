package io.tickwheel.store;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Asks for a load histogram: how many timers come due in each of some buckets of equal length, by when their next attempt is due. Immutable and thread-safe.
 *
 * @param queue whose timers are counted; null for those of all queues
 * @param fromMs where the first bucket begins, in milliseconds since the epoch; what is due before is not counted
 * @param bucketMs how long a bucket is, in milliseconds: {@value #MIN_BUCKET_MS} (1 s) to {@value #MAX_BUCKET_MS}
 *     (36,500 days)
 * @param buckets how many: 1 to {@value #MAX_BUCKETS}
 */
public record DueCountQuery(@Nullable String queue, long fromMs, long bucketMs, int buckets) {

    /** The shortest bucket. */
    public static final long MIN_BUCKET_MS = 1_000;

    /** The longest bucket. */
    public static final long MAX_BUCKET_MS = 36_500L * 24 * 3_600_000;

    /** The most buckets. */
    public static final int MAX_BUCKETS = 1_440;

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException when one breaks its rule
     */
    public DueCountQuery {
        if (bucketMs < MIN_BUCKET_MS || bucketMs > MAX_BUCKET_MS) {
            throw new IllegalArgumentException("bucket is " + Duration.ofMillis(bucketMs) + ", must be "
                    + Duration.ofMillis(MIN_BUCKET_MS) + " to " + Duration.ofMillis(MAX_BUCKET_MS));
        }
        if (buckets < 1 || buckets > MAX_BUCKETS) {
            throw new IllegalArgumentException("buckets is " + buckets + ", must be 1 to " + MAX_BUCKETS);
        }
        if (fromMs > Long.MAX_VALUE - buckets * bucketMs) {
            throw new IllegalArgumentException(
                    "fromMs is " + fromMs + ", must leave room for " + buckets + " buckets of " + bucketMs + " ms");
        }
    }

    /** Where the last bucket ends, exclusive, in milliseconds since the epoch. */
    public long toMs() {
        return fromMs + buckets * bucketMs;
    }
}
