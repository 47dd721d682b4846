package io.tickwheel.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Tickwheel;
import io.tickwheel.server.RunningServer;
import io.tickwheel.server.SmallSegments;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The commands on queues of a running server. */
final class QueueCommandsTest extends ServerCommandScene {

    @Test
    void queueIsSetAndShownAndPausedAndResumedAndDeleted() {
        Ended set = done(
                "queues",
                "set",
                "set",
                "rate=0.5",
                "burst=7",
                "concurrency=3",
                "target=PUT http://shop:8080/close",
                "retry.maxAttempts=3",
                "retry.interval=2s",
                "delayLevels=1s,5s",
                "expireAfter=1m",
                "excerpts=true");
        assertThat(set.output())
                .contains("\"settings\":{\"target\":{\"url\":\"http://shop:8080/close\",\"method\":\"PUT\"},"
                        + "\"retry\":{\"maxAttempts\":3,\"interval\":\"2000ms\"},"
                        + "\"rate\":{\"perSecond\":0.5,\"burst\":7},\"concurrency\":3,"
                        + "\"delayLevels\":[\"1000ms\",\"5000ms\"],\"expireAfter\":\"60000ms\",\"excerpts\":true}");
        assertThat(done("queues", "show", "set").output())
                .isEqualTo(server.get("/v1/queues/set").body() + System.lineSeparator());
        done("queues", "set", "set", "rate=", "retry=", "target=log", "delayLevels=");
        assertThat(server.get("/v1/queues/set").body())
                .contains(
                        "\"settings\":{\"target\":{\"log\":{}},\"concurrency\":3,\"expireAfter\":\"60000ms\",\"excerpts\":true}");
        done("queues", "pause", "set");
        assertThat(server.get("/v1/queues/set").body())
                .contains("\"effective\":{")
                .contains("\"paused\":true");
        done("queues", "resume", "set", "--slow-start", "50");
        assertThat(server.get("/v1/queues/set").body()).contains("\"slowStart\":{\"perSecond\":50.0");
        assertThat(done("queues", "delete", "set").output()).contains("\"outcome\":\"DELETED\"");
    }

    @Test
    void queueWithTimersIsDeletedOnlyWhenTheyAreToBePurged() {
        schedule("full", "a", "b");
        Ended refused = pipe.run("queues", "delete", "full");
        assertThat(refused.code()).isEqualTo(1);
        assertThat(refused.error())
                .isEqualTo("tickwheel: queue full has 2 timers, must have none to be deleted, or purge=true must be"
                        + " said" + System.lineSeparator());
        Ended purged = pipe.run("queues", "delete", "full", "--purge");
        assertThat(purged.code()).isZero();
        assertThat(purged.output()).contains("\"outcome\":\"PURGING\"");
        assertThat(server.get("full", "a").field("state")).isEqualTo("CANCELLED");
        assertThat(server.get("full", "b").field("state")).isEqualTo("CANCELLED");
    }

    @Test
    void queuesAreListedAsTheServerDoesOrAsATable() {
        schedule("listed", "a", "b", "c");
        assertThat(done("queues", "list").output())
                .startsWith("{\"queues\":[{\"name\":")
                .contains("\"name\":\"listed\",\"pending\":3,");
        assertThat(done("queues", "list", "--table").output())
                .startsWith("NAME ")
                .containsPattern("(?m)^listed +3 +0 +0$");
        assertThat(pipe.onTerminal().run("queues", "list").output()).startsWith("NAME ");
        assertThat(pipe.onTerminal().run("queues", "list", "--json").output()).startsWith("{\"queues\":");
    }

    @Test
    void queuesAreListedOverAllPages() {
        Path data = temp.resolve("queues");
        try (Tickwheel timers = Tickwheel.open(SmallSegments.store(data))) {
            List<CompletableFuture<?>> scheduled = new ArrayList<>();
            for (int i = 0; i < 1_001; i++) {
                scheduled.add(timers.schedule("q" + i, "k", Duration.ofHours(1), new byte[0]));
            }
            scheduled.forEach(CompletableFuture::join);
        }
        try (RunningServer crowded = new RunningServer(data)) {
            assertThat(crowded.get("/v1/queues").body()).contains("\"next\":");
            Ended all = CommandRun.on("http://127.0.0.1:" + crowded.port()).run("queues", "list");
            assertThat(all.output().split("\"name\":", -1)).hasSize(1_002);
            assertThat(all.output()).doesNotContain("\"next\"");
        }
    }
}
