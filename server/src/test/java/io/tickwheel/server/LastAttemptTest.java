package io.tickwheel.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.server.RunningServer.Reply;
import io.tickwheel.server.config.ServerConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A timer is cancelled while its callback runs, which then fails, or whose server is killed: no other attempt is made, now or after a restart, on
 * this node or another one. {@code -Dtickwheel.rounds=10} kills for 50 timers each.
 */
final class LastAttemptTest {

    private static final int ROUNDS = Integer.getInteger("tickwheel.rounds", 1);
    private static final int TIMERS = 5;
    private static final int POLLS = 6_000;

    /** An owner keeps it while another server starts beside it. */
    private static final Duration LEASE = Duration.ofSeconds(3);

    @TempDir
    private Path directory;

    /** Keeps its callbacks waiting until it is told to answer. */
    private static final class SlowReceiver implements AutoCloseable {

        private final ExecutorService threads = Executors.newCachedThreadPool();
        private final HttpServer server;
        private final BlockingQueue<String> arrived = new LinkedBlockingQueue<>();
        private final CountDownLatch mayAnswer = new CountDownLatch(1);

        SlowReceiver(int status) throws IOException {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.setExecutor(threads);
            server.createContext("/", exchange -> {
                arrived.add(exchange.getRequestHeaders().getFirst("Tickwheel-Key"));
                try {
                    mayAnswer.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                exchange.sendResponseHeaders(status, -1);
                exchange.close();
            });
            server.start();
        }

        /** A timer that is due now, and would be tried again at once. */
        String timer() {
            return "{\"delay\":\"0s\",\"retry\":{\"maxAttempts\":9,\"interval\":\"1ms\"},\"target\":{\"url\":\"http://127.0.0.1:"
                    + server.getAddress().getPort() + "/\"}}";
        }

        void awaitAll() throws InterruptedException {
            Set<String> keys = new TreeSet<>();
            while (keys.size() < TIMERS) {
                String key = arrived.poll(30, TimeUnit.SECONDS);
                assertThat(key).as("a first attempt").isNotNull();
                assertThat(keys.add(key)).as("first attempt of " + key).isTrue();
            }
        }

        void answer() {
            mayAnswer.countDown();
        }

        @Override
        public void close() {
            answer();
            server.stop(0);
            threads.shutdownNow();
        }
    }

    /** A server as another process sees it. */
    private record Api(HttpClient http, int port) {

        Api(int port) {
            this(HttpClient.newHttpClient(), port);
        }

        HttpResponse<String> send(String method, String key, String body) throws IOException, InterruptedException {
            HttpRequest request = HttpRequest.newBuilder(
                            URI.create("http://127.0.0.1:" + port + "/v1/queues/orders/timers/" + key))
                    .header("Content-Type", "application/json")
                    .method(method, HttpRequest.BodyPublishers.ofString(body))
                    .build();
            return http.send(request, BodyHandlers.ofString());
        }

        void scheduleAll(SlowReceiver receiver) throws IOException, InterruptedException {
            for (int i = 0; i < TIMERS; i++) {
                assertThat(send("PUT", "k" + i, receiver.timer()).statusCode()).isBetween(200, 201);
            }
        }

        void cancelAll(int status, String outcome) throws IOException, InterruptedException {
            for (int i = 0; i < TIMERS; i++) {
                HttpResponse<String> reply = send("DELETE", "k" + i, "");
                assertThat(reply.body()).contains("\"outcome\":\"" + outcome + "\"");
                assertThat(reply.statusCode()).isEqualTo(status);
            }
        }

        void awaitAll(String state) throws IOException, InterruptedException {
            for (int i = 0; i < TIMERS; i++) {
                String body = "";
                for (int poll = 0; poll < POLLS && !body.contains("\"state\":\"" + state + "\""); poll++) {
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
                    body = send("GET", "k" + i, "").body();
                }
                assertThat(body).contains("\"state\":\"" + state + "\"", "\"attempts\":1");
            }
        }
    }

    @Test
    void failureBehindACancelIsTheEnd() throws Exception {
        for (int status : new int[] {500, 410}) {
            try (RunningServer server = new RunningServer(directory.resolve("data" + status));
                    SlowReceiver receiver = new SlowReceiver(status)) {
                Api api = new Api(server.port());
                api.scheduleAll(receiver);
                receiver.awaitAll();
                api.cancelAll(202, "LAST_ATTEMPT_RUNNING");
                api.cancelAll(202, "LAST_ATTEMPT_RUNNING");
                receiver.answer();
                api.awaitAll("CANCELLED");
                api.cancelAll(200, "CANCELLED");
                assertThat(receiver.arrived).as("further attempts").isEmpty();
                assertThat(server.get("/metrics").body()).contains("tickwheel_timers_pending 0.0");
            }
        }
    }

    @Test
    void successBehindACancelCompletesTheTimer() throws Exception {
        try (RunningServer server = new RunningServer(directory.resolve("data"));
                SlowReceiver receiver = new SlowReceiver(204)) {
            Api api = new Api(server.port());
            api.scheduleAll(receiver);
            receiver.awaitAll();
            String batch = server.batch("orders", "{\"cancel\":\"k0\"}\n{\"cancel\":\"none\"}\n")
                    .body();
            assertThat(batch).contains("\"status\":202,\"outcome\":\"LAST_ATTEMPT_RUNNING\"", "\"status\":404");
            api.cancelAll(202, "LAST_ATTEMPT_RUNNING");
            receiver.answer();
            api.awaitAll("COMPLETED");
            api.cancelAll(409, "TOO_LATE");
            assertThat(receiver.arrived).as("further attempts").isEmpty();
        }
    }

    @Test
    void cancelOutlivesTheServerThatWasKilled() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            String yaml =
                    "server: {port: 0}\nstore: {file: {directory: '" + directory.resolve("round" + round) + "'}}\n";
            try (SlowReceiver receiver = new SlowReceiver(500)) {
                try (ServerProcess server = ServerProcess.start(directory, yaml, Map.of())) {
                    Api api = new Api(server.port());
                    api.scheduleAll(receiver);
                    receiver.awaitAll();
                    api.cancelAll(202, "LAST_ATTEMPT_RUNNING");
                    server.kill();
                    server.ended();
                }
                receiver.answer();
                try (ServerProcess again = ServerProcess.start(directory, yaml, Map.of())) {
                    Api api = new Api(again.port());
                    api.awaitAll("CANCELLED");
                    api.cancelAll(200, "CANCELLED");
                    // One that is due behind them, if any of them is.
                    assertThat(api.send("PUT", "behind", receiver.timer()).statusCode())
                            .isEqualTo(201);
                    assertThat(receiver.arrived.poll(30, TimeUnit.SECONDS)).isEqualTo("behind");
                }
            }
        }
    }

    /** Some of the attempts are those of the node that is killed, and the others end. */
    @Test
    void cancelOnAnotherNodeOutlivesTheOneThatWasKilled() throws Exception {
        try (RedisServer redis = RedisServer.builder().start()) {
            for (int round = 0; round < ROUNDS; round++) {
                String namespace = RedisNodes.freshNamespace();
                String yaml = """
                        server: {port: 0}
                        store:
                          kind: redis
                          redis: {uri: 'redis://127.0.0.1:%d', namespace: %s, partitions: %d, lease: %ds}
                        """.formatted(redis.port(), namespace, RedisNodes.PARTITIONS, LEASE.toSeconds());
                try (ServerProcess owner = ServerProcess.start(directory, yaml, Map.of());
                        SlowReceiver receiver = new SlowReceiver(500)) {
                    new Api(owner.port()).scheduleAll(receiver);
                    receiver.awaitAll();
                    ServerConfig config =
                            RedisNodes.config(RedisNodes.address(redis), namespace, store -> store.withLease(LEASE));
                    try (RunningServer other = new RunningServer(config)) {
                        Api api = new Api(other.port());
                        api.cancelAll(202, "LAST_ATTEMPT_RUNNING");
                        owner.kill();
                        owner.ended();
                        receiver.answer();
                        api.awaitAll("CANCELLED");
                        api.cancelAll(200, "CANCELLED");
                        Reply behind = other.put("orders", "behind", receiver.timer());
                        assertThat(behind.status()).isEqualTo(201);
                        assertThat(receiver.arrived.poll(30, TimeUnit.SECONDS)).isEqualTo("behind");
                    }
                }
            }
        }
    }
}
