package io.tickwheel.engine;

import io.tickwheel.recurrence.Recurrence;
import java.util.Objects;

/**
 * The plan of a recurring timer, and how far it has come. It is stored with the timer. Immutable and thread-safe.
 *
 * @param recurrence when its runs are due
 * @param started how many runs were started: 0 or more
 * @param nominalMs the nominal time of the run that it is due for, in milliseconds since the epoch; of a request 0, until its due time is known
 * @param isPaused whether its runs are left out for now
 * @param hasEnded whether no run will follow
 */
public record Plan(Recurrence recurrence, long started, long nominalMs, boolean isPaused, boolean hasEnded) {

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException when one is out of its range
     */
    public Plan {
        Objects.requireNonNull(recurrence, "recurrence");
        if (started < 0) {
            throw new IllegalArgumentException("started is " + started + ", must be 0 or more");
        }
    }

    /** A plan of which no run was started. */
    static Plan of(Recurrence recurrence) {
        return new Plan(recurrence, 0, 0, false, false);
    }

    Plan withNominal(long newNominalMs) {
        return new Plan(recurrence, started, newNominalMs, isPaused, hasEnded);
    }
}
