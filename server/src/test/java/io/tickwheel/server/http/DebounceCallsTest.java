package io.tickwheel.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.server.RunningServer;
import io.tickwheel.server.RunningServer.Reply;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Timers that are pushed back: by {@code latest} with {@code maxWait}, and by {@code touch}. */
final class DebounceCallsTest {

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

    private static Reply event(String key, String delay, String maxWait, int payload) {
        return server.put(
                "debounce",
                key,
                "{\"delay\":\"" + delay + "\",\"onConflict\":\"latest\",\"maxWait\":\"" + maxWait + "\",\"payload\":"
                        + payload + "}");
    }

    private static Reply touch(String key, String... headers) {
        return server.send("POST", RunningServer.timer("debounce", key) + "/touch", null, null, headers);
    }

    private static Instant due(Reply reply) {
        return Instant.parse(reply.field("dueAt"));
    }

    private static Reply read(String key) {
        return server.get("/v1/queues/debounce/timers/" + key + "?content=true");
    }

    @Test
    void timerIsPutOffUpToTheLongestWait() {
        Reply first = event("put", "30m", "1h", 1);
        assertThat(first.status()).isEqualTo(201);
        Reply second = event("put", "50m", "1h", 2);
        assertThat(second.status()).isEqualTo(200);
        assertThat(second.field("outcome")).isEqualTo("REPLACED");
        assertThat(due(second)).isAfter(due(first).plus(Duration.ofMinutes(19)));
        Instant latest = Instant.parse(read("put").field("firstScheduledAt")).plus(Duration.ofHours(1));
        assertThat(latest)
                .isBetween(
                        due(first).plus(Duration.ofMinutes(30)).minusMillis(1),
                        due(first).plus(Duration.ofMinutes(30)));
        for (int i = 3; i < 6; i++) {
            Reply capped = event("put", "2h", "1h", i);
            assertThat(capped.field("outcome")).isEqualTo("REPLACED");
            assertThat(due(capped)).isEqualTo(latest);
        }
        Reply kept = event("put", "1m", "1h", 6);
        assertThat(kept.field("outcome")).isEqualTo("KEPT");
        assertThat(due(kept)).isEqualTo(latest);
        assertThat(read("put").body())
                .contains("\"payload\":5")
                .endsWith(",\"pushBack\":{\"delay\":\"7200000ms\",\"firstScheduledAt\":\""
                        + read("put").field("firstScheduledAt") + "\",\"maxWait\":\"3600000ms\"}}");
    }

    @Test
    void timerIsTouched() {
        Reply made = server.put("debounce", "touched", "{\"dueAt\":\"2100-01-01T00:00:00Z\",\"touchable\":true}");
        String etag = made.etag();
        Reply touched = touch("touched", "If-Match", etag);
        assertThat(touched.status()).isEqualTo(200);
        assertThat(touched.field("outcome")).isEqualTo("CHANGED");
        assertThat(touched.etag()).isEqualTo(etag);
        assertThat(due(touched)).isAfterOrEqualTo(due(made));
        server.put("debounce", "level", "{\"delayLevel\":18,\"touchable\":true}");
        assertThat(due(touch("level"))).isBefore(Instant.now().plus(Duration.ofHours(2)));
        String other = server.put("debounce", "touched", "{\"delay\":\"1h\",\"touchable\":true}")
                .etag();
        Reply refused = touch("touched", "If-Match", etag);
        assertThat(refused.status()).isEqualTo(412);
        assertThat(refused.field("code")).isEqualTo("id_mismatch");
        assertThat(refused.body()).contains(other.replace("\"", ""));
    }

    @Test
    void touchThatCannotBeSaysWhy() {
        server.put("debounce", "plain", "{\"delay\":\"1h\",\"touchable\":false}");
        Reply plain = touch("plain");
        assertThat(plain.status()).isEqualTo(409);
        assertThat(plain.field("code")).isEqualTo("not_touchable");
        assertThat(plain.field("applied")).isEqualTo("false");
        assertThat(plain.field("key")).isEqualTo("plain");
        assertThat(plain.field("detail"))
                .isEqualTo("the timer plain of queue debounce does not know its delay, must be scheduled with touchable"
                        + " or maxWait to be touched");
        assertThat(read("plain").body()).doesNotContain("pushBack");
        server.delete("debounce", "plain");
        Reply cancelled = touch("plain");
        assertThat(cancelled.field("code")).isEqualTo("wrong_state");
        assertThat(cancelled.field("detail")).isEqualTo("the timer is CANCELLED, must be PENDING to be touched");
        Reply nothing = touch("nothing");
        assertThat(nothing.status()).isEqualTo(404);
        assertThat(nothing.field("outcome")).isEqualTo("NOT_FOUND");
        assertThat(server.send("POST", RunningServer.timer("debounce", "plain") + "/touch", RunningServer.JSON, "{}")
                        .field("code"))
                .isEqualTo("body_not_allowed");
        assertThat(server.get(RunningServer.timer("debounce", "plain") + "/touch")
                        .status())
                .isEqualTo(405);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{\"delay\":\"1s\",\"maxWait\":\"1m\"}|400|field_not_allowed|maxWait",
                "{\"delay\":\"1s\",\"maxWait\":\"1m\",\"onConflict\":\"earliest\"}|400|field_not_allowed|maxWait",
                "{\"delay\":\"1s\",\"maxWait\":\"0s\",\"onConflict\":\"latest\"}|422|out_of_range|maxWait",
                "{\"delay\":\"1s\",\"maxWait\":\"36501d\",\"onConflict\":\"latest\"}|422|out_of_range|maxWait",
                "{\"delay\":\"1s\",\"maxWait\":\"PT0.0015S\",\"onConflict\":\"latest\"}|422|out_of_range|maxWait",
                "{\"delay\":\"1s\",\"maxWait\":\"soon\",\"onConflict\":\"latest\"}|422|invalid_duration|maxWait",
                "{\"delay\":\"1s\",\"maxWait\":1,\"onConflict\":\"latest\"}|400|wrong_type|maxWait",
                "{\"delay\":\"1s\",\"touchable\":\"yes\"}|400|wrong_type|touchable",
                "{\"delay\":\"1s\",\"pushBack\":{}}|400|field_not_allowed|pushBack",
                "{\"touch\":\"k\"}|400|unknown_field|touch",
            })
    void badFieldIsRefused(String body, int status, String code, String field) {
        Reply refused = server.put("debounce", "bad", body);
        assertThat(refused.status()).as(refused.body()).isEqualTo(status);
        assertThat(refused.field("code")).isEqualTo(code);
        assertThat(refused.field("field")).isEqualTo(field);
        assertThat(server.get("debounce", "bad").status()).isEqualTo(404);
    }

    @Test
    void fieldsOfAScheduleAreNotForARescheduleOrRedrive() {
        server.put("debounce", "other", "{\"delay\":\"1h\"}");
        for (String field : new String[] {"\"maxWait\":\"1m\"", "\"touchable\":true"}) {
            for (String call : new String[] {"reschedule", "redrive"}) {
                Reply refused = server.send(
                        "POST",
                        RunningServer.timer("debounce", "other") + "/" + call,
                        RunningServer.JSON,
                        "{\"delay\":\"1m\"," + field + "}");
                assertThat(refused.field("code")).isEqualTo("field_not_allowed");
            }
        }
    }

    @Test
    void linesOfABatchPutOffAndTouch() {
        Reply reply = server.batch("lines", """
                {"key":"a","delay":"30m","onConflict":"latest","maxWait":"1h"}
                {"key":"a","delay":"2h","onConflict":"latest","maxWait":"1h"}
                {"touch":"a"}
                {"touch":"a","durability":"sync"}
                {"touch":"nobody"}
                {"touch":"a","delay":"1h"}
                {"touch":"a","cancel":"a"}
                {"key":"b","delay":"1h"}
                {"touch":"b"}
                {"touch":""}
                {"cancel":"a"}
                {"touch":"a"}
                {"key":"c","delay":"1h","pushBack":{"delay":"5s"}}
                {"key":"c","delay":"1h","touchable":true,"pushBack":{"delay":"5s","firstScheduledAt":"2026-01-01T00:00:00Z"}}
                {"key":"c","delay":"1h","pushBack":{"delay":"5s","firstScheduledAt":"2026-01-01T00:00:00Z","maxWait":"0s"}}
                {"key":"c","delay":"1h","pushBack":{"delay":"5s","firstScheduledAt":"2026-01-01T00:00:00Z"}}
                """);
        assertThat(reply.body()
                        .lines()
                        .map(Reply::of)
                        .map(line -> line.field("line") + " " + line.field("status") + " " + line.field("code")
                                + line.field("outcome")))
                .containsExactly(
                        "1 201 CREATED",
                        "2 200 REPLACED",
                        "3 200 CHANGED",
                        "4 200 CHANGED",
                        "5 404 not_foundNOT_FOUND",
                        "6 400 field_not_allowed",
                        "7 400 field_not_allowed",
                        "8 201 CREATED",
                        "9 409 not_touchable",
                        "10 422 invalid_key",
                        "11 200 CANCELLED",
                        "12 409 wrong_stateWRONG_STATE",
                        "13 422 out_of_range",
                        "14 400 field_not_allowed",
                        "15 422 out_of_range",
                        "16 201 CREATED");
        assertThat(reply.body().lines().skip(4).findFirst())
                .hasValueSatisfying(line -> assertThat(line).endsWith("\"queue\":\"lines\",\"key\":\"nobody\"}"));
        assertThat(server.get("/v1/queues/lines/timers/c?content=true").body())
                .endsWith(",\"pushBack\":{\"delay\":\"5000ms\",\"firstScheduledAt\":\"2026-01-01T00:00:00.000Z\"}}");
    }
}
