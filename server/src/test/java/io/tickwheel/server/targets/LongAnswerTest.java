package io.tickwheel.server.targets;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.server.ReceiversHere;
import io.tickwheel.server.SteppedClock;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Of answers with a long body the attempt ends with what is worth reading, and of others the connection is kept, which the next request shows that comes on it. */
final class LongAnswerTest {

    private static final String OK = "HTTP/1.1 200 OK\r\n";
    private static final String CHUNKED = OK + "Transfer-Encoding: chunked\r\n\r\n";
    private static final String UNTIL_CLOSED = OK + "Connection: close\r\n\r\n";
    private static final String CHUNK = "400\r\n" + "x".repeat(1_024) + "\r\n";
    private static final String LAST_CHUNK = "0\r\n\r\n";
    private static final String EMPTY = OK + "Content-Length: 0\r\n\r\n";
    private static final int KIBIBYTES_READ = 64;

    private final Vertx vertx = Vertx.vertx();
    private final SteppedClock clock = new SteppedClock();
    private final HttpTarget target =
            new HttpTarget(vertx, vertx.getOrCreateContext(), clock, HttpSettings.read(ReceiversHere.OPTIONS), 4);
    private ServerSocket receiver;

    @BeforeEach
    void listen() throws IOException {
        receiver = receiver();
    }

    private static ServerSocket receiver() throws IOException {
        ServerSocket socket = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
        socket.setSoTimeout(20_000);
        return socket;
    }

    @AfterEach
    void close() throws IOException {
        receiver.close();
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    @Test
    void aBodyThatIsSaidToBeTooLongIsNotAwaited() throws Exception {
        assertThat(outcomeOf(OK + "Content-Length: " + (KIBIBYTES_READ * 1_024 + 1) + "\r\n\r\n"))
                .isEqualTo("acknowledged");
    }

    @Test
    void aBodyThatIsAsLongAsIsReadIsReadToItsEnd() throws Exception {
        String body = "x".repeat(KIBIBYTES_READ * 1_024);
        CompletableFuture<String> outcome = attempt(receiver, false);
        try (Socket socket = request(receiver)) {
            say(socket, OK + "Content-Length: " + body.length() + "\r\n\r\n" + body);
            assertThat(ended(outcome)).isEqualTo("acknowledged");
            assertIsKept(receiver, socket);
        }
    }

    @Test
    void afterOneThatIsSaidToBeTooLongTheNextIsReadToItsEnd() throws Exception {
        assertThat(outcomeOf(OK + "Content-Length: " + (KIBIBYTES_READ * 1_024 + 1) + "\r\n\r\n"))
                .isEqualTo("acknowledged");
        assertChunksAreRead(receiver);
    }

    /** Else what went on once would never be read again of a destination that is called every minute. */
    @Test
    void oneThatIsNotAwaitedIsNoneThatWentOn() throws Exception {
        wentOn(receiver);
        clock.step(Duration.ofSeconds(40));
        assertThat(outcomeOf(CHUNKED)).isEqualTo("acknowledged");
        clock.step(Duration.ofSeconds(20));
        assertChunksAreRead(receiver);
    }

    @ParameterizedTest
    @ValueSource(strings = {CHUNKED, UNTIL_CLOSED})
    void afterOneThatWentOnTheNextIsNotAwaited(String head) throws Exception {
        wentOn(receiver);
        assertThat(outcomeOf(head)).isEqualTo("acknowledged");
    }

    @Test
    void afterOneThatWentOnTheStatusOfTheNextDecides() throws Exception {
        wentOn(receiver);
        assertThat(outcomeOf(CHUNKED.replace("200 OK", "500 No"))).isEqualTo("failed: HTTP 500");
    }

    /** What it says of its length counts more than what was before; 204 has no body. */
    @ParameterizedTest
    @ValueSource(strings = {EMPTY, "HTTP/1.1 204 None\r\n\r\n", OK + "Content-Length: 3\r\n\r\nabc"})
    void afterOneThatWentOnTheConnectionOfAShortOneIsKept(String answer) throws Exception {
        wentOn(receiver);
        CompletableFuture<String> outcome = attempt(receiver, false);
        try (Socket socket = request(receiver)) {
            say(socket, answer);
            assertThat(ended(outcome)).isEqualTo("acknowledged");
            assertIsKept(receiver, socket);
        }
    }

    @Test
    void anotherDestinationIsReadToItsEnd() throws Exception {
        wentOn(receiver);
        try (ServerSocket another = receiver()) {
            assertChunksAreRead(another);
        }
    }

    @Test
    void aMinuteAfterOneThatWentOnTheNextIsReadToItsEnd() throws Exception {
        wentOn(receiver);
        clock.step(Duration.ofMinutes(1));
        assertChunksAreRead(receiver);
    }

    @Test
    void afterOneThatIsAsLongAsIsReadTheNextIsReadToItsEnd() throws Exception {
        CompletableFuture<String> outcome = attempt(receiver, false);
        try (Socket socket = request(receiver)) {
            say(socket, CHUNKED + CHUNK.repeat(KIBIBYTES_READ) + LAST_CHUNK);
            assertThat(ended(outcome)).isEqualTo("acknowledged");
            outcome = attempt(receiver, false);
            readRequest(socket);
            say(socket, CHUNKED + CHUNK + LAST_CHUNK);
            assertThat(ended(outcome)).isEqualTo("acknowledged");
            assertIsKept(receiver, socket);
        }
    }

    @Test
    void anExcerptThatIsAskedForIsAwaitedAndNoMore() throws Exception {
        wentOn(receiver);
        CompletableFuture<String> outcome = attempt(receiver, true);
        try (Socket socket = request(receiver)) {
            say(socket, CHUNKED + "3\r\nabc\r\n");
            say(socket, CHUNK.repeat(AnswerExcerpt.BYTES / 1_024 + 1));
            assertThat(ended(outcome)).isEqualTo("acknowledged, abc" + "x".repeat(AnswerExcerpt.BYTES - 3));
        }
    }

    @Test
    void anExcerptIsWholeWithItsLastByte() throws Exception {
        wentOn(receiver);
        CompletableFuture<String> outcome = attempt(receiver, true);
        try (Socket socket = request(receiver)) {
            String excerpt = "x".repeat(AnswerExcerpt.BYTES);
            say(socket, CHUNKED + Integer.toHexString(excerpt.length()) + "\r\n" + excerpt + "\r\n");
            assertThat(ended(outcome)).isEqualTo("acknowledged, " + excerpt);
        }
    }

    /** How an attempt ends while its answer is as far as this. */
    private String outcomeOf(String said) throws Exception {
        CompletableFuture<String> outcome = attempt(receiver, false);
        try (Socket socket = request(receiver)) {
            say(socket, said);
            return ended(outcome);
        }
    }

    /** An answer that is cut off. */
    private void wentOn(ServerSocket to) throws Exception {
        CompletableFuture<String> outcome = attempt(to, false);
        try (Socket socket = request(to)) {
            say(socket, CHUNKED + CHUNK.repeat(KIBIBYTES_READ + 1));
            assertThat(ended(outcome)).isEqualTo("acknowledged");
        }
    }

    private void assertChunksAreRead(ServerSocket from) throws Exception {
        CompletableFuture<String> outcome = attempt(from, false);
        try (Socket socket = request(from)) {
            say(socket, CHUNKED + CHUNK + LAST_CHUNK);
            assertThat(ended(outcome)).isEqualTo("acknowledged");
            assertIsKept(from, socket);
        }
    }

    private void assertIsKept(ServerSocket to, Socket connection) throws Exception {
        CompletableFuture<String> next = attempt(to, false);
        readRequest(connection);
        say(connection, EMPTY);
        assertThat(ended(next)).isEqualTo("acknowledged");
    }

    private CompletableFuture<String> attempt(ServerSocket to, boolean keepsExcerpt) {
        CompletableFuture<String> how = new CompletableFuture<>();
        target.deliver(
                SentCallback.attempt("http://127.0.0.1:" + to.getLocalPort() + "/", new byte[0], 1, keepsExcerpt),
                new SentCallback.Outcome(how) {
                    private String excerpt = "";

                    @Override
                    public void answered(int status, String said) {
                        excerpt = ", " + said;
                    }

                    @Override
                    public void acknowledge() {
                        how.complete("acknowledged" + excerpt);
                    }
                });
        return how;
    }

    private static String ended(CompletableFuture<String> outcome) throws Exception {
        return outcome.get(20, TimeUnit.SECONDS);
    }

    private static Socket request(ServerSocket from) throws IOException {
        Socket socket = from.accept();
        socket.setSoTimeout(20_000);
        readRequest(socket);
        return socket;
    }

    /** It has no body. */
    private static void readRequest(Socket socket) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int next = socket.getInputStream().read();
            assertThat(next).as("after " + head).isNotNegative();
            head.append((char) next);
        }
        assertThat(head).startsWith("POST / HTTP/1.1\r\n");
    }

    private static void say(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }
}
