package io.tickwheel.store.redis;

import io.tickwheel.store.redis.link.LettuceLink;
import io.tickwheel.store.redis.link.Link;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** The way to the servers for what people call, and no engine. */
final class ToolLink {

    /** How long to wait for an answer. */
    static final Duration TIMEOUT = Duration.ofSeconds(10);

    private ToolLink() {}

    /** Opens it. Replies are awaited, so there is no loop to be woken. */
    @SuppressForbidden(
            reason = "people call it, and no engine: the clock only says how long Redis takes to answer, and"
                    + " the random numbers how long to wait before it is asked again")
    static Link open(RedisAddress address) {
        return LettuceLink.open(
                address.servers(), TIMEOUT, System::nanoTime, ThreadLocalRandom.current()::nextLong, () -> {});
    }
}
