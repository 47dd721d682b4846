package io.tickwheel.wheel;

/** What becomes of a task that is due and that the executor refuses. Whatever it is, it is counted. */
public enum RejectionPolicy {
    /** It ends as {@link Timeout.State#FAILED} and the listener is told: the default. */
    FAIL,
    /** It runs on the expiry thread, and holds up the others there. */
    RUN_ON_EXPIRY_THREAD,
    /** It is offered again a tick later, and stays cancellable until then. */
    RETRY
}
