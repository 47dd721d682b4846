package io.tickwheel.wheel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What becomes of tasks and callers when a timer is closed. */
@Tag("races")
final class WheelTimerCloseTest extends WheelTimerScene {

    @Test
    void closedTimerRefusesAndRunsNothing() {
        WheelTimer timer = builder().build();
        Timeout timeout = timer.schedule(task("a"), ms(10));
        timer.close();
        timer.close();
        assertThat(timer.isShutdown()).isTrue();
        assertThat(timer.isTerminated()).isTrue();
        assertThat(timeout.state()).isEqualTo(Timeout.State.CANCELLED);
        assertThat(timeout.cancel()).isFalse();
        assertThatThrownBy(() -> timer.schedule(task("b"), ms(1)))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessage("the timer is closed");
        assertThatThrownBy(() -> timer.scheduleAtFixedRate(task("b"), ms(1), ms(1)))
                .isInstanceOf(RejectedExecutionException.class);
        expectAfter(MINUTE);
    }

    @Test
    void timerThatWasNeverUsedTerminatesWhenClosed() {
        WheelTimer timer = builder().build();
        timer.close();
        assertThat(timer.isTerminated()).isTrue();
        assertThat(time.isStarted()).isFalse();
        assertThatThrownBy(() -> timer.schedule(task("b"), ms(1))).isInstanceOf(RejectedExecutionException.class);
        assertThat(time.isStarted()).isFalse();
    }

    @Test
    void shutdownLetsPendingTasksRunAndPeriodicOnesALastTime() {
        WheelTimer timer = builder().build();
        timer.schedule(task("a"), ms(10));
        timer.schedule(task("b"), ms(500));
        timer.scheduleAtFixedRate(task("p"), ms(20), ms(20));
        timer.shutdown();
        assertThatThrownBy(() -> timer.schedule(task("c"), ms(1))).isInstanceOf(RejectedExecutionException.class);
        assertThat(timer.isTerminated()).isFalse();
        expectAfter(ms(400), "a", "p");
        assertThat(timer.isTerminated()).isFalse();
        expectAfter(ms(400), "b");
        assertThat(timer.isTerminated()).isTrue();
    }

    @Test
    void shutdownEndsWhenTheLastPendingTaskIsCancelled() {
        WheelTimer timer = builder().build();
        Timeout timeout = timer.schedule(task("a"), ms(10));
        timer.shutdown();
        assertThat(timer.isTerminated()).isFalse();
        timeout.cancel();
        assertThat(timer.isTerminated()).isTrue();
    }

    @Test
    void shutdownNowReturnsWhatDidNotRunInTheOrderOfDeadlines() {
        WheelTimer timer = builder().build();
        Runnable late = task("late");
        Runnable soon = task("soon");
        Runnable cancelled = task("cancelled");
        timer.schedule(late, Duration.ofDays(3));
        timer.schedule(soon, ms(10));
        timer.schedule(cancelled, ms(10)).cancel();
        assertThat(timer.shutdownNow()).containsExactly(soon, late);
        assertThat(timer.shutdownNow()).isEmpty();
        assertThat(timer.metrics().cancelled()).isEqualTo(3);
        assertThat(timer.pending()).isZero();
    }

    @Test
    void taskClosesItsTimerAndTheRestOfItsTickIsReturned() {
        WheelTimer timer = builder().build();
        List<Runnable> returned = new ArrayList<>();
        Runnable next = task("next");
        timer.schedule(
                () -> {
                    ran.add("closing");
                    returned.addAll(timer.shutdownNow());
                },
                ms(1));
        timer.schedule(next, ms(1));
        expectAfter(MINUTE, "closing");
        assertThat(returned).containsExactly(next);
        assertThat(timer.isTerminated()).isTrue();
    }
}
