package io.tickwheel.store.redis;

import io.tickwheel.redis.testkit.RedisBinary;
import io.tickwheel.redis.testkit.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The contract on the oldest server that is taken, Redis 6.2. */
@Tag("full")
final class Redis62ContractTest extends RedisCalendarContract {

    private static RedisServer server;

    @BeforeAll
    static void start() {
        server = RedisServer.builder().binary(RedisBinary.redis62()).start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Override
    RedisAddress address() {
        return RedisAddress.single("redis://127.0.0.1:" + server.port());
    }

    @Override
    RedisServer serverOf(byte[] key) {
        return server;
    }
}
