package io.tickwheel.server.targets;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.RetryPolicy;
import io.tickwheel.redis.testkit.Patience;
import io.tickwheel.server.Receiver;
import io.tickwheel.server.ReceiversHere;
import io.tickwheel.server.RunningServer;
import io.tickwheel.server.RunningServer.Reply;
import io.tickwheel.server.config.EdgeConfig;
import io.tickwheel.server.config.EngineLimits;
import io.tickwheel.server.config.FileStoreConfig;
import io.tickwheel.server.config.LogConfig;
import io.tickwheel.server.config.ServerConfig;
import io.tickwheel.store.Durability;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A receiver that takes requests and never answers some of them. */
final class HangingReceiverTest {

    private static final int QUEUES = 2;
    private static final int TIMERS_A_QUEUE = 150;

    @TempDir
    private Path directory;

    private final Vertx vertx = Vertx.vertx();
    private final CountDownLatch hanging = new CountDownLatch(QUEUES * TIMERS_A_QUEUE);
    private HttpServer receiver;

    @BeforeEach
    void listen() {
        receiver = vertx.createHttpServer()
                .requestHandler(request -> {
                    if (request.uri().startsWith("/hang")) {
                        hanging.countDown();
                    } else {
                        request.response().end();
                    }
                })
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .join();
    }

    @AfterEach
    void close() {
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    @Test
    void aReceiverThatHangsHoldsUpNobodyElse() throws InterruptedException {
        try (RunningServer server = new RunningServer(config(EngineLimits.DEFAULT))) {
            for (int queue = 0; queue < QUEUES; queue++) {
                StringBuilder lines = new StringBuilder();
                for (int i = 0; i < TIMERS_A_QUEUE; i++) {
                    lines.append(body("/hang")).append('\n');
                }
                assertThat(server.batch("hang" + queue, lines.toString()).status())
                        .isEqualTo(200);
            }
            // Long before any of them is given up: each has a connection of its own.
            assertThat(hanging.await(15, TimeUnit.SECONDS)).isTrue();
            server.put("prompt", "k", body("/answer"));
            Reply reply =
                    server.await("prompt", "k", found -> found.field("state").equals("COMPLETED"));
            assertThat(reply.field("state")).isEqualTo("COMPLETED");
            assertThat(reply.field("attempts")).isEqualTo("1");
            assertThat(server.live()).isEqualTo(QUEUES * TIMERS_A_QUEUE);
        }
    }

    @Test
    void noMoreAttemptsRunAtOnceThanTheServerMayHaveInAll() throws InterruptedException {
        EngineLimits limits = new EngineLimits(256, 32, null, null, Duration.ofDays(30), 100);
        try (RunningServer server = new RunningServer(config(limits));
                Receiver healthy = new Receiver()) {
            for (int queue = 0; queue < QUEUES; queue++) {
                assertThat(server.batch("hang" + queue, (body("/hang") + "\n").repeat(TIMERS_A_QUEUE))
                                .status())
                        .isEqualTo(200);
            }
            server.put("prompt", "k", "{\"delay\":\"0s\",\"target\":{\"url\":\"" + healthy.url("/") + "\"}}");
            healthy.next();
            String running = server.get("/metrics")
                    .body()
                    .lines()
                    .filter(line -> line.startsWith("tickwheel_attempts_running "))
                    .findFirst()
                    .orElseThrow();
            assertThat(Double.parseDouble(running.substring(running.indexOf(' '))))
                    .isBetween(1.0, 32.0);
        }
    }

    @Test
    void aHostThatHangsHoldsUpNoOtherOfItsQueue() throws InterruptedException {
        // An eighth of the attempts is for whoever comes first, half of those of the queue.
        EngineLimits limits = new EngineLimits(16, 32, null, null, Duration.ofDays(30), 100);
        try (RunningServer server = new RunningServer(config(limits));
                Receiver healthy = new Receiver()) {
            StringBuilder lines = new StringBuilder();
            for (int i = 0; i < TIMERS_A_QUEUE; i++) {
                lines.append(body("/hang" + i)).append('\n');
            }
            assertThat(server.batch("mixed", lines.toString()).status()).isEqualTo(200);
            for (int i = 0; i < 20; i++) {
                server.put(
                        "mixed",
                        "healthy" + i,
                        "{\"delay\":\"0s\",\"target\":{\"url\":\"" + healthy.url("/" + i) + "\"}}");
                assertThat(healthy.next().uri()).isEqualTo("/" + i);
            }
            // Had each path been for itself, all 16 would hang.
            assertThat(QUEUES * TIMERS_A_QUEUE - hanging.getCount()).isBetween(1L, 8L);
        }
    }

    @Test
    void aConnectionThatComesTooLateForOneAttemptIsThereForTheNext() throws Exception {
        CompletableFuture<String> asked = new CompletableFuture<>();
        Promise<Void> answer = Promise.promise();
        HttpServer slow = vertx.createHttpServer()
                .requestHandler(request -> {
                    asked.complete("asked");
                    answer.future().onComplete(go -> request.response().end());
                })
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .join();
        String url = "http://127.0.0.1:" + slow.actualPort() + "/";
        Map<String, String> options = new HashMap<>(ReceiversHere.OPTIONS);
        options.put("connectTimeout", "200ms");
        Vertx own = Vertx.vertx();
        // All attempts share one connection.
        HttpTarget target =
                new HttpTarget(own, own.getOrCreateContext(), Clock.system(), HttpSettings.read(options), 1);
        try {
            CompletableFuture<String> first = SentCallback.to(url, new byte[0], target);
            while (!CompletableFuture.anyOf(asked, first)
                    .get(60, TimeUnit.SECONDS)
                    .equals("asked")) {
                // The machine was too busy to connect in time.
                first = SentCallback.to(url, new byte[0], target);
            }
            assertThat(SentCallback.to(url, new byte[0], target).get(20, TimeUnit.SECONDS))
                    .startsWith("unreachable: no connection to 127.0.0.1:" + slow.actualPort() + " in ");
            answer.complete();
            assertThat(first.get(20, TimeUnit.SECONDS)).isEqualTo("acknowledged");
            assertThat(Patience.look(
                            () -> SentCallback.to(url, new byte[0], target).join(), "acknowledged"::equals))
                    .isEqualTo("acknowledged");
        } finally {
            target.close();
        }
    }

    private ServerConfig config(EngineLimits limits) {
        return new ServerConfig(
                "127.0.0.1",
                0,
                new FileStoreConfig(directory, 1 << 20, 8 << 20, Durability.SYNC, Duration.ofMillis(100)),
                Duration.ZERO,
                limits,
                RetryPolicy.DEFAULT,
                Map.of(),
                Map.of(),
                Map.of(),
                EdgeConfig.LOCAL,
                LogConfig.DEFAULT,
                false);
    }

    private String body(String path) {
        return "{\"delay\":\"0s\",\"target\":{\"url\":\"http://127.0.0.1:" + receiver.actualPort() + path + "\"}}";
    }
}
