package io.tickwheel.benchmarks;

/** Judges the responses of a load. */
@FunctionalInterface
interface ResponseCheck {

    /** How many timers the response accepts. */
    int accepted(HttpReader response);
}
