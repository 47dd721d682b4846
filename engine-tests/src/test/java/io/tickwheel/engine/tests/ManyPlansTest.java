package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Destination;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.recurrence.Recurrence;
import io.tickwheel.testkit.ManualClock;
import io.tickwheel.testkit.ManualThreads;
import io.tickwheel.testkit.MemoryTimerStore;
import java.time.Duration;
import java.time.Instant;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many plans that are due at the same moments: an hour in which each has a run a minute, of which none is late or missing. */
@Tag("simulated")
class ManyPlansTest {

    private static final int PLANS = Integer.getInteger("tickwheel.plans", 1_000);
    private static final int MINUTES = 60;

    @Test
    void eachPlanHasARunAMinute() {
        ManualClock clock = new ManualClock(Instant.parse("2030-01-01T00:00:00Z"));
        ManualThreads threads = new ManualThreads(clock, new SplittableRandom(1));
        int[] runs = new int[MINUTES + 1];
        Tickwheel engine = Tickwheel.builder(new MemoryTimerStore())
                .clock(clock)
                .threads(threads)
                .random(() -> 0)
                .target("t", (attempt, delivery) -> {
                    runs[(int) attempt.run().orElseThrow()]++;
                    assertThat(attempt.lateness()).isLessThan(Duration.ofSeconds(1));
                    delivery.acknowledge();
                })
                .queueDestination("q", new Destination("t", ""))
                .open();
        Recurrence eachMinute = Recurrence.fixedRate(Duration.ofMinutes(1));
        for (int i = 0; i < PLANS; i++) {
            CompletableFuture<?> answer = engine.schedule(TimerRequest.recurring("q", "plan-" + i, eachMinute));
            threads.runUntilIdle();
            assertThat(answer).isDone();
        }
        for (int minute = 1; minute <= MINUTES; minute++) {
            threads.advance(Duration.ofMinutes(1));
            settle(engine, threads, runs, minute);
            assertThat(runs[minute]).as("runs of minute %s", minute).isEqualTo(PLANS);
        }
        assertThat(engine.liveCount()).isEqualTo(PLANS);
    }

    /** So many steps at one moment are more than a test takes at once. */
    private static void settle(Tickwheel engine, ManualThreads threads, int[] runs, int minute) {
        while (threads.step() || engine.stats().running() > 0) {
            assertThat(runs[minute]).isLessThanOrEqualTo(PLANS);
        }
    }
}
