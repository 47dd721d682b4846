package io.tickwheel.engine;

import io.tickwheel.recurrence.Recurrence;
import java.util.Objects;

/**
 * The plan of a recurring timer, and how far it has come. It is stored with the timer. Immutable and thread-safe.
 *
 * @param recurrence when its runs are due
 * @param before the number of the last run that other plans under the key have started, or that is passed over: 0 or more
 * @param started how many runs were started by this plan: 0 or more
 * @param nominalMs the nominal time of the run that it is due for, in milliseconds since the epoch; of one with a fixed delay that waits, that of the run
 *     before; of a request 0, until its due time is known
 * @param isWaiting whether it waits for the end of the run before, so that its due time only says when to look again
 * @param hasEnded whether no run will follow
 */
public record Plan(
        Recurrence recurrence, long before, long started, long nominalMs, boolean isWaiting, boolean hasEnded) {

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException when one is out of its range
     */
    public Plan {
        Objects.requireNonNull(recurrence, "recurrence");
        if (before < 0) {
            throw new IllegalArgumentException("before is " + before + ", must be 0 or more");
        }
        if (started < 0) {
            throw new IllegalArgumentException("started is " + started + ", must be 0 or more");
        }
    }

    /** A plan of which no run was started. */
    static Plan of(Recurrence recurrence) {
        return new Plan(recurrence, 0, 0, 0, false, false);
    }

    /** The number of the last run under the key; 0 when there was none. */
    public long lastRun() {
        return before + started;
    }

    /** The plan that takes the place of another one: its runs go on where the numbers of the other one end, or its own if those are higher. */
    public Plan inPlaceOf(Plan other) {
        return withLastRun(Math.max(lastRun(), other.lastRun()));
    }

    /** Due for a nominal time. */
    public Plan withNominal(long newNominalMs) {
        return new Plan(recurrence, before, started, newNominalMs, false, hasEnded);
    }

    /** So that it waits for the end of the run before. */
    public Plan waiting() {
        return new Plan(recurrence, before, started, nominalMs, true, hasEnded);
    }

    /** Without a run that follows. */
    public Plan ended() {
        return new Plan(recurrence, before, started, nominalMs, false, true);
    }

    /** With one more run started. */
    public Plan withRun() {
        return new Plan(recurrence, before, started + 1, nominalMs, isWaiting, hasEnded);
    }

    /** So that the last run that was started has that number. */
    public Plan withLastRun(long number) {
        return new Plan(recurrence, number - started, started, nominalMs, isWaiting, hasEnded);
    }
}
