package io.tickwheel.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.server.RunningServer;
import io.tickwheel.server.RunningServer.Reply;
import io.tickwheel.server.wire.Problem;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TimerCallsTest {

    private static final String HOUR = "{\"delay\":\"1h\"}";

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

    @Test
    void aNewKeyIsCreatedAndFound() {
        Reply created = server.put("calls", "new", "{\"dueAt\":\"2100-01-01T01:00:00+01:00\"}");
        assertThat(created.status()).isEqualTo(201);
        assertThat(created.contentType()).isEqualTo("application/json");
        assertThat(created.body())
                .isEqualTo(
                        "{\"outcome\":\"CREATED\",\"queue\":\"calls\",\"key\":\"new\",\"id\":\"" + created.field("id")
                                + "\",\"version\":1,\"dueAt\":\"2100-01-01T00:00:00.000Z\",\"state\":\"PENDING\","
                                + "\"durability\":\"sync\",\"previous\":\"NONE\"}");
        Reply found = server.get("calls", "new");
        assertThat(found.status()).isEqualTo(200);
        assertThat(found.field("id")).isEqualTo(created.field("id"));
        assertThat(found.field("attempts")).isEqualTo("0");
    }

    @Test
    void aLiveKeyIsReplacedUnderANewIdAndTheNextVersion() {
        Reply first = server.put("calls", "replaced", HOUR);
        Reply second = server.put("calls", "replaced", HOUR);
        assertThat(second.status()).isEqualTo(200);
        assertThat(second.field("version")).isEqualTo("2");
        assertThat(second.field("id")).isNotEqualTo(first.field("id")).doesNotContain(".");
        assertThat(second.field("previous")).isEqualTo("PENDING");
    }

    @Test
    void keepKeepsAndFailRefuses() {
        Reply first = server.put("calls", "kept", HOUR);
        Reply kept = server.put("calls", "kept", "{\"delay\":\"2h\",\"onConflict\":\"keep\"}");
        assertThat(kept.status()).isEqualTo(200);
        assertThat(kept.field("id")).isEqualTo(first.field("id"));
        Reply refused = server.put("calls", "kept", "{\"delay\":\"2h\",\"onConflict\":\"fail\"}");
        assertThat(refused.status()).isEqualTo(409);
        assertThat(refused.contentType()).isEqualTo(Problem.MEDIA_TYPE);
        assertThat(refused.field("code")).isEqualTo("conflict");
        assertThat(refused.field("id")).isEqualTo(first.field("id"));
        assertThat(refused.field("dueAt")).isEqualTo(first.field("dueAt"));
    }

    @Test
    void onceKeepsAlsoWhatHasFinished() {
        String once = "{\"delay\":\"2h\",\"onConflict\":\"once\"}";
        Reply first = server.put("calls", "once", once);
        assertThat(first.status()).isEqualTo(201);
        assertThat(server.put("calls", "once", once).field("outcome")).isEqualTo("KEPT");
        server.delete("calls", "once");
        Reply kept = server.put("calls", "once", once);
        assertThat(kept.status()).isEqualTo(200);
        assertThat(kept.field("outcome")).isEqualTo("KEPT");
        assertThat(kept.field("id")).isEqualTo(first.field("id"));
        assertThat(kept.field("state")).isEqualTo("CANCELLED");
        String lines = "{\"key\":\"once\",\"delay\":\"2h\",\"onConflict\":\"once\"}\n"
                + "{\"key\":\"once\",\"delay\":\"2h\",\"onConflict\":\"keep\"}\n";
        List<String> answers = server.batch("calls", lines).body().lines().toList();
        assertThat(answers.get(0)).contains("\"outcome\":\"KEPT\"", "\"state\":\"CANCELLED\"");
        assertThat(answers.get(1)).contains("\"outcome\":\"CREATED\"", "\"state\":\"PENDING\"");
        Reply unknown = server.put("calls", "once", "{\"delay\":\"2h\",\"onConflict\":\"twice\"}");
        assertThat(unknown.field("detail")).endsWith(", must be replace, keep, once, fail, earliest or latest");
    }

    @Test
    void theEarlierOrLaterOneStays() {
        server.put("calls", "choice", "{\"dueAt\":\"2100-01-01T00:00:00Z\"}");
        assertThat(server.put("calls", "choice", "{\"dueAt\":\"2099-01-01T00:00:00Z\",\"onConflict\":\"latest\"}")
                        .field("dueAt"))
                .startsWith("2100");
        assertThat(server.put("calls", "choice", "{\"dueAt\":\"2099-01-01T00:00:00Z\",\"onConflict\":\"earliest\"}")
                        .field("dueAt"))
                .startsWith("2099");
    }

    @Test
    void aCancelIsAnsweredTheSameWayAgain() {
        server.put("calls", "cancelled", HOUR);
        for (int i = 0; i < 2; i++) {
            Reply reply = server.delete("calls", "cancelled");
            assertThat(reply.status()).isEqualTo(200);
            assertThat(reply.field("outcome")).isEqualTo("CANCELLED");
            assertThat(reply.field("state")).isEqualTo("CANCELLED");
        }
        assertThat(server.get("calls", "cancelled").field("state")).isEqualTo("CANCELLED");
    }

    @Test
    void contentIsShownAsItWasScheduled() {
        String body = "{\"delay\":\"1h\",\"payload\":{\"order\": [42, \"ä\"]},\"headers\":{\"X-A\":\"b\"},"
                + "\"target\":{\"url\":\"http://127.0.0.1:1/close?x=1\"},\"retry\":{\"delays\":[\"1s\",\"5s\"]},"
                + "\"expireAfter\":\"6h\"}";
        server.put("calls", "content", body);
        assertThat(server.get("calls", "content").body()).doesNotContain("order");
        String light =
                server.get("/v1/queues/calls/timers/content?content=false").body();
        assertThat(light).isEqualTo(server.get("calls", "content").body());
        assertThat(server.get("/v1/queues/calls/timers/content?content=true").body())
                .startsWith(light.substring(0, light.length() - 1))
                .endsWith(
                        ",\"payload\":{\"order\": [42, \"ä\"]},\"headers\":{\"X-A\":\"b\"},"
                                + "\"target\":{\"url\":\"http://127.0.0.1:1/close?x=1\",\"method\":\"POST\"},"
                                + "\"retry\":{\"maxAttempts\":3,\"delays\":[\"1000ms\",\"5000ms\"]},\"expireAfter\":\"21600000ms\"}");
        server.delete("calls", "content");
        assertThat(server.get("/v1/queues/calls/timers/content?content=true").body())
                .contains("\"state\":\"CANCELLED\"")
                .doesNotContain("payload");
        assertThat(server.get("/v1/queues/calls/timers/nothing?content=true").status())
                .isEqualTo(404);
    }

    /** Whoever schedules may say of any bytes that they are JSON. */
    @ParameterizedTest
    @ValueSource(strings = {"eyJh", "MSAy", "", "/w==", "W1tb"})
    void payloadThatIsNoJsonIsShownInBase64(String base64) {
        server.put(
                "calls",
                "base64",
                "{\"delay\":\"1h\",\"payloadBase64\":\"" + base64 + "\",\"contentType\":\"application/json\"}");
        assertThat(server.get("/v1/queues/calls/timers/base64?content=true").body())
                .endsWith(",\"payloadBase64\":\"" + base64 + "\",\"contentType\":\"application/json\"}");
    }

    @Test
    void parameterOfContentIsTrueOrFalse() {
        Reply refused = server.get("/v1/queues/calls/timers/any?content=yes");
        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.field("detail")).contains("yes", "must be true or false");
        assertThat(server.get("/v1/queues/calls/timers/any?contents=true").field("code"))
                .isEqualTo("unknown_parameter");
    }

    @Test
    void aCancelThatFindsNothingSaysSo() {
        Reply reply = server.delete("calls", "never");
        assertThat(reply.status()).isEqualTo(404);
        assertThat(reply.contentType()).isEqualTo(Problem.MEDIA_TYPE);
        assertThat(reply.field("outcome")).isEqualTo("NOT_FOUND");
        assertThat(reply.field("code")).isEqualTo("not_found");
        assertThat(server.get("calls", "never").field("code")).isEqualTo("not_found");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"delay\":\"0s\",", "{\"dueAt\":\"1999-01-01T00:00:00Z\",", "{\"dueAt\":100000000000,"})
    void whatIsDueAlreadyFiresAtOnceAndCannotBeCancelled(String due) {
        String key = "due" + due.length();
        assertThat(server.put("calls", key, due + "\"target\":{\"log\":{}}}").status())
                .isEqualTo(201);
        Reply done = server.await("calls", key, reply -> reply.field("state").equals("COMPLETED"));
        assertThat(done.field("state")).isEqualTo("COMPLETED");
        assertThat(done.field("attempts")).isEqualTo("1");
        Reply late = server.delete("calls", key);
        assertThat(late.status()).isEqualTo(409);
        assertThat(late.field("outcome")).isEqualTo("TOO_LATE");
        assertThat(late.field("code")).isEqualTo("too_late");
        assertThat(late.field("state")).isEqualTo("COMPLETED");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "orders%2F42",
                "%2F",
                "..%2F..%2Fetc%2Fpasswd",
                "%E2%98%83-%F0%9F%98%80",
                "a+b",
                "a%20b",
                "%25",
                ".",
                "..",
                "CON",
                "a;b=c",
                "a:b@c!$&'()*,",
                "%E2%80%A8"
            })
    void anyOtherKeyIsTakenAsItIs(String encoded) {
        Reply created = server.put("keys", encoded, HOUR);
        assertThat(created.status()).as(created.body()).isEqualTo(201);
        String key = java.net.URLDecoder.decode(encoded.replace("+", "%2B"), java.nio.charset.StandardCharsets.UTF_8);
        assertThat(created.body()).contains("\"key\":\"" + key + "\"");
        assertThat(server.get("keys", encoded).field("id")).isEqualTo(created.field("id"));
        assertThat(server.delete("keys", encoded).field("outcome")).isEqualTo("CANCELLED");
    }

    @Test
    void aKeyMayHave512Bytes() {
        assertThat(server.put("keys", "a".repeat(512), HOUR).status()).isEqualTo(201);
        assertThat(server.put("keys", "%C3%A4".repeat(256), HOUR).status()).isEqualTo(201);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"application/json; charset=utf-8", "application/json;charset=\"UTF-8\"", "Application/JSON"})
    void jsonInUtf8IsTakenHoweverItIsCalled(String type) {
        assertThat(server.send("PUT", RunningServer.timer("calls", "typed"), type, HOUR)
                        .status())
                .isIn(200, 201);
    }

    @Test
    void aPayloadMayBeNestedButNotTooDeeply() {
        String payload = "[".repeat(63) + "]".repeat(63);
        assertThat(server.put("calls", "nested", "{\"delay\":\"1h\",\"payload\":" + payload + "}")
                        .status())
                .isEqualTo(201);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"delayLevel\":18}",
                "{\"delay\":\"PT0.5S\",\"retry\":{\"maxAttempts\":1,\"backoff\":\"5ms\"}}",
                "{\"delay\":\"7d\",\"expireAfter\":\"1h\"}",
                "{\"delay\":\"1h\",\"payloadBase64\":\"AAEC\",\"contentType\":\"image/png\"}",
                "{\"delay\":\"1h\",\"target\":{\"url\":\"https://[::1]:8443/a?b=%20\",\"method\":\"PATCH\"}}",
                "{\"delay\":\"1h\",\"headers\":{\"Authorization\":\"Bearer x\",\"X-Tab\":\"a\\tb\"}}",
                "\n\t {\"delay\" : \"1h30m\"} \r\n"
            })
    void allFieldsAreTaken(String body) {
        Reply reply = server.put("calls", "fields", body);
        assertThat(reply.status()).as(reply.body()).isIn(200, 201);
    }

    @Test
    void aPostMakesTheKey() {
        Reply first = server.post("posts", HOUR);
        Reply second = server.post("posts", HOUR);
        assertThat(first.status()).isEqualTo(201);
        assertThat(first.field("key")).isNotEmpty().isNotEqualTo(second.field("key"));
        assertThat(server.get("posts", first.field("key")).status()).isEqualTo(200);
    }

    @Test
    void anIdempotencyKeyIsThereOnce() {
        Reply refused = server.post("q", "{\"delay\":\"1h\"}", "Idempotency-Key", "a", "Idempotency-Key", "b");
        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.field("code")).isEqualTo("invalid_idempotency_key");
    }

    @Test
    void anIdempotencyKeyHasTheCharactersThatAreVisible() {
        assertThat(server.post("posts", HOUR, "Idempotency-Key", "!" + "a".repeat(253) + "~")
                        .status())
                .isEqualTo(201);
    }

    @Test
    void anIdempotencyKeyMakesOneTimer() {
        Reply first = server.post("posts", HOUR, "Idempotency-Key", "abc");
        Reply again = server.post("posts", HOUR, "Idempotency-Key", "abc");
        assertThat(first.status()).isEqualTo(201);
        assertThat(again.status()).isEqualTo(201);
        assertThat(again.body()).isEqualTo(first.body());
        Reply other = server.post("posts", "{\"delay\":\"2h\"}", "Idempotency-Key", "abc");
        assertThat(other.status()).isEqualTo(409);
        assertThat(other.field("code")).isEqualTo("idempotency_key_reused");
        assertThat(server.post("other", HOUR, "Idempotency-Key", "abc").field("id"))
                .isNotEqualTo(first.field("id"));
    }

    @Test
    void queuesAreListedWithTheirCounts() {
        server.put("counted", "a", HOUR);
        server.put("counted", "b", HOUR);
        server.delete("counted", "b");
        Reply reply = server.get("/v1/queues");
        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.body()).contains("{\"name\":\"counted\",\"pending\":1,\"claimed\":0,\"dead\":0}");
    }

    @Test
    void metricsAreInTheFormatOfPrometheus() {
        server.put("calls", "measured", HOUR);
        Reply reply = server.get("/metrics");
        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.contentType()).startsWith("text/plain; version=0.0.4");
        assertThat(reply.body())
                .contains(
                        "tickwheel_lateness_seconds_bucket{le=\"0.001\"}",
                        "tickwheel_lateness_seconds_bucket{le=\"60.0\"}",
                        "tickwheel_timers_pending ",
                        "tickwheel_scheduled_total ",
                        "tickwheel_cancelled_total ",
                        "tickwheel_delivered_total ",
                        "tickwheel_failed_total ",
                        "tickwheel_dead_total ",
                        "tickwheel_log_sync_seconds_count ",
                        "jvm_memory_used_bytes");
    }

    @Test
    void theServerIsLiveAndReady() {
        assertThat(server.get("/livez").body()).isEqualTo("{\"status\":\"live\"}");
        assertThat(server.get("/readyz").body()).isEqualTo("{\"status\":\"ready\"}");
    }
}
