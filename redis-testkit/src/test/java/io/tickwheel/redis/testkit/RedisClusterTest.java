package io.tickwheel.redis.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(120)
final class RedisClusterTest {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    static List<RedisBinary> binaries() {
        return RedisBinary.usable();
    }

    @Tag("full")
    @ParameterizedTest
    @MethodSource("binaries")
    void aReplicaTakesThePlaceOfADeadMaster(RedisBinary binary) {
        try (RedisCluster redis = RedisCluster.builder().binary(binary).start()) {
            assertThat(redis.nodes()).hasSize(6);
            assertThat(redis.nodes()).filteredOn(redis::isMaster).hasSize(3);
            assertThat(IntStream.range(0, RedisCluster.SLOTS)
                            .filter(slot -> slot % 1000 == 0)
                            .mapToObj(redis::masterOf))
                    .containsAll(redis.nodes().subList(0, 3))
                    .allMatch(redis::isMaster);

            int slot = redis.slotOf("order");
            RedisServer first = redis.masterOf(slot);
            first.command("SET", "order", "42");
            assertThat(first.command("WAIT", "1", "10000")).isEqualTo(1L);
            first.kill();
            assertThat(redis.masterOf(slot)).isSameAs(first);

            RedisServer second = redis.awaitMasterChange(slot, first, LIMIT);
            assertThat(second).isNotSameAs(first).isSameAs(redis.masterOf(slot));
            assertThat(redis.isMaster(second)).isTrue();
            assertThat(redis.isMaster(first)).isFalse();
            assertThat(second.command("GET", "order")).isEqualTo("42");
            assertThat(second.command("SET", "order", "43")).isEqualTo("OK");

            first.restart();
            redis.awaitOk(LIMIT);
            assertThat(redis.isMaster(first)).isFalse();
            assertThat(redis.masterOf(slot)).isSameAs(second);
        }
    }

    @ParameterizedTest
    @MethodSource("binaries")
    void aSlotMovesWithItsKeys(RedisBinary binary) {
        try (RedisCluster redis = RedisCluster.builder()
                .binary(binary)
                .masters(2)
                .replicasPerMaster(0)
                .password("secret")
                .start()) {
            int slot = redis.slotOf("{order}");
            RedisServer from = redis.masterOf(slot);
            RedisServer to = redis.nodes().get(from == redis.nodes().get(0) ? 1 : 0);
            from.command("SET", "{order}1", "a");
            from.command("SET", "{order}2", "b");
            // Bytes that are no UTF-8.
            from.command(StandardCharsets.ISO_8859_1, "SET", "{order}\u00ff\u0080", "c");

            SlotMigration migration = redis.beginMigration(slot, from, to);
            assertRefused(from, "{order}new", "ASK " + slot + " 127.0.0.1:" + to.port());
            assertRefused(to, "{order}1", "MOVED " + slot + " 127.0.0.1:" + from.port());
            assertThat(migration.moveKeys(1)).isEqualTo(1);
            assertThat(from.command("CLUSTER", "COUNTKEYSINSLOT", "" + slot)).isEqualTo(2L);
            assertThat(redis.masterOf(slot)).isSameAs(from);
            assertThatExceptionOfType(IllegalStateException.class)
                    .isThrownBy(migration::endMigration)
                    .withMessageContaining("still has 2 keys");

            assertThat(migration.moveKeys(10)).isEqualTo(2);
            assertThat(migration.moveKeys(10)).isZero();
            migration.endMigration();
            // Before any wait, though the word of the target mostly gets there first.
            assertRefused(from, "{order}1", "MOVED " + slot + " 127.0.0.1:" + to.port());
            assertThat(redis.masterOf(slot)).isSameAs(to);
            assertThat(redis.awaitMasterChange(slot, from, LIMIT)).isSameAs(to);
            assertThat(to.command("GET", "{order}1")).isEqualTo("a");
            assertThat(to.command("GET", "{order}2")).isEqualTo("b");
            assertThat(to.command(StandardCharsets.ISO_8859_1, "GET", "{order}\u00ff\u0080"))
                    .isEqualTo("c");

            redis.migrateSlot(slot, to, from);
            redis.awaitMasterChange(slot, to, LIMIT);
            assertThat(from.command("GET", "{order}1")).isEqualTo("a");
            redis.beginMigration(slot, from, to).abandon();
            assertThat(from.command("GET", "{order}new")).isNull();
        }
    }

    @Tag("full")
    @ParameterizedTest
    @MethodSource("binaries")
    void aSlotThatMovesToAndFroKeepsItsKeys(RedisBinary binary) {
        try (RedisCluster redis = RedisCluster.builder().binary(binary).start()) {
            int slot = redis.slotOf("order");
            RedisServer from = redis.masterOf(slot);
            RedisServer to = redis.nodes().get(from == redis.nodes().get(0) ? 1 : 0);
            from.command("SET", "order", "42");
            for (int i = 0; i < 100; i++) {
                redis.migrateSlot(slot, from, to);
                redis.migrateSlot(slot, to, from);
            }
            assertThat(from.command("GET", "order")).isEqualTo("42");
        }
    }

    @Test
    void theViewOfANodeIsRead() {
        ClusterView view = ClusterView.parse("""
                aa 127.0.0.1:11001@21001 myself,master - 0 0 7 connected 0-99 105 200-300 [100->-bb]
                bb 127.0.0.1:11002@21002,host master,fail? - 5 6 8 disconnected 101-104
                cc 127.0.0.1:11003@21003 slave aa 5 6 7 connected
                """);
        for (int slot : List.of(0, 99, 105, 200, 300)) {
            assertThat(view.ownerOf(slot).orElseThrow().id()).isEqualTo("aa");
        }
        assertThat(view.ownerOf(101).orElseThrow().port()).isEqualTo(11_002);
        assertThat(view.ownerOf(101).orElseThrow().epoch()).isEqualTo(8);
        for (int slot : List.of(100, 106, 199, 301)) {
            assertThat(view.ownerOf(slot)).isEmpty();
        }
        assertThat(view.entries().stream().map(ClusterView.Entry::isWell)).containsExactly(true, false, true);
        assertThat(view.isWhole(3)).isFalse();
    }

    private static void assertRefused(RedisServer node, String key, String reply) {
        assertThatExceptionOfType(RedisError.class)
                .isThrownBy(() -> node.command("GET", key))
                .withMessage(reply);
    }
}
