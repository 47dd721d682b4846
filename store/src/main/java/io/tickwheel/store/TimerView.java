package io.tickwheel.store;

import java.time.Instant;
import java.util.List;

/**
 * What a timer looked like at one moment. Immutable and thread-safe.
 *
 * @param key its queue and the caller's name
 * @param id unique in and across stores, new at each replace, without dots
 * @param version 1 for a new key, one higher at each replace; rises for as long as the key is remembered
 * @param dueAtMs when it was to be delivered, in milliseconds since the epoch: what its owner asked for, whatever became of
 *     attempts
 * @param attemptAtMs when its next attempt is due, or the last one was, in milliseconds since the epoch; {@code dueAtMs} until an
 *     attempt has failed
 * @param state where it stands
 * @param attempts how many attempts were started
 * @param history the attempts that have ended, of which the last {@link PastAttempt#REMEMBERED} are known, the first one first. Those that were cut off by
 *     the end of their process are not among them, nor those that did not count
 */
public record TimerView(
        TimerKey key,
        String id,
        long version,
        long dueAtMs,
        long attemptAtMs,
        TimerState state,
        int attempts,
        List<PastAttempt> history) {

    public TimerView {
        history = List.copyOf(history);
    }

    /** A timer of which no attempt has ended. */
    public TimerView(
            TimerKey key, String id, long version, long dueAtMs, long attemptAtMs, TimerState state, int attempts) {
        this(key, id, version, dueAtMs, attemptAtMs, state, attempts, List.of());
    }

    public Instant dueAt() {
        return Instant.ofEpochMilli(dueAtMs);
    }

    public Instant attemptAt() {
        return Instant.ofEpochMilli(attemptAtMs);
    }
}
