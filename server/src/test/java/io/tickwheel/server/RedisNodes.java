package io.tickwheel.server;

import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.server.config.RedisStoreConfig;
import io.tickwheel.server.config.ServerConfig;
import io.tickwheel.store.redis.RedisAddress;
import io.tickwheel.store.redis.RedisTimerStore;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/** Servers on one real Redis: few partitions and short times, so that what takes seconds else is soon there. */
public final class RedisNodes {

    static final Duration LEASE = Duration.ofSeconds(1);

    /** Also a machine that is busy keeps it: for tests in which no node dies. */
    private static final Duration CALM_LEASE = Duration.ofSeconds(5);

    static final int PARTITIONS = 16;

    private static final AtomicInteger NAMESPACES = new AtomicInteger();

    private RedisNodes() {}

    /** One that no other test has. */
    static String freshNamespace() {
        return "test" + NAMESPACES.incrementAndGet();
    }

    static RedisAddress address(RedisServer redis) {
        return RedisAddress.single("redis://127.0.0.1:" + redis.port());
    }

    static ServerConfig config(RedisAddress address, String namespace, UnaryOperator<RedisTimerStore> options) {
        RedisTimerStore store = RedisTimerStore.at(address)
                .withNamespace(namespace)
                .withPartitions(PARTITIONS)
                .withLease(LEASE)
                .withTimeout(Duration.ofSeconds(5));
        return ServerConfig.of("127.0.0.1", 0, new RedisStoreConfig(address, namespace, options.apply(store)));
    }

    public static RunningServer start(RedisServer redis, String namespace) {
        return new RunningServer(config(redis, namespace));
    }

    /** One that loses nothing that it holds because this machine is slow. */
    static RunningServer startCalm(RedisServer redis, String namespace) {
        return new RunningServer(config(
                address(redis), namespace, store -> store.withLease(CALM_LEASE).withTimeout(Duration.ofSeconds(30))));
    }

    public static ServerConfig config(RedisServer redis, String namespace) {
        return config(address(redis), namespace, store -> store);
    }
}
