package io.tickwheel.store;

import org.jspecify.annotations.Nullable;

/**
 * The answer to a cancel. Asking again gives the same outcome for as long as the timer is remembered.
 *
 * @param outcome what became of the wish
 * @param timer the timer as it stands now; null exactly when none was found
 */
public record Cancelled(Outcome outcome, @Nullable TimerView timer) {

    public enum Outcome {
        /** No attempt of the timer starts any more, not after a crash either. */
        CANCELLED,
        /** An attempt is running or the timer is finished; {@link TimerView#state} says which. */
        TOO_LATE,
        /** No timer is known under the key. */
        NOT_FOUND
    }
}
