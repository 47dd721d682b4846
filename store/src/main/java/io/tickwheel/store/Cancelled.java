package io.tickwheel.store;

import org.jspecify.annotations.Nullable;

/**
 * The answer to a cancel, which is final: no further attempt of the timer starts, whatever becomes of one that runs. Asking again gives the
 * same outcome for as long as the timer is remembered, but that {@link Outcome#LAST_ATTEMPT_RUNNING} becomes {@link Outcome#CANCELLED} or
 * {@link Outcome#TOO_LATE} when the attempt has ended.
 *
 * @param outcome what became of the wish
 * @param timer the timer as it stands now; null exactly when none was found
 */
public record Cancelled(Outcome outcome, @Nullable TimerView timer) {

    public enum Outcome {
        /** No attempt runs, and none will start, not after a crash either. */
        CANCELLED,
        /** An attempt is running and may still succeed; none follows it, not after a crash either. */
        LAST_ATTEMPT_RUNNING,
        /** The timer has finished otherwise; {@link TimerView#state} says how. */
        TOO_LATE,
        /** No timer is known under the key. */
        NOT_FOUND
    }
}
