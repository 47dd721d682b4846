package io.tickwheel.target.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Target;
import io.tickwheel.redis.testkit.Patience;
import io.tickwheel.redis.testkit.RedisCluster;
import io.tickwheel.redis.testkit.RedisReplicas;
import io.tickwheel.redis.testkit.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A master that dies has its place taken, and deliveries go on there. */
@Tag("outage")
final class FailoverTest {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    @Test
    void deliveriesGoToTheMasterThatSentinelsPromote() throws Exception {
        try (RedisReplicas redis =
                RedisReplicas.builder().sentinels(Duration.ofMillis(500)).start()) {
            Target target =
                    Streams.open(uris(redis.sentinels()), "sentinelMaster", redis.masterName(), "timeoutMs", "1000");
            Patience.until(LIMIT, "delivered", () -> delivered(target, "* s"));
            RedisServer first = redis.master();
            redis.awaitReplication(LIMIT);
            first.kill();
            assertThat(Streams.deliver(target, "* s")).startsWith("failed: ");
            RedisServer second = redis.awaitMaster(master -> master != first, LIMIT);
            Patience.until(LIMIT, "delivered to the new master", () -> delivered(target, "* s"));
            assertThat(Streams.entries(second, "s")).hasSizeGreaterThanOrEqualTo(2);
            target.close();
        }
    }

    @Test
    void deliveriesGoToTheMasterOfTheSlotInACluster() throws Exception {
        try (RedisCluster redis =
                RedisCluster.builder().masters(3).replicasPerMaster(1).start()) {
            Target target = Streams.open(uris(redis.nodes().subList(0, 2)), "cluster", "true", "timeoutMs", "1000");
            List<String> streams = List.of("a", "b", "c", "d", "e", "f");
            for (String stream : streams) {
                Patience.until(LIMIT, "delivered to " + stream, () -> delivered(target, "* " + stream));
                assertThat(redis.masterOf(redis.slotOf(stream)).command("XLEN", stream))
                        .isEqualTo(1L);
            }
            int slot = redis.slotOf("a");
            RedisServer first = redis.masterOf(slot);
            first.kill();
            assertThat(Streams.deliver(target, "* a")).startsWith("failed: ");
            RedisServer second = redis.awaitMasterChange(slot, first, LIMIT);
            Patience.until(LIMIT, "delivered to the new master", () -> delivered(target, "* a"));
            assertThat(Streams.entries(second, "a")).isNotEmpty();
            target.close();
        }
    }

    @Test
    void slotThatHasMovedIsFollowed() throws Exception {
        try (RedisCluster redis = RedisCluster.builder().masters(2).start()) {
            Target target = Streams.open(uris(redis.nodes()), "cluster", "true");
            Patience.until(LIMIT, "delivered", () -> delivered(target, "* a"));
            int slot = redis.slotOf("a");
            RedisServer from = redis.masterOf(slot);
            RedisServer to = redis.nodes().stream()
                    .filter(node -> node != from)
                    .findFirst()
                    .orElseThrow();
            redis.migrateSlot(slot, from, to);
            Patience.until(LIMIT, "delivered", () -> delivered(target, "* a"));
            assertThat(to.command("XLEN", "a")).isEqualTo(2L);
            Target single = Streams.open(from);
            assertThat(Streams.deliver(single, "* a")).startsWith("failed: MOVED ");
            single.close();
            target.close();
        }
    }

    private static String uris(List<RedisServer> servers) {
        return servers.stream()
                .map(server -> "redis://127.0.0.1:" + server.port())
                .collect(Collectors.joining(", "));
    }

    private static boolean delivered(Target target, String address) {
        try {
            return Streams.deliver(target, address).equals("acknowledged");
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
