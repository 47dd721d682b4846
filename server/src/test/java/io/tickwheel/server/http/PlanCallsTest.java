package io.tickwheel.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.server.RunningServer;
import io.tickwheel.server.RunningServer.Reply;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Recurring timers over HTTP: their next times, their runs, pause and resume. */
final class PlanCallsTest {

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

    private static Reply post(String key, String what) {
        return server.send("POST", RunningServer.timer("plans", key) + "/" + what, null, null);
    }

    private static Reply get(String key, String what) {
        return server.get(RunningServer.timer("plans", key) + "/" + what);
    }

    private static void daily(String key) {
        Reply made = server.put(
                "plans",
                key,
                "{\"dueAt\":\"2100-01-01T09:00:00Z\",\"target\":{\"log\":{}},"
                        + "\"schedule\":{\"cron\":\"0 0 9 * * *\",\"zone\":\"UTC\"}}");
        assertThat(made.status()).as(made.body()).isEqualTo(201);
    }

    @Test
    void theNextTimesOfAPlanAreShown() {
        daily("times");
        assertThat(get("times", "preview?limit=2").body())
                .isEqualTo("{\"times\":[\"2100-01-01T09:00:00.000Z\",\"2100-01-02T09:00:00.000Z\"]}");
        assertThat(get("times", "preview").body().split("T09:00")).hasSize(11);
        assertThat(get("times", "preview?limit=0").status()).isEqualTo(422);
        assertThat(get("nobody", "preview").body()).isEqualTo("{\"times\":[]}");
    }

    @Test
    void aPlanIsPausedAndResumed() {
        daily("paused");
        assertThat(post("paused", "pause").field("outcome")).isEqualTo("CHANGED");
        assertThat(get("paused", "preview").body()).isEqualTo("{\"times\":[]}");
        assertThat(post("paused", "resume").field("dueAt")).isEqualTo("2100-01-01T09:00:00.000Z");
        assertThat(post("nobody", "pause").status()).isEqualTo(404);
        server.put("plans", "plain", "{\"delay\":\"1h\"}");
        Reply plain = post("plain", "pause");
        assertThat(plain.status()).isEqualTo(422);
        assertThat(plain.field("code")).isEqualTo("out_of_range");
    }

    @Test
    void aRunIsReachedByItsNumber() {
        daily("runs");
        assertThat(post("runs", "reschedule").status()).isEqualTo(415);
        Reply beside = post("runs", "run");
        assertThat(beside.field("key")).startsWith("runs\\u001fnow-");
        assertThat(get("runs", "runs").body()).isEqualTo("{\"runs\":[]}");
        assertThat(get("runs", "runs/1").status()).isEqualTo(404);
        assertThat(server.send("DELETE", RunningServer.timer("plans", "runs") + "/runs/1", null, null)
                        .field("outcome"))
                .isEqualTo("NOT_FOUND");
        assertThat(post("runs", "runs/1/redrive").status()).isEqualTo(404);
        for (String what : new String[] {"runs/0", "runs/01", "runs/x", "runs/1/pause", "runs/1/runs/1", "runs/"}) {
            assertThat(get("runs", what).field("code")).as(what).isEqualTo("unknown_path");
        }
        assertThat(get("runs", "runs/" + "9".repeat(18)).field("code")).isEqualTo("not_found");
        assertThat(get("runs", "runs/" + "9".repeat(19)).field("code")).isEqualTo("unknown_path");
        assertThat(server.put("plans", "runs%1F1", "{\"delay\":\"1h\"}").field("code"))
                .isEqualTo("invalid_key");
    }

    @ParameterizedTest
    @ValueSource(strings = {"pause", "resume", "run"})
    void whatIsMeantForAnotherPlanIsNotDone(String what) {
        daily("meant");
        if (what.equals("resume")) {
            post("meant", "pause");
        }
        String before = server.get("plans", "meant").body();
        Reply refused = server.send(
                "POST", RunningServer.timer("plans", "meant") + "/" + what, null, null, "If-Match", "\"tmr_other\"");
        assertThat(refused.status()).isEqualTo(412);
        assertThat(refused.field("code")).isEqualTo("id_mismatch");
        assertThat(server.get("plans", "meant").body()).isEqualTo(before);
        server.delete("plans", "meant");
    }
}
