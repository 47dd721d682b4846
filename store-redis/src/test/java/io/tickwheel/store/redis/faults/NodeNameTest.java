package io.tickwheel.store.redis.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.engine.Tickwheel;
import io.tickwheel.redis.testkit.Patience;
import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.store.StoreLockedException;
import io.tickwheel.store.redis.RedisAddress;
import io.tickwheel.store.redis.RedisTimerStore;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A name that a node has by its configuration, also after a failover has lost who had it last. */
final class NodeNameTest {

    private static final Duration LEASE = Duration.ofSeconds(1);
    private static final byte[] PAYLOAD = {1};

    private static RedisServer server;

    private final String namespace = FaultRun.fresh("name");

    @BeforeAll
    static void start() {
        server = RedisServer.builder().start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private Tickwheel open() {
        return open(LEASE);
    }

    private Tickwheel open(Duration lease) {
        return Tickwheel.open(RedisTimerStore.at(RedisAddress.single("redis://127.0.0.1:" + server.port()))
                .withNamespace(namespace)
                .withPartitions(4)
                .withLease(lease)
                .withNode("fixed"));
    }

    private String key(String name) {
        return namespace + ":{0}:" + name;
    }

    private String incarnation() {
        return String.valueOf(server.command("HGET", key("ids"), "fixed"));
    }

    /** What a replica has that is promoted before it heard that a former incarnation left, and which one came then. */
    private void bringBack(String incarnation, long aheadMs) {
        server.command("EVAL", """
                local time = redis.call('TIME')
                redis.call('ZADD', KEYS[1], time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[2], 'fixed')
                redis.call('HSET', KEYS[2], 'fixed', ARGV[1])
                """, "2", key("nodes"), key("ids"), incarnation, Long.toString(aheadMs));
    }

    @Test
    void incarnationThatAFailoverBringsBackDoesNotTakeTheNameAway() {
        try (Tickwheel node = open()) {
            String mine = incarnation();
            bringBack("2:former", 0);
            node.schedule("q", "k", Duration.ofHours(1), PAYLOAD).join();
            Patience.until("the name is its own again", () -> incarnation().equals(mine));
            assertThat(node.isRunning()).isTrue();
            node.schedule("q", "k", Duration.ofHours(1), PAYLOAD).join();
        }
    }

    @Test
    void nodeStartsWithANameThatAFailoverBringsBack() {
        try (Tickwheel first = open()) {
            assertThat(first.isRunning()).isTrue();
        }
        bringBack("2:former", 0);
        try (Tickwheel next = open()) {
            assertThat(incarnation()).isNotEqualTo("2:former");
            assertThat(next.isRunning()).isTrue();
        }
    }

    /** By the clock of the former master it was alive later than it is now. */
    @Test
    void nodeStartsWithANameThatWasAliveByAClockAhead() {
        try (Tickwheel first = open()) {
            assertThat(first.isRunning()).isTrue();
        }
        bringBack("2:former", LEASE.toMillis() * 9 / 10);
        try (Tickwheel next = open()) {
            assertThat(next.isRunning()).isTrue();
        }
    }

    @Test
    void nodeStopsWhenAnotherOneIsAliveUnderItsName() {
        try (Tickwheel node = open()) {
            Patience.until("it notices", () -> {
                bringBack("2:other", 0);
                return !node.isRunning();
            });
            assertThatThrownBy(() -> node.schedule("q", "k", Duration.ofHours(1), PAYLOAD)
                            .join())
                    .hasMessageContaining("another process uses the node name fixed");
        }
        server.command("DEL", key("nodes"), key("ids"));
    }

    /** The lease is one that a busy machine keeps. */
    @Test
    void nodeDoesNotStartWhileAnotherOneIsAliveUnderItsName() {
        Duration lease = LEASE.multipliedBy(3);
        try (Tickwheel node = open(lease)) {
            assertThatThrownBy(() -> open(lease))
                    .isInstanceOf(StoreLockedException.class)
                    .hasMessageContaining("another node with the name fixed is alive");
            assertThat(node.isRunning()).isTrue();
        }
    }
}
