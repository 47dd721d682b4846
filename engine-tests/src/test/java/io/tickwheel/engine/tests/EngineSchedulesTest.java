package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Delivery;
import io.tickwheel.engine.Destination;
import io.tickwheel.engine.RetryPolicy;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.store.CalendarListener;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.TimerStore;
import io.tickwheel.store.file.FileTimerStore;
import io.tickwheel.store.testkit.AllCourses;
import io.tickwheel.store.testkit.SimulatedDisk;
import io.tickwheel.testkit.ManualClock;
import io.tickwheel.testkit.ManualThreads;
import io.tickwheel.testkit.MemoryTimerStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Small scripts in all orders: what clients ask for, the turns of the loop, the tasks of the store and the ends of attempts are steps,
 * and each of the first choices which of them is next is made in every way. At the end of each course nothing is left over: each timer
 * was delivered, or cancelled, or is still there; all credits and all room are given back; the engine closes.
 */
final class EngineSchedulesTest {

    private static final Destination ANYWHERE = new Destination("target", "");
    private static final int MOST = 400_000;
    private static final int DEPTH = 9;
    private static final int DEEPEST = Integer.getInteger("tickwheel.depth", DEPTH);

    private enum Store {
        MEMORY {
            @Override
            TimerStore make() {
                return new MemoryTimerStore();
            }
        },
        FILE {
            @Override
            TimerStore make() {
                return FileTimerStore.in(new SimulatedDisk(1).path("/data"))
                        .withSegmentBytes(4_096)
                        .withCheckpointBytes(4_096);
            }
        };

        abstract TimerStore make();
    }

    @ParameterizedTest
    @CsvSource({"MEMORY, 1, 9", "MEMORY, 2, 9", "FILE, 1, 6", "FILE, 2, 6"})
    void cancelAndCloseAtEachStepOfAClaim(Store store, int credits, int depth) {
        Seen seen = new Seen();
        AllCourses.walk(Math.min(depth, DEEPEST), MOST, choices -> {
            Course course = new Course(store, credits, choices, seen);
            course.client("schedules", () -> course.schedule("a", 0));
            course.client("cancels", () -> course.cancel("a"));
            course.client("closes", course::close);
            course.end();
        });
        seen.check("cancelled", "delivered", "refused", "too late", "still there");
    }

    @ParameterizedTest
    @CsvSource({"MEMORY, 1, 9", "MEMORY, 2, 9", "FILE, 1, 6"})
    void theOtherTimerIsDeliveredWhateverBecomesOfTheCancelledOne(Store store, int credits, int depth) {
        Seen seen = new Seen();
        AllCourses.walk(Math.min(depth, DEEPEST), MOST, choices -> {
            Course course = new Course(store, credits, choices, seen);
            course.client("schedules", () -> course.schedule("a", 0), () -> course.schedule("b", 0));
            course.client("cancels", () -> course.cancel("a"));
            course.end();
            assertThat(course.keysDelivered()).contains("b");
        });
        seen.check("cancelled", "delivered");
    }

    @ParameterizedTest
    @CsvSource({"MEMORY, 1, 9", "MEMORY, 2, 9", "FILE, 1, 6"})
    void replaceAtEachStepOfAnAttempt(Store store, int credits, int depth) {
        Seen seen = new Seen();
        AllCourses.walk(Math.min(depth, DEEPEST), MOST, choices -> {
            Course course = new Course(store, credits, choices, seen);
            course.client("schedules", () -> course.schedule("a", 0));
            course.client("replaces", () -> course.schedule("a", 0));
            course.end();
            assertThat(course.last("a"))
                    .as("delivery of what was scheduled last")
                    .isNotNull();
        });
        seen.check("replaced", "delivered");
    }

    @ParameterizedTest
    @CsvSource({"MEMORY, 1, 9", "MEMORY, 2, 9", "FILE, 1, 6"})
    void failureAndCloseAndClockSetBackAtEachStep(Store store, int credits, int depth) {
        Seen seen = new Seen();
        AllCourses.walk(Math.min(depth, DEEPEST), MOST, choices -> {
            Course course = new Course(store, credits, choices, seen);
            course.failures = 1;
            course.client("schedules", () -> course.schedule("a", 1), () -> course.pass(1));
            course.client("sets back", () -> course.clock.stepWall(Duration.ofMillis(-1)));
            course.client("closes", course::close);
            course.end();
        });
        seen.check("failed", "still there");
    }

    @ParameterizedTest
    @CsvSource({"MEMORY, 1, 9", "MEMORY, 2, 9", "FILE, 1, 6"})
    void timersAreDeliveredThoughTheClockIsSetBackAtAnyStep(Store store, int credits, int depth) {
        Seen seen = new Seen();
        AllCourses.walk(Math.min(depth, DEEPEST), MOST, choices -> {
            Course course = new Course(store, credits, choices, seen);
            course.client(
                    "schedules", () -> course.schedule("a", 1), () -> course.schedule("b", 1), () -> course.pass(1));
            course.client("sets back", () -> course.clock.stepWall(Duration.ofMillis(-1)));
            course.end();
            assertThat(course.keysDelivered()).containsExactlyInAnyOrder("a", "b");
        });
        seen.check("delivered");
    }

    /** What must be met in some course, or this shows little. */
    private static final class Seen {

        private final Set<String> sights = new HashSet<>();

        void see(String sight) {
            sights.add(sight);
        }

        /** A walk that was shortened meets less. */
        void check(String... expected) {
            if (DEEPEST >= DEPTH) {
                assertThat(sights).contains(expected);
            }
        }
    }

    private record Started(Attempt attempt, boolean failed) {}

    /** One engine, from its opening to its closing. */
    private static final class Course {

        final ManualClock clock = new ManualClock(Instant.parse("2030-01-01T00:00:00Z"));
        private final ManualThreads threads;
        private final Executor targets;
        private final Tickwheel engine;
        private final Seen seen;
        private final List<Started> started = new ArrayList<>();
        private final List<CompletableFuture<Scheduled>> schedules = new ArrayList<>();
        private final List<CompletableFuture<Cancelled>> cancels = new ArrayList<>();
        private CompletableFuture<Void> closed;
        private CalendarListener index;
        private boolean handedOver;

        /** What the engine did wrong: it would catch what a target throws. */
        private final List<String> wrong = new ArrayList<>();

        /** How many attempts fail before one is acknowledged. */
        int failures;

        Course(Store store, int credits, RandomGenerator choices, Seen seen) {
            this.seen = seen;
            threads = new ManualThreads(clock, choices);
            targets = threads.serial("targets");
            engine = Tickwheel.builder(watched(store.make()))
                    .clock(clock)
                    .threads(threads)
                    .random(() -> 7)
                    .retry(RetryPolicy.exponential(3, Duration.ofMillis(1)))
                    .attemptsInAll(credits)
                    .attemptsPerQueue(credits)
                    .target(ANYWHERE.target(), this::deliver)
                    .open();
        }

        /** A store that tells when it is handed over: from then on no attempt may start. */
        private TimerStore watched(TimerStore store) {
            WatchedStore watched = new WatchedStore((context, listener) -> {
                index = listener;
                return store.open(context, listener);
            });
            watched.before("handOver", (calendar, arguments) -> {
                handedOver = true;
                return false;
            });
            return watched;
        }

        /** Something that takes its steps in their order, and between the steps of all others. */
        void client(String name, Runnable... steps) {
            Executor client = threads.serial(name);
            for (Runnable step : steps) {
                client.execute(step);
            }
        }

        void schedule(String key, long delayMs) {
            schedules.add(engine.schedule(
                    TimerRequest.after("q", key, Duration.ofMillis(delayMs)).withDestination(ANYWHERE)));
        }

        void cancel(String key) {
            cancels.add(engine.cancel("q", key));
        }

        void pass(long ms) {
            clock.advance(Duration.ofMillis(ms));
        }

        void close() {
            closed = engine.closeAsync();
        }

        private void deliver(Attempt attempt, Delivery delivery) {
            if (handedOver) {
                wrong.add("started after the close: " + attempt);
            }
            if (attempt.attemptAt().isAfter(clock.now())) {
                wrong.add("started early: " + attempt);
            }
            boolean fails = started.size() < failures;
            started.add(new Started(attempt, fails));
            targets.execute(() -> {
                if (fails) {
                    seen.see("failed");
                    delivery.fail("planned");
                } else {
                    seen.see("delivered");
                    delivery.acknowledge();
                }
            });
        }

        List<String> keysDelivered() {
            return started.stream()
                    .filter(each -> !each.failed)
                    .map(each -> each.attempt.key())
                    .toList();
        }

        /** The delivery of the last version of a key; null when there was none. */
        Started last(String key) {
            String id = schedules.stream()
                    .map(CompletableFuture::join)
                    .filter(each -> each.timer().key().key().equals(key))
                    .reduce((first, second) -> second)
                    .orElseThrow()
                    .timer()
                    .id();
            return started.stream()
                    .filter(each -> each.attempt.id().equals(id) && !each.failed)
                    .findFirst()
                    .orElse(null);
        }

        /** Lets everything come to its end, closes the engine if that is not done, and holds what is left against what was asked for. */
        void end() {
            threads.runUntilIdle();
            if (closed == null) {
                threads.advance(Duration.ofSeconds(2));
                assertThat(index.room().taken())
                        .as("places in memory that are taken")
                        .isZero();
                assertThat(engine.liveCount()).as("live timers").isZero();
                close();
                threads.runUntilIdle();
            }
            assertThat(wrong).isEmpty();
            assertThat(closed).as("the close").isCompleted();
            judgeCancels();
            judgeSchedules();
        }

        private void judgeCancels() {
            for (CompletableFuture<Cancelled> each : cancels) {
                assertThat(each).as("an answer").isDone();
                if (each.isCompletedExceptionally()) {
                    seen.see("refused");
                    continue;
                }
                assertThat(each).as("answered").isDone();
                Cancelled cancelled = each.join();
                if (cancelled.outcome() == Cancelled.Outcome.CANCELLED) {
                    seen.see("cancelled");
                    assertThat(started)
                            .as("attempts of a timer that is cancelled")
                            .noneMatch(any ->
                                    any.attempt.id().equals(cancelled.timer().id()));
                } else if (cancelled.outcome() == Cancelled.Outcome.LAST_ATTEMPT_RUNNING) {
                    seen.see("last attempt");
                    assertThat(started)
                            .as("attempts behind the last one of a timer that is cancelled")
                            .noneMatch(any ->
                                    any.attempt.id().equals(cancelled.timer().id())
                                            && any.attempt.number()
                                                    > cancelled.timer().attempts());
                } else {
                    seen.see(cancelled.outcome() == Cancelled.Outcome.TOO_LATE ? "too late" : "not found");
                }
            }
        }

        private void judgeSchedules() {
            for (CompletableFuture<Scheduled> each : schedules) {
                assertThat(each).as("an answer").isDone();
                if (each.isCompletedExceptionally()) {
                    seen.see("refused");
                    continue;
                }
                assertThat(each).as("answered").isDone();
                Scheduled scheduled = each.join();
                String id = scheduled.timer().id();
                if (scheduled.outcome() == Scheduled.Outcome.REPLACED) {
                    seen.see("replaced");
                }
                long delivered = started.stream()
                        .filter(any -> any.attempt.id().equals(id) && !any.failed)
                        .count();
                assertThat(delivered).as("deliveries of %s", scheduled).isLessThanOrEqualTo(1);
                if (delivered == 0) {
                    seen.see("still there");
                }
            }
        }
    }
}
