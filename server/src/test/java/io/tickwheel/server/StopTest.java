package io.tickwheel.server;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.tickwheel.engine.RetryPolicy;
import io.tickwheel.server.config.EdgeConfig;
import io.tickwheel.server.config.EngineLimits;
import io.tickwheel.server.config.FileStoreConfig;
import io.tickwheel.server.config.LogConfig;
import io.tickwheel.server.config.ServerConfig;
import io.tickwheel.store.Durability;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a server says while it stops. */
final class StopTest {

    @TempDir
    private Path directory;

    private final Vertx vertx = Vertx.vertx();
    private final CompletableFuture<HttpServerRequest> callback = new CompletableFuture<>();
    private HttpServer receiver;
    private LoggedEvents logged;

    @BeforeEach
    void listen() {
        receiver = vertx.createHttpServer()
                .requestHandler(callback::complete)
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .join();
    }

    @AfterEach
    void close() {
        vertx.close().toCompletionStage().toCompletableFuture().join();
        logged.close();
    }

    @Test
    void aServerThatDrainsSaysSo() throws Exception {
        RunningServer server = running(Duration.ofSeconds(30));
        CompletableFuture<Void> stopped = CompletableFuture.runAsync(server::close);
        logged.await("stopping, because of a test; attempts that are running: 1, and have PT30S to end");
        assertThat(logged.messages(Level.INFO)).hasSize(1);
        vertx.runOnContext(go -> callback.join().response().end());
        stopped.get(20, TimeUnit.SECONDS);
        assertThat(logged.messages(Level.INFO).subList(1, 3))
                .containsExactly("drained, no attempt is running", "stopped");
    }

    @Test
    void aServerThatDoesNotDrainSaysHowManyCallbacksAreLeft() throws Exception {
        running(Duration.ZERO).close();
        assertThat(logged.messages(Level.INFO))
                .containsExactly(
                        "stopping, because of a test; attempts that are running: 1, and have PT0S to end",
                        "not drained, attempts that are running after PT0S: 1; they are made again",
                        "stopped");
    }

    @Test
    void aServerStopsOnce() {
        RunningServer server = new RunningServer(config(Duration.ZERO));
        logged = new LoggedEvents();
        server.close();
        server.close();
        assertThat(logged.messages(Level.INFO)).hasSize(3).endsWith("drained, no attempt is running", "stopped");
    }

    private ServerConfig config(Duration drainTimeout) {
        return new ServerConfig(
                "127.0.0.1",
                0,
                new FileStoreConfig(directory, 1 << 20, 8 << 20, Durability.SYNC, Duration.ofMillis(100)),
                drainTimeout,
                EngineLimits.DEFAULT,
                RetryPolicy.DEFAULT,
                Map.of(),
                Map.of(),
                Map.of(),
                EdgeConfig.LOCAL,
                LogConfig.DEFAULT,
                false);
    }

    /** A server with one callback under way. */
    private RunningServer running(Duration drainTimeout) throws Exception {
        RunningServer server = new RunningServer(config(drainTimeout));
        server.put(
                "q",
                "k",
                "{\"delay\":\"0s\",\"target\":{\"url\":\"http://127.0.0.1:" + receiver.actualPort() + "/\"}}");
        callback.get(20, TimeUnit.SECONDS);
        logged = new LoggedEvents();
        return server;
    }
}
