package io.tickwheel.recurrence;

/**
 * What becomes of runs that were missed, because nobody was there to start them or could. A run counts as missed when it is late by more than a minute,
 * or by more than its period, when that is shorter; a period is the time to the next nominal time.
 */
public enum Misfire {
    /** One run starts for all that were missed; the next one is the first that is not due yet. */
    ONCE,
    /** Those that were missed are left out. */
    SKIP,
    /** Each starts, one after the other. */
    ALL
}
