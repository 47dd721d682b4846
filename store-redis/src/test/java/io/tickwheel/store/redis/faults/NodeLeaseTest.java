package io.tickwheel.store.redis.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.engine.Tickwheel;
import io.tickwheel.redis.testkit.Patience;
import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.store.StoreFormatException;
import io.tickwheel.store.StoreGoneException;
import io.tickwheel.store.redis.RedisAddress;
import io.tickwheel.store.redis.RedisTimerStore;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Nodes of one namespace have one lease: else one would take another for dead that is alive, and deliver what that delivers. */
final class NodeLeaseTest {

    private static final Duration SHORT = Duration.ofSeconds(1);
    private static final Duration LONG = Duration.ofSeconds(3);
    private static final byte[] PAYLOAD = {1};

    private static RedisServer server;

    private final String namespace = FaultRun.fresh("lease");

    @BeforeAll
    static void start() {
        server = RedisServer.builder().start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private Tickwheel open(String node, Duration lease) {
        return Tickwheel.open(RedisTimerStore.at(RedisAddress.single("redis://127.0.0.1:" + server.port()))
                .withNamespace(namespace)
                .withPartitions(4)
                .withLease(lease)
                .withNode(node));
    }

    private String key(String name) {
        return namespace + ":{0}:" + name;
    }

    /** Another node beats, with another lease. */
    private void beat(String node, Duration lease) {
        server.command(
                "EVAL", """
                local time = redis.call('TIME')
                redis.call('ZADD', KEYS[1], time[1] * 1000 + math.floor(time[2] / 1000), ARGV[1])
                redis.call('HSET', KEYS[2], ARGV[1], '3:1')
                redis.call('HSET', KEYS[3], 'lease', ARGV[2])
                """, "3", key("nodes"), key("ids"), key("config"), node, Long.toString(lease.toMillis()));
    }

    private static void schedule(Tickwheel node) {
        node.schedule("q", "k", Duration.ofHours(1), PAYLOAD).join();
    }

    @Test
    void nodeWithAnotherLeaseDoesNotStartWhileOthersLive() {
        try (Tickwheel node = open("a", LONG)) {
            assertThatThrownBy(() -> open("b", SHORT))
                    .isInstanceOf(StoreFormatException.class)
                    .hasMessageContaining("is used by nodes with lease PT3S, this one has PT1S")
                    .hasMessageEndingWith("stop these first: a");
            schedule(node);
        }
        try (Tickwheel next = open("b", SHORT)) {
            schedule(next);
            assertThatThrownBy(() -> open("a", LONG))
                    .isInstanceOf(StoreFormatException.class)
                    .hasMessageEndingWith("stop these first: b");
        }
    }

    /** Its heartbeat is there until its lease is over. */
    @Test
    void nodeWithAnotherLeaseWaitsForOneThatWasKilled() {
        try (Tickwheel node = open("a", LONG)) {
            schedule(node);
        }
        beat("killed", LONG);
        try (Tickwheel next = open("b", SHORT)) {
            assertThat(server.command("ZSCORE", key("nodes"), "killed")).isNull();
            schedule(next);
        }
    }

    /** It stood still meanwhile, or did not reach Redis. */
    @Test
    void nodeDoesNothingWhileOthersHaveTakenOverWithAnotherLease() {
        try (Tickwheel node = open("a", SHORT)) {
            schedule(node);
            Patience.until("it notices", () -> {
                beat("other", LONG);
                return node.unready().isPresent();
            });
            assertThatThrownBy(() -> schedule(node))
                    .hasCauseInstanceOf(StoreGoneException.class)
                    .hasMessageContaining("is used by nodes with lease PT3S, this one has PT1S");
            server.command("ZREM", key("nodes"), "other");
            Patience.until("it goes on", () -> node.unready().isEmpty());
            schedule(node);
        }
    }
}
