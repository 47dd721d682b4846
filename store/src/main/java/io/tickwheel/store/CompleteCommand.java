package io.tickwheel.store;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The wish to complete a timer, because an attempt has succeeded whose claim this calendar does not hold: it was granted by another opening of the store, or on
 * another node. Immutable and thread-safe.
 *
 * @param key its queue and name
 * @param id the id of the timer
 * @param attempt the number of the attempt that has succeeded, from 1
 * @param token of the claim of that attempt, as {@link ClaimedTimer#token} said
 * @param ended the attempt as it is remembered with the timer
 * @param durability what must be certain before it is answered; null for what the calendar gives anyway
 */
public record CompleteCommand(
        TimerKey key,
        String id,
        int attempt,
        long token,
        PastAttempt ended,
        @Nullable Durability durability) {

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException when one is out of its range
     */
    public CompleteCommand {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(id, "id");
        if (attempt < 1) {
            throw new IllegalArgumentException("attempt is " + attempt + ", must be at least 1");
        }
        if (!ended.hasSucceeded()) {
            throw new IllegalArgumentException("reason is " + ended.reason() + ", must be empty");
        }
    }

    /** Whether a timer that waits may be the one of the attempt: what is due only later was rescheduled since, and is to be delivered then. */
    public boolean isOfItsTime(long attemptAtMs) {
        return attemptAtMs <= ended.startedAtMs();
    }

    /** Whether the attempt, or one behind it, is among those that have ended. */
    public boolean isAmong(List<PastAttempt> history) {
        return history.stream().anyMatch(past -> past.number() >= ended.number());
    }
}
