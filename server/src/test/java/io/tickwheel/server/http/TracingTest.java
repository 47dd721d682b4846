package io.tickwheel.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.server.Receiver;
import io.tickwheel.server.RunningServer;
import io.tickwheel.server.RunningServer.Reply;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The trace of the request that schedules a timer, and what becomes of it. */
final class TracingTest {

    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
    private static final String PARENT = "00-" + TRACE + "-00f067aa0ba902b7-01";
    private static final String OTHER = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00";

    @TempDir
    private Path directory;

    private RunningServer server;
    private Receiver receiver;

    @BeforeEach
    void start() {
        server = new RunningServer(directory);
        receiver = new Receiver();
    }

    @AfterEach
    void stop() {
        server.close();
        receiver.close();
    }

    private String body(String more) {
        return "{\"delay\":\"0s\",\"retry\":{\"interval\":\"10ms\"},\"target\":{\"url\":\"" + receiver.url("/") + "\"}"
                + more + "}";
    }

    private Reply put(String key, String body, String... headers) {
        return server.send("PUT", RunningServer.timer("q", key), RunningServer.JSON, body, headers);
    }

    @Test
    void eachAttemptGoesOnInTheTraceOfTheRequest() throws InterruptedException {
        receiver.willAnswer(new Receiver.Answer(500), new Receiver.Answer(500));
        assertThat(put("k", body(""), "traceparent", PARENT, "tracestate", "congo=t61rcWkgMzE")
                        .status())
                .isEqualTo(201);
        Set<String> spans = new HashSet<>();
        for (int i = 0; i < 3; i++) {
            Receiver.Arrival attempt = receiver.next();
            assertThat(attempt.headers().get("traceparent"))
                    .startsWith("00-" + TRACE + "-")
                    .endsWith("-01");
            assertThat(attempt.headers()).containsEntry("tracestate", "congo=t61rcWkgMzE");
            spans.add(attempt.headers().get("traceparent"));
        }
        assertThat(spans).hasSize(3).doesNotContain(PARENT);
    }

    /** Proxies may add to a header of their own, which means the same. */
    @Test
    void stateOfATraceInSeveralHeadersIsKeptWhole() throws InterruptedException {
        put("k", body(""), "traceparent", PARENT, "tracestate", "rojo=00f067aa0ba902b7", "tracestate", "congo=t61rcWk");
        assertThat(receiver.next().headers()).containsEntry("tracestate", "rojo=00f067aa0ba902b7,congo=t61rcWk");
    }

    /** It comes with each callback, and whoever takes part in a trace may drop one that is longer. */
    @Test
    void stateOfATraceIsKeptUpToItsLength() throws InterruptedException {
        String longest = "a=" + "x".repeat(510);
        put("k", body(""), "traceparent", PARENT, "tracestate", longest);
        assertThat(receiver.next().headers()).containsEntry("tracestate", longest);
        put("l", body(""), "traceparent", PARENT, "tracestate", longest + "x");
        assertThat(receiver.next().headers()).containsKey("traceparent").doesNotContainKey("tracestate");
    }

    @Test
    void traceIsKeptWithTheTimerOverARestart() throws InterruptedException {
        String late = body(",\"headers\":{\"X-A\":\"b\"}").replace("\"0s\"", "\"1h\"");
        assertThat(put("k", late, "traceparent", PARENT).status()).isEqualTo(201);
        server.close();
        server = new RunningServer(directory);
        assertThat(server.get(RunningServer.timer("q", "k") + "?content=true").body())
                .contains("\"headers\":{\"X-A\":\"b\",\"traceparent\":\"" + PARENT + "\"}");
        server.send("POST", RunningServer.timer("q", "k") + "/run", null, null);
        assertThat(receiver.next().headers().get("traceparent")).startsWith("00-" + TRACE);
    }

    @Test
    void postsAndLinesOfABatchAreInTheTraceOfTheirRequest() throws InterruptedException {
        server.post("q", body(""), "traceparent", PARENT);
        assertThat(receiver.next().headers().get("traceparent")).startsWith("00-" + TRACE);
        Reply batch = server.send(
                "POST",
                "/v1/queues/q/timers:batch",
                RunningServer.NDJSON,
                body("") + "\n" + body(",\"headers\":{\"Traceparent\":\"" + OTHER + "\"}"),
                "traceparent",
                PARENT);
        assertThat(batch.status()).isEqualTo(200);
        Set<String> traces = new HashSet<>();
        traces.add(receiver.next().headers().get("traceparent").substring(0, 35));
        traces.add(receiver.next().headers().get("traceparent").substring(0, 35));
        assertThat(traces).containsExactlyInAnyOrder(PARENT.substring(0, 35), OTHER.substring(0, 35));
    }

    @Test
    void traceOfTheBodyGoesOverThatOfTheRequest() throws InterruptedException {
        put(
                "k",
                body(",\"headers\":{\"traceparent\":\"" + OTHER + "\"}"),
                "traceparent",
                PARENT,
                "tracestate",
                "congo=t61rcWkgMzE");
        Receiver.Arrival attempt = receiver.next();
        assertThat(attempt.headers().get("traceparent")).startsWith(OTHER.substring(0, 35));
        assertThat(attempt.headers()).doesNotContainKey("tracestate");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "00",
                "00-" + TRACE + "-00f067aa0ba902b7-01-more",
                "ff-" + TRACE + "-00f067aa0ba902b7-01",
                "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
                "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01"
            })
    void whatIsNoTraceIsIgnoredInARequestAndRefusedInABody(String parent) throws InterruptedException {
        assertThat(put("k", body(""), "traceparent", parent, "tracestate", "a=b")
                        .status())
                .isEqualTo(201);
        assertThat(receiver.next().headers()).doesNotContainKeys("traceparent", "tracestate");
        Reply refused = put("other", body(",\"headers\":{\"TraceParent\":\"" + parent + "\"}"));
        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.field("code")).isEqualTo("invalid_header");
        assertThat(refused.field("field")).isEqualTo("headers.TraceParent");
        assertThat(refused.field("detail")).contains(parent);
        assertThat(server.get("q", "other").status()).isEqualTo(404);
    }

    @Test
    void twoTracesAreNone() throws InterruptedException {
        put("k", body(""), "traceparent", PARENT, "traceparent", OTHER);
        assertThat(receiver.next().headers()).doesNotContainKey("traceparent");
    }

    @Test
    void repetitionInAnotherTraceIsTheSameRequest() {
        String body = body("").replace("\"0s\"", "\"1h\"");
        Reply first = server.post("q", body, "Idempotency-Key", "one", "traceparent", PARENT);
        Reply again = server.post("q", body, "Idempotency-Key", "one", "traceparent", OTHER);
        assertThat(again.status()).isEqualTo(201);
        assertThat(again.field("id")).isEqualTo(first.field("id"));
    }
}
