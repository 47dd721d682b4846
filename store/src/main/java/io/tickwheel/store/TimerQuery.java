package io.tickwheel.store;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Which timers of a queue to list, a page at a time. Immutable and thread-safe; each {@code with} method gives a changed copy.
 *
 * <pre>{@code
 * TimerQuery all = TimerQuery.of("orders").withKeyPrefix("eu-").withLimit(500);
 * TimerPage page = timers.list(all).join();
 * while (page.next() != null) {
 *     page = timers.list(all.withAfter(page.next())).join();
 * }
 * }</pre>
 *
 * @param queue its name
 * @param state {@code PENDING}, {@code CLAIMED} or {@code DEAD}; null for all three. What was completed, cancelled or has
 *     expired is not listed: it is found by its key only
 * @param keyPrefix how the keys begin, in bytes of UTF-8; empty for all
 * @param dueFromMs the first time of an attempt, {@link TimerView#attemptAtMs}, in milliseconds since the epoch; {@link Long#MIN_VALUE} for no
 *     beginning. That is the due time of a timer that was not tried yet, and of any other when its next attempt is due, or the last one was
 * @param dueToMs the time of an attempt before which the list ends; {@link Long#MAX_VALUE} for no end
 * @param limit how many timers a page has at most: 1 to {@value #MAX_LIMIT}
 * @param after where the page before ended; null for the first page
 */
public record TimerQuery(
        String queue,
        @Nullable TimerState state,
        String keyPrefix,
        long dueFromMs,
        long dueToMs,
        int limit,
        @Nullable TimerCursor after) {

    /** The most timers of a page. */
    public static final int MAX_LIMIT = 1_000;

    /** The timers of a page when nothing is said. */
    public static final int DEFAULT_LIMIT = 100;

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException when one breaks its rule
     */
    public TimerQuery {
        Objects.requireNonNull(queue, "queue");
        Objects.requireNonNull(keyPrefix, "keyPrefix");
        if (state != null && state.isFinished() && state != TimerState.DEAD) {
            throw new IllegalArgumentException("state is " + state + ", must be PENDING, CLAIMED or DEAD");
        }
        if (dueFromMs > dueToMs) {
            throw new IllegalArgumentException(
                    "dueFromMs is " + dueFromMs + ", must be at most dueToMs, which is " + dueToMs);
        }
        if (limit < 1 || limit > MAX_LIMIT) {
            throw new IllegalArgumentException("limit is " + limit + ", must be 1 to " + MAX_LIMIT);
        }
    }

    /** All timers of a queue that are pending, claimed or dead, {@value #DEFAULT_LIMIT} a page. */
    public static TimerQuery of(String queue) {
        return new TimerQuery(queue, null, "", Long.MIN_VALUE, Long.MAX_VALUE, DEFAULT_LIMIT, null);
    }

    /** Only those in that state. */
    public TimerQuery withState(TimerState newState) {
        return new TimerQuery(queue, newState, keyPrefix, dueFromMs, dueToMs, limit, after);
    }

    /** Only those whose key begins like that. */
    public TimerQuery withKeyPrefix(String newKeyPrefix) {
        return new TimerQuery(queue, state, newKeyPrefix, dueFromMs, dueToMs, limit, after);
    }

    /** Only those whose next attempt is due, or whose last one was, at {@code fromMs} or later and before {@code toMs}. */
    public TimerQuery withDue(long fromMs, long toMs) {
        return new TimerQuery(queue, state, keyPrefix, fromMs, toMs, limit, after);
    }

    /** At most that many on a page. */
    public TimerQuery withLimit(int newLimit) {
        return new TimerQuery(queue, state, keyPrefix, dueFromMs, dueToMs, newLimit, after);
    }

    /** The page behind that place. */
    public TimerQuery withAfter(TimerCursor newAfter) {
        return new TimerQuery(queue, state, keyPrefix, dueFromMs, dueToMs, limit, newAfter);
    }
}
