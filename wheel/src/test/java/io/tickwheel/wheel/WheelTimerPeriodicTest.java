package io.tickwheel.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Tasks that run again and again. */
final class WheelTimerPeriodicTest extends WheelTimerScene {

    @Test
    void fixedRateKeepsToItsFirstDeadlineAndLeavesOutWhatItMissed() {
        WheelTimer timer = builder().build();
        Timeout timeout = timer.scheduleAtFixedRate(task("a"), ms(10), ms(100));
        expectAfter(ms(9));
        expectAfter(ms(1), "a");
        expectAfter(ms(99));
        expectAfter(ms(1), "a");
        time.stall(ms(350));
        // 210, 310 and 410 have passed, 460 is now: one run makes up for them, the next is 510.
        expectAfter(ms(0), "a");
        expectAfter(ms(49));
        expectAfter(ms(1), "a");
        assertThat(timeout.state()).isEqualTo(Timeout.State.PENDING);
        assertThat(timeout.cancel()).isTrue();
        assertThat(timeout.cancel()).isFalse();
        expectAfter(MINUTE);
        assertThat(timer.pending()).isZero();
    }

    @Test
    void fixedDelayCountsFromTheEndOfTheRun() {
        WheelTimer timer = builder().build();
        timer.scheduleWithFixedDelay(
                () -> {
                    ran.add("a");
                    time.stall(ms(30));
                },
                ms(10),
                ms(100));
        expectAfter(ms(10), "a");
        // It ended at 40.
        expectAfter(ms(69));
        expectAfter(ms(31), "a");
    }

    @Test
    void periodicTaskThatThrowsEnds() {
        WheelTimer timer = builder().maxPending(1).build();
        Timeout timeout = timer.scheduleAtFixedRate(throwing("a"), ms(10), ms(10));
        expectAfter(MINUTE, "a");
        assertThat(timeout.state()).isEqualTo(Timeout.State.FAILED);
        assertThat(timeout.cancel()).isFalse();
        assertThat(told).containsExactly("failed: a");
        timer.schedule(task("b"), ms(1));
        expectAfter(ms(1), "b");
    }

    @Test
    void periodicTaskCancelsItself() {
        WheelTimer timer = builder().maxPending(1).build();
        Timeout[] timeout = new Timeout[1];
        timeout[0] = timer.scheduleWithFixedDelay(() -> ran.add("cancelled " + timeout[0].cancel()), ms(1), ms(1));
        expectAfter(MINUTE, "cancelled true");
        assertThat(timeout[0].state()).isEqualTo(Timeout.State.CANCELLED);
        timer.schedule(task("b"), ms(1));
        expectAfter(ms(1), "b");
    }

    @Test
    void periodicTaskIsRescheduled() {
        WheelTimer timer = builder().build();
        Timeout timeout = timer.scheduleAtFixedRate(task("a"), ms(10), ms(100));
        assertThat(timeout.reschedule(ms(50))).isTrue();
        expectAfter(ms(49));
        expectAfter(ms(1), "a");
        expectAfter(ms(99));
        expectAfter(ms(1), "a");
    }
}
