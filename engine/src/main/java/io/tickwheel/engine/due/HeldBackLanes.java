package io.tickwheel.engine.due;

import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * The lanes that stand in no round because their {@link Breaker} holds them back, each until its next attempt may start: of ten thousand
 * destinations that are down, those whose moment has not come cost nothing. Of those whose moment has come, {@value #MOST_AT_ONCE} are let go
 * in {@value #MS_AT_ONCE} ms, which is a thousand in a second; the others wait, the first come first. O(log n) for each. Owned by the loop.
 */
public final class HeldBackLanes {

    static final int MOST_AT_ONCE = 20;
    static final int MS_AT_ONCE = 20;

    private static final long NANOS_AT_ONCE = MS_AT_ONCE * 1_000_000L;

    /**
     * One stay of a lane.
     *
     * @param number greater than those of all stays before
     * @param untilNanos when it ends by itself
     */
    private record Stay(DueLane lane, long number, long untilNanos) {

        /** Whether the lane was let go before, and perhaps held back again. */
        boolean isOver() {
            return lane.stay != number;
        }
    }

    private final PriorityQueue<Stay> stays =
            new PriorityQueue<>((one, other) -> Long.signum(one.untilNanos - other.untilNanos));

    private long lastNumber;

    /** When the first of those was let go that count as let go at once, and how many these are. */
    private long firstLetGoNanos;

    private int letGo;

    /** Makes it without lanes. */
    public HeldBackLanes() {}

    /** Takes a lane that stands in a round, or is about to, if it is held back now; true too when it is here already. */
    boolean take(DueLane lane, long nowNanos) {
        if (!lane.isAside()) {
            // What consumers ask for is not held back.
            long nanos = lane.pulled() == null ? lane.heldBackNanos(nowNanos) : 0;
            if (nanos == 0) {
                return false;
            }
            stay(lane, nowNanos + nanos);
        }
        return true;
    }

    private void stay(DueLane lane, long untilNanos) {
        lane.stay = ++lastNumber;
        lane.stayUntilNanos = untilNanos;
        stays.add(new Stay(lane, lane.stay, untilNanos));
    }

    /** Lets the next lane go whose moment has come; null when there is none, or enough were let go lately. */
    public @Nullable DueLane next(long nowNanos) {
        Stay first = first();
        if (first == null || first.untilNanos - nowNanos > 0) {
            return null;
        }
        if (letGo == 0 || nowNanos - firstLetGoNanos >= NANOS_AT_ONCE) {
            firstLetGoNanos = nowNanos;
            letGo = 0;
        }
        if (letGo == MOST_AT_ONCE) {
            return null;
        }
        letGo++;
        stays.remove();
        forget(first.lane);
        return first.lane;
    }

    /** Lets a lane go that is here and is not held back any more; false if there is nothing to let go, though it may be let go sooner now. */
    public boolean release(DueLane lane, long nowNanos) {
        if (!lane.isAside()) {
            return false;
        }
        long nanos = lane.heldBackNanos(nowNanos);
        if (nanos == 0) {
            forget(lane);
            return true;
        }
        if (nowNanos + nanos - lane.stayUntilNanos < 0) {
            stay(lane, nowNanos + nanos);
        }
        return false;
    }

    /** Lets a lane go in any case. */
    public void forget(DueLane lane) {
        // What stands in the queue for it leaves at its time, which is not far away.
        lane.stay = 0;
    }

    /** In how many nanoseconds the next lane is to be let go; {@link Long#MAX_VALUE} when there is none. */
    public long nanosToNext(long nowNanos) {
        Stay first = first();
        if (first == null) {
            return Long.MAX_VALUE;
        }
        long nanos = Math.max(0, first.untilNanos - nowNanos);
        return letGo < MOST_AT_ONCE ? nanos : Math.max(nanos, firstLetGoNanos + NANOS_AT_ONCE - nowNanos);
    }

    private @Nullable Stay first() {
        Stay first = stays.peek();
        while (first != null && first.isOver()) {
            stays.remove();
            first = stays.peek();
        }
        return first;
    }
}
