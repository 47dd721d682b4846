package io.tickwheel.store.redis.link;

import org.jspecify.annotations.Nullable;

/**
 * What became of a {@link Call}.
 *
 * @param outcome what is known
 * @param value for {@code DONE} and {@code UNMET}, what the server answered: {@code Long}, {@code byte[]}, {@code List} of
 *     these, or null
 * @param reason for the other outcomes, what went wrong, in words
 * @param connection names the connection that it went over: another number means another connection, so perhaps another
 *     server, or one that has been restarted; 0 when it went over none
 */
public record Reply(Outcome outcome, @Nullable Object value, String reason, long connection) {

    public enum Outcome {
        /** It was executed, and is as durable as it was to be. */
        DONE,
        /** It was executed, and is not known to be as durable as it was to be: a failover may take it back. */
        UNMET,
        /** The server has no memory for what it would write. Not applied. */
        FULL,
        /** The server refused it for good, as a wrong call or for want of a permission. Not applied. */
        REFUSED,
        /** It was not executed, and may be after a while: no connection, a failover, a slot on its way, a busy server. */
        UNAVAILABLE,
        /** It was sent, and no reply came: it may have been executed, or may be still. */
        UNKNOWN
    }

    /** It was not executed, and went over no connection. */
    static Reply unavailable(String reason) {
        return new Reply(Outcome.UNAVAILABLE, null, reason, 0);
    }
}
