package io.tickwheel.server;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.server.RunningServer.Reply;
import io.tickwheel.server.config.ServerConfig;
import io.tickwheel.store.Durability;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a request asks to be certain, and what it is told. */
final class RedisDurabilityTest {

    private static final String HOUR = "{\"delay\":\"1h\"}";
    private static final String REPLICATED = "{\"delay\":\"1h\",\"durability\":\"replicated(1)\"}";

    private final String namespace = RedisNodes.freshNamespace();
    private RedisServer redis;

    @BeforeEach
    void start() {
        redis = RedisServer.builder().start();
    }

    @AfterEach
    void stop() {
        redis.close();
    }

    private RedisServer replica() {
        RedisServer replica = RedisServer.builder().start();
        replica.command("REPLICAOF", "127.0.0.1", Integer.toString(redis.port()));
        while (!String.valueOf(redis.command("INFO", "replication")).contains("state=online")) {
            LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
        }
        return replica;
    }

    @Test
    void withoutReplicasItIsUnknownAndRepeatingItIsSafe() {
        try (RunningServer server = RedisNodes.start(redis, namespace)) {
            Reply unknown = server.post("orders", REPLICATED, "Idempotency-Key", "once");
            assertThat(unknown.status()).isEqualTo(503);
            assertThat(unknown.field("code")).isEqualTo("storage_unavailable");
            assertThat(unknown.field("applied")).isEqualTo("unknown");
            assertThat(unknown.retryAfter()).isEqualTo("1");
            Reply keyed = server.put("orders", "keyed", REPLICATED);
            assertThat(keyed.field("applied")).isEqualTo("unknown");
            try (RedisServer replica = replica()) {
                Reply again = server.post("orders", REPLICATED, "Idempotency-Key", "once");
                assertThat(again.status()).as(again.body()).isEqualTo(201);
                assertThat(again.field("durability")).isEqualTo("replicated(1)");
                assertThat(again.field("version")).isEqualTo("1");
                assertThat(server.post("orders", REPLICATED, "Idempotency-Key", "once")
                                .body())
                        .isEqualTo(again.body());
                assertThat(server.live()).isEqualTo(2);
                Reply cancelled = server.send(
                        "DELETE", RunningServer.timer("orders", "keyed") + "?durability=replicated(1)", null, null);
                assertThat(cancelled.status()).as(cancelled.body()).isEqualTo(200);
                assertThat(cancelled.field("durability")).isEqualTo("replicated(1)");
                assertThat(replica.isAlive()).isTrue();
            }
        }
    }

    @Test
    void eachLineOfBatchHasItsOwn() {
        try (RedisServer replica = replica();
                RunningServer server = RedisNodes.start(redis, namespace)) {
            String[] lines = server.batch("orders", """
                            {"key":"a","delay":"1h"}
                            {"key":"b","delay":"1h","durability":"replicated(1)"}
                            {"cancel":"a","durability":"replicated(1)"}
                            {"cancel":"b"}
                            {"key":"c","delay":"1h","durability":"sync"}
                            {"cancel":"c","delay":"1h","durability":"memory"}
                            """).body().split("\n", -1);
            assertThat(lines[0]).contains("\"status\":201", "\"durability\":\"memory\"");
            assertThat(lines[1]).contains("\"status\":201", "\"durability\":\"replicated(1)\"");
            assertThat(lines[2]).contains("\"status\":200", "\"durability\":\"replicated(1)\"");
            assertThat(lines[3]).contains("\"status\":200", "\"durability\":\"memory\"");
            assertThat(lines[4]).contains("\"status\":422", "\"code\":\"durability_not_available\"");
            assertThat(lines[5]).contains("\"status\":400", "\"code\":\"field_not_allowed\"");
            assertThat(replica.isAlive()).isTrue();
        }
    }

    @Test
    void changeIsAsDurableAsItAsksFor() {
        try (RunningServer server = RedisNodes.start(redis, namespace);
                RedisServer replica = replica()) {
            server.put("orders", "k", HOUR);
            String path = RunningServer.timer("orders", "k") + "/reschedule";
            Reply replicated = server.send("POST", path, RunningServer.JSON, REPLICATED);
            assertThat(replicated.status()).as(replicated.body()).isEqualTo(200);
            assertThat(replicated.field("durability")).isEqualTo("replicated(1)");
            assertThat(server.send("POST", path, RunningServer.JSON, HOUR).field("durability"))
                    .isEqualTo("memory");
            assertThat(replica.isAlive()).isTrue();
        }
    }

    @Test
    void lineThatIsNotAsDurableAsItAsksForSaysSo() {
        try (RunningServer server = RedisNodes.start(redis, namespace)) {
            server.put("orders", "b", "{\"delay\":\"1h\",\"touchable\":true}");
            server.put("orders", "c", HOUR);
            String[] lines = server.batch("orders", """
                            {"key":"a","delay":"1h","durability":"replicated(1)"}
                            {"touch":"b","durability":"replicated(1)"}
                            {"cancel":"c","durability":"replicated(1)"}
                            {"touch":"b"}
                            """).body().split("\n", -1);
            for (int i = 0; i < 3; i++) {
                assertThat(lines[i])
                        .contains("\"status\":503", "\"code\":\"storage_unavailable\"", "\"applied\":\"unknown\"");
            }
            assertThat(lines[3]).contains("\"status\":200", "\"durability\":\"memory\"");
        }
    }

    /** A failover may promote one that has not confirmed what was answered. */
    @Test
    void replicasThatJoinLaterAndConfirmNothingAreNamedInTheLogOnce() {
        ServerConfig config = RedisNodes.config(
                RedisNodes.address(redis), namespace, store -> store.withDurability(Durability.replicated(1)));
        String doubt = "durability is replicated(1), and 127.0.0.1:" + redis.port() + " has ";
        try (LoggedEvents logged = new LoggedEvents();
                RedisServer first = replica();
                RunningServer server = new RunningServer(config);
                RedisServer second = replica()) {
            logged.await(doubt + "2 replicas");
            try (RedisServer third = replica()) {
                logged.await(doubt + "3 replicas");
                assertThat(List.of(first, second, third)).allMatch(RedisServer::isAlive);
            }
            assertThat(server.put("orders", "a", HOUR).status()).isEqualTo(201);
            assertThat(logged.messages(Level.WARN))
                    .filteredOn(message -> message.startsWith(doubt))
                    .hasSize(2);
        }
    }

    @Test
    void levelOfTheStoreHoldsUnlessAnotherIsAskedFor() {
        ServerConfig config = RedisNodes.config(
                RedisNodes.address(redis), namespace, store -> store.withDurability(Durability.replicated(1)));
        try (RedisServer replica = replica();
                RunningServer server = new RunningServer(config)) {
            assertThat(server.put("orders", "a", HOUR).field("durability")).isEqualTo("replicated(1)");
            assertThat(server.put("orders", "b", "{\"delay\":\"1h\",\"durability\":\"memory\"}")
                            .field("durability"))
                    .isEqualTo("memory");
            assertThat(server.delete("orders", "b").field("durability")).isEqualTo("replicated(1)");
            assertThat(replica.isAlive()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"sync", "interval", "none", "fsync(0)", "fsync(1)"})
    void levelThatTheStoreHasNotIsRefused(String level) {
        try (RunningServer server = RedisNodes.start(redis, namespace)) {
            Reply put = server.put("orders", "k", "{\"delay\":\"1h\",\"durability\":\"" + level + "\"}");
            assertNotAvailable(put, level, "memory");
            assertNotAvailable(
                    server.send("DELETE", RunningServer.timer("orders", "k") + "?durability=" + level, null, null),
                    level,
                    "memory");
            assertThat(server.live()).isZero();
        }
    }

    @Test
    void levelsOfRedisAreRefusedByTheFileStore(@TempDir Path directory) {
        try (RunningServer server = new RunningServer(directory)) {
            assertNotAvailable(server.put("orders", "k", REPLICATED), "replicated(1)", "sync");
            assertThat(server.put("orders", "k", "{\"delay\":\"1h\",\"durability\":\"sync\"}")
                            .field("durability"))
                    .isEqualTo("sync");
            Reply wrong = server.put("orders", "k", "{\"delay\":\"1h\",\"durability\":\"replicated(0)\"}");
            assertThat(wrong.status()).isEqualTo(422);
            assertThat(wrong.field("code")).isEqualTo("invalid_choice");
            assertThat(wrong.field("field")).isEqualTo("durability");
            Reply twice = server.send(
                    "DELETE", RunningServer.timer("orders", "k") + "?durability=sync&durability=sync", null, null);
            assertThat(twice.field("code")).isEqualTo("duplicate_parameter");
        }
    }

    private static void assertNotAvailable(Reply reply, String level, String offered) {
        assertThat(reply.status()).as(reply.body()).isEqualTo(422);
        assertThat(reply.field("code")).isEqualTo("durability_not_available");
        assertThat(reply.field("detail"))
                .isEqualTo("durability is " + level + ", must be one that the store offers, such as " + offered);
    }

    @Test
    void whatCannotBeReachedIsNotApplied() {
        try (RunningServer server = RedisNodes.start(redis, namespace)) {
            redis.command("SAVE");
            redis.kill();
            Reply refused = server.put("orders", "k", HOUR);
            assertThat(refused.status()).isEqualTo(503);
            assertThat(refused.field("code")).isEqualTo("storage_unavailable");
            assertThat(refused.field("applied")).isIn("false", "unknown");
            assertThat(refused.retryAfter()).isEqualTo("1");
            // Once the connection is known to be lost, nothing is sent any more.
            assertThat(server.put("orders", "l", HOUR).field("applied")).isEqualTo("false");
            assertThat(server.get("/readyz").status()).isEqualTo(200);
            redis.restart();
            Reply taken = server.put("orders", "k", HOUR);
            assertThat(taken.status()).as(taken.body()).isEqualTo(201);
        }
    }
}
