package io.tickwheel.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.engine.WaitingQueue;
import io.tickwheel.engine.WaitingQueue.Reason;
import io.tickwheel.micrometer.TickwheelMetrics;
import io.tickwheel.server.config.ServerConfig;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an operator sees of queues whose timers are due and do not start. */
final class WaitingQueuesTest {

    private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

    @TempDir
    private Path directory;

    @Test
    void aQueueWithoutATargetIsInTheLogAndInTheMetrics() {
        try (Tickwheel timers = Tickwheel.open(SmallSegments.store(directory))) {
            Instant longAgo = Instant.now().minusSeconds(3_600);
            timers.schedule(TimerRequest.at("orphans", "a", longAgo)).join();
            timers.schedule(TimerRequest.at("orphans", "b", longAgo)).join();
        }
        try (LoggedEvents logged = new LoggedEvents();
                RunningServer server = new RunningServer(ServerConfig.of("127.0.0.1", 0, directory), new Hasty())) {
            logged.await("queue orphans: no attempt has started for 10 s, the oldest of its timers has waited for 36");
            assertThat(logged.messages(ch.qos.logback.classic.Level.WARN))
                    .singleElement()
                    .asString()
                    .endsWith(
                            ": they have no destination, the queue has no handler and no target, and nobody leases them");
            assertThat(server.get("/metrics").body())
                    .containsPattern(
                            "tickwheel_queue_waiting_seconds\\{queue=\"orphans\",reason=\"no_target\"\\} 36\\d\\d\\.");
        }
    }

    @Test
    void ofManyQueuesThatBeginToWaitAtOnceSomeAreInTheLog() {
        try (Tickwheel timers = Tickwheel.open(SmallSegments.store(directory))) {
            Instant longAgo = Instant.now().minusSeconds(3_600);
            for (int i = 0; i < 33; i++) {
                timers.schedule(TimerRequest.at("orphans" + i, "a", longAgo)).join();
            }
        }
        try (LoggedEvents logged = new LoggedEvents();
                RunningServer server = new RunningServer(ServerConfig.of("127.0.0.1", 0, directory), new Hasty())) {
            logged.await("and so do 13 queues more");
            assertThat(logged.messages(ch.qos.logback.classic.Level.WARN)).hasSize(21);
            assertThat(server.get("/metrics").body().lines().filter(line -> line.contains("queue=\"orphans")))
                    .filteredOn(line -> line.startsWith("tickwheel_queue_waiting_seconds"))
                    .hasSize(33);
        }
    }

    @Test
    void queuesThatWaitAreThereWhileTheyDo() {
        MetricsPage metrics = new MetricsPage(new Standing());
        metrics.timers()
                .waiting(List.of(
                        new WaitingQueue("q", Reason.LIMIT, NOW.minusMillis(1_500)),
                        new WaitingQueue("q", Reason.ROOM, NOW.minusMillis(2_500)),
                        new WaitingQueue("ahead", Reason.ROOM, NOW.plusMillis(500))));
        assertThat(metrics.scrape().lines().filter(line -> line.startsWith("tickwheel_queue_waiting_seconds")))
                .containsExactlyInAnyOrder(
                        "tickwheel_queue_waiting_seconds{queue=\"q\",reason=\"limit\"} 1.5",
                        "tickwheel_queue_waiting_seconds{queue=\"q\",reason=\"room\"} 2.5",
                        "tickwheel_queue_waiting_seconds{queue=\"ahead\",reason=\"room\"} 0.0");
        metrics.timers().waiting(List.of());
        assertThat(metrics.scrape()).doesNotContain("tickwheel_queue_waiting_seconds{");
    }

    @Test
    void onlyThoseThatWaitLongestAreThere() {
        List<WaitingQueue> queues = new ArrayList<>();
        for (int i = 0; i < TickwheelMetrics.MOST_QUEUES + 500; i++) {
            queues.add(new WaitingQueue("q" + i, Reason.NO_TARGET, NOW.minusSeconds(i)));
        }
        Collections.shuffle(queues, new Random(42));
        MetricsPage metrics = new MetricsPage(new Standing());
        metrics.timers().waiting(queues);
        String page = metrics.scrape();
        assertThat(page.lines().filter(line -> line.startsWith("tickwheel_queue_waiting_seconds{")))
                .hasSize(TickwheelMetrics.MOST_QUEUES);
        assertThat(page).contains("{queue=\"q500\",").doesNotContain("{queue=\"q499\",");
    }

    /** Waits twenty times as fast as the wall clock goes: what takes ten seconds is over in one. */
    private static final class Hasty implements Clock {

        @Override
        public Instant now() {
            return Clock.system().now();
        }

        @Override
        public long monoNanos() {
            return 20 * Clock.system().monoNanos();
        }
    }

    private static final class Standing implements Clock {

        @Override
        public Instant now() {
            return NOW;
        }

        @Override
        public long monoNanos() {
            return 0;
        }
    }
}
