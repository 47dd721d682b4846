package io.tickwheel.wheel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.logging.Filter;
import java.util.logging.Logger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tasks, listeners, logs, clocks, drivers and executors that throw. */
@Tag("races")
final class WheelTimerFailureTest extends WheelTimerScene {

    @Test
    void taskThatThrowsIsReportedAndStopsNobody() {
        WheelTimer timer = builder().build();
        timer.schedule(throwing("first"), ms(1));
        timer.schedule(
                () -> {
                    throw new StackOverflowError("deep");
                },
                ms(1));
        timer.schedule(task("b"), ms(1));
        expectAfter(ms(1), "first", "b");
        assertThat(told).containsExactly("failed: first", "failed: deep");
        assertThat(timer.metrics().failed()).isEqualTo(2);
    }

    @Test
    void listenerThatThrowsStopsNobody() {
        WheelTimer timer = builder()
                .listener(new WheelTimerListener() {
                    @Override
                    public void taskFailed(Timeout timeout, Throwable thrown) {
                        throw new IllegalStateException("from the listener, meant to be logged");
                    }

                    @Override
                    public void taskRejected(Timeout timeout, Runnable task, Throwable cause) {}
                })
                .build();
        timer.schedule(throwing("a"), ms(1));
        timer.schedule(task("b"), ms(1));
        expectAfter(ms(1), "a", "b");
    }

    @Test
    void logThatThrowsStopsNobody() {
        Logger log = Logger.getLogger(WheelTimer.class.getName());
        Filter broken = entry -> {
            throw new IllegalStateException("from the log");
        };
        log.setFilter(broken);
        try {
            WheelTimer timer = time.timerBuilder().build();
            timer.schedule(throwing("a"), ms(1));
            timer.schedule(task("b"), ms(1));
            expectAfter(ms(1), "a", "b");
            assertThat(timer.isShutdown()).isFalse();
        } finally {
            log.setFilter(null);
        }
    }

    @Test
    void clockThatBreaksClosesTheTimerAndGivesUpWhatIsPending() {
        boolean[] broken = {false};
        WheelTimer timer = builder()
                .clock(() -> {
                    if (broken[0]) {
                        throw new IllegalStateException("broken clock, meant to be logged");
                    }
                    return time.nanoTime();
                })
                .build();
        Timeout timeout = timer.schedule(task("a"), ms(10));
        broken[0] = true;
        expectAfter(ms(20));
        assertThat(timeout.state()).isEqualTo(Timeout.State.FAILED);
        assertThat(told).containsExactly("rejected: broken clock, meant to be logged");
        assertThat(timer.isTerminated()).isTrue();
        broken[0] = false;
        assertThatThrownBy(() -> timer.schedule(task("b"), ms(1)))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessage("the timer has failed")
                .hasRootCauseMessage("broken clock, meant to be logged");
    }

    @ParameterizedTest
    @EnumSource(RejectionPolicy.class)
    void refusedTaskIsNeverLost(RejectionPolicy policy) {
        int[] refusals = {2};
        WheelTimer timer = builder()
                .onRejection(policy)
                .executor(task -> {
                    if (refusals[0]-- > 0) {
                        throw new RejectedExecutionException("full");
                    }
                    task.run();
                })
                .build();
        Timeout timeout = timer.schedule(task("a"), ms(10));
        expectAfter(ms(9));
        switch (policy) {
            case FAIL -> {
                expectAfter(ms(1));
                assertThat(told).containsExactly("rejected: full");
                assertThat(timeout.state()).isEqualTo(Timeout.State.FAILED);
            }
            case RUN_ON_EXPIRY_THREAD -> expectAfter(ms(1), "a");
            case RETRY -> {
                expectAfter(ms(1));
                expectAfter(ms(1));
                expectAfter(ms(1), "a");
                assertThat(timer.metrics().rejected()).isEqualTo(2);
            }
        }
        expectAfter(MINUTE);
        assertThat(timer.pending()).isZero();
    }

    @ParameterizedTest
    @EnumSource(RejectionPolicy.class)
    void executorThatThrowsAfterItHasRunTheTaskIsNotBelieved(RejectionPolicy policy) {
        WheelTimer timer = builder()
                .onRejection(policy)
                .executor(task -> {
                    task.run();
                    throw new RejectedExecutionException("too late");
                })
                .build();
        Timeout once = timer.schedule(task("once"), ms(10));
        Timeout periodic = timer.scheduleAtFixedRate(task("p"), ms(10), ms(10));
        expectAfter(ms(10), "once", "p");
        expectAfter(ms(10), "p");
        assertThat(once.state()).isEqualTo(Timeout.State.STARTED);
        assertThat(periodic.state()).isEqualTo(Timeout.State.PENDING);
        assertThat(told).isEmpty();
        assertThat(timer.pending()).isEqualTo(1);
    }

    @Test
    void driverThatCannotStartIsReportedAndTriedAgain() {
        int[] failures = {1};
        WheelTimer timer = WheelTimer.builder()
                .maxPending(1)
                .threadFactory(loop -> {
                    if (failures[0]-- > 0) {
                        throw new OutOfMemoryError("unable to create native thread");
                    }
                    return new Thread(() -> {});
                })
                .build();
        assertThatThrownBy(() -> timer.schedule(task("a"), ms(1))).isInstanceOf(OutOfMemoryError.class);
        assertThat(timer.pending()).isZero();
        timer.schedule(task("a"), Duration.ofHours(1));
        assertThat(timer.pending()).isEqualTo(1);
    }
}
