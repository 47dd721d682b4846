package io.tickwheel.wheel;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;

/**
 * How late timeouts were taken out of the wheel: the time from the beginning of their deadline's tick, so without the
 * rounding up to the tick, which adds less than one, and without what a task then waits for a thread. A histogram with
 * eight buckets for each power of two nanoseconds: a percentile is at most an eighth too high. Immutable.
 */
public final class Lateness {
    private static final int SUB_BITS = 3;

    static final int BUCKETS = (Long.SIZE - SUB_BITS) << SUB_BITS;

    private final long[] counts;
    private final long maxNanos;
    private final long total;

    Lateness(long[] counts, long maxNanos) {
        this.counts = counts;
        this.maxNanos = maxNanos;
        long sum = 0;
        for (long count : counts) {
            sum += count;
        }
        total = sum;
    }

    /** Returns the bucket of a value that is not negative: for 0 to 7 the value, then eight to each power of two. */
    static int bucketOf(long nanos) {
        int shift = Math.max(0, Long.SIZE - 1 - SUB_BITS - Long.numberOfLeadingZeros(nanos | 1));
        return (shift << SUB_BITS) + (int) (nanos >>> shift);
    }

    /** Returns the largest value of a bucket. */
    static long highestOf(int bucket) {
        int shift = Math.max(0, (bucket >>> SUB_BITS) - 1);
        long sub = bucket - ((long) shift << SUB_BITS);
        return ((sub + 1) << shift) - 1;
    }

    /** Returns how many timeouts were measured. */
    public long count() {
        return total;
    }

    /** Returns the greatest lateness, exactly; zero if nothing was measured. */
    public Duration max() {
        return Duration.ofNanos(maxNanos);
    }

    /**
     * Returns the lateness which so many percent of the timeouts do not exceed; zero if nothing was measured.
     *
     * @param percent above 0, up to 100
     */
    public Duration percentile(double percent) {
        if (!(percent > 0 && percent <= 100)) {
            throw new IllegalArgumentException("percent is " + percent + ", must be above 0, up to 100");
        }
        // As the percentage is written: the double next to 99.9 is more than that.
        long rank = BigDecimal.valueOf(percent)
                .multiply(BigDecimal.valueOf(total))
                .movePointLeft(2)
                .setScale(0, RoundingMode.CEILING)
                .longValue();
        long seen = 0;
        for (int bucket = 0; bucket < counts.length; bucket++) {
            seen += counts[bucket];
            if (seen >= rank && seen > 0) {
                return Duration.ofNanos(Math.min(highestOf(bucket), maxNanos));
            }
        }
        return Duration.ZERO;
    }

    @Override
    public String toString() {
        return "count " + total + ", p50 " + percentile(50) + ", p99 " + percentile(99) + ", max " + max();
    }
}
