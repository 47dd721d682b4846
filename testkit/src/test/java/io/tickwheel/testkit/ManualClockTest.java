package io.tickwheel.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.wheel.WheelTimer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ManualClockTest {
    private static final Instant START = Instant.parse("2030-01-01T00:00:00Z");

    private final ManualClock clock = new ManualClock(START);
    private final WheelTimer timer = clock.timerBuilder().build();
    private final List<String> ran = new ArrayList<>();

    private Runnable task(String name) {
        return () -> ran.add(name + " at " + clock.monoNanos());
    }

    private void advance(long nanos, String... names) {
        ran.clear();
        clock.advance(Duration.ofNanos(nanos));
        assertThat(ran).containsExactly(names);
    }

    @Test
    void dueTasksRunOnTheCallerAtTheirDeadlinesInTheirOrder() {
        List<Thread> threads = new ArrayList<>();
        timer.schedule(() -> threads.add(Thread.currentThread()), Duration.ofNanos(1));
        timer.schedule(task("c"), Duration.ofNanos(1001));
        timer.schedule(task("a"), Duration.ofNanos(999));
        timer.schedule(task("b"), Duration.ofNanos(1000));
        timer.schedule(task("d"), Duration.ofNanos(1001));
        advance(998);
        advance(1, "a at 999");
        advance(1_000_000, "b at 1000", "c at 1001", "d at 1001");
        assertThat(threads).containsExactly(Thread.currentThread());
        assertThat(clock.monoNanos()).isEqualTo(1_000_999);
        assertThat(clock.now()).isEqualTo(START.plusNanos(1_000_999));
    }

    @Test
    void tasksThatTasksScheduleRunInTheSameAdvance() {
        timer.schedule(
                () -> {
                    task("outer").run();
                    timer.schedule(task("same"), Duration.ZERO);
                    timer.schedule(task("inner"), Duration.ofNanos(5));
                    timer.schedule(task("beyond"), Duration.ofNanos(50));
                },
                Duration.ofNanos(10));
        timer.schedule(task("other"), Duration.ofNanos(12));
        advance(20, "outer at 10", "same at 10", "other at 12", "inner at 15");
        advance(39);
        advance(1, "beyond at 60");
    }

    @Test
    void whatIsDueNowRunsWithoutTimePassing() {
        timer.schedule(task("a"), Duration.ZERO);
        assertThat(ran).isEmpty();
        advance(0, "a at 0");
        advance(0);
    }

    @Test
    void timersOfOneClockTakeTurnsByDeadline() {
        WheelTimer other = clock.timerBuilder().build();
        timer.schedule(task("a1"), Duration.ofNanos(10));
        other.schedule(task("b1"), Duration.ofNanos(15));
        timer.schedule(task("a2"), Duration.ofNanos(20));
        other.schedule(task("b2"), Duration.ofNanos(25));
        advance(100, "a1 at 10", "b1 at 15", "a2 at 20", "b2 at 25");
    }

    @Test
    void timerWithATickOfItsOwnRoundsUp() {
        WheelTimer coarse = WheelTimer.builder().clock(clock).driver(clock).build();
        coarse.schedule(task("a"), Duration.ofNanos(1_500_000));
        advance(1_999_999);
        advance(1, "a at 2000000");
    }

    @Test
    void periodicTasksRunOncePerPeriod() {
        timer.scheduleAtFixedRate(task("p"), Duration.ofNanos(5), Duration.ofNanos(10));
        advance(30, "p at 5", "p at 15", "p at 25");
    }

    @Test
    void closedTimerIsForgotten() {
        timer.schedule(task("a"), Duration.ofNanos(5));
        timer.close();
        assertThat(timer.isTerminated()).isTrue();
        advance(10);
    }

    @Test
    void wallClockStepsAreNoTime() {
        timer.schedule(task("a"), Duration.ofNanos(5));
        clock.stepWall(Duration.ofDays(1));
        advance(4);
        advance(1, "a at 5");
        assertThat(clock.now()).isEqualTo(START.plus(Duration.ofDays(1)).plusNanos(5));
    }

    @Test
    void timeNeitherRunsBackwardsNorInsideATask() {
        assertThatThrownBy(() -> clock.advance(Duration.ofNanos(-1))).isInstanceOf(IllegalArgumentException.class);
        timer.schedule(
                () -> assertThatThrownBy(() -> clock.advance(Duration.ofNanos(1)))
                        .isInstanceOf(IllegalStateException.class)
                        .satisfies(thrown -> ran.add("refused")),
                Duration.ofNanos(1));
        advance(1, "refused");
    }

    @Test
    void whatTasksThrowIsThrownOnceTheOthersHaveRun() {
        IllegalStateException first = new IllegalStateException("first");
        AssertionError second = new AssertionError("second");
        timer.schedule(
                () -> {
                    throw first;
                },
                Duration.ofNanos(1));
        timer.schedule(
                () -> {
                    throw second;
                },
                Duration.ofNanos(2));
        timer.schedule(task("a"), Duration.ofNanos(3));
        assertThatThrownBy(() -> clock.advance(Duration.ofNanos(5)))
                .isSameAs(first)
                .hasSuppressedException(second);
        assertThat(ran).containsExactly("a at 3");
        advance(5);
    }

    @Test
    void allTheTimeThereIsCanPass() {
        timer.schedule(task("a"), Duration.ofDays(365));
        clock.advance(Duration.ofNanos(Long.MAX_VALUE));
        assertThat(ran).hasSize(1);
    }
}
