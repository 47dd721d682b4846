package io.tickwheel.store.redis.check;

import java.util.List;

/**
 * What was counted and found in a namespace. Immutable.
 *
 * @param partitions how many there are
 * @param pending timers in slices
 * @param claimed timers in flight
 * @param dead timers that were given up
 * @param finished other timers that are remembered
 * @param slices how many are not empty
 * @param nearInserts how many wait for their owners
 * @param idleNearInserts how many of these name a timer that no owner has to load
 * @param restless partitions that changed too often for their counts of queues to be checked
 * @param found the first contradictions
 * @param moreFound how many there are beside these
 */
public record CheckResult(
        int partitions,
        long pending,
        long claimed,
        long dead,
        long finished,
        long slices,
        long nearInserts,
        long idleNearInserts,
        int restless,
        List<Contradiction> found,
        long moreFound) {}
