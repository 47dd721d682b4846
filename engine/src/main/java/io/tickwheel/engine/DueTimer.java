package io.tickwheel.engine;

import io.tickwheel.store.PendingTimer;
import io.tickwheel.wheel.WheelNode;
import org.jspecify.annotations.Nullable;

/**
 * A loaded timer in the index: first in the wheel, then, once it is due, in its {@link DueLane}. Attached to the store's handle,
 * so that it is found without a search. Owned by the loop.
 */
final class DueTimer extends WheelNode {

    final PendingTimer timer;

    /** The lane that it came to when it was due. */
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
    boolean claiming;

    /** What the timer counts as in the {@link Credits}, in bytes; set when it takes them. */
    int contentBytes;

    /** By which the calendar knows the claim when it may outlive this engine; set when it is granted. */
    long claimToken;

    /** What asked for the claim, of a timer that is to be leased; set when it takes its credit. */
    @Nullable
    PullDemand pulled;

    DueTimer(PendingTimer timer) {
        this.timer = timer;
    }
}
