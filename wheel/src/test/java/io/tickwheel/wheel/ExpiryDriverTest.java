package io.tickwheel.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A driver that calls the expiry when it must, and not once more. */
class ExpiryDriverTest {
    private static final long MS = 1_000_000;

    private final StrictTime time = new StrictTime(123);
    private final WheelTimer timer =
            WheelTimer.builder().clock(time).driver(time).build();
    private final List<String> ran = new ArrayList<>();

    @Test
    void firstTimeoutWakesTheDriver() {
        schedule("a", 5);
        assertThat(time.isWoken()).isTrue();
        time.advance(5 * MS - 1);
        assertThat(ran).isEmpty();
        time.advance(1);
        assertThat(ran).containsExactly("a");
    }

    @Test
    void onlyAnEarlierDeadlineWakesTheDriver() {
        schedule("a", 50);
        time.expireIfDue();
        schedule("b", 50);
        schedule("c", 60);
        Timeout cancelled = schedule("d", 70);
        cancelled.cancel();
        assertThat(time.isWoken()).isFalse();
        schedule("e", 49);
        assertThat(time.isWoken()).isTrue();
        time.advance(60 * MS);
        assertThat(ran).containsExactly("e", "a", "b", "c");
        // The first call, the one for e, and the three ticks with something due.
        assertThat(time.calls()).isEqualTo(5);
    }

    @Test
    void driverIsNotCalledAgainOnceTheTimerIsTerminated() {
        schedule("a", 5);
        time.advance(5 * MS);
        timer.close();
        long calls = time.calls();
        time.advance(1_000 * MS);
        assertThat(time.calls()).isEqualTo(calls);
        assertThat(timer.isTerminated()).isTrue();
    }

    @Test
    void clockThatStepsBackMakesTimeoutsLateAndNeverEarly() {
        schedule("a", 100);
        time.advance(100 * MS);
        assertThat(ran).containsExactly("a");

        time.pass(-50 * MS);
        schedule("b", 10);
        schedule("c", 49);
        time.advance(10 * MS);
        assertThat(ran).as("c is not due").doesNotContain("c");
        time.advance(40 * MS);
        assertThat(ran).containsExactly("a", "b", "c");
    }

    private Timeout schedule(String name, int delayMs) {
        return timer.schedule(() -> ran.add(name), Duration.ofMillis(delayMs));
    }
}
