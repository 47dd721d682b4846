package io.tickwheel.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Destination;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.server.RunningServer.Reply;
import io.tickwheel.server.config.ServerConfig;
import io.tickwheel.store.redis.RedisTimerStore;
import io.tickwheel.store.redis.RedisVerification;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Timers for streams that have the names of keys of the store, on the Redis that has the store: nobody writes there. */
final class StreamsBesideTheStoreTest {

    private static final List<String> KEYS = List.of("x", "e", "f", "n", "q", "zn1", "lbills", "lb-1");

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

    private ServerConfig config() {
        return RedisNodes.config(redis, namespace)
                .withTarget("redis-streams", Map.of("uri", "redis://127.0.0.1:" + redis.port()));
    }

    /** Keys that the store has, and some of its form that it does not have yet. */
    private List<String> keysOfTheStore() {
        List<String> keys = new ArrayList<>();
        for (Object key : (List<?>) redis.command("KEYS", namespace + ":{*}:*")) {
            keys.add((String) key);
            String beginning = ((String) key).substring(0, ((String) key).indexOf("}:") + 2);
            KEYS.forEach(letter -> keys.add(beginning + letter));
        }
        return keys.stream().distinct().toList();
    }

    private void isSound() {
        Object streams = redis.command(StandardCharsets.UTF_8, "SCAN", "0", "COUNT", "100000", "TYPE", "stream");
        assertThat((List<?>) ((List<?>) streams).get(1)).isEmpty();
        RedisVerification.Report report = RedisVerification.verify(RedisNodes.address(redis), namespace);
        assertThat(report.findings()).isEmpty();
    }

    @Test
    void theyAreRefusedWhenTheyAreScheduled() {
        try (RunningServer server = new RunningServer(config())) {
            assertThat(server.put("q", "k", "{\"delay\":\"1h\"}").status()).isEqualTo(201);
            List<String> keys = keysOfTheStore();
            assertThat(keys).hasSizeGreaterThan(RedisNodes.PARTITIONS);
            for (String key : keys) {
                String target = "{\"redisStream\":{\"stream\":\"" + key + "\",\"maxLen\":1}}";
                Reply refused = server.put("q", "bad", "{\"delay\":\"0s\",\"target\":" + target + "}");
                assertThat(refused.status()).as(key).isEqualTo(422);
                assertThat(refused.field("code")).isEqualTo("destination_not_allowed");
            }
            Reply queue = server.send(
                    "PUT",
                    "/v1/queues/q",
                    "application/json",
                    "{\"target\":{\"redisStream\":{\"stream\":\"" + keys.get(0) + "\"}}}");
            assertThat(queue.field("code")).as(queue.body()).isEqualTo("destination_not_allowed");
            assertThat(server.live()).isEqualTo(1);
        }
        isSound();
    }

    /** A program or an earlier version scheduled them. */
    @Test
    void thoseThatAreStoredAreDeadAndOthersGoOn() {
        try (RunningServer server = new RunningServer(config())) {
            assertThat(server.put("q", "first", "{\"delay\":\"1h\"}").status()).isEqualTo(201);
        }
        List<String> keys = keysOfTheStore();
        RedisTimerStore store = RedisTimerStore.at(RedisNodes.address(redis))
                .withNamespace(namespace)
                .withPartitions(RedisNodes.PARTITIONS)
                .withLease(RedisNodes.LEASE);
        try (Tickwheel timers = Tickwheel.open(store)) {
            for (int i = 0; i < keys.size(); i++) {
                timers.schedule(TimerRequest.after("q", "k" + i, Duration.ofSeconds(1))
                                .withDestination(new Destination("redis-streams", "=1 " + keys.get(i))))
                        .join();
            }
        }
        try (RunningServer server = new RunningServer(config())) {
            for (int i = 0; i < keys.size(); i++) {
                Reply dead =
                        server.await("q", "k" + i, reply -> reply.field("state").equals("DEAD"));
                assertThat(dead.body()).contains("has the form of a key of a store");
            }
            assertThat(server.put("q", "last", "{\"delay\":\"1h\"}").status()).isEqualTo(201);
            assertThat(server.live()).isEqualTo(2);
        }
        isSound();
    }
}
