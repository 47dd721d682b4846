package io.tickwheel.server.targets;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Delivery;
import io.tickwheel.server.ReceiversHere;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How an attempt ends by the status of its answer, at the first and the last one of each kind, and by the headers that ask for another time. */
final class CallbackStatusTest {

    private final Vertx vertx = Vertx.vertx();
    private final HttpTarget target = new HttpTarget(
            vertx, vertx.getOrCreateContext(), Clock.system(), HttpSettings.read(ReceiversHere.OPTIONS), 1);

    @AfterEach
    void close() {
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    private String outcomeOf(int status, String... headers) throws Exception {
        CompletableFuture<String> outcome = new CompletableFuture<>();
        try (ServerSocket receiver = receiver();
                Socket socket = request(receiver, new SentCallback.Outcome(outcome))) {
            say(socket, "HTTP/1.1 " + status + " Said\r\nContent-Length: 0\r\n" + String.join("", headers) + "\r\n");
            return outcome.get(20, TimeUnit.SECONDS);
        }
    }

    private static ServerSocket receiver() throws IOException {
        ServerSocket receiver = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        receiver.setSoTimeout(20_000);
        return receiver;
    }

    /** The connection of an attempt that waits for its answer. */
    private Socket request(ServerSocket receiver, Delivery delivery) throws IOException {
        target.deliver(
                SentCallback.attempt("http://127.0.0.1:" + receiver.getLocalPort() + "/", new byte[0], 1), delivery);
        Socket socket = receiver.accept();
        socket.setSoTimeout(20_000);
        readHead(socket.getInputStream());
        return socket;
    }

    private static void say(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static void readHead(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int next = in.read();
            assertThat(next).as("after " + head).isNotNegative();
            head.append((char) next);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "101, failed: HTTP 101",
        "200, acknowledged",
        "299, acknowledged",
        "300, 'unreachable: HTTP 300, and redirects are not followed'",
        "399, 'unreachable: HTTP 399, and redirects are not followed'",
        "400, failed: HTTP 400",
        "409, failed: HTTP 409",
        "410, rejected: HTTP 410",
        "411, failed: HTTP 411",
        "599, failed: HTTP 599"
    })
    void statusDecides(int status, String outcome) throws Exception {
        assertThat(outcomeOf(status)).isEqualTo(outcome);
    }

    @Test
    void goneIsGoneWhateverTimeItNames() throws Exception {
        assertThat(outcomeOf(410, "Tickwheel-Again-At: 2040-01-01T00:00:00Z\r\n"))
                .isEqualTo("rejected: HTTP 410");
    }

    @Test
    void whatIsTakenIsTakenWhateverTimeItNames() throws Exception {
        assertThat(outcomeOf(200, "Tickwheel-Again-At: 2040-01-01T00:00:00Z\r\n", "Retry-After: 60\r\n"))
                .isEqualTo("acknowledged");
    }

    /** RFC 9110 has the header for others too, but the document of callbacks promises it for these two. */
    @ParameterizedTest
    @ValueSource(ints = {404, 500, 502})
    void waitIsThatOfOverloadOnly(int status) throws Exception {
        assertThat(outcomeOf(status, "Retry-After: 60\r\n")).isEqualTo("failed: HTTP " + status);
    }

    @ParameterizedTest
    @CsvSource({
        "0, failed: HTTP 503",
        "1, 'failed: HTTP 503, asked to wait 1 s in PT1S'",
        "3600, 'failed: HTTP 503, asked to wait 3600 s in PT1H'",
        "3601, 'failed: HTTP 503, asked to wait 3601 s in PT1H'",
        "999999999999, 'failed: HTTP 503, asked to wait 86400 s in PT1H'"
    })
    void waitIsAnHourAtMostAndTheReasonSaysWhatWasAskedFor(String seconds, String outcome) throws Exception {
        assertThat(outcomeOf(503, "Retry-After: " + seconds + "\r\n")).isEqualTo(outcome);
    }

    @Test
    void anAttemptEndsThoughWhatIsToldOfItFailsAndLeavesNoConnection() throws Exception {
        CompletableFuture<String> outcome = new CompletableFuture<>();
        SentCallback.Outcome failing = new SentCallback.Outcome(outcome) {
            @Override
            public void answered(int status) {
                throw new IllegalStateException("whoever listens to statuses fails");
            }
        };
        try (ServerSocket receiver = receiver();
                Socket socket = request(receiver, failing)) {
            say(socket, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n");
            assertThat(outcome.get(20, TimeUnit.SECONDS)).isEqualTo("acknowledged");
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        }
    }
}
