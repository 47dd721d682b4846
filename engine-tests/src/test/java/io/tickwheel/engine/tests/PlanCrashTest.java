package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.TimerPlans;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.recurrence.Misfire;
import io.tickwheel.recurrence.Overlap;
import io.tickwheel.recurrence.Recurrence;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import io.tickwheel.store.testkit.CrashKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The process dies, or the power, between any two steps of an engine on files whose plans make runs. Each nominal time has its run, the runs are numbered without a gap, and after each
 * crash there is one next run.
 */
@Tag("simulated")
class PlanCrashTest {

    private static final Duration PERIOD = Duration.ofSeconds(10);
    private static final int RUNS = 7;

    /** A plan with so many runs, each at a nominal time of its own whatever crashes. */
    private static final Recurrence ALL = Recurrence.fixedRate(PERIOD)
            .withMisfire(Misfire.ALL)
            .withOverlap(Overlap.ALLOW)
            .withCount(RUNS);

    private static final Recurrence WAITS = ALL.withOverlap(Overlap.QUEUE);
    private static final Recurrence DELAY = Recurrence.fixedDelay(PERIOD).withCount(RUNS);

    private int crashes;

    /** One crash in each life, a step later in each; until a life has come to its end before. */
    private void crashAtEveryStep(Recurrence recurrence, CrashKind kind, int stride) {
        int steps = 1;
        boolean hasCrashed = true;
        while (hasCrashed) {
            Life life = new Life(steps, recurrence);
            hasCrashed = life.run(steps, kind);
            crashes += hasCrashed ? 1 : 0;
            steps += stride;
        }
    }

    @Test
    void eachNominalTimeHasOneRunWhereverTheProcessDies() {
        crashAtEveryStep(ALL, CrashKind.PROCESS_KILL, 1);
        crashAtEveryStep(ALL, CrashKind.POWER_LOSS, 1);
        assertThat(crashes).isGreaterThanOrEqualTo(400);
    }

    @Test
    void whatWaitsGoesOnWhereverTheProcessDies() {
        crashAtEveryStep(WAITS, CrashKind.POWER_LOSS, 1);
        crashAtEveryStep(DELAY, CrashKind.POWER_LOSS, 1);
        assertThat(crashes).isGreaterThanOrEqualTo(400);
    }

    @Test
    void runsOfTheLongestKeyAreKept() {
        SimulatedEngine sim = new SimulatedEngine(1);
        String longest = "k".repeat(512);
        sim.join(sim.engine()
                .schedule(TimerRequest.recurring("q", longest, ALL).withDestination(SimulatedEngine.DESTINATION)));
        sim.clock.advance(PERIOD);
        sim.threads().runUntilIdle();
        assertThat(sim.started).hasSize(1);
        sim.crash(CrashKind.POWER_LOSS);
        sim.threads().runUntilIdle();
        assertThat(sim.started).hasSize(1);
        assertThat(sim.started.get(0).attempt().key()).isEqualTo(longest);
        assertThat(sim.join(sim.engine().find("q", TimerPlans.runKey(longest, 1))))
                .isPresent();
    }

    private static final class Life {

        private final SimulatedEngine sim;
        private final Recurrence recurrence;
        private final long madeAtMs;
        private final List<Long> acknowledged = new ArrayList<>();
        private int stepsLeft;
        private boolean crashed;

        Life(long seed, Recurrence recurrence) {
            this.sim = new SimulatedEngine(seed);
            this.recurrence = recurrence;
            CompletableFuture<?> answer = sim.engine()
                    .schedule(
                            TimerRequest.recurring("q", "k", recurrence).withDestination(SimulatedEngine.DESTINATION));
            sim.threads().runUntilIdle();
            assertThat(answer).isDone();
            madeAtMs = sim.clock.wallMs();
        }

        /** Whether the crash came before the end. */
        boolean run(int crashAfter, CrashKind kind) {
            stepsLeft = crashAfter;
            for (int second = 0; second < 400; second++) {
                sim.clock.advance(Duration.ofSeconds(1));
                settle(kind);
                if (find("k").orElseThrow().state().isFinished() && crashed) {
                    break;
                }
            }
            settle(kind);
            check();
            return crashed;
        }

        private void settle(CrashKind kind) {
            boolean more = true;
            while (more) {
                while (sim.threads().step()) {
                    crashWhenItIsTime(kind);
                }
                more = !sim.started.isEmpty();
                while (!sim.started.isEmpty()) {
                    SimulatedEngine.Started attempt = sim.started.remove(0);
                    acknowledged.add(attempt.attempt().run().orElseThrow());
                    assertThat(attempt.atMs())
                            .isGreaterThanOrEqualTo(attempt.attempt().dueAt().toEpochMilli());
                    attempt.delivery().acknowledge();
                }
            }
        }

        private void crashWhenItIsTime(CrashKind kind) {
            stepsLeft--;
            if (stepsLeft == 0) {
                crashed = true;
                sim.crash(kind);
                checkOneNextRun();
            }
        }

        /** What the plan says was started is there, and no more. */
        private void checkOneNextRun() {
            sim.threads().runUntilIdle();
            long last = sim.join(sim.engine().read("q", "k"))
                    .map(details -> details.content() == null
                            ? (long) RUNS
                            : details.content().plan().lastRun())
                    .orElseThrow();
            for (long number = 1; number <= last; number++) {
                assertThat(find(TimerPlans.runKey("k", number)))
                        .as("run %s of %s", number, last)
                        .isPresent();
            }
            assertThat(find(TimerPlans.runKey("k", last + 1)))
                    .as("run behind the last, %s", last)
                    .isEmpty();
        }

        private void check() {
            assertThat(find("k").orElseThrow().state()).isEqualTo(TimerState.COMPLETED);
            Instant previous = Instant.EPOCH;
            for (long number = 1; number <= RUNS; number++) {
                TimerView run = find(TimerPlans.runKey("k", number)).orElseThrow();
                assertThat(run.state()).as("run %s", number).isEqualTo(TimerState.COMPLETED);
                assertThat(run.version()).isEqualTo(1);
                assertThat(run.dueAt()).isAfter(previous);
                if (!recurrence.isFixedDelay()) {
                    assertThat(run.dueAtMs()).isEqualTo(madeAtMs + number * PERIOD.toMillis());
                }
                previous = run.dueAt();
                assertThat(acknowledged).contains(number);
            }
            assertThat(find(TimerPlans.runKey("k", RUNS + 1))).isEmpty();
            assertThat(acknowledged.size()).isLessThanOrEqualTo(RUNS + 1);
        }

        private Optional<TimerView> find(String key) {
            return sim.join(sim.engine().find("q", key));
        }
    }
}
