package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.TimerRequest;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.PastAttempt;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import io.tickwheel.store.file.table.Run;
import io.tickwheel.store.testkit.CrashKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.jspecify.annotations.Nullable;

/**
 * The engine with the file store against a map: random schedules, cancels, replaces, time, failing targets, clock steps,
 * restarts and crashes; after each step the two must agree, and at the end everything due must have been delivered.
 */
class EngineModelTest {

    private static final String QUEUE = "q";

    /** A step of the test. */
    sealed interface Step {}

    record Schedule(int key, int delayMs, int failures, OnConflict onConflict) implements Step {}

    record Cancel(int key) implements Step {}

    record Advance(int ms) implements Step {}

    record StepWall(int ms) implements Step {}

    record Restart() implements Step {}

    record Crash(CrashKind kind) implements Step {}

    /** A command whose answer the crash may swallow, after so many steps of the scheduler. */
    record CrashDuring(Step command, int steps, CrashKind kind) implements Step {}

    @Provide
    Arbitrary<List<Step>> steps() {
        Arbitrary<Integer> key = Arbitraries.integers().between(0, 5);
        Arbitrary<Integer> delayMs = Arbitraries.frequencyOf(
                net.jqwik.api.Tuple.of(6, Arbitraries.integers().between(0, 5_000)),
                net.jqwik.api.Tuple.of(1, Arbitraries.integers().between(0, 200_000_000)));
        Arbitrary<Step> schedule = net.jqwik.api.Combinators.combine(
                        key, delayMs, Arbitraries.integers().between(0, 3), Arbitraries.of(OnConflict.class))
                .as(Schedule::new);
        Arbitrary<Step> cancel = key.map(Cancel::new);
        Arbitrary<CrashKind> kind = Arbitraries.of(CrashKind.class);
        Arbitrary<Step> crashDuring = net.jqwik.api.Combinators.combine(
                        Arbitraries.oneOf(schedule, cancel),
                        Arbitraries.integers().between(0, 12),
                        kind)
                .as(CrashDuring::new);
        return Arbitraries.frequencyOf(
                        net.jqwik.api.Tuple.of(8, schedule),
                        net.jqwik.api.Tuple.of(4, cancel),
                        net.jqwik.api.Tuple.of(
                                6, Arbitraries.integers().between(0, 4_000).map(ms -> (Step) new Advance(ms))),
                        net.jqwik.api.Tuple.of(
                                1,
                                Arbitraries.integers().between(0, 100_000_000).map(ms -> (Step) new Advance(ms))),
                        net.jqwik.api.Tuple.of(
                                1,
                                Arbitraries.integers().between(-10_000, 10_000).map(ms -> (Step) new StepWall(ms))),
                        net.jqwik.api.Tuple.of(1, Arbitraries.just((Step) new Restart())),
                        net.jqwik.api.Tuple.of(1, kind.map(crash -> (Step) new Crash(crash))),
                        net.jqwik.api.Tuple.of(2, crashDuring))
                .list()
                .ofMinSize(5)
                .ofMaxSize(60);
    }

    @Property
    void engineAgreesWithAMap(@ForAll("steps") List<Step> steps, @ForAll long seed) {
        Run run = new Run(seed);
        for (Step step : steps) {
            run.take(step);
            run.settle();
        }
        run.finish();
    }

    /** What the map knows of the timer of a key. */
    private record Known(TimerView view, int failures) {

        boolean isLive() {
            return !view.state().isFinished();
        }
    }

    private static final class Run {

        private final SimulatedEngine sim;
        private final Map<Integer, Known> known = new HashMap<>();

        Run(long seed) {
            sim = new SimulatedEngine(seed);
        }

        void take(Step step) {
            if (step instanceof Schedule schedule) {
                CompletableFuture<Scheduled> answer = begin(schedule);
                sim.threads().runUntilIdle();
                assertThat(answer).as("answered").isDone();
                checkAnswer(schedule, answer.join());
            } else if (step instanceof Cancel cancel) {
                CompletableFuture<Cancelled> answer = sim.engine().cancel(QUEUE, "k" + cancel.key);
                sim.threads().runUntilIdle();
                assertThat(answer).as("answered").isDone();
                checkAnswer(cancel, answer.join());
            } else if (step instanceof Advance advance) {
                passTime(advance.ms);
            } else if (step instanceof StepWall wall) {
                sim.clock.stepWall(Duration.ofMillis(wall.ms));
                passTime(600);
            } else if (step instanceof Restart) {
                sim.restart();
            } else if (step instanceof Crash crash) {
                sim.crash(crash.kind);
            } else if (step instanceof CrashDuring crash) {
                crashDuring(crash);
            }
        }

        /** In small steps, so that attempts are seen soon after they start. */
        private void passTime(long ms) {
            long left = ms;
            while (left > 0) {
                long step = Math.min(left, Math.max(1_000, ms / 20));
                sim.threads().stall(Duration.ofMillis(step));
                settle();
                left -= step;
            }
        }

        private CompletableFuture<Scheduled> begin(Schedule schedule) {
            return sim.engine()
                    .schedule(TimerRequest.after(QUEUE, "k" + schedule.key, Duration.ofMillis(schedule.delayMs))
                            .withPayload(new byte[] {(byte) schedule.key, (byte) schedule.failures})
                            .withOnConflict(schedule.onConflict)
                            .withDestination(SimulatedEngine.DESTINATION));
        }

        private void checkAnswer(Schedule schedule, Scheduled answer) {
            Known before = known.get(schedule.key);
            boolean live = before != null && before.isLive();
            long dueAtMs = sim.clock.wallMs() + schedule.delayMs;
            boolean kept = before != null
                    && switch (schedule.onConflict) {
                        case REPLACE -> false;
                        case KEEP, FAIL -> live;
                        case EARLIEST -> live && before.view.dueAtMs() <= dueAtMs;
                        case LATEST -> live && before.view.dueAtMs() >= dueAtMs;
                        case ONCE -> true;
                    };
            if (kept) {
                assertThat(answer.outcome()).isIn(Scheduled.Outcome.KEPT, Scheduled.Outcome.CONFLICT);
                assertThat(answer.timer()).isEqualTo(before.view);
            } else {
                assertThat(answer.outcome()).isEqualTo(live ? Scheduled.Outcome.REPLACED : Scheduled.Outcome.CREATED);
                boolean dead = before != null && before.view.state() == TimerState.DEAD;
                assertThat(answer.previous())
                        .isEqualTo(
                                live
                                        ? Scheduled.Previous.PENDING
                                        : dead ? Scheduled.Previous.DEAD : Scheduled.Previous.NONE);
                assertThat(answer.timer().version()).isEqualTo(before == null ? 1 : before.view.version() + 1);
                assertThat(answer.timer().dueAtMs()).isEqualTo(dueAtMs);
                known.put(schedule.key, new Known(answer.timer(), schedule.failures));
            }
        }

        private void checkAnswer(Cancel cancel, Cancelled answer) {
            Known before = known.get(cancel.key);
            if (before == null) {
                assertThat(answer.outcome()).isEqualTo(Cancelled.Outcome.NOT_FOUND);
            } else if (before.isLive() || before.view.state() == TimerState.CANCELLED) {
                assertThat(answer.outcome()).isEqualTo(Cancelled.Outcome.CANCELLED);
                known.put(cancel.key, inState(before, TimerState.CANCELLED));
            } else {
                assertThat(answer.outcome()).isEqualTo(Cancelled.Outcome.TOO_LATE);
            }
        }

        /** Ends the attempts that started, as their timers want, and checks that each was right to start. */
        void settle() {
            sim.threads().runUntilIdle();
            while (!sim.started.isEmpty()) {
                SimulatedEngine.Started started = sim.started.remove(0);
                end(started);
                sim.threads().runUntilIdle();
            }
            long nowMs = sim.clock.wallMs();
            known.forEach((key, timer) -> {
                if (timer.isLive()) {
                    assertThat(timer.view.attemptAtMs())
                            .as("k%s is due and was not delivered", key)
                            .isGreaterThan(nowMs);
                }
            });
        }

        private void end(SimulatedEngine.Started started) {
            int key = started.attempt().payload()[0];
            Known timer = known.get(key);
            assertThat(timer).as("attempt of a timer that nobody has").isNotNull();
            assertThat(started.attempt().id())
                    .as("attempt of the timer that stands")
                    .isEqualTo(timer.view.id());
            assertThat(timer.isLive()).as("attempt of a live timer, %s", timer).isTrue();
            assertThat(started.atMs()).as("never early").isGreaterThanOrEqualTo(timer.view.attemptAtMs());
            assertThat(started.attempt().dueAt()).isEqualTo(timer.view.dueAt());
            assertThat(started.attempt().number()).isEqualTo(timer.view.attempts() + 1);
            if (started.attempt().number() > timer.failures) {
                started.delivery().acknowledge();
                known.put(key, attempted(timer, started, "", TimerState.COMPLETED, timer.view.attemptAtMs()));
            } else if (started.attempt().number() == SimulatedEngine.RETRY.maxAttempts()) {
                started.delivery().fail("planned");
                known.put(key, attempted(timer, started, "planned", TimerState.DEAD, timer.view.attemptAtMs()));
            } else {
                started.delivery().fail("planned");
                sim.threads().runUntilIdle();
                long attemptAtMs = find(key).orElseThrow().attemptAtMs();
                long fullMs = 1_000L << (started.attempt().number() - 1);
                assertThat(attemptAtMs - sim.clock.wallMs()).isBetween(fullMs - fullMs / 10, fullMs);
                known.put(key, attempted(timer, started, "planned", TimerState.PENDING, attemptAtMs));
            }
        }

        private void crashDuring(CrashDuring crash) {
            int key;
            CompletableFuture<?> answer;
            if (crash.command instanceof Schedule schedule) {
                key = schedule.key;
                answer = begin(schedule);
            } else {
                key = ((Cancel) crash.command).key;
                answer = sim.engine().cancel(QUEUE, "k" + key);
            }
            for (int i = 0; i < crash.steps; i++) {
                sim.threads().step();
            }
            boolean started = !sim.started.isEmpty();
            sim.crash(crash.kind);
            sim.threads().runUntilIdle();
            adopt(key, crash.command, answer.isDone() || started);
        }

        /** The command counts or it does not, as a whole; when it was answered, or acted upon, it counts. */
        private void adopt(int key, Step command, boolean seen) {
            Optional<TimerView> found = find(key);
            Known before = known.get(key);
            boolean unchanged = before == null
                    ? found.isEmpty()
                    : found.isPresent()
                            && found.get().id().equals(before.view.id())
                            && found.get().state().isFinished()
                                    == before.view.state().isFinished();
            if (command instanceof Cancel cancel) {
                boolean mustBeCancelled = seen && before != null && before.isLive();
                assertThat(unchanged && mustBeCancelled)
                        .as("an answered cancel is undone")
                        .isFalse();
                if (!unchanged) {
                    checkAnswer(cancel, new Cancelled(Cancelled.Outcome.CANCELLED, null));
                    assertThat(found).get().extracting(TimerView::state).isEqualTo(TimerState.CANCELLED);
                }
            } else if (command instanceof Schedule schedule) {
                boolean mayKeep = schedule.onConflict != OnConflict.REPLACE && before != null;
                assertThat(unchanged && seen && !mayKeep)
                        .as("an answered schedule is lost")
                        .isFalse();
                if (!unchanged) {
                    TimerView view = found.orElseThrow();
                    assertThat(view.version()).isEqualTo(before == null ? 1 : before.view.version() + 1);
                    TimerView asScheduled = new TimerView(
                            view.key(),
                            view.id(),
                            view.version(),
                            view.dueAtMs(),
                            view.dueAtMs(),
                            TimerState.PENDING,
                            0);
                    known.put(key, new Known(asScheduled, schedule.failures));
                }
            }
        }

        private Optional<TimerView> find(int key) {
            CompletableFuture<Optional<TimerView>> answer = sim.engine().find(QUEUE, "k" + key);
            sim.threads().runUntilIdle();
            assertThat(answer).as("answered").isDone();
            return answer.join();
        }

        private Known attempted(
                Known timer, SimulatedEngine.Started started, String reason, TimerState state, long attemptAtMs) {
            sim.threads().runUntilIdle();
            int key = started.attempt().payload()[0];
            List<PastAttempt> found = find(key).orElseThrow().history();
            List<PastAttempt> history = new ArrayList<>(timer.view.history());
            history.add(new PastAttempt(
                    started.attempt().number(),
                    started.atMs(),
                    started.atMs() - timer.view.attemptAtMs(),
                    found.get(found.size() - 1).durationMs(),
                    0,
                    reason));
            assertThat(found).isEqualTo(history);
            return changed(timer, state, attemptAtMs, timer.view.attempts() + 1, history);
        }

        private static Known inState(Known timer, TimerState state) {
            return changed(timer, state, timer.view.attemptAtMs(), timer.view.attempts(), timer.view.history());
        }

        private static Known changed(
                Known timer, TimerState state, long attemptAtMs, int attempts, List<PastAttempt> history) {
            TimerView view = timer.view;
            return new Known(
                    new TimerView(
                            view.key(),
                            view.id(),
                            view.version(),
                            view.dueAtMs(),
                            attemptAtMs,
                            state,
                            attempts,
                            history),
                    timer.failures);
        }

        /** All that is left must come; then both must agree on every key. */
        void finish() {
            for (int i = 0; i < 10; i++) {
                passTime(30_000_000);
            }
            sim.crash(CrashKind.POWER_LOSS);
            for (int key = 0; key <= 5; key++) {
                @Nullable Known timer = known.get(key);
                if (timer == null) {
                    assertThat(find(key)).isEmpty();
                } else {
                    assertThat(timer.view.state().isFinished())
                            .as("k%s, %s", key, timer)
                            .isTrue();
                    assertThat(find(key)).contains(timer.view);
                }
            }
            assertThat(sim.engine().liveCount()).isZero();
        }
    }
}
