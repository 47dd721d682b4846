package io.tickwheel.store.redis.loading;

import io.tickwheel.store.redis.loading.RedisLane.Kind;
import java.util.Set;

/**
 * A part of the due times of a partition that one call looks through. Immutable.
 *
 * @param kind of which of the two ranges
 * @param isCatchUp whether it is for some lanes that have room again, and not for all
 * @param fromMs the first due time
 * @param mark behind what of that millisecond; empty for all of it
 * @param toMs behind the last due time
 * @param most how many timers the call may bring: so many are taken from the {@link LoadBudget}
 * @param lanes the only ones to look for, or those to leave out
 * @param changes how often loading had begun anew before it: if that has changed, it counts for nothing
 */
public record Piece(
        Kind kind,
        boolean isCatchUp,
        long fromMs,
        byte[] mark,
        long toMs,
        int most,
        Set<RedisLane> lanes,
        int changes) {

    /** So many members keep the server for less than a millisecond. */
    private static final int LOOKS = 1_000;

    /** Whether {@link LoadTurns} allowed it. */
    boolean isOfTurns() {
        return isCatchUp || kind == Kind.LATE;
    }

    /** How many members the call may look at. */
    public int looks() {
        return lanes.isEmpty() ? most : LOOKS;
    }
}
