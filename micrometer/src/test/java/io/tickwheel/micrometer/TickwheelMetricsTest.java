package io.tickwheel.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.distribution.CountAtBucket;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Destination;
import io.tickwheel.engine.RetryPolicy;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TickwheelStats;
import io.tickwheel.engine.WaitingQueue;
import io.tickwheel.store.TimerKey;
import io.tickwheel.testkit.ManualClock;
import io.tickwheel.testkit.ManualThreads;
import io.tickwheel.testkit.MemoryTimerStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What an engine has done is counted, in its own snapshot and in a registry. */
final class TickwheelMetricsTest {

    private final ManualClock clock = new ManualClock(Instant.parse("2030-01-01T00:00:00Z"));
    private final ManualThreads threads = new ManualThreads(clock, new SplittableRandom(1));
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final TickwheelMetrics metrics = new TickwheelMetrics(registry, clock);
    private final Tickwheel engine = Tickwheel.builder(new MemoryTimerStore())
            .clock(clock)
            .threads(threads)
            .random(() -> 0)
            .retry(RetryPolicy.fixed(2, Duration.ofSeconds(1)))
            .listener(metrics)
            .queueDestination("q", new Destination("t", ""))
            .queueDestination("r", new Destination("t", ""))
            .target("t", (attempt, delivery) -> {
                switch (attempt.key()) {
                    case "good" -> {
                        delivery.answered(204);
                        delivery.acknowledge();
                    }
                    case "plain" -> delivery.acknowledge();
                    case "later" -> delivery.postpone("x", clock.now().plus(Duration.ofDays(1)));
                    case "hangs" -> {}
                    case "bad" -> {
                        delivery.answered(503);
                        delivery.fail("HTTP 503");
                    }
                    default -> delivery.reject("x");
                }
            })
            .open();

    private <T> T settled(CompletableFuture<T> answer) {
        threads.runUntilIdle();
        assertThat(answer).as("answered").isDone();
        return answer.join();
    }

    private void deliver(String queue, String key) {
        settled(engine.schedule(queue, key, Duration.ZERO));
        threads.advance(Duration.ofSeconds(3));
    }

    private double attempts(String queue, String status) {
        return registry.get("tickwheel.attempts")
                .tags("queue", queue, "status", status)
                .counter()
                .count();
    }

    @Test
    void attemptsAreCountedByQueueAndStatusClass() {
        deliver("q", "good");
        deliver("r", "good");
        deliver("q", "plain");
        deliver("q", "bad");
        deliver("q", "rejected");
        assertThat(attempts("q", "2xx")).isEqualTo(1);
        assertThat(attempts("r", "2xx")).isEqualTo(1);
        assertThat(attempts("q", "success")).isEqualTo(1);
        assertThat(attempts("q", "5xx")).isEqualTo(2);
        assertThat(attempts("q", "error")).isEqualTo(1);
    }

    @Test
    void queuesBeyondTheMostAreCountedTogether() {
        for (int i = 0; i < TickwheelMetrics.MOST_QUEUES + 5; i++) {
            String queue = "q" + i;
            engine.handle(queue, attempt -> {});
            settled(engine.schedule(queue, "a", Duration.ZERO));
        }
        threads.advance(Duration.ofSeconds(1));
        assertThat(registry.find("tickwheel.attempts").counters()).hasSize(TickwheelMetrics.MOST_QUEUES + 1);
        assertThat(attempts(TickwheelMetrics.OTHER_QUEUES, "success")).isEqualTo(5);
        settled(engine.schedule("q0", "b", Duration.ZERO));
        threads.advance(Duration.ofSeconds(1));
        assertThat(attempts("q0", "success")).isEqualTo(2);
        assertThat(attempts(TickwheelMetrics.OTHER_QUEUES, "success")).isEqualTo(5);
    }

    @Test
    void aTimerThatIsCenturiesLateCountsAsADay() {
        Attempt late = new Attempt(
                new TimerKey("q", "k"),
                "id",
                1,
                1,
                Instant.EPOCH,
                Instant.EPOCH,
                Duration.ofDays(400 * 365),
                new byte[0],
                null,
                Map.of(),
                null);
        metrics.started(late);
        assertThat(registry.get("tickwheel.lateness").timer().totalTime(TimeUnit.DAYS))
                .isEqualTo(1.0);
    }

    @Test
    void snapshotAndRegistryCountTheSame() {
        metrics.watch(engine);
        deliver("q", "good");
        deliver("q", "bad");
        deliver("q", "later");
        deliver("q", "hangs");
        settled(engine.schedule("q", "future", Duration.ofDays(1)));
        settled(engine.reschedule("q", "future", Duration.ofDays(2)));
        settled(engine.cancel("q", "future"));
        settled(engine.cancel("q", "nothing"));
        settled(engine.purge("q", "nothing"));
        TickwheelStats stats = engine.stats();
        assertThat(stats.live()).isEqualTo(2);
        assertThat(stats.running()).isEqualTo(1);
        assertThat(stats.scheduled()).isEqualTo(5);
        assertThat(stats.cancelled()).isEqualTo(1);
        assertThat(stats.changed()).isEqualTo(1);
        assertThat(stats.started()).isEqualTo(5);
        assertThat(stats.delivered()).isEqualTo(1);
        assertThat(stats.failed()).isEqualTo(1);
        assertThat(stats.postponed()).isEqualTo(1);
        assertThat(stats.dead()).isEqualTo(1);
        assertThat(stats.expired()).isZero();
        assertThat(stats.refused()).isZero();
        for (String name :
                new String[] {"scheduled", "cancelled", "changed", "delivered", "failed", "postponed", "dead"}) {
            double counted = registry.get("tickwheel." + name).functionCounter().count();
            assertThat(counted).as(name).isEqualTo(name.equals("scheduled") ? 5 : 1);
        }
        assertThat(registry.get("tickwheel.attempts.running").gauge().value()).isEqualTo(1);
        assertThat(registry.get("tickwheel.timers.pending").gauge().value()).isEqualTo(2);
    }

    @Test
    void oldestTimerThatWaitsIsShown() {
        metrics.watch(engine);
        settled(engine.schedule("nobody", "a", Duration.ZERO));
        threads.advance(Duration.ofSeconds(20));
        assertThat(registry.get("tickwheel.overdue").gauge().value()).isBetween(19.0, 20.0);
        assertThat(engine.stats().waiting()).hasSize(1);
        metrics.refresh();
        assertThat(registry.get("tickwheel.queue.waiting")
                        .tags("queue", "nobody", "reason", "no_target")
                        .gauge()
                        .value())
                .isBetween(19.0, 20.0);
    }

    @Test
    void theLongestWaitOfAllQueuesIsShown() {
        metrics.watch(engine);
        assertThat(registry.get("tickwheel.overdue").gauge().value()).isZero();
        settled(engine.schedule("nobody", "a", Duration.ZERO));
        threads.advance(Duration.ofSeconds(20));
        settled(engine.schedule("others", "a", Duration.ZERO));
        threads.advance(Duration.ofSeconds(5));
        assertThat(engine.stats().waiting()).hasSize(2);
        assertThat(registry.get("tickwheel.overdue").gauge().value()).isBetween(24.0, 25.0);
    }

    @Test
    void anEngineThatHasStoppedBecauseOfAnErrorIsShown() {
        metrics.watch(engine);
        assertThat(registry.get("tickwheel.engine.stopped").gauge().value()).isZero();
        CompletableFuture<Void> closed = engine.closeAsync();
        settled(closed);
        assertThat(registry.get("tickwheel.engine.stopped").gauge().value())
                .as("one that was closed has not failed")
                .isZero();
        metrics.stopped(new IllegalStateException("the disk failed"));
        assertThat(registry.get("tickwheel.engine.stopped").gauge().value()).isEqualTo(1);
    }

    @Test
    void timesFallIntoTheirBuckets() {
        for (int micros : new int[] {100, 101, 1_000_000, 1_000_001}) {
            metrics.synced(TimeUnit.MICROSECONDS.toNanos(micros));
        }
        assertThat(buckets("tickwheel.log.sync"))
                .hasSize(12)
                .containsEntry(Duration.ofNanos(100_000), 1.0)
                .containsEntry(Duration.ofNanos(250_000), 2.0)
                .containsEntry(Duration.ofMillis(250), 2.0)
                .containsEntry(Duration.ofSeconds(1), 3.0);
        deliver("q", "good");
        assertThat(buckets("tickwheel.lateness"))
                .hasSize(17)
                .containsKeys(Duration.ofMillis(1), Duration.ofMinutes(1))
                .containsEntry(Duration.ofMinutes(1), 1.0);
    }

    /** How many times were not longer, by the bounds. */
    private Map<Duration, Double> buckets(String name) {
        return Stream.of(registry.get(name).timer().takeSnapshot().histogramCounts())
                .collect(Collectors.toMap(
                        bucket -> Duration.ofNanos(Math.round(bucket.bucket(TimeUnit.NANOSECONDS))),
                        CountAtBucket::count));
    }

    private WaitingQueue waiting(String queue, int seconds) {
        return new WaitingQueue(queue, WaitingQueue.Reason.PAUSED, clock.now().minusSeconds(seconds));
    }

    private List<String> shown() {
        return registry.find("tickwheel.queue.waiting").gauges().stream()
                .map(gauge -> gauge.getId().getTag("queue"))
                .toList();
    }

    @Test
    void queuesThatWaitLongestAreShownAndNoneThatWaitsNoMore() {
        List<WaitingQueue> many = new ArrayList<>();
        for (int i = 1; i <= TickwheelMetrics.MOST_QUEUES + 1; i++) {
            many.add(waiting("q" + i, i));
        }
        metrics.waiting(many);
        metrics.refresh();
        assertThat(shown())
                .hasSize(TickwheelMetrics.MOST_QUEUES)
                .doesNotContain("q1")
                .contains("q2", "q1001");
        metrics.waiting(List.of(waiting("q7", 60)));
        metrics.refresh();
        assertThat(shown()).containsExactly("q7");
        assertThat(registry.get("tickwheel.queue.waiting").gauge().value()).isEqualTo(60);
    }
}
