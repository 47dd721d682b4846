package io.tickwheel.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.store.TimerStore;
import io.tickwheel.testkit.ManualClock;
import io.tickwheel.testkit.ManualThreads;
import io.tickwheel.testkit.MemoryTimerStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;

/** An engine whose time passes when a test says so, and what has happened. */
final class Timeline implements AutoCloseable {

    private final ManualClock clock = new ManualClock(Instant.parse("2030-01-01T00:00:00Z"));
    private final ManualThreads threads = new ManualThreads(clock, new SplittableRandom(1));
    private final List<String> happened = new ArrayList<>();
    private final Tickwheel timers;

    Timeline() {
        this(new MemoryTimerStore());
    }

    Timeline(TimerStore store) {
        timers = Tickwheel.builder(store)
                .clock(clock)
                .threads(threads)
                .random(() -> 0)
                .open();
    }

    Clock clock() {
        return clock;
    }

    Tickwheel timers() {
        return timers;
    }

    void note(String event) {
        happened.add(event);
    }

    <T> T answer(CompletableFuture<T> answer) {
        threads.runUntilIdle();
        assertThat(answer).as("answered").isDone();
        return answer.join();
    }

    /** Lets time pass; returns what has happened since the last look. */
    List<String> after(Duration duration) {
        threads.advance(duration);
        List<String> seen = List.copyOf(happened);
        happened.clear();
        return seen;
    }

    /** Needed where the store is a directory, which is locked until then. */
    @Override
    public void close() {
        answer(timers.closeAsync());
    }
}
