package io.tickwheel.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.redis.testkit.Patience;
import io.tickwheel.server.Receiver;
import io.tickwheel.server.RunningServer;
import io.tickwheel.server.RunningServer.Reply;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A timer that is there is rescheduled, run, redriven or purged, one or many, and only the one that is meant. */
final class ChangeCallsTest {

    private static final String HOUR = "{\"delay\":\"1h\"}";

    @TempDir
    private static Path directory;

    private static RunningServer server;
    private static Receiver receiver;

    @BeforeAll
    static void start() {
        server = new RunningServer(directory);
        receiver = new Receiver();
    }

    @AfterAll
    static void stop() {
        server.close();
        receiver.close();
    }

    private static Reply change(String queue, String key, String what, String body, String... headers) {
        return server.send(
                "POST",
                RunningServer.timer(queue, key) + "/" + what,
                body == null ? null : RunningServer.JSON,
                body,
                headers);
    }

    /** A timer that is dead at once. */
    private static void dead(String queue, String key, String payload) throws InterruptedException {
        receiver.willAnswer(new Receiver.Answer(410));
        server.put(
                queue,
                key,
                "{\"delay\":\"0s\",\"payload\":" + payload + ",\"headers\":{\"X-A\":\"b\"},\"target\":{\"url\":\""
                        + receiver.url("/hook") + "\"}}");
        assertThat(server.await(queue, key, reply -> reply.field("state").equals("DEAD"))
                        .field("state"))
                .isEqualTo("DEAD");
        receiver.next();
    }

    private static Reply awaitRun(Reply started) {
        return Patience.look(
                () -> server.get(started.location()), run -> !run.field("state").equals("RUNNING"));
    }

    @Test
    void pendingTimerIsRescheduled() {
        Reply made = server.put("change", "later", HOUR);
        Reply changed = change("change", "later", "reschedule", "{\"dueAt\":\"2100-01-01T00:00:00Z\"}");
        assertThat(changed.status()).isEqualTo(200);
        assertThat(changed.field("outcome")).isEqualTo("CHANGED");
        assertThat(changed.field("id")).isEqualTo(made.field("id"));
        assertThat(changed.etag()).isEqualTo('"' + made.field("id") + '"');
        assertThat(server.get("change", "later").field("dueAt")).isEqualTo("2100-01-01T00:00:00.000Z");
        assertThat(change("change", "later", "reschedule", "{\"delayLevel\":18}")
                        .field("dueAt"))
                .isLessThan("2100");
    }

    @Test
    void rescheduleTakesATimeAndNothingElse() {
        server.put("change", "strict", HOUR);
        Reply refused = change("change", "strict", "reschedule", "{\"delay\":\"1s\",\"payload\":1}");
        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.field("code")).isEqualTo("field_not_allowed");
        assertThat(refused.field("detail")).contains("payload");
        assertThat(change("change", "strict", "reschedule", "{}").field("code")).isEqualTo("due_time_missing");
        assertThat(change("change", "nothing", "reschedule", HOUR).status()).isEqualTo(404);
    }

    @Test
    void timerIsRunNow() throws InterruptedException {
        server.put("change", "run", "{\"delay\":\"1h\",\"target\":{\"url\":\"" + receiver.url("/run") + "\"}}");
        assertThat(change("change", "run", "run", null).status()).isEqualTo(200);
        assertThat(receiver.next().uri()).isEqualTo("/run");
        Reply done = server.await("change", "run", reply -> reply.field("state").equals("COMPLETED"));
        assertThat(done.body())
                .contains("\"history\":[{\"number\":1,\"startedAt\":\"20")
                .contains("\"status\":200}]}");
        Reply tooLate = change("change", "run", "run", null);
        assertThat(tooLate.status()).isEqualTo(409);
        assertThat(tooLate.field("code")).isEqualTo("wrong_state");
        assertThat(tooLate.field("detail")).isEqualTo("the timer is COMPLETED, must be PENDING to be run");
        assertThat(tooLate.field("applied")).isEqualTo("false");
    }

    @ParameterizedTest
    @ValueSource(strings = {"PUT", "DELETE", "reschedule", "run", "touch", "redrive", "purge"})
    void onlyTheTimerThatIsMeantIsChanged(String call) {
        String key = "match-" + call;
        String first = server.put("change", key, HOUR).field("id");
        Reply second = server.put("change", key, HOUR);
        String path = RunningServer.timer("change", key);
        boolean isMethod = call.equals("PUT") || call.equals("DELETE");
        boolean hasBody = call.equals("PUT") || call.equals("reschedule");
        Reply refused = server.send(
                isMethod ? call : "POST",
                isMethod ? path : path + "/" + call,
                hasBody ? RunningServer.JSON : null,
                hasBody ? "{\"delay\":\"2h\"}" : null,
                "If-Match",
                '"' + first + '"');
        assertThat(refused.status()).isEqualTo(412);
        assertThat(refused.field("code")).isEqualTo("id_mismatch");
        assertThat(refused.field("id")).isEqualTo(second.field("id"));
        assertThat(refused.field("applied")).isEqualTo("false");
        assertThat(server.get("change", key).field("dueAt")).isEqualTo(second.field("dueAt"));
        assertThat(server.get("change", key).field("state")).isEqualTo("PENDING");
        Reply none =
                server.send("DELETE", RunningServer.timer("change", "none"), null, null, "If-Match", '"' + first + '"');
        assertThat(none.status()).isEqualTo(412);
        assertThat(none.field("detail")).contains("has no id, as none is known, must have " + first);
    }

    @Test
    void entityTagOfAGetIsWhatIfMatchTakes() {
        server.put("change", "etag", HOUR);
        String etag = server.get("change", "etag").etag();
        assertThat(server.get("/v1/queues/change/timers/etag?content=true").etag())
                .isEqualTo(etag);
        Reply replaced =
                server.send("PUT", RunningServer.timer("change", "etag"), RunningServer.JSON, HOUR, "If-Match", etag);
        assertThat(replaced.status()).isEqualTo(200);
        assertThat(replaced.etag()).isNotEqualTo(etag);
        Reply cancelled =
                server.send("DELETE", RunningServer.timer("change", "etag"), null, null, "If-Match", replaced.etag());
        assertThat(cancelled.status()).isEqualTo(200);
        assertThat(cancelled.etag()).isEqualTo(replaced.etag());
    }

    @ParameterizedTest
    @ValueSource(strings = {"*", "W/\"a\"", "a", "\"\"", "\"a\", \"b\"", "\"a"})
    void ifMatchIsOneId(String value) {
        Reply refused = server.send("DELETE", RunningServer.timer("change", "any"), null, null, "If-Match", value);
        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.field("code")).isEqualTo("invalid_if_match");
    }

    @Test
    void ifMatchIsThereOnce() {
        Reply made = server.put("change", "once", HOUR);
        String id = made.etag();
        Reply refused = server.send(
                "DELETE", RunningServer.timer("change", "once"), null, null, "If-Match", id, "If-Match", "\"other\"");
        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.field("code")).isEqualTo("invalid_if_match");
    }

    @Test
    void ifMatchMayHaveTwoHundredCharacters() {
        String path = RunningServer.timer("change", "any");
        Reply longest = server.send("DELETE", path, null, null, "If-Match", '"' + "a".repeat(198) + '"');
        assertThat(longest.field("code")).isEqualTo("id_mismatch");
        Reply tooLong = server.send("DELETE", path, null, null, "If-Match", '"' + "a".repeat(199) + '"');
        assertThat(tooLong.status()).isEqualTo(422);
        assertThat(tooLong.field("code")).isEqualTo("invalid_if_match");
    }

    @Test
    void deadTimerShowsWhyItDied() throws InterruptedException {
        dead("why", "a", "1");
        Reply found = server.get("why", "a");
        assertThat(found.field("reason")).isEqualTo("HTTP 410");
        assertThat(found.field("diedAt")).startsWith("20");
        assertThat(found.field("status")).isEqualTo("410");
        assertThat(server.get("/v1/queues/why/timers?state=DEAD").field("reason"))
                .isEqualTo("HTTP 410");
        dead("why", "b", "1");
        Reply counts = server.get("/v1/queues/why/dead");
        assertThat(counts.body())
                .isEqualTo("{\"queue\":\"why\",\"dead\":2,\"reasons\":[{\"reason\":\"HTTP 410\",\"count\":2}]}");
        assertThat(server.get("/v1/queues/why/dead?keyPrefix=b").body())
                .isEqualTo("{\"queue\":\"why\",\"dead\":1,\"reasons\":[{\"reason\":\"HTTP 410\",\"count\":1}]}");
    }

    @Test
    void deadTimerIsRedrivenAsItWas() throws InterruptedException {
        dead("redrive", "same", "{\"n\":7}");
        String id = server.get("redrive", "same").field("id");
        Reply changed = change("redrive", "same", "redrive", null);
        assertThat(changed.status()).isEqualTo(200);
        Receiver.Arrival again = receiver.next();
        assertThat(again.body()).isEqualTo("{\"n\":7}");
        assertThat(again.headers()).containsEntry("Tickwheel-Attempt", "1").containsEntry("X-A", "b");
        Reply done =
                server.await("redrive", "same", reply -> reply.field("state").equals("COMPLETED"));
        assertThat(done.field("id")).isEqualTo(id);
        assertThat(done.body()).contains("\"reason\":\"HTTP 410\"").contains("\"status\":200");
    }

    @Test
    void onlyTheDeadTimerThatIsMeantIsEdited() throws InterruptedException {
        dead("redrive", "meant", "{\"n\":7}");
        String id = server.get("redrive", "meant").field("id");
        Reply refused = change("redrive", "meant", "redrive", "{\"payload\":{\"n\":8}}", "If-Match", "\"another\"");
        assertThat(refused.status()).as(refused.body()).isEqualTo(412);
        assertThat(refused.field("code")).isEqualTo("id_mismatch");
        assertThat(refused.field("id")).isEqualTo(id);
        assertThat(server.get("redrive", "meant").field("state")).isEqualTo("DEAD");
        assertThat(change("redrive", "meant", "redrive", "{\"payload\":{\"n\":9}}", "If-Match", '"' + id + '"')
                        .status())
                .isEqualTo(200);
        assertThat(receiver.next().body()).isEqualTo("{\"n\":9}");
    }

    @Test
    void whatTheBodySaysIsEditedAndTheRestStays() throws InterruptedException {
        dead("redrive", "edited", "{\"n\":7}");
        assertThat(change("redrive", "edited", "redrive", "{\"payload\":{\"n\":8}}")
                        .status())
                .isEqualTo(200);
        Receiver.Arrival again = receiver.next();
        assertThat(again.body()).isEqualTo("{\"n\":8}");
        assertThat(again.uri()).isEqualTo("/hook");
        assertThat(again.headers()).containsEntry("X-A", "b");
        dead("redrive", "moved", "{\"n\":9}");
        change(
                "redrive",
                "moved",
                "redrive",
                "{\"delay\":\"10ms\",\"target\":{\"url\":\"" + receiver.url("/other") + "\"}}");
        Receiver.Arrival moved = receiver.next();
        assertThat(moved.uri()).isEqualTo("/other");
        assertThat(moved.body()).isEqualTo("{\"n\":9}");
        Reply refused = change("redrive", "nothing", "redrive", "{\"payload\":1}");
        assertThat(refused.status()).isEqualTo(404);
        assertThat(refused.field("outcome")).isEqualTo("NOT_FOUND");
        server.put("redrive", "lives", HOUR);
        assertThat(change("redrive", "lives", "redrive", null).field("detail"))
                .isEqualTo("the timer is PENDING, must be DEAD to be redriven");
        assertThat(change("redrive", "x", "redrive", "{\"onConflict\":\"keep\"}")
                        .field("code"))
                .isEqualTo("field_not_allowed");
    }

    @Test
    void deadTimerIsPurgedAndReplaced() throws InterruptedException {
        dead("purge", "a", "1");
        assertThat(change("purge", "a", "purge", null).status()).isEqualTo(200);
        assertThat(server.get("purge", "a").status()).isEqualTo(404);
        dead("purge", "b", "1");
        Reply made = server.put("purge", "b", HOUR);
        assertThat(made.status()).isEqualTo(201);
        assertThat(made.field("previous")).isEqualTo("DEAD");
        Reply refused = change("purge", "b", "purge", null);
        assertThat(refused.field("detail")).isEqualTo("the timer is PENDING, must be DEAD to be purged");
    }

    // ---- many

    @Test
    void manyAreCancelledWithADryRunBefore() {
        for (int i = 0; i < 20; i++) {
            server.put("many", "a" + i, HOUR);
            server.put("many", "b" + i, HOUR);
        }
        Reply dry = awaitRun(server.send("POST", "/v1/queues/many/timers:cancel?keyPrefix=a&dryRun=true", null, null));
        assertThat(dry.field("matched")).isEqualTo("20");
        assertThat(dry.field("changed")).isEqualTo("0");
        Reply started = server.send("POST", "/v1/queues/many/timers:cancel?keyPrefix=a&perSecond=10000", null, null);
        assertThat(started.status()).isEqualTo(202);
        assertThat(started.location()).isEqualTo("/v1/bulk/" + started.field("id"));
        Reply run = awaitRun(started);
        assertThat(run.field("state")).isEqualTo("DONE");
        assertThat(run.field("action")).isEqualTo("cancel");
        assertThat(run.field("changed")).isEqualTo("20");
        assertThat(server.get("many", "a3").field("state")).isEqualTo("CANCELLED");
        assertThat(server.get("many", "b3").field("state")).isEqualTo("PENDING");
        assertThat(server.get("/v1/bulk").body()).contains(run.body());
    }

    @Test
    void runShowsOnWhatTimersItIs() {
        String path = "/v1/queues/shown/timers:cancel?dryRun=true";
        String filter = "&dueFrom=2030-01-01T00:00:00Z&dueTo=2031-01-01T00:00:00Z&keyPrefix=a&state=PENDING";
        assertThat(server.send("POST", path + filter, null, null).body())
                .contains("\"timerState\":\"PENDING\",\"keyPrefix\":\"a\",\"dueFrom\":\"2030-01-01T00:00:00.000Z\","
                        + "\"dueTo\":\"2031-01-01T00:00:00.000Z\"");
        assertThat(server.send("POST", path, null, null).body()).doesNotContain("timerState", "keyPrefix", "due");
    }

    @Test
    void runIsStopped() {
        for (int i = 0; i < 50; i++) {
            server.put("stopped", "k" + i, HOUR);
        }
        Reply started = server.send("POST", "/v1/queues/stopped/timers:cancel?perSecond=1", null, null);
        Patience.look(
                () -> server.get(started.location()),
                run -> !run.field("changed").equals("0"));
        assertThat(server.send("DELETE", started.location(), null, null).status())
                .isEqualTo(202);
        Reply run = awaitRun(started);
        assertThat(run.field("state")).isEqualTo("STOPPED");
        assertThat(Integer.parseInt(run.field("changed"))).isBetween(1, 49);
        assertThat(server.get("/v1/bulk/nothing").field("code")).isEqualTo("unknown_bulk_run");
    }

    @Test
    void badRunsAreRefusedByName() {
        Reply ofTheDead = server.send("POST", "/v1/queues/q/timers:cancel?state=DEAD", null, null);
        assertThat(ofTheDead.field("detail")).contains("DEAD", "must be PENDING or CLAIMED");
        assertThat(ofTheDead.field("code")).isEqualTo("invalid_choice");
        assertThat(ofTheDead.field("field")).isEqualTo("state");
        assertThat(server.send("POST", "/v1/queues/q/timers:redrive?state=PENDING", null, null)
                        .field("detail"))
                .contains("must be DEAD");
        assertThat(server.send("POST", "/v1/queues/q/timers:purge?perSecond=0", null, null)
                        .field("code"))
                .isEqualTo("out_of_range");
        assertThat(server.send("POST", "/v1/queues/q/timers:purge?key=x", null, null)
                        .field("code"))
                .isEqualTo("unknown_parameter");
        assertThat(server.send("POST", "/v1/queues/q/timers/k/retire", null, null)
                        .field("code"))
                .isEqualTo("unknown_path");
        assertThat(server.send("GET", "/v1/queues/q/timers/k/purge", null, null).status())
                .isEqualTo(405);
    }

    private static void assertRefusedForItsBody(Reply refused, String queue) {
        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.field("code")).isEqualTo("body_not_allowed");
        assertThat(server.get(queue, "a").field("state")).isEqualTo("PENDING");
    }

    /** Nobody reads it, and it may have said what is to be left alone. */
    @ParameterizedTest
    @ValueSource(strings = {"timers:cancel", "timers:redrive", "timers:purge", "timers/a/run", "timers/a/purge"})
    void bodyThatNobodyReadsIsRefused(String call) {
        server.put("body", "a", HOUR);
        Reply refused = server.send(
                "POST", "/v1/queues/body/" + call, RunningServer.JSON, "{\"dryRun\":true,\"keyPrefix\":\"zzz\"}");
        assertRefusedForItsBody(refused, "body");
    }

    /** It may have said how durable a cancel is to be, or what is to be listed. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "DELETE /timers/a",
                "DELETE ",
                "DELETE ?purge=true",
                "GET ",
                "GET /timers",
                "GET /timers/a",
                "GET /timers/a/preview",
                "GET /load",
                "GET /dead"
            })
    void bodyOfACallThatReadsNoneIsRefused(String call) {
        server.put("bodies", "a", HOUR);
        String[] parts = call.split(" ", -1);
        Reply refused = server.send(
                parts[0], "/v1/queues/bodies" + parts[1], RunningServer.JSON, "{\"durability\":\"fsync(1)\"}");
        assertRefusedForItsBody(refused, "bodies");
    }

    /** Who sends it wants a timer that is there to be left alone. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "If-None-Match: *",
                "If-None-Match: \"tmr_a\"",
                "If-Unmodified-Since: Sat, 01 Jan 2028 00:00:00 GMT"
            })
    void conditionThatNobodyLooksAtIsRefused(String header) {
        Reply made = server.put("conditions", "a", HOUR);
        String path = RunningServer.timer("conditions", "a");
        String[] parts = header.split(": ", 2);
        for (String method : new String[] {"PUT", "DELETE"}) {
            boolean isPut = method.equals("PUT");
            Reply refused = server.send(
                    method,
                    path,
                    isPut ? RunningServer.JSON : null,
                    isPut ? "{\"delay\":\"2h\"}" : null,
                    parts[0],
                    parts[1]);
            assertThat(refused.status()).isEqualTo(422);
            assertThat(refused.field("code")).isEqualTo("invalid_if_match");
            assertThat(refused.field("field")).isEqualTo(parts[0]);
        }
        assertThat(server.get("conditions", "a").field("id")).isEqualTo(made.field("id"));
        assertThat(server.get("conditions", "a").field("state")).isEqualTo("PENDING");
        assertThat(server.send("GET", path, null, null, parts[0], parts[1]).status())
                .isEqualTo(200);
    }

    @Test
    void editedTimerIsHeldToTheRulesOfASchedule() throws InterruptedException {
        dead("redrive", "rules", "{\"n\":7}");
        Reply refused = change(
                "redrive",
                "rules",
                "redrive",
                "{\"target\":{\"url\":\"" + receiver.url("/get") + "\",\"method\":\"GET\"}}");
        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.field("code")).isEqualTo("invalid_method");
        assertThat(server.get("redrive", "rules").field("state")).isEqualTo("DEAD");
    }

    @Test
    void refusalThatShowsATimerHasItsTag() {
        Reply made = server.put("change", "tagged", HOUR);
        assertThat(change("change", "tagged", "purge", null).etag()).isEqualTo(made.etag());
        assertThat(server.send("DELETE", RunningServer.timer("change", "tagged"), null, null, "If-Match", "\"x\"")
                        .etag())
                .isEqualTo(made.etag());
    }

    /** In a form it would be a blank. */
    @Test
    void plusOfAKeyIsAPlus() {
        assertThat(server.put("plus", "a+b%20c", HOUR).field("key")).isEqualTo("a+b c");
        assertThat(server.get("/v1/queues/plus/timers?keyPrefix=a+b%20").field("key"))
                .isEqualTo("a+b c");
        assertThat(server.get("plus", "a%2Bb%20c").status()).isEqualTo(200);
    }

    @Test
    void queuesHavePages() {
        for (String queue : new String[] {"page-a", "page-b", "page-c"}) {
            server.put(queue, "k", HOUR);
        }
        Reply first = server.get("/v1/queues?limit=2&after=page-");
        assertThat(first.body()).contains("page-a", "page-b").doesNotContain("page-c");
        assertThat(first.field("next")).isEqualTo("page-b");
        Reply second = server.get("/v1/queues?limit=1&after=page-b");
        assertThat(second.body()).contains("page-c").doesNotContain("page-b\",\"pending");
        assertThat(server.get("/v1/queues?after=zzzz").body()).isEqualTo("{\"queues\":[]}");
        server.put("zz", "k", HOUR);
        Reply last = server.get("/v1/queues?limit=1&after=zy");
        assertThat(last.body()).startsWith("{\"queues\":[{\"name\":\"zz\"").doesNotContain("next");
    }

    @Test
    void linesOfABatchNameKeyAndOutcome() {
        server.put("lines", "a", HOUR);
        Reply batch = server.batch("lines", """
                {"key":"a","delay":"1h"}
                {"cancel":"a"}
                {"cancel":"b"}
                {"key":"c","delay":"1h","onConflict":"never"}
                """);
        String[] lines = batch.body().split("\n", -1);
        assertThat(lines[0]).contains("\"outcome\":\"REPLACED\"", "\"key\":\"a\"");
        assertThat(lines[1]).contains("\"outcome\":\"CANCELLED\"", "\"key\":\"a\"");
        assertThat(lines[2]).contains("\"outcome\":\"NOT_FOUND\"", "\"key\":\"b\"", "\"queue\":\"lines\"");
    }
}
