package io.tickwheel.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.server.RunningServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** HEAD and OPTIONS, which go with every resource, as bytes. */
final class MethodsTest {

    private static final String END = "\r\n\r\n";

    @TempDir
    private static Path directory;

    private static RunningServer server;

    @BeforeAll
    static void start() {
        server = new RunningServer(directory);
        server.put("q", "k", "{\"dueAt\":\"2100-01-01T00:00:00Z\"}");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/livez",
                "/readyz",
                "/v1/queues",
                "/v1/queues/q",
                "/v1/queues/nobody",
                "/v1/queues/q/timers/k",
                "/v1/queues/q/timers/nobody",
                "/v1/queues/q/timers?limit=1",
                "/v1/queues/q/timers?limit=0",
                "/v1/queues/q/load?buckets=3",
                "/v1/queues/q/nothing"
            })
    void theAnswerToHeadIsThatToGetWithoutItsBody(String path) throws IOException {
        String whole = exchange("GET " + path + " HTTP/1.1");
        String head = whole.substring(0, whole.indexOf(END) + END.length());
        assertThat(whole).hasSizeGreaterThan(head.length());
        String answer = exchange("HEAD " + path + " HTTP/1.1");
        assertThat(answer)
                .contains("content-length: " + (whole.length() - head.length()) + "\r\n")
                .endsWith(END);
        assertThat(answer.split("\r\n")).containsExactlyInAnyOrder(head.split("\r\n"));
    }

    @Test
    void theMetricsHaveAHeadToo() throws IOException {
        assertThat(exchange("HEAD /metrics HTTP/1.1"))
                .startsWith("HTTP/1.1 200 ")
                .contains("text/plain; version=0.0.4")
                .containsPattern("content-length: [1-9]")
                .endsWith(END);
    }

    @Test
    void whatHasNoGetHasNoHead() throws IOException {
        assertThat(exchange("HEAD /v1/queues/q/timers:batch HTTP/1.1"))
                .startsWith("HTTP/1.1 405 ")
                .contains("Allow: POST, OPTIONS\r\n")
                .endsWith(END);
    }

    @Test
    void anAnswerBehindAHeadBeginsWhereItShould() throws IOException {
        String replies = send("HEAD /livez HTTP/1.1\r\nHost: x\r\n\r\nGET /livez HTTP/1.1\r\nHost: x\r\n"
                + "Connection: close\r\n\r\n");
        assertThat(replies).containsPattern("(?s)^HTTP/1.1 200 .*\r\n\r\nHTTP/1.1 200 .*\"live\"}$");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            /v1/queues/q/timers/k    | PUT, GET, HEAD, DELETE, OPTIONS
            /v1/queues/q/timers      | GET, HEAD, POST, OPTIONS
            /v1/queues/q/timers:batch| POST, OPTIONS
            /metrics                 | GET, HEAD, OPTIONS
            /v1/queues/q             | PUT, GET, HEAD, PATCH, DELETE, OPTIONS
            /v1/queues/q/pause       | POST, OPTIONS
            *                        | GET, HEAD, PUT, POST, PATCH, DELETE, OPTIONS
            """)
    void optionsNamesTheMethods(String target, String allow) throws IOException {
        assertThat(exchange("OPTIONS " + target + " HTTP/1.1"))
                .startsWith("HTTP/1.1 204 ")
                .contains("Allow: " + allow + "\r\n")
                .doesNotContain("content-length", "transfer-encoding")
                .endsWith(END);
    }

    private static String exchange(String requestLine) throws IOException {
        return send(requestLine + "\r\nHost: x\r\nConnection: close\r\n\r\n");
    }

    private static String send(String request) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        }
    }
}
