package io.tickwheel.engine;

import org.jspecify.annotations.Nullable;

/**
 * The due timers of one queue, on their way to their targets. Each queue has its own credits, so that a queue whose targets
 * are slow holds up no other. Owned by the loop.
 */
final class Lane {

    final String queue;

    /** Due, and waiting for a credit. */
    final DueList ready = new DueList();

    /** Due, without a destination of their own, and the queue has none either. */
    final DueList homeless = new DueList();

    @Nullable
    Destination destination;

    int inFlight;

    /** Whether the lane stands in the round of those that have work. */
    boolean inRound;

    Lane(String queue, @Nullable Destination destination) {
        this.queue = queue;
        this.destination = destination;
    }

    boolean isIdle() {
        return inFlight == 0 && ready.isEmpty() && homeless.isEmpty() && destination == null;
    }
}
