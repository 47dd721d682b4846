package io.tickwheel.engine.due;

import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * The lanes that stand in no round because their {@link Breaker} holds them back, each until its next attempt may start: of ten thousand
 * destinations that are down, those whose moment has not come cost nothing. O(log n) for each. Owned by the loop.
 */
public final class HeldBackLanes {

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
            lane.stay = ++lastNumber;
            stays.add(new Stay(lane, lane.stay, nowNanos + nanos));
        }
        return true;
    }

    /** Lets the next lane go whose moment has come; null when there is none. */
    public @Nullable DueLane next(long nowNanos) {
        Stay first = first();
        if (first == null || first.untilNanos - nowNanos > 0) {
            return null;
        }
        stays.remove();
        forget(first.lane);
        return first.lane;
    }

    /** Lets a lane go that is here and is not held back any more; false if there is nothing to let go. */
    public boolean release(DueLane lane, long nowNanos) {
        boolean released = lane.isAside() && lane.heldBackNanos(nowNanos) == 0;
        if (released) {
            forget(lane);
        }
        return released;
    }

    /** Lets a lane go in any case. */
    public void forget(DueLane lane) {
        // What stands in the queue for it leaves at its time, which is not far away.
        lane.stay = 0;
    }

    /** In how many nanoseconds the next lane is to be let go; {@link Long#MAX_VALUE} when there is none. */
    public long nanosToNext(long nowNanos) {
        Stay first = first();
        return first == null ? Long.MAX_VALUE : Math.max(0, first.untilNanos - nowNanos);
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
