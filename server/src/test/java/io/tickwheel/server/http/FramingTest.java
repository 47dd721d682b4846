package io.tickwheel.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.tickwheel.server.RunningServer;
import io.tickwheel.server.wire.Problem;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that no client library would send, as bytes: one answer at most, then the connection is closed. */
final class FramingTest {

    private static final String BODY = "{\"delay\":\"1h\"}";
    private static final String CHUNKED_BODY = "e\r\n" + BODY + "\r\n0\r\n\r\n";
    private static final String HOST = "Host: x\r\n";
    private static final String JSON = "Content-Type: application/json\r\n";
    private static final String LENGTH = "Content-Length: 14\r\n";
    private static final String CHUNKED = "Transfer-Encoding: chunked\r\n";

    @TempDir
    private static Path directory;

    private static RunningServer server;

    @BeforeAll
    static void start() {
        server = new RunningServer(directory);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    static Stream<Arguments> requests() {
        return Stream.of(
                bad("no host", put(JSON + LENGTH, BODY)),
                bad("two hosts", put(HOST + HOST + JSON + LENGTH, BODY)),
                bad("empty host", put("Host:\r\n" + JSON + LENGTH, BODY)),
                bad("host with a slash", put("Host: x/y\r\n" + JSON + LENGTH, BODY)),
                bad("host with a user", put("Host: me@x\r\n" + JSON + LENGTH, BODY)),
                bad("host with a blank", put("Host: x y\r\n" + JSON + LENGTH, BODY)),
                bad("header without a name", put(HOST + JSON + ": a\r\n" + LENGTH, BODY)),
                bad("fragment", "PUT /v1/queues/q/timers/k#a HTTP/1.1\r\n" + HOST + JSON + LENGTH + "\r\n" + BODY),
                bad("length and chunked", put(HOST + JSON + LENGTH + CHUNKED, CHUNKED_BODY)),
                bad("unknown coding", put(HOST + JSON + "Transfer-Encoding: xchunked\r\n", CHUNKED_BODY)),
                bad("two codings", put(HOST + JSON + "Transfer-Encoding: gzip, chunked\r\n", CHUNKED_BODY)),
                bad("two headers of codings", put(HOST + JSON + CHUNKED + CHUNKED, CHUNKED_BODY)),
                bad(
                        "chunks of an old client",
                        "PUT /v1/queues/q/timers/k HTTP/1.0\r\n" + JSON + CHUNKED + "\r\n" + CHUNKED_BODY),
                bad("chunk size overflow", put(HOST + JSON + CHUNKED, "10000000e\r\n" + BODY + "\r\n0\r\n\r\n")),
                bad("chunk size no number", put(HOST + JSON + CHUNKED, "zz\r\n" + BODY + "\r\n0\r\n\r\n")),
                bad("chunk size negative", put(HOST + JSON + CHUNKED, "-1\r\n" + BODY + "\r\n0\r\n\r\n")),
                bad("length with plus", put(HOST + JSON + "Content-Length: +14\r\n", BODY)),
                bad("length negative", put(HOST + JSON + "Content-Length: -1\r\n", BODY)),
                bad("length list", put(HOST + JSON + "Content-Length: 14, 14\r\n", BODY)),
                bad("lengths differ", put(HOST + JSON + LENGTH + "Content-Length: 15\r\n", BODY)),
                bad("length overflow", put(HOST + JSON + "Content-Length: 99999999999999999999\r\n", BODY)),
                bad("NUL in a header", put(HOST + JSON + "X: a\0b\r\n" + LENGTH, BODY)),
                bad("bare CR in a header", put(HOST + JSON + "X: a\rb\r\n" + LENGTH, BODY)),
                bad("blank before the colon", put(HOST + JSON + "X : a\r\n" + LENGTH, BODY)),
                bad("no version", "GET /livez\r\n\r\n"),
                bad("TLS", "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\r\n\r\n"),
                arguments("long line", "GET /" + "a".repeat(9_000) + " HTTP/1.1\r\n" + HOST + "\r\n", "uri_too_long"),
                arguments(
                        "long headers",
                        "GET /livez HTTP/1.1\r\n" + HOST + "X: " + "a".repeat(20_000) + "\r\n\r\n",
                        "headers_too_large"),
                arguments("expectation", put(HOST + JSON + LENGTH + "Expect: 200-ok\r\n", BODY), "expectation_failed"),
                arguments(
                        "second expectation",
                        put(HOST + JSON + LENGTH + "Expect: 100-continue\r\nExpect: 200-ok\r\n", BODY),
                        "expectation_failed"),
                arguments(
                        "large length",
                        put(
                                HOST + JSON + "Content-Length: 1048577\r\n",
                                BODY.repeat(80_000).substring(0, 1_048_577)),
                        "body_too_large"),
                arguments(
                        "large chunks",
                        put(HOST + JSON + CHUNKED, "100001\r\n" + " ".repeat(0x100001) + "\r\n0\r\n\r\n"),
                        "body_too_large"),
                arguments(
                        "wrong type with a waiting body",
                        put(HOST + "Content-Type: text/plain\r\nExpect: 100-continue\r\n" + LENGTH, ""),
                        "unsupported_media_type"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("requests")
    void badFramingIsAnsweredOnceAndClosed(String name, String request, String code) throws IOException {
        // A request behind the bad one must never be taken for one.
        String replies = exchange(request + "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n");
        assertThat(replies)
                .contains(Problem.MEDIA_TYPE, "\"code\":\"" + code + "\"")
                .doesNotContain("\"live\"");
        assertThat(server.live()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"HTTP/9.9", "HTTP/2.0", "HTTP/0.9", "HTTP/1.2", "HTTP/1.11", "http/1.1", "FTP/1.1"})
    void anUnknownVersionIsRefusedAndClosed(String version) throws IOException {
        String replies = exchange("PUT /v1/queues/q/timers/k " + version + "\r\n" + HOST + JSON + LENGTH + "\r\n" + BODY
                + "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n");
        assertThat(replies)
                .startsWith("HTTP/1.1 505 ")
                .contains(Problem.MEDIA_TYPE, "connection: close", "\"code\":\"http_version_not_supported\"")
                .contains("must be HTTP/1.1 or HTTP/1.0")
                .doesNotContain("\"live\"");
        assertThat(server.live()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"HTTP/x.y", "HTTP/11", "HTTP/1.1.1", "HTTP/1.1 x"})
    void whatIsNoVersionIsMalformed(String version) throws IOException {
        assertThat(exchange("GET /livez " + version + "\r\nHost: x\r\n\r\n"))
                .startsWith("HTTP/1.")
                .contains(" 400 ", Problem.MEDIA_TYPE, "\"code\":\"malformed_request\"");
    }

    @Test
    void anUnknownVersionIsAnsweredInItsTurn() throws IOException {
        assertThat(exchange("GET /livez HTTP/1.1\r\nHost: x\r\n\r\nGET /livez HTTP/9.9\r\nHost: x\r\n\r\n"))
                .containsPattern("(?s)^HTTP/1.1 200 .*\"live\"}HTTP/1.1 505 ");
    }

    @Test
    void aBodyIsAskedForWhenItsHeadIsGood() throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            write(socket, put(HOST + JSON + "Expect: 100-continue\r\nConnection: close\r\n" + LENGTH, ""));
            byte[] go = new byte["HTTP/1.1 100 Continue\r\n\r\n".length()];
            assertThat(socket.getInputStream().readNBytes(go, 0, go.length)).isEqualTo(go.length);
            assertThat(ascii(go)).startsWith("HTTP/1.1 100 ");
            write(socket, BODY);
            assertThat(ascii(socket.getInputStream().readAllBytes())).contains("HTTP/1.1 201 ");
        }
        assertThat(server.delete("q", "k").status()).isEqualTo(200);
    }

    /** It would be sent for nothing. */
    @Test
    void aBodyThatIsTooLargeIsNotAskedFor() throws IOException {
        String head = HOST + JSON + "Expect: 100-continue\r\nContent-Length: 1048577\r\n";
        assertThat(exchange(put(head, ""))).startsWith("HTTP/1.1 413 ").contains("connection: close");
    }

    @Test
    void anOldClientIsSentNoInterimAnswer() throws IOException {
        String head = "PUT /v1/queues/q/timers/k HTTP/1.0\r\n" + JSON + "Expect: 100-continue\r\n" + LENGTH;
        assertThat(exchange(head + "\r\n" + BODY)).startsWith("HTTP/1.0 201 ").doesNotContain(" 100 ");
        assertThat(server.delete("q", "k").status()).isEqualTo(200);
    }

    @Test
    void chunksAreABodyWhereThereNeedBeNone() throws IOException {
        assertThat(exchange("POST /v1/queues/q/timers/k/redrive HTTP/1.1\r\nConnection: close\r\n" + HOST + JSON
                        + CHUNKED + "\r\n2\r\n{]\r\n0\r\n\r\n"))
                .startsWith("HTTP/1.1 400 ")
                .contains("\"code\":\"malformed_json\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://x/livez", "HTTPS://x:1/livez"})
    void aWholeUrlStandsForItsPath(String target) throws IOException {
        assertThat(exchange("GET " + target + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 200 ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"x:80", "[::1]:80", "a-b.example.org", "127.0.0.1"})
    void aHostAndItsPortAreTaken(String host) throws IOException {
        assertThat(exchange("GET /livez HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 200 ");
    }

    @Test
    void requestsInARowAreAnsweredInARow() throws IOException {
        String replies = exchange(put(HOST + JSON + LENGTH, BODY)
                + put(HOST + JSON + CHUNKED, CHUNKED_BODY)
                + put(HOST + JSON + "Content-Length: 2\r\n", "{]")
                + "DELETE /v1/queues/q/timers/k HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        assertThat(replies).containsPattern("(?s)^HTTP/1.1 201 .*HTTP/1.1 200 .*HTTP/1.1 400 .*HTTP/1.1 200 ");
        assertThat(server.live()).isZero();
    }

    @Test
    void aBodyThatBreaksOffLeavesNothing() throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            write(socket, put(HOST + JSON + LENGTH, BODY.substring(0, 10)));
            socket.shutdownOutput();
            assertThat(ascii(socket.getInputStream().readAllBytes())).doesNotContain("HTTP/1.1 20");
        }
        assertThat(server.get("q", "other").status()).isEqualTo(404);
        assertThat(server.live()).isZero();
    }

    private static String poll(String queue) {
        String wait = "{\"wait\":\"60s\"}";
        return "POST /v1/queues/" + queue + "/leases HTTP/1.1\r\n" + HOST + JSON + "Content-Length: " + wait.length()
                + "\r\n\r\n" + wait;
    }

    /** A timer of the queue comes to the next poll, as if nobody had polled before. */
    private void assertFirstAttemptComesTo(String queue) throws IOException {
        assertThat(server.put(queue, "k", "{\"delay\":\"0s\"}").status()).isEqualTo(201);
        assertThat(server.send("POST", "/v1/queues/" + queue + "/leases", RunningServer.JSON, "{\"wait\":\"10s\"}")
                        .body())
                .contains("\"key\":\"k\"", "\"attempt\":1");
        assertThat(server.delete(queue, "k").status()).isEqualTo(202);
        assertThat(server.live()).isZero();
    }

    /** What a client does that is killed, too: whether it would still read, nobody knows. */
    @Test
    void aClientThatClosesItsSideHasGone() throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            write(socket, poll("pulled"));
            socket.shutdownOutput();
            assertThat(socket.getInputStream().readAllBytes()).isEmpty();
            assertFirstAttemptComesTo("pulled");
        }
    }

    @Test
    void aClientThatLeavesWithARequestBehindItsPollIsLeasedNothing() throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            write(socket, poll("left") + "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n");
        }
        // The poll of the socket is the first in the line by the time this one is answered.
        assertThat(server.send("POST", "/v1/queues/left/leases", RunningServer.JSON, "{\"wait\":\"100ms\"}")
                        .status())
                .isEqualTo(200);
        assertFirstAttemptComesTo("left");
    }

    @ParameterizedTest
    @ValueSource(strings = {"%", "%4", "%zz", "\u00e4", "%C3%28"})
    void aSegmentThatIsNotPercentEncodedUtf8IsRefused(String segment) throws IOException {
        String replies =
                exchange("GET /v1/queues/q/timers/" + segment + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        assertThat(replies).contains("HTTP/1.1 400 ", "\"code\":\"malformed_path\"");
    }

    private static Arguments bad(String name, String request) {
        return arguments(name, request, "malformed_request");
    }

    private static String put(String headers, String body) {
        return "PUT /v1/queues/q/timers/k HTTP/1.1\r\n" + headers + "\r\n" + body;
    }

    /** Sends all, and reads until the server closes. */
    private static String exchange(String request) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.setSoTimeout(20_000);
            try {
                write(socket, request);
                return ascii(socket.getInputStream().readAllBytes());
            } catch (SocketException e) {
                throw new AssertionError("the connection was reset before the answer was read", e);
            }
        }
    }

    private static void write(Socket socket, String text) throws IOException {
        OutputStream out = socket.getOutputStream();
        out.write(text.getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    private static String ascii(byte[] bytes) {
        return new String(bytes, StandardCharsets.US_ASCII);
    }
}
