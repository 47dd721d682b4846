package io.tickwheel.recurrence;

/** What becomes of a run that is due while the one before it has not ended. It is for the engine to see to it. */
public enum Overlap {
    /** It is left out. */
    SKIP,
    /** It starts when the one before it has ended. */
    QUEUE,
    /** It starts beside the one before it. */
    ALLOW
}
