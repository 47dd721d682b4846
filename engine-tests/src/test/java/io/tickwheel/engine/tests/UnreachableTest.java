package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Delivery;
import io.tickwheel.engine.Destination;
import io.tickwheel.engine.EngineListener;
import io.tickwheel.engine.QueueChange;
import io.tickwheel.engine.QueueSettings;
import io.tickwheel.engine.RateLimit;
import io.tickwheel.engine.RetryPolicy;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.engine.WaitingQueue;
import io.tickwheel.recurrence.Recurrence;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.file.FileTimerStore;
import io.tickwheel.store.testkit.SimulatedDisk;
import io.tickwheel.testkit.ManualClock;
import io.tickwheel.testkit.ManualThreads;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A destination that is not to be reached costs one attempt now and then, takes nothing from others, and nothing of its timers is lost. */
final class UnreachableTest {

    private static final Instant START = Instant.parse("2030-01-01T00:00:00Z");

    private final ManualClock clock = new ManualClock(START);
    private final ManualThreads threads = new ManualThreads(clock, new SplittableRandom(1));
    private final Map<String, List<Long>> attemptsMs = new HashMap<>();
    private final List<WaitingQueue> waiting = new ArrayList<>();
    private final Set<String> down = new HashSet<>();
    private final Set<String> hanging = new HashSet<>();
    private final List<Delivery> hung = new ArrayList<>();
    private final Set<String> attempted = new HashSet<>();
    private boolean answersWithAnError;
    private final Tickwheel engine = Tickwheel.builder(
                    FileTimerStore.in(new SimulatedDisk(1).path("/data")).withSegmentBytes(1 << 16))
            .clock(clock)
            .threads(threads)
            .random(() -> 0)
            .retry(RetryPolicy.fixed(RetryPolicy.MAX_ATTEMPTS, Duration.ofMillis(10)))
            .target("t", this::deliver)
            .queueDestination("q", new Destination("t", "first"))
            .listener(new EngineListener() {
                @Override
                public void waiting(List<WaitingQueue> queues) {
                    waiting.clear();
                    waiting.addAll(queues);
                }
            })
            .open();

    @AfterEach
    void close() {
        var closed = engine.closeAsync();
        threads.runUntilIdle();
        assertThat(closed).isCompleted();
    }

    private void deliver(Attempt attempt, Delivery delivery) {
        String address = attempt.destination().address();
        attemptsMs.computeIfAbsent(address, first -> new ArrayList<>()).add(clock.wallMs() - START.toEpochMilli());
        attempted.add(attempt.key());
        if (hanging.contains(address)) {
            hung.add(delivery);
        } else if (down.contains(address)) {
            delivery.unreachable("nobody is there");
        } else if (answersWithAnError) {
            delivery.answered(503);
            delivery.fail("HTTP 503");
        } else {
            delivery.acknowledge();
        }
    }

    private int attempts(String address) {
        return attemptsMs.getOrDefault(address, List.of()).size();
    }

    private void schedule(int count, String address) {
        List<CompletableFuture<?>> scheduled = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            scheduled.add(engine.schedule(TimerRequest.after("q", address + i, Duration.ofMillis(1_000 + i))
                    .withDestination(new Destination("t", address))));
        }
        threads.runUntilIdle();
        assertThat(scheduled).allMatch(CompletableFuture::isDone);
    }

    private int pending(int count, String address) {
        int pending = 0;
        for (int i = 0; i < count; i++) {
            var found = engine.find("q", address + i);
            threads.runUntilIdle();
            if (found.join()
                    .filter(timer -> timer.state() == TimerState.PENDING)
                    .isPresent()) {
                pending++;
            }
        }
        return pending;
    }

    @Test
    void destinationThatIsDownGetsAnAttemptNowAndThen() {
        down.add("down");
        schedule(1_000, "down");
        threads.advance(Duration.ofMillis(1_500));
        int untilOpen = attempts("down");
        assertThat(untilOpen).isBetween(20, 25);
        threads.advance(Duration.ofSeconds(60));
        assertThat(attempts("down") - untilOpen).as("in a minute").isBetween(58, 64);
        assertThat(pending(1_000, "down")).isEqualTo(1_000);
    }

    @Test
    void attemptsComeAtTheirMoments() {
        down.add("down");
        for (int i = 0; i < 25; i++) {
            var scheduled = engine.schedule(
                    TimerRequest.at("q", "k" + i, START.plusSeconds(1)).withDestination(new Destination("t", "down")));
            threads.runUntilIdle();
            assertThat(scheduled).isCompleted();
        }
        threads.advance(Duration.ofSeconds(5));
        assertThat(attemptsMs.get("down").stream().distinct())
                .containsExactly(1_000L, 1_100L, 1_300L, 1_700L, 2_500L, 3_500L, 4_500L);
    }

    @Test
    void itIsNoticedWithinASecondThatItIsBackAndNothingIsLost() {
        down.add("down");
        schedule(1_000, "down");
        threads.advance(Duration.ofMinutes(2));
        down.clear();
        int before = attempts("down");
        threads.advance(Duration.ofMillis(1_010));
        assertThat(attempts("down")).isGreaterThan(before);
        threads.advance(Duration.ofSeconds(5));
        assertThat(pending(1_000, "down")).isZero();
        assertThat(attempts("down") - before).as("each once").isEqualTo(1_000);
    }

    @Test
    void whatWaitsIsAttemptedAtOnceWhenItIsBack() {
        down.add("down");
        schedule(300, "down");
        threads.advance(Duration.ofMinutes(1));
        down.clear();
        int before = attempts("down");
        threads.advance(Duration.ofMillis(1_500));
        List<Long> times = attemptsMs.get("down").subList(before, attempts("down"));
        assertThat(times).hasSize(300);
        assertThat(times.get(299) - times.get(0))
                .as("ms from the first to the last")
                .isLessThan(20);
    }

    @Test
    void timersThatComeMeanwhileWaitAsTheOthersDo() {
        down.add("down");
        schedule(30, "down");
        threads.advance(Duration.ofSeconds(10));
        int before = attempts("down");
        for (int i = 0; i < 100; i++) {
            done(engine.schedule(TimerRequest.after("q", "down" + (30 + i), Duration.ofMillis(100L * i))
                    .withDestination(new Destination("t", "down"))));
        }
        threads.advance(Duration.ofSeconds(10));
        assertThat(attempts("down") - before).isBetween(9, 11);
        down.clear();
        threads.advance(Duration.ofSeconds(2));
        assertThat(pending(130, "down")).isZero();
    }

    @Test
    void othersOfTheQueueAreNotHeldBack() {
        down.add("down");
        schedule(500, "down");
        schedule(500, "up");
        threads.advance(Duration.ofMillis(1_510));
        assertThat(attempts("up")).isEqualTo(500);
        assertThat(attempts("down")).isLessThan(30);
    }

    @Test
    void anErrorThatSomebodyAnswersHoldsNothingBack() {
        answersWithAnError = true;
        schedule(100, "up");
        threads.advance(Duration.ofSeconds(2));
        assertThat(attempts("up")).isGreaterThan(5_000);
    }

    @Test
    void whyTimersWaitIsTold() {
        down.add("down");
        schedule(100, "down");
        threads.advance(Duration.ofSeconds(10));
        assertThat(waiting).extracting(WaitingQueue::reason).containsExactly(WaitingQueue.Reason.UNREACHABLE);
        down.clear();
        threads.advance(Duration.ofSeconds(3));
        assertThat(waiting).isEmpty();
    }

    @Test
    void anotherDestinationOfTheQueueIsTriedAtOnce() {
        down.add("first");
        List<CompletableFuture<?>> scheduled = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            scheduled.add(engine.schedule("q", "k" + i, Duration.ofSeconds(1)));
        }
        threads.runUntilIdle();
        assertThat(scheduled).allMatch(CompletableFuture::isDone);
        threads.advance(Duration.ofSeconds(20));
        assertThat(attempts("first"))
                .as("twenty as they come due at once, then one a second")
                .isBetween(38, 42);
        scheduled.add(engine.changeQueue(
                "q", QueueChange.set(QueueSettings.NONE.withTarget(new Destination("t", "second")))));
        threads.runUntilIdle();
        threads.advance(Duration.ofMillis(50));
        assertThat(attempts("second")).isEqualTo(100);
    }

    @Test
    void anotherDestinationOfTheQueueIsNotKnownWhileTimersWait() {
        down.add("first");
        hanging.add("second");
        for (int i = 0; i < 100; i++) {
            done(engine.schedule("q", "k" + i, Duration.ofSeconds(1)));
        }
        threads.advance(Duration.ofSeconds(20));
        done(engine.changeQueue("q", QueueChange.set(QueueSettings.NONE.withTarget(new Destination("t", "second")))));
        threads.advance(Duration.ofMillis(50));
        assertThat(attempts("second")).isEqualTo(20);
        hanging.clear();
        hung.forEach(Delivery::acknowledge);
        threads.advance(Duration.ofMillis(50));
        assertThat(attempts("second")).isEqualTo(100);
    }

    /** What is remembered of the former one when nothing waits for it any more says nothing of it. */
    @Test
    void anotherDestinationOfTheQueueIsAsUnknownAsAnyWhenTheFormerOneHasNothingLeft() {
        down.add("first");
        List<CompletableFuture<?>> scheduled = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            scheduled.add(engine.schedule(TimerRequest.after("q", "k" + i, Duration.ofSeconds(1))
                    .withRetry(RetryPolicy.fixed(1, Duration.ofMillis(1)))));
        }
        threads.runUntilIdle();
        threads.advance(Duration.ofSeconds(60));
        assertThat(attempts("first")).as("all are dead").isEqualTo(30);
        hanging.add("second");
        scheduled.add(engine.changeQueue(
                "q", QueueChange.set(QueueSettings.NONE.withTarget(new Destination("t", "second")))));
        for (int i = 0; i < 5; i++) {
            scheduled.add(engine.schedule("q", "later" + i, Duration.ofMillis(10)));
        }
        threads.runUntilIdle();
        threads.advance(Duration.ofMillis(50));
        assertThat(scheduled).allMatch(CompletableFuture::isDone);
        assertThat(attempts("second")).isEqualTo(5);
        hung.forEach(Delivery::acknowledge);
    }

    @Test
    void timersExpireInTime() {
        down.add("down");
        for (int i = 0; i < 300; i++) {
            var scheduled = engine.schedule(TimerRequest.after("q", "k" + i, Duration.ofMillis(1_000 + i))
                    .withExpireAfter(Duration.ofSeconds(10))
                    .withDestination(new Destination("t", "down")));
            threads.runUntilIdle();
            assertThat(scheduled).isCompleted();
        }
        threads.advance(Duration.ofSeconds(10));
        assertThat(engine.stats().expired()).isZero();
        threads.advance(Duration.ofMillis(2_400));
        assertThat(engine.stats().expired()).isEqualTo(300);
        assertThat(attempts("down")).isLessThan(40);
    }

    @Test
    void planIsLateAndGoesOn() {
        down.add("down");
        schedule(100, "down");
        var planned = engine.schedule(TimerRequest.recurring("q", "plan", Recurrence.fixedRate(Duration.ofSeconds(5)))
                .withDestination(new Destination("t", "down")));
        threads.runUntilIdle();
        assertThat(planned).isCompleted();
        threads.advance(Duration.ofMinutes(2));
        down.clear();
        threads.advance(Duration.ofSeconds(2));
        int before = attempts("down");
        threads.advance(Duration.ofSeconds(50));
        assertThat(attempts("down") - before).as("a run each five seconds").isEqualTo(10);
    }

    @Test
    void timersAreGivenUpAsTheirPolicySays() {
        down.add("down");
        var scheduled = engine.schedule(TimerRequest.after("q", "few", Duration.ofMillis(1))
                .withRetry(RetryPolicy.fixed(3, Duration.ofMillis(1)))
                .withDestination(new Destination("t", "down")));
        threads.runUntilIdle();
        threads.advance(Duration.ofSeconds(1));
        assertThat(scheduled).isCompleted();
        var found = engine.find("q", "few");
        threads.runUntilIdle();
        assertThat(found.join().orElseThrow().state()).isEqualTo(TimerState.DEAD);
        assertThat(attempts("down")).isEqualTo(3);
    }

    @Test
    void attemptsToTheFormerDestinationSayNothingOfTheNewOne() {
        hanging.add("first");
        for (int i = 0; i < 100; i++) {
            done(engine.schedule("q", "k" + i, Duration.ofMillis(i < 20 ? 1_000 : 1_500)));
        }
        threads.advance(Duration.ofMillis(1_400));
        assertThat(hung).hasSize(20);
        done(engine.changeQueue("q", QueueChange.set(QueueSettings.NONE.withTarget(new Destination("t", "second")))));
        hung.forEach(attempt -> attempt.unreachable("nobody is there"));
        threads.advance(Duration.ofMillis(50));
        assertThat(attempts("second")).as("again, and at once").isEqualTo(20);
        threads.advance(Duration.ofMillis(50));
        assertThat(attempts("second")).isEqualTo(100);
    }

    @Test
    void cancelledTimersAreNeverAttemptedAndReplacedOnesWhenTheyAreDueAgain() {
        down.add("down");
        schedule(300, "down");
        threads.advance(Duration.ofSeconds(10));
        Set<String> never = new HashSet<>();
        for (int i = 0; i < 300; i++) {
            String key = "down" + i;
            if (i % 3 == 0 && !attempted.contains(key)) {
                never.add(key);
                done(engine.cancel("q", key));
            } else if (i % 3 == 1 && !attempted.contains(key)) {
                done(engine.schedule(TimerRequest.after("q", key, Duration.ofMinutes(10))
                        .withDestination(new Destination("t", "down"))));
            }
        }
        down.clear();
        int before = attempts("down");
        threads.advance(Duration.ofSeconds(5));
        assertThat(never).hasSizeGreaterThan(50);
        assertThat(attempted).doesNotContainAnyElementsOf(never);
        int left = pending(300, "down");
        assertThat(left).as("those that are due later").isBetween(50, 100);
        assertThat(attempts("down") - before).as("each once").isEqualTo(300 - left - never.size());
        threads.advance(Duration.ofMinutes(10));
        assertThat(pending(300, "down")).isZero();
        assertThat(attempted).doesNotContainAnyElementsOf(never);
    }

    @Test
    void manyDestinationsThatAreDownAtOnceLoseNothingAndHoldUpNobody() {
        int destinations = 300;
        for (int i = 0; i < destinations; i++) {
            down.add("d" + i + "-");
            schedule(25, "d" + i + "-");
        }
        threads.advance(Duration.ofSeconds(20));
        Map<String, Integer> before = new HashMap<>();
        down.forEach(address -> before.put(address, attempts(address)));
        schedule(500, "up");
        threads.advance(Duration.ofMillis(1_510));
        assertThat(attempts("up")).isEqualTo(500);
        threads.advance(Duration.ofMillis(8_490));
        assertThat(down)
                .allSatisfy(address -> assertThat(attempts(address) - before.get(address))
                        .as("in ten seconds")
                        .isBetween(9, 11));
        down.clear();
        threads.advance(Duration.ofMillis(1_500));
        for (int i = 0; i < destinations; i++) {
            assertThat(pending(25, "d" + i + "-")).isZero();
            assertThat(attempts("d" + i + "-") - before.get("d" + i + "-")).isBetween(25 + 9, 25 + 11);
        }
    }

    @Test
    void pausedQueueAttemptsNothingAndGoesOnAsBefore() {
        down.add("down");
        schedule(100, "down");
        threads.advance(Duration.ofSeconds(10));
        done(engine.changeQueue("q", QueueChange.pause()));
        int before = attempts("down");
        threads.advance(Duration.ofSeconds(30));
        assertThat(attempts("down")).isEqualTo(before);
        done(engine.changeQueue("q", QueueChange.resume()));
        threads.advance(Duration.ofSeconds(10));
        assertThat(attempts("down") - before).isBetween(9, 12);
        done(engine.changeQueue("q", QueueChange.pause()));
        down.clear();
        done(engine.changeQueue("q", QueueChange.set(QueueSettings.NONE.withRate(RateLimit.of(10)))));
        done(engine.changeQueue("q", QueueChange.resume()));
        before = attempts("down");
        threads.advance(Duration.ofSeconds(5));
        assertThat(attempts("down") - before).as("at its rate, once it is back").isBetween(35, 61);
        threads.advance(Duration.ofSeconds(10));
        assertThat(pending(100, "down")).isZero();
    }

    @Test
    void redrivenTimersAreTriedNowAndThenAsWell() {
        down.add("down");
        for (int i = 0; i < 30; i++) {
            done(engine.schedule(TimerRequest.after("q", "dead" + i, Duration.ofMillis(1_000))
                    .withRetry(RetryPolicy.fixed(1, Duration.ofMillis(1)))
                    .withDestination(new Destination("t", "down"))));
        }
        threads.advance(Duration.ofSeconds(30));
        assertThat(attempts("down")).isEqualTo(30);
        for (int i = 0; i < 30; i++) {
            done(engine.redrive("q", "dead" + i));
        }
        threads.advance(Duration.ofSeconds(5));
        assertThat(attempts("down")).isBetween(34, 37);
        down.clear();
        threads.advance(Duration.ofSeconds(2));
        assertThat(pending(30, "dead")).isZero();
        assertThat(attempts("down")).isEqualTo(60);
    }

    private void done(CompletableFuture<?> command) {
        threads.runUntilIdle();
        assertThat(command).isCompleted();
    }
}
