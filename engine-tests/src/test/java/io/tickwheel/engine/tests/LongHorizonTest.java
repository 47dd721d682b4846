package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.TimerRequest;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import io.tickwheel.store.testkit.CrashKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Wall clocks that jump, machines that are off for years, timers due in a hundred years. */
class LongHorizonTest {

    private static final Duration YEAR = Duration.ofDays(365);
    private static final Duration DAY = Duration.ofDays(1);

    private final SimulatedEngine sim = new SimulatedEngine(7);

    private <T> T await(CompletableFuture<T> future) {
        sim.threads().runUntilIdle();
        assertThat(future).isDone();
        assertThat(future).as("answered").isDone();
        return future.join();
    }

    private void schedule(String key, Duration delay) {
        await(sim.engine().schedule(TimerRequest.after("q", key, delay).withDestination(SimulatedEngine.DESTINATION)));
    }

    private TimerState state(String key) {
        return await(sim.engine().find("q", key)).map(TimerView::state).orElseThrow();
    }

    private void pass(Duration time) {
        sim.threads().advance(time);
    }

    /** Ends what was started as delivered; returns the keys, in the order of the attempts. */
    private List<String> delivered() {
        List<String> keys = new ArrayList<>();
        while (!sim.started.isEmpty()) {
            SimulatedEngine.Started started = sim.started.remove(0);
            assertThat(started.attempt().lateness()).as("never early").isGreaterThanOrEqualTo(Duration.ZERO);
            keys.add(started.attempt().key());
            started.delivery().acknowledge();
            sim.threads().runUntilIdle();
        }
        return keys;
    }

    /** From the near tier to the far one, and enough that the log is trimmed. */
    private void scheduleOverAHundredYears() {
        for (int i = 0; i < 60; i++) {
            schedule("hour" + i, Duration.ofMinutes(10 + i));
            schedule("day" + i, Duration.ofHours(30 + i));
            schedule("month" + i, DAY.multipliedBy(20 + i));
            schedule("year" + i, YEAR.multipliedBy(1 + i));
        }
        schedule("century", YEAR.multipliedBy(100));
    }

    @Test
    void wallClockThatFallsBackYearsHoldsTimersAndDeliversEachOnce() {
        scheduleOverAHundredYears();
        pass(Duration.ofMinutes(15));
        assertThat(delivered()).containsExactly("hour0", "hour1", "hour2", "hour3", "hour4", "hour5");
        sim.clock.stepWall(YEAR.multipliedBy(-30));
        pass(DAY);
        assertThat(delivered()).isEmpty();
        schedule("in the past", Duration.ofMinutes(1));
        pass(Duration.ofMinutes(1));
        assertThat(delivered()).containsExactly("in the past");
        sim.clock.stepWall(YEAR.multipliedBy(30).minus(DAY));
        pass(Duration.ofMinutes(1));
        assertThat(delivered()).containsExactly("hour6", "hour7");
        assertThat(state("hour0")).isEqualTo(TimerState.COMPLETED);
        assertThat(state("century")).isEqualTo(TimerState.PENDING);
    }

    @Test
    void wallClockThatLeapsYearsDeliversWhatIsDueThenInOrderAndNoMore() {
        scheduleOverAHundredYears();
        sim.clock.stepWall(YEAR.multipliedBy(2).plusMinutes(30));
        pass(Duration.ofSeconds(1));
        List<String> keys = delivered();
        assertThat(keys).hasSize(182).startsWith("hour0", "hour1").endsWith("year1");
        assertThat(state("year2")).isEqualTo(TimerState.PENDING);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void wallClockThatJumpsAcrossARestartIsFollowed(boolean crash) {
        scheduleOverAHundredYears();
        pass(Duration.ofMinutes(12));
        assertThat(delivered()).containsExactly("hour0", "hour1", "hour2");
        sim.clock.stepWall(YEAR.multipliedBy(-20));
        startAgain(crash);
        pass(DAY);
        assertThat(delivered()).as("20 years early").isEmpty();
        sim.clock.stepWall(YEAR.multipliedBy(20).minus(DAY).plusMinutes(1));
        startAgain(crash);
        pass(Duration.ofMillis(1));
        assertThat(delivered()).containsExactly("hour3");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void downtimeLongerThanAnyTierLosesNothing(boolean crash) {
        scheduleOverAHundredYears();
        List<String> keys = new ArrayList<>();
        for (int years = 0; years < 110; years += 22) {
            sim.clock.advance(YEAR.multipliedBy(22));
            startAgain(crash);
            pass(Duration.ofSeconds(1));
            keys.addAll(delivered());
        }
        assertThat(keys).hasSize(241).doesNotHaveDuplicates().endsWith("century");
    }

    private void startAgain(boolean crash) {
        if (crash) {
            sim.crashAfterALook(CrashKind.POWER_LOSS);
        } else {
            sim.restart();
        }
    }

    @Test
    void timerOfAHundredYearsIsDeliveredAtItsMillisecond() {
        schedule("century", YEAR.multipliedBy(100));
        for (int decade = 0; decade < 10; decade++) {
            sim.restart();
            sim.threads().stall(YEAR.multipliedBy(10).minusMillis(1));
            assertThat(delivered()).isEmpty();
        }
        sim.threads().stall(Duration.ofMillis(9));
        assertThat(delivered()).isEmpty();
        pass(Duration.ofMillis(1));
        assertThat(delivered()).containsExactly("century");
    }
}
