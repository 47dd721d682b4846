package io.tickwheel.engine;

import io.tickwheel.store.PastAttempt;
import java.time.Duration;
import java.time.Instant;

/**
 * How an attempt ended. Any thread may call this: exactly one of the methods that end it, once; further calls are ignored. Until then the
 * attempt holds one of the credits of its queue.
 */
public interface Delivery {

    /**
     * Notes, before the end, what the receiver has answered, to be shown with the attempt and counted. Does not end it.
     *
     * @param status as an HTTP status: 0 to 65,535, 0 for none
     */
    default void answered(int status) {}

    /**
     * As {@link #answered(int)}, with the beginning of what the receiver has answered, which is remembered with the attempt when that
     * {@linkplain Attempt#keepsExcerpt keeps one}, and else dropped. Of several calls the last one counts.
     *
     * @param excerpt remembered as far as it goes into {@value PastAttempt#MOST_EXCERPT_BYTES} bytes of UTF-8, in whole characters; what is no
     *     character, as half a surrogate pair, becomes a question mark
     */
    default void answered(int status, String excerpt) {
        answered(status);
    }

    /** The receiver has it; the timer is completed. */
    void acknowledge();

    /** Try again when the retry policy says so. */
    void fail(String reason);

    /**
     * Try again, not before {@code wait} has passed, and not before the retry policy says so.
     *
     * @param wait not negative; more than 30 days counts as 30 days
     */
    void fail(String reason, Duration wait);

    /**
     * Nobody was reached: as {@link #fail(String)}, and when twenty attempts in a row of a queue and a {@linkplain Target#route route} end so, only one now and then is made until one
     * reaches somebody. An answer of any kind, but for one that sends elsewhere, or a refusal of this one message, is no such end. As long as none has reached anybody yet, or for a minute,
     * twenty may start, and twenty more each second; handlers are always reached.
     */
    default void unreachable(String reason) {
        fail(reason);
    }

    /**
     * Not now: try again at {@code until}, as if there had been no attempt, which does not count. A moment that has passed means at once. When no
     * attempt could start by then, as of {@code expireAfter}, the timer is expired.
     *
     * @param until at most {@link TimerRequest#LAST_DUE}
     */
    void postpone(String reason, Instant until);

    /** Never try again: the timer is dead. */
    void reject(String reason);
}
