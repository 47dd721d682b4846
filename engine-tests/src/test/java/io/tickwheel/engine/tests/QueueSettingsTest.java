package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.CommandOptions;
import io.tickwheel.engine.Delivery;
import io.tickwheel.engine.Destination;
import io.tickwheel.engine.EngineListener;
import io.tickwheel.engine.QueueChange;
import io.tickwheel.engine.QueueChangedException;
import io.tickwheel.engine.QueueSettings;
import io.tickwheel.engine.QueueView;
import io.tickwheel.engine.QuotaExceededException;
import io.tickwheel.engine.RateLimit;
import io.tickwheel.engine.RetryPolicy;
import io.tickwheel.engine.SlowStart;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TickwheelBuilder;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.engine.WaitingQueue;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.QueueCounts;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerStore;
import io.tickwheel.store.file.FileTimerStore;
import io.tickwheel.store.testkit.CrashKind;
import io.tickwheel.store.testkit.SimulatedDisk;
import io.tickwheel.testkit.ManualClock;
import io.tickwheel.testkit.ManualThreads;
import io.tickwheel.testkit.MemoryTimerStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** What is set of a queue applies to the attempts that start afterwards. */
class QueueSettingsTest {

    private static final Instant START = Instant.parse("2030-01-01T00:00:00Z");
    private static final Destination HELD = new Destination("held", "x");

    private ManualClock clock = new ManualClock(START);
    private ManualThreads threads = new ManualThreads(clock, new SplittableRandom(1));
    private final List<Attempt> started = new ArrayList<>();
    private final List<Delivery> running = new ArrayList<>();
    private boolean ends = true;

    private Tickwheel open(TimerStore store) {
        return open(store, builder -> builder);
    }

    private Tickwheel open(TimerStore store, UnaryOperator<TickwheelBuilder> options) {
        Tickwheel engine = options.apply(Tickwheel.builder(store)
                        .clock(clock)
                        .threads(threads)
                        .random(new SplittableRandom(2)::nextLong)
                        .target("held", this::deliver)
                        .queueDestination("q", HELD))
                .open();
        threads.runUntilIdle();
        return engine;
    }

    private static TimerStore small(SimulatedDisk disk) {
        return FileTimerStore.in(disk.path("/data")).withSegmentBytes(4_096).withCheckpointBytes(8_192);
    }

    private void deliver(Attempt attempt, Delivery delivery) {
        started.add(attempt);
        if (ends) {
            delivery.acknowledge();
        } else {
            running.add(delivery);
        }
    }

    private <T> T settled(CompletableFuture<T> answer) {
        threads.runUntilIdle();
        assertThat(answer).as("answered").isDone();
        return answer.join();
    }

    private QueueView change(Tickwheel engine, QueueChange change) {
        return settled(engine.changeQueue("q", change));
    }

    private QueueView set(Tickwheel engine, QueueSettings settings) {
        return change(engine, QueueChange.set(settings));
    }

    private void schedule(Tickwheel engine, String queue, int timers, Duration delay) {
        for (int i = 0; i < timers; i++) {
            settled(engine.schedule(queue, "k" + i, delay));
        }
    }

    private int startedIn(Duration time) {
        int before = started.size();
        threads.advance(time);
        return started.size() - before;
    }

    @Test
    void pausedQueueStartsNothingUntilItIsResumed() {
        Tickwheel engine = open(new MemoryTimerStore());
        schedule(engine, "q", 10, Duration.ofSeconds(1));
        change(engine, QueueChange.pause());
        assertThat(startedIn(Duration.ofHours(1))).isZero();
        assertThat(settled(engine.queue("q")).orElseThrow().counts()).isEqualTo(new QueueCounts("q", 10, 0, 0));
        change(engine, QueueChange.resume());
        threads.advance(Duration.ofSeconds(1));
        assertThat(started).hasSize(10);
        assertThat(engine.liveCount()).isZero();
    }

    @Test
    void pauseHoldsTimersWithAnAddressOfTheirOwnToo() {
        Tickwheel engine = open(new MemoryTimerStore());
        change(engine, QueueChange.pause());
        settled(engine.schedule(
                TimerRequest.after("q", "own", Duration.ZERO).withDestination(new Destination("held", "own"))));
        assertThat(startedIn(Duration.ofMinutes(1))).isZero();
        change(engine, QueueChange.resume());
        threads.advance(Duration.ofSeconds(1));
        assertThat(started).hasSize(1);
    }

    @Test
    void noAttemptStartsOnceAPauseIsKnown() {
        for (long seed = 0; seed < 200; seed++) {
            clock = new ManualClock(START);
            threads = new ManualThreads(clock, new SplittableRandom(seed));
            List<CompletableFuture<?>> pauses = new ArrayList<>();
            List<CompletableFuture<?>> schedules = new ArrayList<>();
            List<Tickwheel> opened = new ArrayList<>();
            List<String> late = new ArrayList<>();
            EngineListener listener = new EngineListener() {
                @Override
                public void started(Attempt attempt) {
                    boolean isKnown = opened.stream()
                            .anyMatch(engine ->
                                    Boolean.TRUE.equals(engine.settingsOf("q").paused()));
                    if (isKnown || pauses.stream().anyMatch(CompletableFuture::isDone)) {
                        late.add(attempt.key());
                    }
                }
            };
            Tickwheel engine = open(
                    new MemoryTimerStore(),
                    builder -> builder.listener(listener).answers(Runnable::run));
            opened.add(engine);
            pauses.add(engine.changeQueue("q", QueueChange.pause()));
            // Timers are due and claimed at each step on the way of the pause.
            for (int i = 0; !pauses.get(0).isDone(); i++) {
                schedules.add(engine.schedule("q", "k" + i, Duration.ZERO));
                threads.step();
            }
            threads.advance(Duration.ofSeconds(2));
            assertThat(pauses.get(0)).isDone();
            assertThat(schedules).allMatch(CompletableFuture::isDone);
            assertThat(late).as("started after the pause, seed %d", seed).isEmpty();
            change(engine, QueueChange.resume());
            pauses.clear();
            threads.advance(Duration.ofSeconds(2));
            assertThat(engine.liveCount()).isZero();
            settled(engine.closeAsync());
        }
    }

    @Test
    void pauseOutlivesACrash() {
        SimulatedDisk disk = new SimulatedDisk(7);
        Tickwheel engine = open(small(disk));
        schedule(engine, "q", 100, Duration.ofSeconds(1));
        change(engine, QueueChange.pause());
        threads.advance(Duration.ofMinutes(1));
        disk.crash(CrashKind.POWER_LOSS);
        clock = new ManualClock(START.plusSeconds(60));
        threads = new ManualThreads(clock, new SplittableRandom(3));
        engine = open(small(disk));
        assertThat(startedIn(Duration.ofMinutes(1))).isZero();
        assertThat(engine.liveCount()).isEqualTo(100);
        assertThat(engine.settingsOf("q").paused()).isTrue();
        change(engine, QueueChange.resume());
        threads.advance(Duration.ofSeconds(1));
        assertThat(started).hasSize(100);
    }

    @Test
    void pausedQueueHoldsNoPlaceThatOthersNeed() {
        Tickwheel engine = open(
                new MemoryTimerStore(), builder -> builder.loadedTimers(1_024).queueDestination("other", HELD));
        change(engine, QueueChange.pause());
        schedule(engine, "q", 3_000, Duration.ofSeconds(1));
        threads.advance(Duration.ofSeconds(10));
        schedule(engine, "other", 2_000, Duration.ofSeconds(5));
        assertThat(startedIn(Duration.ofSeconds(10))).isEqualTo(2_000);
        change(engine, QueueChange.resume());
        threads.advance(Duration.ofSeconds(20));
        assertThat(started).hasSize(5_000);
    }

    @Test
    void noSecondHasMoreThanTheRate() {
        Tickwheel engine = open(new MemoryTimerStore());
        set(engine, QueueSettings.NONE.withRate(RateLimit.of(100)));
        schedule(engine, "q", 1_000, Duration.ofSeconds(1));
        threads.advance(Duration.ofSeconds(1));
        for (int second = 1; second <= 9; second++) {
            assertThat(startedIn(Duration.ofSeconds(1))).as("second %d", second).isBetween(95, 105);
        }
        threads.advance(Duration.ofSeconds(2));
        assertThat(engine.liveCount()).isZero();
        schedule(engine, "q", 100, Duration.ofMinutes(1));
        threads.advance(Duration.ofSeconds(60).minusMillis(1));
        assertThat(startedIn(Duration.ofMillis(1))).as("the burst").isEqualTo(5);
    }

    @Test
    void slowRateIsKeptToAndForgotten() {
        Tickwheel engine = open(new MemoryTimerStore());
        schedule(engine, "q", 50, Duration.ofSeconds(1));
        set(engine, QueueSettings.NONE.withRate(new RateLimit(0.1, 1)));
        threads.advance(Duration.ofSeconds(100));
        assertThat(started).hasSizeBetween(10, 11);
        QueueView view = change(engine, QueueChange.set(QueueSettings.NONE).clearing(QueueSettings.Field.RATE));
        assertThat(view.settings()).isEqualTo(QueueSettings.NONE);
        threads.advance(Duration.ofSeconds(1));
        assertThat(started).hasSize(50);
    }

    @Test
    void attemptThatDoesNotStartTakesNothingOfTheRate() {
        Tickwheel engine = open(new MemoryTimerStore());
        set(engine, QueueSettings.NONE.withRate(new RateLimit(1, 10)).withExpireAfter(Duration.ofSeconds(1)));
        threads.advance(Duration.ofSeconds(20));
        change(engine, QueueChange.pause());
        schedule(engine, "q", 5, Duration.ZERO);
        threads.advance(Duration.ofSeconds(5));
        change(engine, QueueChange.resume());
        threads.advance(Duration.ofMillis(1));
        assertThat(engine.stats().expired()).isEqualTo(5);
        schedule(engine, "q", 11, Duration.ZERO);
        assertThat(started).as("the whole burst").hasSizeBetween(10, 11);
    }

    @Test
    void slowStartRises() {
        Tickwheel engine = open(new MemoryTimerStore());
        change(engine, QueueChange.pause());
        schedule(engine, "q", 5_000, Duration.ZERO);
        threads.advance(Duration.ofSeconds(5));
        change(engine, QueueChange.resume(SlowStart.of(50)));
        for (int t = 1; t <= 12; t++) {
            threads.advance(Duration.ofSeconds(1));
            double wanted = 50.0 * t + 25.0 * t * t;
            assertThat((double) started.size()).as("after %d s", t).isCloseTo(wanted, within(0.1 * wanted));
        }
        threads.advance(Duration.ofMinutes(1));
        assertThat(started).hasSize(5_000);
    }

    @Test
    void concurrencyIsOfTheQueue() {
        ends = false;
        Tickwheel engine = open(new MemoryTimerStore());
        set(engine, QueueSettings.NONE.withConcurrency(3));
        schedule(engine, "q", 10, Duration.ZERO);
        threads.advance(Duration.ofSeconds(5));
        assertThat(running).hasSize(3);
        running.get(0).acknowledge();
        threads.advance(Duration.ofSeconds(1));
        assertThat(running).hasSize(4);
        set(engine, QueueSettings.NONE.withConcurrency(10));
        threads.advance(Duration.ofSeconds(1));
        assertThat(running).hasSize(10);
        // More than any queue may have that says nothing.
        set(engine, QueueSettings.NONE.withConcurrency(400));
        schedule(engine, "q", 500, Duration.ZERO);
        threads.advance(Duration.ofSeconds(5));
        assertThat(engine.stats().running()).isEqualTo(400);
    }

    @Test
    void pauseHoldsAllDestinationsThatHaveAttempts() {
        ends = false;
        Tickwheel engine = open(new MemoryTimerStore());
        for (int i = 0; i < 10; i++) {
            for (String address : List.of("one", "other")) {
                settled(engine.schedule(TimerRequest.after("q", address + i, Duration.ofSeconds(i))
                        .withDestination(new Destination("held", address))));
            }
        }
        threads.advance(Duration.ofSeconds(1));
        assertThat(running).as("two of each").hasSize(4);
        change(engine, QueueChange.pause());
        assertThat(startedIn(Duration.ofSeconds(20))).isZero();
        change(engine, QueueChange.resume());
        assertThat(running).hasSize(20);
    }

    @Test
    void targetThatIsSetIsWhereTimersGo() {
        Tickwheel engine = open(new MemoryTimerStore());
        settled(engine.schedule("new", "k", Duration.ZERO));
        assertThat(startedIn(Duration.ofSeconds(10))).isZero();
        Destination other = new Destination("held", "other");
        settled(engine.changeQueue("new", QueueChange.set(QueueSettings.NONE.withTarget(other))));
        threads.advance(Duration.ofSeconds(1));
        assertThat(started)
                .singleElement()
                .satisfies(attempt -> assertThat(attempt.destination()).isEqualTo(other));
        assertThat(settled(engine.forgetQueue("new"))).isTrue();
        settled(engine.schedule("new", "k", Duration.ZERO));
        assertThat(startedIn(Duration.ofSeconds(10))).isZero();
        assertThat(settled(engine.forgetQueue("new"))).isFalse();
    }

    @Test
    void queueOfWhichSomethingIsConfiguredIsKnown() {
        Tickwheel engine = open(new MemoryTimerStore());
        assertThat(settled(engine.queue("q"))).isPresent();
        assertThat(settled(engine.queue("other"))).isEmpty();
    }

    /** Whoever stops a queue, or has it go on at full speed, means that, whatever was said before. */
    @Test
    void slowStartEndsWithAPauseAndWithAPlainResume() {
        Tickwheel engine = open(new MemoryTimerStore());
        for (QueueChange change : List.of(QueueChange.pause(), QueueChange.resume())) {
            assertThat(change(engine, QueueChange.resume(SlowStart.of(1)))
                            .settings()
                            .slowStart())
                    .isNotNull();
            assertThat(change(engine, change).settings().slowStart()).isNull();
        }
    }

    @Test
    void queueThatWaitsForItsRateSaysSo() {
        Tickwheel engine = open(new MemoryTimerStore());
        set(engine, QueueSettings.NONE.withRate(RateLimit.of(1)));
        schedule(engine, "q", 30, Duration.ZERO);
        threads.advance(Duration.ofSeconds(5));
        assertThat(engine.stats().waiting()).extracting(WaitingQueue::reason).containsExactly(WaitingQueue.Reason.RATE);
    }

    @Test
    void whatIsSetGoesOverTheConfiguration() {
        Tickwheel engine = open(
                new MemoryTimerStore(),
                builder ->
                        builder.queue("q", QueueSettings.NONE.withConcurrency(1).withRate(RateLimit.of(1))));
        QueueView view = set(engine, QueueSettings.NONE.withConcurrency(2));
        assertThat(view.configured())
                .isEqualTo(
                        QueueSettings.NONE.withTarget(HELD).withConcurrency(1).withRate(RateLimit.of(1)));
        assertThat(view.settings()).isEqualTo(QueueSettings.NONE.withConcurrency(2));
        assertThat(view.effective())
                .isEqualTo(engine.settingsOf("q"))
                .isEqualTo(
                        QueueSettings.NONE.withTarget(HELD).withConcurrency(2).withRate(RateLimit.of(1)));
    }

    @Test
    void retryIsThatOfTheMomentAtWhichAnAttemptStarts() {
        ends = false;
        Tickwheel engine = open(new MemoryTimerStore());
        settled(engine.schedule("q", "k", Duration.ZERO));
        threads.advance(Duration.ofMillis(1));
        set(engine, QueueSettings.NONE.withRetry(RetryPolicy.fixed(2, Duration.ofSeconds(7))));
        running.get(0).fail("no");
        threads.advance(Duration.ofSeconds(2));
        assertThat(started).as("the policy of before").hasSize(2);
        running.get(1).fail("no");
        threads.advance(Duration.ofMillis(1));
        assertThat(settled(engine.find("q", "k")).orElseThrow().state()).isEqualTo(TimerState.DEAD);
    }

    @Test
    void fullQueueTakesNoMoreAndReplacesWhatItHas() {
        Tickwheel engine = open(new MemoryTimerStore());
        set(engine, QueueSettings.NONE.withMaxPending(3));
        List<CompletableFuture<?>> answers = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            answers.add(engine.schedule("q", "k" + i, Duration.ofHours(1)));
        }
        threads.runUntilIdle();
        assertThat(answers.stream().filter(CompletableFuture::isCompletedExceptionally))
                .hasSize(2);
        assertThatThrownBy(answers.get(4)::join)
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(QuotaExceededException.class)
                .hasMessageContaining("queue q has 3 timers")
                .hasMessageContaining("at most 3");
        settled(engine.schedule("q", "k0", Duration.ofHours(2)));
        settled(engine.cancel("q", "k1"));
        threads.advance(Duration.ofSeconds(1));
        settled(engine.schedule("q", "k5", Duration.ofHours(2)));
        assertThat(engine.liveCount()).isEqualTo(3);
        settled(engine.schedule("other", "k", Duration.ofHours(2)));
    }

    @Test
    void commandsOnAKeyKeepTheirOrderInAQueueWithAQuota() {
        Tickwheel engine = open(new MemoryTimerStore());
        set(engine, QueueSettings.NONE.withMaxPending(10));
        List<CompletableFuture<?>> answers = new ArrayList<>();
        CompletableFuture<Cancelled> cancelled = null;
        for (int i = 0; i < 3; i++) {
            answers.add(engine.schedule("q", "k", Duration.ofHours(1)));
            cancelled = engine.cancel("q", "k");
            answers.add(cancelled);
        }
        threads.runUntilIdle();
        assertThat(answers).allMatch(CompletableFuture::isDone).noneMatch(CompletableFuture::isCompletedExceptionally);
        assertThat(Objects.requireNonNull(cancelled).join().outcome()).isEqualTo(Cancelled.Outcome.CANCELLED);
        assertThat(engine.liveCount()).isZero();
    }

    @Test
    void changeIsMeantForTheSettingsThatWereSeen() {
        Tickwheel engine = open(new MemoryTimerStore());
        QueueView first = set(engine, QueueSettings.NONE.withConcurrency(1));
        CommandOptions seen = CommandOptions.NONE.withExpectedId(first.id());
        QueueView second =
                settled(engine.changeQueue("q", QueueChange.set(QueueSettings.NONE.withConcurrency(2)), seen));
        assertThat(second.id()).isNotEqualTo(first.id());
        for (CompletableFuture<?> late : List.of(
                engine.changeQueue("q", QueueChange.pause(), seen),
                engine.forgetQueue("q", seen),
                engine.changeQueue("none", QueueChange.pause(), seen))) {
            threads.runUntilIdle();
            assertThatThrownBy(late::join).hasCauseInstanceOf(QueueChangedException.class);
        }
        assertThat(engine.settingsOf("q").concurrency()).isEqualTo(2);
        assertThat(engine.settingsOf("q").paused()).isNull();
    }

    @Test
    void changesOfOneMomentAllCount() {
        Tickwheel engine = open(new MemoryTimerStore());
        List<CompletableFuture<QueueView>> changes = List.of(
                engine.changeQueue("q", QueueChange.set(QueueSettings.NONE.withConcurrency(2))),
                engine.changeQueue("q", QueueChange.set(QueueSettings.NONE.withMaxPending(5))),
                engine.changeQueue("q", QueueChange.pause()));
        changes.forEach(this::settled);
        assertThat(settled(engine.queue("q")).orElseThrow().settings())
                .isEqualTo(
                        QueueSettings.NONE.withConcurrency(2).withMaxPending(5).withPaused(true));
        QueueView replaced = change(engine, QueueChange.replaceWith(QueueSettings.NONE.withDeadPerQueue(1)));
        assertThat(replaced.settings()).isEqualTo(QueueSettings.NONE.withDeadPerQueue(1));
    }

    @Test
    void documentsAreNoTimersOfAnybody() {
        Tickwheel engine = open(new MemoryTimerStore());
        set(engine, QueueSettings.NONE.withConcurrency(2));
        settled(engine.changeQueue("never", QueueChange.pause()));
        settled(engine.schedule("timers", "k", Duration.ofHours(1)));
        assertThat(engine.liveCount()).isOne();
        assertThat(settled(engine.queues()))
                .containsExactly(
                        new QueueCounts("never", 0, 0, 0),
                        new QueueCounts("q", 0, 0, 0),
                        new QueueCounts("timers", 1, 0, 0));
        assertThat(settled(engine.queue("unknown"))).isEmpty();
        assertThatThrownBy(() -> engine.queue("~queues")).isInstanceOf(IllegalArgumentException.class);
    }
}
