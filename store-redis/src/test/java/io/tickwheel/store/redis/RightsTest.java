package io.tickwheel.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.redis.testkit.RedisCluster;
import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.store.Durability;
import io.tickwheel.store.StoreException;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A user that may not do all that scripts do: one that fails in its middle would leave half of what it writes, so nobody begins. */
final class RightsTest {

    private static RedisServer server;

    @BeforeAll
    static void start() {
        server = RedisServer.builder().start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static RedisOptions options(RedisAddress address) {
        return RedisOptions.defaults(address.withUsername("u").withPassword("p"))
                .withNamespace("rights")
                .withPartitions(4);
    }

    private static RedisOptions options() {
        return options(RedisAddress.single("redis://127.0.0.1:" + server.port()));
    }

    private static void open(RedisOptions options) {
        new DrivenNode(options, DrivenNode.roomFor(10), Set.of(), link -> link).close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "exists",
                "unlink",
                "set",
                "getrange",
                "setrange",
                "pexpire",
                "hget",
                "hmget",
                "hset",
                "hdel",
                "hincrby",
                "hscan",
                "hstrlen",
                "zadd",
                "zrem",
                "zcard",
                "zcount",
                "zscore",
                "zmscore",
                "zrange",
                "zrangebyscore",
                "zremrangebyscore",
                "zpopmin"
            })
    void openingIsRefusedWhenACommandIsMissing(String command) {
        server.command("FLUSHALL");
        server.command("ACL", "SETUSER", "u", "reset", "on", ">p", "~rights:*", "&*", "+@all", "-" + command);
        assertThatThrownBy(() -> open(options()))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining(" " + command.toUpperCase(Locale.ROOT) + ",");
        assertThat(server.command("DBSIZE")).as("nothing was written").isEqualTo(0L);
    }

    @Test
    void openingIsRefusedWhenNobodyMayWaitForReplicas() {
        server.command("FLUSHALL");
        server.command("ACL", "SETUSER", "u", "reset", "on", ">p", "~rights:*", "&*", "+@all", "-wait");
        assertThatThrownBy(() -> open(options().withDurability(Durability.replicated(1))))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining(" WAIT,");
        assertThat(server.command("DBSIZE")).as("nothing was written").isEqualTo(0L);
        open(options());
    }

    /** A full server says so before anything else of what takes memory. */
    @Test
    void fullServerKnowsTheRightsToo() {
        server.command("FLUSHALL");
        server.command("ACL", "SETUSER", "u", "reset", "on", ">p", "~rights:*", "&*", "+@all");
        open(options());
        server.command("CONFIG", "SET", "maxmemory", "1");
        try {
            open(options());
            server.command("ACL", "SETUSER", "u", "-zadd");
            assertThatThrownBy(() -> open(options())).hasMessageContaining(" ZADD,");
        } finally {
            server.command("CONFIG", "SET", "maxmemory", "0");
        }
    }

    @Test
    void eachMasterOfAClusterIsAsked() {
        try (RedisCluster cluster = RedisCluster.builder().masters(2).start()) {
            String[] uris = cluster.nodes().stream()
                    .map(node -> "redis://127.0.0.1:" + node.port())
                    .toArray(String[]::new);
            cluster.nodes()
                    .forEach(node -> node.command("ACL", "SETUSER", "u", "on", ">p", "~rights:*", "&*", "+@all"));
            open(options(RedisAddress.cluster(uris)));
            for (int i = 0; i < 2; i++) {
                cluster.nodes().get(i).command("ACL", "SETUSER", "u", "-hincrby");
                assertThatThrownBy(() -> open(options(RedisAddress.cluster(uris))))
                        .hasMessageContaining(" HINCRBY,");
                cluster.nodes().get(i).command("ACL", "SETUSER", "u", "+hincrby");
            }
        }
    }
}
