package io.tickwheel.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.redis.testkit.Patience;
import io.tickwheel.server.RunningServer.Reply;
import io.tickwheel.server.config.ConfigFile;
import io.tickwheel.server.targets.InstalledTargets;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a file sets is what its server does. */
final class SettingsEffectTest {

    private static final int LARGE = 700_000;

    @TempDir
    private Path directory;

    private final SteppedClock clock = new SteppedClock();
    private final Vertx vertx = Vertx.vertx();
    private final Semaphore hanging = new Semaphore(0);
    private HttpServer receiver;

    /** Answers 500 to some, 200 to others, and nothing to the rest. */
    @BeforeEach
    void listen() {
        receiver = vertx.createHttpServer()
                .requestHandler(request -> {
                    if (request.uri().equals("/hang")) {
                        hanging.release();
                    } else {
                        request.response()
                                .setStatusCode(request.uri().equals("/fail") ? 500 : 200)
                                .end();
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

    private RunningServer running(String settings, String... environment) throws IOException {
        Path file = Files.writeString(
                directory.resolve("settings.yaml"),
                "store: {file: {directory: '" + directory.resolve("data") + "'}}\n"
                        + "server: {port: 0, drainTimeout: 0s}\n" + ReceiversHere.YAML + settings);
        Map<String, String> variables = environment.length == 0 ? Map.of() : Map.of(environment[0], environment[1]);
        return new RunningServer(ConfigFile.read(file, variables, InstalledTargets.kinds()), clock);
    }

    private String body(String path, int payload) {
        return "{\"delay\":\"0s\",\"payload\":\"" + "x".repeat(payload) + "\",\"target\":{\"url\":\"http://127.0.0.1:"
                + receiver.actualPort() + path + "\"}}";
    }

    private static Reply awaitState(RunningServer server, String key, String state) {
        Reply reply = server.await("q", key, found -> found.field("state").equals(state));
        assertThat(reply.field("state")).isEqualTo(state);
        return reply;
    }

    @Test
    void timersAreTriedAgainAsTheRetryPolicySays() throws IOException {
        try (RunningServer server = running("retry: {maxAttempts: 2, backoff: 1ms, maxBackoff: 2ms}")) {
            server.put("q", "k", body("/fail", 1));
            assertThat(awaitState(server, "k", "DEAD").field("attempts")).isEqualTo("2");
        }
    }

    /** The one that died last stays. */
    @Test
    void deadTimersAreKeptAsManyAsThereMayBe() throws IOException {
        try (RunningServer server = running("retry: {maxAttempts: 1}\ndead: {perQueue: 1}")) {
            server.put("q", "first", body("/fail", 1));
            awaitState(server, "first", "DEAD");
            clock.step(Duration.ofSeconds(1));
            server.put("q", "last", body("/fail", 1));
            awaitState(server, "last", "DEAD");
            clock.step(Duration.ofHours(2));
            assertThat(Patience.look(
                                    () -> server.get("/v1/queues/q"),
                                    queue -> queue.field("dead").equals("1"))
                            .field("dead"))
                    .isEqualTo("1");
            awaitState(server, "last", "DEAD");
        }
    }

    @Test
    void attemptsOfAQueueAreAsManyAsMayRunAtOnce() throws Exception {
        try (RunningServer server = running("limits: {attemptsPerQueue: 1, attemptsInAll: 16}")) {
            assertOneHangs(server, 1);
        }
    }

    @Test
    void attemptsTakeAsMuchMemoryAsTheyMay() throws Exception {
        try (RunningServer server = running("limits: {attemptBytes: 1048576}")) {
            assertOneHangs(server, LARGE);
        }
    }

    /** Both would have begun before the timer that comes after them. */
    private void assertOneHangs(RunningServer server, int payload) throws InterruptedException {
        String hang = body("/hang", payload);
        assertThat(server.batch("q", hang + "\n" + hang + "\n").status()).isEqualTo(200);
        assertThat(hanging.tryAcquire(20, TimeUnit.SECONDS)).isTrue();
        server.put("other", "k", body("/", 1));
        assertThat(server.await("other", "k", found -> found.field("state").equals("COMPLETED"))
                        .field("state"))
                .isEqualTo("COMPLETED");
        assertThat(hanging.availablePermits()).isZero();
    }

    @Test
    void anAddressHasAsManyConnectionsAsItMay() throws IOException {
        try (RunningServer server = running("", "TICKWHEEL_SERVER_CONNECTIONS_PER_ADDRESS", "1");
                Socket first = connect(server)) {
            first.getOutputStream().write("GET /livez HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(first.getInputStream().read()).isEqualTo('H');
            try (Socket second = connect(server)) {
                assertThat(second.getInputStream().read()).isEqualTo(-1);
            }
        }
    }

    private static Socket connect(RunningServer server) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
        socket.setSoTimeout(60_000);
        return socket;
    }
}
