package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Delivery;
import io.tickwheel.engine.Destination;
import io.tickwheel.engine.RetryPolicy;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerPlans;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.recurrence.Recurrence;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.TimerView;
import io.tickwheel.testkit.ManualClock;
import io.tickwheel.testkit.ManualThreads;
import io.tickwheel.testkit.MemoryTimerStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;

/** An engine on a manual clock whose queue {@code q} notes which runs of plans have started. Seconds are those since the beginning of the test. */
abstract class PlanScene {

    static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");
    static final Recurrence EACH_MINUTE = Recurrence.fixedRate(Duration.ofMinutes(1));
    final ManualClock clock = new ManualClock(NOW);
    ManualThreads threads = new ManualThreads(clock, new SplittableRandom(1));
    final MemoryTimerStore store = new MemoryTimerStore();
    final List<String> started = new ArrayList<>();
    final List<Delivery> running = new ArrayList<>();
    boolean holds;
    Tickwheel engine = open();

    Tickwheel open() {
        return Tickwheel.builder(store)
                .clock(clock)
                .threads(threads)
                .random(() -> 0)
                .retry(RetryPolicy.fixed(2, Duration.ofSeconds(20)).withJitter(0))
                .target("t", this::deliver)
                .queueDestination("q", new Destination("t", ""))
                .open();
    }

    void deliver(Attempt attempt, Delivery delivery) {
        String run = attempt.run().isPresent() ? "#" + attempt.run().getAsLong() : "beside";
        long dueAt = Duration.between(NOW, attempt.dueAt()).toSeconds();
        started.add(attempt.key() + " " + run + " of " + dueAt + " at " + second());
        if (holds) {
            running.add(delivery);
        } else {
            delivery.acknowledge();
        }
    }

    long second() {
        return Duration.between(NOW, clock.now()).toSeconds();
    }

    <T> T settled(CompletableFuture<T> answer) {
        threads.runUntilIdle();
        assertThat(answer).as("answered").isDone();
        return answer.join();
    }

    Scheduled schedule(Recurrence recurrence) {
        return settled(engine.schedule(TimerRequest.recurring("q", "k", recurrence)));
    }

    /** Until so many seconds have passed since the beginning of the test; returns what has started. */
    List<String> until(long second) {
        threads.runUntilIdle();
        threads.advance(Duration.between(clock.now(), NOW.plusSeconds(second)));
        return taken();
    }

    List<String> taken() {
        threads.runUntilIdle();
        List<String> taken = List.copyOf(started);
        started.clear();
        return taken;
    }

    /** While nothing is done: the process stands still. */
    void away(long untilSecond) {
        clock.advance(Duration.between(clock.now(), NOW.plusSeconds(untilSecond)));
    }

    void endRun() {
        running.remove(0).acknowledge();
        threads.runUntilIdle();
    }

    Optional<TimerView> find(String key) {
        return settled(engine.find("q", key));
    }

    Optional<TimerView> run(long number) {
        return find(TimerPlans.runKey("k", number));
    }

    long dueSecond() {
        return Duration.between(NOW, find("k").orElseThrow().dueAt()).toSeconds();
    }

    void restart() {
        CompletableFuture<Void> closed = engine.closeAsync();
        threads.runUntilIdle();
        if (!closed.isDone()) {
            threads.advance(Duration.ofSeconds(60));
        }
        threads = new ManualThreads(clock, new SplittableRandom(2));
        engine = open();
    }
}
