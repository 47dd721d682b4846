package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.store.TimerStore;
import io.tickwheel.store.file.FileTimerStore;
import io.tickwheel.store.testkit.SimulatedDisk;
import io.tickwheel.testkit.ManualClock;
import io.tickwheel.testkit.ManualThreads;
import io.tickwheel.testkit.MemoryTimerStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** An engine on a manual clock goes from one due time to the next, however far these are apart. */
class VirtualTimeTest {

    private static final Duration DAY = Duration.ofDays(1);

    /** A few turns, of which each makes some readings of the clock. */
    private static final int MOST_READINGS = 1_000;

    private final ManualClock clock = new ManualClock(Instant.parse("2030-01-01T00:00:00Z"));
    private final ManualThreads threads = new ManualThreads(clock, new SplittableRandom(1));
    private final CountingClock counting = new CountingClock(clock);
    private final List<Instant> delivered = new ArrayList<>();

    /** Counts how often it is read. */
    private static final class CountingClock implements Clock {

        private final Clock clock;
        private int readings;

        CountingClock(Clock clock) {
            this.clock = clock;
        }

        @Override
        public Instant now() {
            readings++;
            return clock.now();
        }

        @Override
        public long monoNanos() {
            readings++;
            return clock.monoNanos();
        }
    }

    private Tickwheel open(TimerStore store) {
        Tickwheel engine = Tickwheel.builder(store)
                .clock(counting)
                .threads(threads)
                .random(() -> 0)
                .open();
        engine.handle("q", attempt -> delivered.add(clock.now()));
        threads.runUntilIdle();
        return engine;
    }

    private void settle(CompletableFuture<?> answer) {
        threads.runUntilIdle();
        assertThat(answer).as("answered").isDone();
    }

    private void ninetyDaysWithOneTimer(TimerStore store) {
        Tickwheel engine = open(store);
        Instant due = clock.now().plus(DAY.multipliedBy(89));
        settle(engine.schedule("q", "a", DAY.multipliedBy(89)));
        threads.advance(Duration.ofMinutes(1));
        counting.readings = 0;
        threads.advance(DAY.multipliedBy(90));
        assertThat(delivered).containsExactly(due);
        assertThat(counting.readings).isLessThan(MOST_READINGS);
    }

    @Test
    void ninetyDaysTakeNoTurnsInMemory() {
        ninetyDaysWithOneTimer(new MemoryTimerStore());
    }

    @Test
    void ninetyDaysTakeNoTurnsOnFiles() {
        ninetyDaysWithOneTimer(
                FileTimerStore.in(new SimulatedDisk(1).path("/data")).withSegmentBytes(1 << 16));
    }

    @Test
    void eachTimerStartsAtItsMoment() {
        Tickwheel engine = open(new MemoryTimerStore());
        List<Instant> due = new ArrayList<>();
        for (int i = 1; i <= 200; i++) {
            Duration delay = Duration.ofMillis(1L << (i % 33)).plusMillis(i);
            due.add(clock.now().plus(delay));
            settle(engine.schedule("q", "k" + i, delay));
        }
        threads.advance(Duration.ofDays(60));
        due.sort(null);
        assertThat(delivered).isEqualTo(due);
    }

    @Test
    void timerThatComesWhileTheEngineSleepsIsNotLate() {
        Tickwheel engine = open(new MemoryTimerStore());
        settle(engine.schedule("q", "far", DAY.multipliedBy(30)));
        threads.advance(DAY);
        Instant due = clock.now().plusMillis(1_500);
        settle(engine.schedule("q", "near", Duration.ofMillis(1_500)));
        threads.advance(Duration.ofSeconds(2));
        assertThat(delivered).containsExactly(due);
    }

    @Test
    void timersOfAClockThatIsFarInThePastWait() {
        clock.stepWall(Duration.between(clock.now(), Instant.parse("-9000-01-01T00:00:00Z")));
        for (TimerStore store : List.of(
                new MemoryTimerStore(),
                FileTimerStore.in(new SimulatedDisk(1).path("/data")).withSegmentBytes(1 << 16))) {
            Tickwheel engine = open(store);
            settle(engine.schedule(TimerRequest.at("q", "far", Instant.parse("2090-01-01T00:00:00Z"))));
            threads.advance(DAY);
            assertThat(delivered).isEmpty();
            assertThat(engine.liveCount()).isEqualTo(1);
        }
    }

    @Test
    void steppedWallClockIsNoticed() {
        Tickwheel engine = open(new MemoryTimerStore());
        settle(engine.schedule("q", "far", DAY.multipliedBy(30)));
        threads.advance(DAY);
        clock.stepWall(DAY.multipliedBy(30));
        threads.advance(Duration.ofSeconds(1));
        assertThat(delivered).hasSize(1);
    }
}
