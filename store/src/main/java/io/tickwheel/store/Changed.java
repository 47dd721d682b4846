package io.tickwheel.store;

import org.jspecify.annotations.Nullable;

/**
 * The answer to a {@link ChangeCommand} or a {@link CompleteCommand}.
 *
 * @param outcome what became of the wish
 * @param timer the timer as it stands now, and of a purge as it stood before; null exactly when none was found
 */
public record Changed(Outcome outcome, @Nullable TimerView timer) {

    public enum Outcome {
        /** It was changed. */
        CHANGED,
        /** It is in another state than the command is for, which {@link TimerView#state} says; nothing was done. */
        WRONG_STATE,
        /** No timer is known under the key. */
        NOT_FOUND
    }
}
