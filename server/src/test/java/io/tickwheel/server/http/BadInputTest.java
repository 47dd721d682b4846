package io.tickwheel.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.tickwheel.server.RunningServer;
import io.tickwheel.server.RunningServer.Reply;
import io.tickwheel.server.wire.Problem;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever request is sent, the answer is a problem that names its reason, and nothing of it remains. */
final class BadInputTest extends BadInputScene {

    @ParameterizedTest
    @MethodSource
    void otherEncodingsAreRefused(byte[] body) {
        Reply reply = server.sendBytes("PUT", RunningServer.timer("q", "k"), RunningServer.JSON, body);
        assertThat(reply.status()).isEqualTo(400);
        assertThat(reply.contentType()).isEqualTo(Problem.MEDIA_TYPE);
    }

    static Stream<byte[]> otherEncodingsAreRefused() {
        String body = "{\"delay\":\"1h\"}";
        return Stream.of(
                body.getBytes(StandardCharsets.UTF_16),
                body.getBytes(StandardCharsets.UTF_16LE),
                body.getBytes(StandardCharsets.UTF_16BE));
    }

    static Stream<Arguments> paths() {
        return Stream.of(
                arguments("/", 404, "unknown_path"),
                arguments("/v1", 404, "unknown_path"),
                arguments("/v1/queues/", 404, "unknown_path"),
                arguments("/v1/queues/q/", 404, "unknown_path"),
                arguments("/v1/queues/q/timers/", 404, "unknown_path"),
                arguments("/v1/queues/q/timers/a/b", 404, "unknown_path"),
                arguments("/v1/queues/q/Timers/a", 404, "unknown_path"),
                arguments("/v2/queues/q/timers/k", 404, "unknown_path"),
                arguments("/v1/queues/q/timers/k?force=1", 400, "unknown_parameter"),
                arguments("/v1/queues/q/timers/%C0%AE", 400, "malformed_path"),
                arguments("/v1/queues/q/timers/%ED%A0%80", 400, "malformed_path"),
                arguments("/v1/queues/q/timers/a%00b", 422, "invalid_key"),
                arguments("/v1/queues/q/timers/a%0D%0Ab", 422, "invalid_key"),
                arguments("/v1/queues/q/timers/%7F", 422, "invalid_key"),
                arguments("/v1/queues/q/timers/%C2%85", 422, "invalid_key"),
                arguments("/v1/queues/q/timers/" + "a".repeat(513), 422, "invalid_key"),
                arguments("/v1/queues/q/timers/" + "%C3%A4".repeat(257), 422, "invalid_key"),
                arguments("/v1/queues/%C3%A4/timers/k", 422, "invalid_queue"),
                arguments("/v1/queues/a%2Fb/timers/k", 422, "invalid_queue"),
                arguments("/v1/queues/" + "q".repeat(129) + "/timers/k", 422, "invalid_queue"),
                arguments("/v1/queues//timers/k", 422, "invalid_queue"));
    }

    @ParameterizedTest
    @MethodSource("paths")
    void aBadPathIsRefusedWithItsReason(String path, int status, String code) {
        assertProblem(server.send("PUT", path, RunningServer.JSON, "{\"delay\":\"1h\"}"), status, code, "");
        assertProblem(server.send("GET", path, null, null), status, code, "");
        assertProblem(server.send("DELETE", path, null, null), status, code, "");
    }

    @ParameterizedTest
    @ValueSource(strings = {".", "..", "%2e", "%2E%2e", ".%2e"})
    void aQueueThatPathsLoseTakesNoTimers(String queue) {
        String body = "{\"delay\":\"1h\"}";
        assertProblem(server.put(queue, "k", body), 422, "invalid_queue", "queue");
        assertProblem(server.post(queue, body), 422, "invalid_queue", "queue");
        assertProblem(server.batch(queue, body), 422, "invalid_queue", "queue");
        assertThat(server.put(queue, "k", body).field("detail")).contains("must not be . or ..");
        // What earlier versions took can still be found and cancelled.
        assertThat(server.get(queue, "k").status()).isEqualTo(404);
        assertThat(server.delete(queue, "k").status()).isEqualTo(404);
        assertThat(server.get("/v1/queues/" + queue + "/timers").status()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {".", "..", "%2e", "%2E%2e", ".%2e"})
    void ofAQueueThatPathsLoseNothingIsSet(String queue) {
        String path = "/v1/queues/" + queue;
        Reply put = server.send("PUT", path, RunningServer.JSON, "{\"concurrency\":1}");
        assertProblem(put, 422, "invalid_queue", "queue");
        assertThat(put.field("detail")).contains("must not be . or ..");
        assertProblem(
                server.send("PATCH", path, RunningServer.JSON, "{\"concurrency\":1}"), 422, "invalid_queue", "queue");
        assertProblem(server.send("POST", path + "/pause", null, null), 422, "invalid_queue", "queue");
        assertProblem(server.send("POST", path + "/resume", null, null), 422, "invalid_queue", "queue");
        assertThat(server.get(path).status()).isEqualTo(404);
        assertThat(server.send("DELETE", path, null, null).status()).isEqualTo(404);
    }

    @ParameterizedTest
    @MethodSource
    void aWrongMethodIsRefusedWithTheRightOnes(String method, String path, String allow) {
        Reply reply = server.send(method, path, RunningServer.JSON, "{\"delay\":\"1h\"}");
        assertProblem(reply, 405, "method_not_allowed", "");
        assertThat(reply.allow()).isEqualTo(allow);
    }

    static Stream<Arguments> aWrongMethodIsRefusedWithTheRightOnes() {
        return Stream.of(
                arguments("POST", "/v1/queues/q/timers/k", "PUT, GET, HEAD, DELETE, OPTIONS"),
                arguments("PATCH", "/v1/queues/q/timers/k", "PUT, GET, HEAD, DELETE, OPTIONS"),
                arguments("BREW", "/v1/queues/q/timers/k", "PUT, GET, HEAD, DELETE, OPTIONS"),
                arguments("PUT", "/v1/queues/q/timers", "GET, HEAD, POST, OPTIONS"),
                arguments("POST", "/v1/queues/q/load", "GET, HEAD, OPTIONS"),
                arguments("PUT", "/v1/queues/q/timers:batch", "POST, OPTIONS"),
                arguments("POST", "/v1/queues", "GET, HEAD, OPTIONS"),
                arguments("POST", "/livez", "GET, HEAD, OPTIONS"),
                arguments("DELETE", "/metrics", "GET, HEAD, OPTIONS"));
    }

    @ParameterizedTest
    @MethodSource
    void aWrongContentTypeIsRefused(String type) {
        String path = RunningServer.timer("q", "k");
        assertProblem(
                server.send("PUT", path, type, "{\"delay\":\"1h\"}"), 415, "unsupported_media_type", "Content-Type");
    }

    static Stream<String> aWrongContentTypeIsRefused() {
        return Stream.of(
                null,
                "text/plain",
                "application/x-ndjson",
                "application/json; charset=utf-16",
                "application/json; charset=utf-8; x=y",
                "application/jsonx",
                "application/x-www-form-urlencoded");
    }

    @Test
    void compressedBodiesAreRefused() {
        Reply reply = server.send(
                "PUT",
                RunningServer.timer("q", "k"),
                RunningServer.JSON,
                "{\"delay\":\"1h\"}",
                "Content-Encoding",
                "gzip");
        assertProblem(reply, 415, "unsupported_content_encoding", "Content-Encoding");
    }

    /** Who reads the first header, and who reads the last one, take such a request for different ones. */
    @Test
    void aHeaderOfTheBodyThatComesTwiceIsRefused() {
        String path = RunningServer.timer("q", "k");
        String body = "{\"delay\":\"1h\"}";
        assertProblem(
                server.send("PUT", path, RunningServer.JSON, body, "Content-Type", "text/plain"),
                415,
                "unsupported_media_type",
                "Content-Type");
        assertProblem(
                server.send(
                        "PUT",
                        path,
                        RunningServer.JSON,
                        body,
                        "Content-Encoding",
                        "identity",
                        "Content-Encoding",
                        "gzip"),
                415,
                "unsupported_content_encoding",
                "Content-Encoding");
    }

    @Test
    void aBodyOverOneMebibyteIsRefused() {
        String body = "{\"delay\":\"1h\",\"payload\":\"" + "a".repeat(1 << 20) + "\"}";
        assertProblem(server.put("q", "k", body), 413, "body_too_large", "");
    }

    /** In one piece with its length ahead, and in chunks. */
    @Test
    void aBodyOfOneMebibyteIsTaken() throws Exception {
        String start = "{\"delay\":\"1h\",\"payload\":\"";
        String body = start + "a".repeat((1 << 20) - start.length() - 2) + "\"}";
        assertThat(body).hasSize(1 << 20);
        assertThat(server.put("longest", "k", body).status()).isEqualTo(201);
        HttpRequest chunked = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + server.port() + RunningServer.timer("longest", "k")))
                .header("Content-Type", RunningServer.JSON)
                .PUT(HttpRequest.BodyPublishers.ofInputStream(
                        () -> new ByteArrayInputStream(body.getBytes(StandardCharsets.US_ASCII))))
                .build();
        assertThat(HttpClient.newHttpClient()
                        .send(chunked, HttpResponse.BodyHandlers.discarding())
                        .statusCode())
                .isEqualTo(200);
        assertThat(server.delete("longest", "k").status()).isEqualTo(200);
    }

    @Test
    void aQueueNameThatABatchMayNotHaveIsRefusedAsAWhole() {
        assertProblem(server.batch("%20", "{\"key\":\"k\",\"delay\":\"1h\"}"), 422, "invalid_queue", "queue");
    }

    @Test
    void aBatchWithTooManyLinesIsRefusedAsAWhole() {
        assertProblem(server.batch("q", "{\"delay\":\"1h\"}\n".repeat(10_001)), 413, "too_many_lines", "");
    }

    @Test
    void onConflictMakesNoSenseWithoutAKey() {
        Reply reply = server.post("q", "{\"delay\":\"1h\",\"onConflict\":\"keep\"}");
        assertProblem(reply, 400, "field_not_allowed", "onConflict");
    }

    @ParameterizedTest
    @MethodSource
    void aBadIdempotencyKeyIsRefused(String key) {
        Reply reply = server.post("q", "{\"delay\":\"1h\"}", "Idempotency-Key", key);
        assertProblem(reply, 422, "invalid_idempotency_key", "Idempotency-Key");
    }

    static Stream<String> aBadIdempotencyKeyIsRefused() {
        return Stream.of("", "a b", "a".repeat(256));
    }
}
