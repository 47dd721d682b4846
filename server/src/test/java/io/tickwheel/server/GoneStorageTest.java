package io.tickwheel.server;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.tickwheel.redis.testkit.Patience;
import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.server.RunningServer.Reply;
import io.tickwheel.server.cli.Ended;
import io.tickwheel.server.cli.StoreCommands;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What operators and callers see of a Redis that came back empty, and how they go on. */
final class GoneStorageTest {

    private static final String HOUR = "{\"delay\":\"1h\"}";
    private static final String NAMESPACE = "tickwheel";

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

    private static void awaitReady(RunningServer server, int status) {
        Patience.until(
                Duration.ofSeconds(30),
                "ready is " + status,
                () -> server.get("/readyz").status() == status);
    }

    private static String id(String text) {
        Matcher id = Pattern.compile("accept-empty --lost ([0-9a-f]{32})").matcher(text);
        assertThat(id.find()).as(text).isTrue();
        return id.group(1);
    }

    @Test
    void emptyRedisIsToldAndAccepted() throws Exception {
        try (LoggedEvents logged = new LoggedEvents();
                RunningServer server = RedisNodes.start(redis, NAMESPACE);
                Receiver receiver = new Receiver()) {
            assertThat(server.put("orders", "before", HOUR).status()).isEqualTo(201);
            assertThat(server.get("/metrics").body()).contains("tickwheel_store_gone 0.0");
            redis.kill();
            redis.restart();
            awaitReady(server, 503);
            Reply ready = server.get("/readyz");
            assertThat(ready.field("code")).isEqualTo("storage_gone");
            assertThat(ready.field("detail")).startsWith("namespace tickwheel is gone: its id was ");
            assertThat(server.get("/livez").status()).isEqualTo(200);
            assertThat(server.get("/metrics").body()).contains("tickwheel_store_gone 1.0");
            assertRefused(server);
            assertThat(logged.messages(Level.ERROR)).containsExactly(ready.field("detail"));
            assertThat((List<?>) redis.command("KEYS", "*")).isEmpty();

            Ended accepted = run("accept-empty", "--redis", uri(), "--lost", id(ready.field("detail")));
            assertThat(accepted.code()).as(accepted.error()).isZero();
            assertThat(accepted.output()).contains("namespace tickwheel: accepted");
            awaitReady(server, 200);
            assertThat(server.get("/metrics").body()).contains("tickwheel_store_gone 0.0");
            assertThat(server.get("orders", "before").status()).isEqualTo(404);
            String body = "{\"delay\":\"100ms\",\"target\":{\"url\":\"" + receiver.url("/due") + "\"}}";
            assertThat(server.put("orders", "after", body).status()).isEqualTo(201);
            assertThat(receiver.next().headers().get("tickwheel-key")).isEqualTo("after");
        }
    }

    private static void assertRefused(RunningServer server) {
        Reply put = server.put("orders", "after", HOUR);
        assertThat(put.status()).isEqualTo(503);
        assertThat(put.field("code")).isEqualTo("storage_gone");
        assertThat(put.field("applied")).isEqualTo("false");
        assertThat(put.retryAfter()).isEmpty();
        assertThat(server.delete("orders", "before").field("code")).isEqualTo("storage_gone");
        assertThat(server.get("orders", "before").field("code")).isEqualTo("storage_gone");
        assertThat(server.get("/v1/queues").field("code")).isEqualTo("storage_gone");
        assertThat(server.batch("orders", "{\"key\":\"b\",\"delay\":\"1h\"}\n").body())
                .contains("\"status\":503", "\"code\":\"storage_gone\"");
    }

    @Test
    void whatIsNotGoneIsNotAccepted() {
        try (RunningServer server = RedisNodes.start(redis, NAMESPACE)) {
            String id = String.valueOf(redis.command("HGET", NAMESPACE + ":{0}:config", "id"));
            Ended there = run("accept-empty", "--redis", uri(), "--lost", id);
            assertThat(there.code()).isEqualTo(74);
            assertThat(there.error()).contains("is not gone: nothing is changed");
            Ended noId = run("accept-empty", "--redis", uri(), "--lost", "yes");
            assertThat(noId.code()).isEqualTo(2);
            assertThat(noId.error()).contains("--lost: the id of a namespace is 'yes', must be 32 hexadecimal digits");
            assertThat(run("accept-empty", "--redis", uri()).code()).isEqualTo(2);
            Ended directory = run("accept-empty", "/tmp/none", "--lost", id);
            assertThat(directory.code()).isEqualTo(2);
            assertThat(directory.error()).contains("must be a store on Redis");
            assertThat(server.get("/readyz").status()).isEqualTo(200);
        }
    }

    private static Ended run(Object... arguments) {
        return StoreCommands.run(arguments);
    }
}
