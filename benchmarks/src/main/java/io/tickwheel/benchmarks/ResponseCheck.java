package io.tickwheel.benchmarks;

/** Judges the responses of a load. */
@FunctionalInterface
interface ResponseCheck {

    /** How many timers the response to a request accepts. */
    int accepted(long number, HttpReader response);
}
