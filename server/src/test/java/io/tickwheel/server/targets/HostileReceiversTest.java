package io.tickwheel.server.targets;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.tickwheel.engine.Clock;
import io.tickwheel.engine.RetryPolicy;
import io.tickwheel.redis.testkit.Patience;
import io.tickwheel.server.LoggedEvents;
import io.tickwheel.server.Receiver;
import io.tickwheel.server.ReceiversHere;
import io.tickwheel.server.RunningServer;
import io.tickwheel.server.config.EdgeConfig;
import io.tickwheel.server.config.EngineLimits;
import io.tickwheel.server.config.FileStoreConfig;
import io.tickwheel.server.config.LogConfig;
import io.tickwheel.server.config.ServerConfig;
import io.tickwheel.store.Durability;
import io.vertx.core.Vertx;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Receivers that do their worst, on real sockets: an attempt ends in time, and others are delivered meanwhile. */
final class HostileReceiversTest {

    private static final Map<String, String> SHORT = Map.of(
            "allow", "127.0.0.0/8",
            "ports", "1-65535",
            "connectTimeout", "1s",
            "headTimeout", "2s",
            "totalTimeout", "3s");

    /** Longer than a test waits. */
    private static final Map<String, String> LONG = Map.of(
            "allow", "127.0.0.0/8",
            "ports", "1-65535",
            "connectTimeout", "1m",
            "headTimeout", "1m",
            "totalTimeout", "1m");

    @ParameterizedTest
    @EnumSource
    void anAttemptEndsInTimeAndLeavesNoConnection(HostileReceiver.Manner manner) throws Exception {
        Vertx vertx = Vertx.vertx();
        try (LoggedEvents logged = new LoggedEvents();
                HostileReceiver receiver = new HostileReceiver(manner)) {
            HttpSettings settings = HttpSettings.read(manner.isEndedByTime() ? SHORT : LONG);
            HttpTarget target = new HttpTarget(vertx, vertx.getOrCreateContext(), Clock.system(), settings, 4);
            CompletableFuture<String> outcome = SentCallback.to(receiver.url(), new byte[] {'x'}, target);
            assertThat(outcome.get(20, TimeUnit.SECONDS)).isEqualTo(manner.outcome(receiver.place()));
            receiver.awaitNobodyConnected();
            assertThat(receiver.mostWritten()).isLessThan(HostileReceiver.ENDLESS_BYTES);
            assertThat(logged.messages(Level.WARN)).isEmpty();
        } finally {
            vertx.close().toCompletionStage().toCompletableFuture().join();
        }
    }

    @ParameterizedTest
    @EnumSource
    void othersOfItsQueueAreDeliveredMeanwhile(HostileReceiver.Manner manner, @TempDir Path directory)
            throws Exception {
        EngineLimits limits = new EngineLimits(16, 32, null, null, Duration.ofDays(30), 100);
        ServerConfig config = new ServerConfig(
                "127.0.0.1",
                0,
                new FileStoreConfig(directory, 1 << 20, 8 << 20, Durability.NONE, Duration.ofMillis(100)),
                Duration.ZERO,
                limits,
                RetryPolicy.DEFAULT,
                Map.of(),
                Map.of("http", SHORT),
                Map.of(),
                EdgeConfig.LOCAL,
                LogConfig.DEFAULT,
                false);
        try (RunningServer server = new RunningServer(config);
                HostileReceiver hostile = new HostileReceiver(manner);
                Receiver healthy = new Receiver()) {
            StringBuilder lines = new StringBuilder();
            for (int i = 0; i < 100; i++) {
                lines.append("{\"delay\":\"0s\",\"target\":{\"url\":\"" + hostile.url() + "\"}}\n");
            }
            assertThat(server.batch("mixed", lines.toString()).status()).isEqualTo(200);
            for (int i = 0; i < 20; i++) {
                server.put(
                        "mixed",
                        "healthy" + i,
                        "{\"delay\":\"0s\",\"target\":{\"url\":\"" + healthy.url("/" + i) + "\"}}");
                assertThat(healthy.next().uri()).isEqualTo("/" + i);
            }
            assertThat(server.get("/readyz").status()).isEqualTo(200);
        }
    }

    @Test
    void aNameThatNeverAnswersTakesNoTimeFromOthersOfItsQueue(@TempDir Path directory) throws Exception {
        try (LoopbackNameServer names = new LoopbackNameServer((name, asked) -> null);
                Receiver healthy = new Receiver()) {
            ServerConfig config = ServerConfig.of("127.0.0.1", 0, directory)
                    .withTarget(
                            "http",
                            Map.of(
                                    "allow",
                                    "127.0.0.0/8",
                                    "ports",
                                    "1-65535",
                                    "nameServers",
                                    names.address(),
                                    "connectTimeout",
                                    "20s"));
            try (RunningServer server = new RunningServer(config)) {
                StringBuilder lines = new StringBuilder();
                for (int i = 0; i < 150; i++) {
                    lines.append("{\"delay\":\"0s\",\"target\":{\"url\":\"http://n" + i + ".test/\"}}\n");
                }
                assertThat(server.batch("mixed", lines.toString()).status()).isEqualTo(200);
                Patience.until(Duration.ofSeconds(20), "a name is asked for", () -> names.questions("n0.test") > 0);
                for (int i = 0; i < 20; i++) {
                    server.put(
                            "mixed",
                            "healthy" + i,
                            "{\"delay\":\"0s\",\"target\":{\"url\":\"" + healthy.url("/" + i) + "\"}}");
                    assertThat(healthy.next().uri()).isEqualTo("/" + i);
                }
            }
        }
    }

    /** What is kept open of many destinations is no more than twice of what may run at once. */
    @Test
    void keptConnectionsAreBounded() throws Exception {
        Vertx vertx = Vertx.vertx();
        try (HostileReceiver receiver = new HostileReceiver(HostileReceiver.Manner.ANSWERS_AND_STAYS)) {
            HttpTarget target =
                    new HttpTarget(vertx, vertx.getOrCreateContext(), Clock.system(), HttpSettings.read(LONG), 2);
            expectFourToBeKept(receiver, target);
        } finally {
            vertx.close().toCompletionStage().toCompletableFuture().join();
        }
    }

    /** Of twenty destinations, where two attempts may run at once. */
    private static void expectFourToBeKept(HostileReceiver receiver, HttpTarget target) throws Exception {
        for (int i = 1; i <= 20; i++) {
            String url = receiver.url().replace("127.0.0.1", "127.0.0." + i);
            assertThat(SentCallback.to(url, new byte[0], target).get(20, TimeUnit.SECONDS))
                    .isEqualTo("acknowledged");
        }
        receiver.awaitConnected(4);
    }

    @Test
    void connectionsThatBreakMakeNoRoomForMoreThanThemselves() throws Exception {
        Vertx vertx = Vertx.vertx();
        try (HostileReceiver resetting = new HostileReceiver(HostileReceiver.Manner.RESETS);
                HostileReceiver receiver = new HostileReceiver(HostileReceiver.Manner.ANSWERS_AND_STAYS)) {
            HttpTarget target =
                    new HttpTarget(vertx, vertx.getOrCreateContext(), Clock.system(), HttpSettings.read(LONG), 2);
            for (int i = 0; i < 20; i++) {
                assertThat(SentCallback.to(resetting.url(), new byte[0], target).get(20, TimeUnit.SECONDS))
                        .startsWith("unreachable: ");
            }
            expectFourToBeKept(receiver, target);
        } finally {
            vertx.close().toCompletionStage().toCompletableFuture().join();
        }
    }

    @Test
    void connectionsThatHaveEndedAreNoReasonToEndOthers() throws Exception {
        Vertx vertx = Vertx.vertx();
        try (ServerSocket receiver = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
            receiver.setSoTimeout(20_000);
            HttpTarget target = new HttpTarget(
                    vertx, vertx.getOrCreateContext(), Clock.system(), HttpSettings.read(ReceiversHere.OPTIONS), 2);
            for (int i = 0; i < 10; i++) {
                CompletableFuture<String> outcome =
                        SentCallback.to("http://127.0.0.1:" + receiver.getLocalPort() + "/", new byte[0], target);
                try (Socket socket = receiver.accept()) {
                    byte[] head = new byte[4_096];
                    int bytes = socket.getInputStream().read(head);
                    assertThat(new String(head, 0, bytes, StandardCharsets.US_ASCII))
                            .startsWith("POST / HTTP/1.1\r\n")
                            .doesNotContainIgnoringCase("connection: close");
                    socket.getOutputStream()
                            .write("HTTP/1.1 204 Done\r\nConnection: close\r\n\r\n"
                                    .getBytes(StandardCharsets.US_ASCII));
                    assertThat(outcome.get(20, TimeUnit.SECONDS)).isEqualTo("acknowledged");
                }
            }
        } finally {
            vertx.close().toCompletionStage().toCompletableFuture().join();
        }
    }

    /** What is compressed is shown as it came. */
    @Test
    void aGzipBombIsNotUnpacked() throws Exception {
        Vertx vertx = Vertx.vertx();
        try (HostileReceiver receiver = new HostileReceiver(HostileReceiver.Manner.GZIP_BOMB)) {
            HttpTarget target =
                    new HttpTarget(vertx, vertx.getOrCreateContext(), Clock.system(), HttpSettings.read(LONG), 4);
            CompletableFuture<String> excerpt = new CompletableFuture<>();
            target.deliver(
                    SentCallback.attempt(receiver.url(), new byte[0], 1, true),
                    new SentCallback.Outcome(new CompletableFuture<>()) {
                        @Override
                        public void answered(int status, String text) {
                            excerpt.complete(text);
                        }
                    });
            assertThat(excerpt.get(20, TimeUnit.SECONDS)).startsWith("\u001F\uFFFD");
        } finally {
            vertx.close().toCompletionStage().toCompletableFuture().join();
        }
    }
}
