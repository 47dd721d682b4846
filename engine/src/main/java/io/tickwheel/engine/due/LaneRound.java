package io.tickwheel.engine.due;

import java.util.ArrayDeque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The lanes that have fresh timers, or those that have a backlog, in the order in which it is their turn. A lane that may not start
 * keeps its place, unless it is held back: then it leaves until it is let go. Owned by the loop.
 *
 * <p>All are looked at in a turn, but for those of a backlog that may not start while they are doubtful. There may be thousands that wait for the end of a few attempts, so at most
 * {@value #DOUBTFUL_A_TURN} of them are, and the next turn goes on behind these. As long as there are some that were not looked at since the last one started, or a credit came back,
 * the next turn is due in a millisecond.
 */
public final class LaneRound {

    private static final int DOUBTFUL_A_TURN = 64;
    private static final long LOOK_ON_NANOS = 1_000_000;

    private final boolean ofFresh;
    private final HeldBackLanes heldBack;
    private final Consumer<DueLane> leaving;
    private final ArrayDeque<DueLane> lanes = new ArrayDeque<>();

    /** Lanes of a backlog that were doubtful when they were looked at last. */
    private final ArrayDeque<DueLane> doubtful = new ArrayDeque<>();

    /** How many doubtful lanes were looked at in this turn, and how many in a row since one could start or a credit came back. */
    private int lookedAt;

    private int refusedInARow;

    /** How many credits had come back then. */
    private long returned;

    private boolean doubtfulIsNext;

    /** Whether all lanes were found to have no credit in this turn of the loop: in which credits do not come back. */
    private boolean exhausted;

    /**
     * Makes an empty round.
     *
     * @param ofFresh whether it is the one of fresh timers
     * @param heldBack takes the lanes that are held back
     * @param leaving told of each lane that was found without a timer and has left
     */
    public LaneRound(boolean ofFresh, HeldBackLanes heldBack, Consumer<DueLane> leaving) {
        this.ofFresh = ofFresh;
        this.heldBack = heldBack;
        this.leaving = leaving;
    }

    /** Begins a turn of the loop. */
    public void begin(Credits credits) {
        exhausted = false;
        lookedAt = 0;
        if (isPassedThrough() || returned != credits.returned()) {
            returned = credits.returned();
            refusedInARow = 0;
        }
    }

    private boolean isPassedThrough() {
        return refusedInARow >= doubtful.size();
    }

    /** In how many nanoseconds the lanes are to be looked at that were left out in this turn. */
    public long nanosToLookOn() {
        return isPassedThrough() ? Long.MAX_VALUE : LOOK_ON_NANOS;
    }

    /** Visits the lanes, but for the doubtful ones of a backlog. */
    public void forEach(Consumer<DueLane> visitor) {
        lanes.forEach(visitor);
    }

    /** Takes in a lane that has timers for this round, does not stand in it and is not held back. */
    public void enter(DueLane lane) {
        if (!isIn(lane) && !lane.isAside() && (ofFresh ? lane.hasFresh() : lane.hasBacklog())) {
            setIn(lane, true);
            lanes.addLast(lane);
        }
    }

    /**
     * The first timer of the next lane that has a credit; null when there is none. The lane leaves the round with it. Passes over
     * each lane at most once.
     */
    public @Nullable DueTimer next(Credits credits, long nowMs, long nowNanos) {
        doubtfulIsNext = !doubtfulIsNext;
        DueTimer next = doubtfulIsNext ? nextDoubtful(credits, nowMs, nowNanos) : null;
        if (next == null) {
            next = nextOfOthers(credits, nowMs, nowNanos);
        }
        return next == null && !doubtfulIsNext ? nextDoubtful(credits, nowMs, nowNanos) : next;
    }

    private @Nullable DueTimer nextOfOthers(Credits credits, long nowMs, long nowNanos) {
        for (int left = exhausted ? 0 : lanes.size(); left > 0; left--) {
            DueTimer first = look(lanes.remove(), credits, nowMs, nowNanos);
            if (first != null) {
                return first;
            }
        }
        exhausted = true;
        return null;
    }

    private @Nullable DueTimer nextDoubtful(Credits credits, long nowMs, long nowNanos) {
        for (; lookedAt < DOUBTFUL_A_TURN && !isPassedThrough(); lookedAt++) {
            DueTimer first = look(doubtful.remove(), credits, nowMs, nowNanos);
            if (first != null) {
                refusedInARow = 0;
                return first;
            }
        }
        return null;
    }

    /** The first timer of a lane that stood in the round, if it may start; else the lane stands where it belongs. */
    private @Nullable DueTimer look(DueLane lane, Credits credits, long nowMs, long nowNanos) {
        DueTimer first = ofFresh ? lane.firstFresh() : lane.firstOfBacklog();
        if (first == null) {
            setIn(lane, false);
            leaving.accept(lane);
        } else if (heldBack.take(lane, nowNanos)) {
            setIn(lane, false);
        } else if (credits.admits(lane, first.timer.contentBytes(), ofFresh, nowMs, nowNanos)) {
            setIn(lane, false);
            return first;
        } else if (!ofFresh && lane.doubtfulAt(nowNanos)) {
            doubtful.addLast(lane);
            refusedInARow++;
        } else {
            lanes.addLast(lane);
        }
        return null;
    }

    private boolean isIn(DueLane lane) {
        return ofFresh ? lane.inFreshRound : lane.inBacklogRound;
    }

    private void setIn(DueLane lane, boolean in) {
        if (ofFresh) {
            lane.inFreshRound = in;
        } else {
            lane.inBacklogRound = in;
        }
    }
}
