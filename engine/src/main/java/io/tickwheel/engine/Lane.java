package io.tickwheel.engine;

import org.jspecify.annotations.Nullable;

/**
 * The due timers of one queue, on their way to their targets. Each queue has its own credits, so that a queue whose targets
 * are slow holds up no other. Those that came late, of a backlog, take turns with those that came in time, one each, so that
 * a backlog holds up no fresh timer. Owned by the loop.
 */
final class Lane {

    final String queue;

    /** A timer that comes to its lane later than this is part of a backlog. */
    private static final long BACKLOG_MS = 1_000;

    private final DueList fresh = new DueList();
    private final DueList backlog = new DueList();
    private boolean backlogIsNext;

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

    /** Takes a timer that is due and waits for a credit from now on. */
    void addReady(DueTimer due, long nowMs) {
        (nowMs - due.timer.dueAtMs() > BACKLOG_MS ? backlog : fresh).addLast(due);
    }

    boolean hasReady() {
        return !fresh.isEmpty() || !backlog.isEmpty();
    }

    /** The timer to be claimed next, which leaves the lane; null when none is ready. */
    @Nullable
    DueTimer pollReady() {
        boolean fromBacklog = fresh.isEmpty() || (backlogIsNext && !backlog.isEmpty());
        backlogIsNext = !fromBacklog;
        return (fromBacklog ? backlog : fresh).poll();
    }

    boolean isIdle() {
        return inFlight == 0 && !hasReady() && homeless.isEmpty() && destination == null;
    }
}
