package io.tickwheel.server.targets;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Delivery;
import io.tickwheel.engine.Destination;
import io.tickwheel.engine.Target;
import io.tickwheel.server.ReceiversHere;
import io.tickwheel.store.TimerKey;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a receiver answers is told with the outcome, as far as the attempt asks for it. */
final class CallbackExcerptTest {

    private final Vertx vertx = Vertx.vertx();
    private final Target target = new RunningAttempts()
            .of(new HttpTarget(
                    vertx, vertx.getOrCreateContext(), Clock.system(), HttpSettings.read(ReceiversHere.OPTIONS), 1));

    @AfterEach
    void close() {
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    private List<String> deliver(boolean keepsExcerpt, int port) throws Exception {
        Told told = new Told(new CopyOnWriteArrayList<>(), new CompletableFuture<>());
        target.deliver(
                new Attempt(
                        new TimerKey("q", "k"),
                        "tmr_1",
                        1,
                        1,
                        Instant.EPOCH,
                        Instant.EPOCH,
                        Duration.ZERO,
                        new byte[] {'x'},
                        null,
                        Map.of(),
                        new Destination("http", "POST http://127.0.0.1:" + port + "/"),
                        keepsExcerpt,
                        null,
                        false),
                told);
        told.ended().get(30, TimeUnit.SECONDS);
        return told.all();
    }

    private List<String> answered(boolean keepsExcerpt, int status, String contentType, byte[] body) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            exchange.getRequestBody().readAllBytes();
            exchange.getResponseHeaders().add("Content-Type", contentType);
            exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(body);
            } catch (IOException e) {
                // Who has read enough of a long one hangs up.
            }
        });
        server.start();
        try {
            return deliver(keepsExcerpt, server.getAddress().getPort());
        } finally {
            server.stop(0);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {200, 202, 410, 500, 503})
    void answerIsToldBeforeTheOutcome(int status) throws Exception {
        byte[] body = "größer\n".getBytes(StandardCharsets.UTF_8);
        String outcome = status < 300 ? "acknowledged" : status == 410 ? "rejected" : "failed";
        assertThat(answered(true, status, "application/json", body))
                .containsExactly("" + status, status + " größer\n", outcome);
        assertThat(answered(false, status, "application/json", body)).containsExactly("" + status, outcome);
    }

    @Test
    void answerIsReadAsItsTypeSays() throws Exception {
        byte[] body = "größer".getBytes(StandardCharsets.ISO_8859_1);
        assertThat(answered(true, 200, "text/plain; charset=ISO-8859-1", body)).contains("200 größer");
        assertThat(answered(true, 200, "text/plain", body)).contains("200 gr\uFFFD\uFFFDer");
    }

    /** Also of one of which not all is read. */
    @ParameterizedTest
    @ValueSource(ints = {200, 201, 5_000, 1_000_000})
    void firstBytesOfALongAnswerAreTold(int bytes) throws Exception {
        byte[] body = "x".repeat(bytes).getBytes(StandardCharsets.UTF_8);
        assertThat(answered(true, 500, "text/plain", body)).containsExactly("500", "500 " + "x".repeat(200), "failed");
    }

    @Test
    void answerWithoutABodyHasAnEmptyExcerpt() throws Exception {
        assertThat(answered(true, 204, "text/plain", new byte[0])).containsExactly("204", "204 ", "acknowledged");
    }

    @Test
    void whatCameOfAnAnswerThatBreaksOffIsTold() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread answering = new Thread(() -> {
                try (Socket socket = server.accept()) {
                    socket.getInputStream().read(new byte[10_000]);
                    socket.getOutputStream()
                            .write("HTTP/1.1 503 No\r\nContent-Length: 100\r\n\r\nnot all"
                                    .getBytes(StandardCharsets.US_ASCII));
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
            answering.start();
            assertThat(deliver(true, server.getLocalPort())).containsExactly("503", "503 not all", "failed");
            answering.join();
        }
    }

    @Test
    void attemptWithoutAnAnswerHasNone() throws Exception {
        int port;
        try (ServerSocket closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = closed.getLocalPort();
        }
        assertThat(deliver(true, port)).containsExactly("failed");
    }

    /** Writes down all that it is told, in its order. */
    private record Told(List<String> all, CompletableFuture<Boolean> ended) implements Delivery {

        private void end(String how) {
            all.add(how);
            ended.complete(true);
        }

        @Override
        public void answered(int status) {
            all.add("" + status);
        }

        @Override
        public void answered(int status, String excerpt) {
            all.add(status + " " + excerpt);
        }

        @Override
        public void acknowledge() {
            end("acknowledged");
        }

        @Override
        public void fail(String reason) {
            end("failed");
        }

        @Override
        public void fail(String reason, Duration wait) {
            end("failed");
        }

        @Override
        public void postpone(String reason, Instant until) {
            end("postponed");
        }

        @Override
        public void reject(String reason) {
            end("rejected");
        }
    }
}
