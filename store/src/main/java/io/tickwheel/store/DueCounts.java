package io.tickwheel.store;

import java.util.List;

/**
 * A load histogram: how many live timers, pending or claimed, come due when.
 *
 * @param fromMs where the first bucket begins, in milliseconds since the epoch
 * @param bucketMs how long a bucket is, in milliseconds
 * @param counts one for each bucket: of the timers due from its beginning on and before the beginning of the next
 */
public record DueCounts(long fromMs, long bucketMs, List<Long> counts) {

    public DueCounts {
        counts = List.copyOf(counts);
    }
}
