package io.tickwheel.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Destination;
import io.tickwheel.engine.RetryPolicy;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.server.RedisNodes;
import io.tickwheel.server.RunningServer;
import io.tickwheel.server.SmallSegments;
import io.tickwheel.server.config.StartException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands on what lies in a Redis, and the way from a directory to it and back. */
final class RedisCommandsTest {

    private static final Instant DUE = Instant.parse("2090-01-01T00:00:00.123Z");
    private static final int TIMERS = 100;

    @TempDir
    private Path temp;

    private RedisServer redis;

    @BeforeEach
    void start() {
        redis = RedisServer.builder().start();
    }

    @AfterEach
    void stop() {
        redis.close();
    }

    private String uri() {
        return "redis://127.0.0.1:" + redis.port();
    }

    private static Ended run(Object... arguments) {
        return StoreCommands.run(arguments);
    }

    private Path directory() {
        Path data = temp.resolve("data");
        try (Tickwheel timers = Tickwheel.open(SmallSegments.store(data))) {
            for (int i = 0; i < TIMERS; i++) {
                timers.schedule(TimerRequest.at("q" + i % 2, "k\u00e9" + i, DUE.plusSeconds(i))
                                .withPayload(new byte[] {1, (byte) i}, "application/x-any")
                                .withHeaders(Map.of("X-One", "\"1\""))
                                .withDestination(new Destination("http", "PUT http://shop:8080/close"))
                                .withRetry(RetryPolicy.exponential(3, Duration.ofMillis(1_500)))
                                .withExpireAfter(Duration.ofHours(2)))
                        .join();
            }
        }
        return data;
    }

    /** What does not name the store. */
    private static List<String> timers(Path export) throws IOException {
        return Files.readAllLines(export).stream()
                .map(line -> line.substring(line.indexOf("\"timer\":")))
                .toList();
    }

    @Test
    void timersMoveFromDirectoryToRedisAndBack() throws IOException {
        Path before = temp.resolve("before.ndjson");
        assertThat(run("export", directory(), "--to", before).code()).isZero();
        Path after = temp.resolve("after.ndjson");
        try (RunningServer node = RedisNodes.start(redis, "tickwheel")) {
            String server = "http://127.0.0.1:" + node.port();
            Ended done = run("import", "--server", server, "--from", before);
            assertThat(done.code()).as(done.error()).isZero();
            assertThat(done.output()).contains("scheduled " + TIMERS + ", kept 0 ");
            assertThat(node.live()).isEqualTo(TIMERS);
            // A node is at work meanwhile.
            Ended export = run("export", "--redis", uri(), "--to", after);
            assertThat(export.code()).as(export.error()).isZero();
            Ended twice = run("import", "--server", server, "--from", before);
            assertThat(twice.code()).isEqualTo(StartException.DATA_ERROR);
            assertThat(twice.output()).contains("scheduled 0, kept 0 ", "refused " + TIMERS);
            assertThat(twice.error()).contains("line 1: the key has a live timer");
            assertThat(run("import", "--server", server, "--from", before, "--on-conflict", "keep")
                            .output())
                    .contains("scheduled 0, kept " + TIMERS + " ");
        }
        assertThat(timers(after)).containsExactlyInAnyOrderElementsOf(timers(before));
        Path back = temp.resolve("back");
        assertThat(run("import", back, "--from", after).output()).contains("scheduled " + TIMERS + ", ");
        Path again = temp.resolve("again.ndjson");
        assertThat(run("export", back, "--to", again).code()).isZero();
        assertThat(timers(again)).containsExactlyInAnyOrderElementsOf(timers(before));
    }

    @Test
    void linesOfOneQueueAreWhatBatchTakes() throws IOException {
        Path lines = temp.resolve("q1.ndjson");
        assertThat(run("export", directory(), "--queue", "q1", "--to", lines).code())
                .isZero();
        try (RunningServer node = RedisNodes.start(redis, "tickwheel")) {
            assertThat(node.batch("q1", Files.readString(lines)).body()).contains("\"line\":50,\"status\":201");
            assertThat(node.live()).isEqualTo(TIMERS / 2);
            Path only = temp.resolve("only.ndjson");
            assertThat(run("export", "--redis", uri(), "--queue", "q1", "--to", only)
                            .code())
                    .isZero();
            assertThat(Files.readAllLines(only)).containsExactlyInAnyOrderElementsOf(Files.readAllLines(lines));
            Ended done =
                    run("import", "--server", "http://127.0.0.1:" + node.port(), "--queue", "other", "--from", only);
            assertThat(done.output()).contains("scheduled " + TIMERS / 2 + ", ");
        }
    }

    @Test
    void namespaceIsVerified() throws IOException {
        Path config = temp.resolve("tickwheel.yaml");
        Files.writeString(config, "store: {kind: redis, redis: {uri: '" + uri() + "'}}");
        assertThat(run("verify", "--redis", uri()).code()).isEqualTo(StartException.IO_ERROR);
        try (RunningServer node = RedisNodes.start(redis, "tickwheel")) {
            assertThat(node.put("q", "k", "{\"delay\":\"1h\"}").status()).isEqualTo(201);
            for (Ended sound : List.of(run("verify", "--redis", uri()), run("verify", "--config", config))) {
                assertThat(sound.code()).as(sound.error()).isZero();
                assertThat(sound.output())
                        .contains("read 16 partitions with 1 pending, 0 claimed, 0 dead and 0 finished timers")
                        .contains("all is well");
            }
        }
        List<?> metas = (List<?>) redis.command("KEYS", "tickwheel:*:m");
        String meta = metas.get(0).toString();
        redis.command("HSET", meta, "live", "99");
        Ended damaged = run("verify", "--redis", uri());
        assertThat(damaged.code()).isEqualTo(StartException.DATA_ERROR);
        assertThat(damaged.output()).contains(meta + ", live: is 99, must be ", "contradictions");
        assertThat(run("verify", "--redis", uri(), "--json").output())
                .contains("\"findings\":[{\"partition\":", "\"field\":\"live\",\"what\":\"is 99, must be ");
    }

    @Test
    void commandNeedsOneStore() {
        assertThat(run("verify").code()).isEqualTo(2);
        assertThat(run("verify", temp, "--redis", uri()).code()).isEqualTo(2);
        assertThat(run("export", "--config", "c", "--redis", uri()).code()).isEqualTo(2);
        assertThat(run("import").code()).isEqualTo(2);
        assertThat(run("import", temp, "--server", "http://x").code()).isEqualTo(2);
        assertThat(run("import", "--server", "redis://x").code()).isEqualTo(2);
        assertThat(run("verify", "--redis", "http://x").error()).contains("store.redis.uri: ");
    }
}
