package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Delivery;
import io.tickwheel.engine.Destination;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.testkit.ManualClock;
import io.tickwheel.testkit.ManualThreads;
import io.tickwheel.testkit.MemoryTimerStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** For how long a store is told that the loop has nothing else to do: for as long as nothing could be late. */
final class SpareTimeTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final ManualClock clock = new ManualClock(Instant.parse("2030-01-01T00:00:00Z"));
    private final ManualThreads threads = new ManualThreads(clock, new SplittableRandom(1));
    private final WatchedStore store = new WatchedStore(new MemoryTimerStore());
    private final List<Long> spareNanos = new ArrayList<>();
    private final List<Delivery> running = new ArrayList<>();

    private Tickwheel engine;

    @BeforeEach
    void open() {
        store.before("work", (calendar, arguments) -> {
            spareNanos.add((Long) arguments[1]);
            return false;
        });
        engine = Tickwheel.builder(store)
                .clock(clock)
                .threads(threads)
                .target("t", (attempt, delivery) -> running.add(delivery))
                .queueDestination("q", new Destination("t", ""))
                .open();
        threads.runUntilIdle();
        spareNanos.clear();
    }

    @AfterEach
    void close() {
        var closed = engine.closeAsync();
        threads.runUntilIdle();
        assertThat(closed).isCompleted();
    }

    private void schedule(Duration delay) {
        var scheduled = engine.schedule(TimerRequest.after("q", delay.toString(), delay));
        threads.runUntilIdle();
        assertThat(scheduled).isCompleted();
    }

    @Test
    void nothingToDoIsSpareTime() {
        schedule(Duration.ofDays(1));
        assertThat(spareNanos).isNotEmpty().allMatch(nanos -> nanos >= SECOND.toNanos());
    }

    @Test
    void spareTimeEndsWhenATimerIsDue() {
        schedule(SECOND);
        assertThat(spareNanos).isNotEmpty().allMatch(nanos -> nanos <= SECOND.toNanos());
        assertThat(spareNanos).contains(SECOND.toNanos());
    }

    @Test
    void thereIsNoneWhileAnAttemptRuns() {
        schedule(Duration.ofMillis(1));
        threads.advance(SECOND);
        assertThat(running).hasSize(1);
        spareNanos.clear();
        schedule(Duration.ofDays(1));
        assertThat(spareNanos).isNotEmpty().containsOnly(0L);
        running.get(0).acknowledge();
        threads.runUntilIdle();
        spareNanos.clear();
        schedule(Duration.ofDays(1));
        assertThat(spareNanos).isNotEmpty().allMatch(nanos -> nanos >= SECOND.toNanos());
    }
}
