package io.tickwheel.engine.due;

import java.util.ArrayDeque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The lanes that have fresh timers, or those that have a backlog, in the order in which it is their turn. A lane that may not start
 * keeps its place, unless it is held back: then it leaves until it is let go. Owned by the loop.
 */
public final class LaneRound {

    private final boolean ofFresh;
    private final HeldBackLanes heldBack;
    private final Consumer<DueLane> leaving;
    private final ArrayDeque<DueLane> lanes = new ArrayDeque<>();

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
    public void begin() {
        exhausted = false;
    }

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
        for (int left = exhausted ? 0 : lanes.size(); left > 0; left--) {
            DueLane lane = lanes.remove();
            DueTimer first = ofFresh ? lane.firstFresh() : lane.firstOfBacklog();
            if (first == null) {
                setIn(lane, false);
                leaving.accept(lane);
            } else if (heldBack.take(lane, nowNanos)) {
                setIn(lane, false);
            } else if (credits.admits(lane, first.timer.contentBytes(), ofFresh, nowMs, nowNanos)) {
                setIn(lane, false);
                return first;
            } else {
                lanes.addLast(lane);
            }
        }
        exhausted = true;
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
