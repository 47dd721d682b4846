package io.tickwheel.redis.testkit;

/** An error that Redis answered. The message is the whole reply, such as {@code WRONGTYPE Operation against a key ...}. */
public final class RedisError extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RedisError(String reply) {
        super(reply);
    }

    /** The first word of the reply, by convention the kind of the error, such as {@code MOVED} or {@code ERR}. */
    public String code() {
        String reply = String.valueOf(getMessage());
        int space = reply.indexOf(' ');
        return space < 0 ? reply : reply.substring(0, space);
    }
}
