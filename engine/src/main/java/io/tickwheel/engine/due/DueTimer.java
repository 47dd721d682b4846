package io.tickwheel.engine.due;

import io.tickwheel.store.PendingTimer;
import io.tickwheel.wheel.WheelNode;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A loaded timer in the index: first in the wheel, then, once it is due, in its {@link DueLane}. Attached to the store's handle,
 * so that it is found without a search. Owned by the loop.
 */
public final class DueTimer extends WheelNode {

    public final PendingTimer timer;

    @Nullable
    DueLane lane;

    /** The list of the lane that it stands in. */
    @Nullable
    DueList list;

    @Nullable
    DueTimer previous;

    @Nullable
    DueTimer next;

    /** Holds a credit of its lane and waits for the claim. Counted in the index until it is granted. */
    private boolean claiming;

    private int contentBytes;
    private long claimToken;
    private @Nullable PullDemand pulled;

    public DueTimer(PendingTimer timer) {
        this.timer = timer;
    }

    /** The lane that it came to when it was due. */
    public DueLane lane() {
        return Objects.requireNonNull(lane);
    }

    /** Whether it stands in a list of its lane. */
    public boolean isWaiting() {
        return list != null;
    }

    /** Leaves the list that it stands in. */
    public void leave() {
        Objects.requireNonNull(list).remove(this);
    }

    /**
     * Begins to be claimed.
     *
     * @param by what asks for the claim, of a timer that is to be leased; else null
     */
    public void beginClaim(@Nullable PullDemand by) {
        contentBytes = timer.contentBytes();
        pulled = by;
        claiming = true;
    }

    public void endClaim() {
        claiming = false;
    }

    public boolean isClaiming() {
        return claiming;
    }

    /** What the timer counts as in the {@link Credits}, in bytes; known from its claim on. */
    public int contentBytes() {
        return contentBytes;
    }

    /** What asked for the claim, of a timer that is to be leased; else null. */
    public @Nullable PullDemand pulled() {
        return pulled;
    }

    /** By which the calendar knows the claim when it may outlive this engine; known once it is granted. */
    public long claimToken() {
        return claimToken;
    }

    public void granted(long token) {
        claimToken = token;
    }
}
