package io.tickwheel.wheel;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When tasks run, and which do not: deadlines, cancels, postponements and limits. */
final class WheelTimerTest extends WheelTimerScene {

    @Test
    void taskRunsAtItsDeadlineAndOnce() {
        WheelTimer timer = builder().build();
        Timeout timeout = timer.schedule(task("a"), ms(50));
        assertThat(timeout.state()).isEqualTo(Timeout.State.PENDING);
        assertThat(timer.pending()).isEqualTo(1);
        expectAfter(ms(50).minusNanos(1));
        expectAfter(Duration.ofNanos(1), "a");
        assertThat(timeout.state()).isEqualTo(Timeout.State.STARTED);
        assertThat(timer.pending()).isZero();
        expectAfter(Duration.ofDays(1));
    }

    @Test
    void deadlineIsRoundedUpToTheTickAndNeverDown() {
        WheelTimer timer = builder().build();
        time.advance(Duration.ofNanos(700_000));
        timer.schedule(task("a"), 400_000, NANOSECONDS);
        // Due 1.1 ms after the start, so in tick 2.
        expectAfter(Duration.ofNanos(1_299_999));
        expectAfter(Duration.ofNanos(1), "a");
    }

    @Test
    void tasksOfOneTickRunInTheOrderInWhichTheyWereScheduled() {
        WheelTimer timer = builder().build();
        timer.schedule(task("c"), ms(301));
        timer.schedule(task("a"), ms(300));
        timer.schedule(task("d"), ms(301));
        time.advanceMillis(200);
        timer.schedule(task("b"), ms(100));
        timer.schedule(task("e"), ms(101));
        expectAfter(ms(100), "a", "b");
        expectAfter(ms(1), "c", "d", "e");
    }

    @Test
    void overdueTasksRunInTheOrderOfTheirDeadlines() {
        WheelTimer timer = builder().build();
        for (int i = 1000; i > 0; i--) {
            timer.schedule(task(String.valueOf(i)), ms(10L * i));
        }
        time.stall(Duration.ofHours(1));
        ran.clear();
        time.advanceMillis(0);
        assertThat(ran).hasSize(1000).startsWith("1", "2", "3").endsWith("999", "1000");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE})
    void delayThatHasPassedIsDueAtOnceButNotOnTheCaller(long delay) {
        WheelTimer timer = builder().build();
        timer.schedule(task("a"), delay, NANOSECONDS);
        timer.schedule(task("b"), Duration.ofSeconds(delay));
        assertThat(ran).isEmpty();
        expectAfter(ms(0), "a", "b");
    }

    @Test
    void delayBeyondAllTimeIsKeptAndCanBeCancelled() {
        WheelTimer timer = builder().build();
        time.advanceMillis(5);
        Timeout nanos = timer.schedule(task("a"), Long.MAX_VALUE, NANOSECONDS);
        Timeout millis = timer.schedule(task("b"), Long.MAX_VALUE, MILLISECONDS);
        Timeout duration = timer.schedule(task("c"), Duration.ofSeconds(Long.MAX_VALUE));
        expectAfter(Duration.ofDays(365 * 100));
        assertThat(timer.pending()).isEqualTo(3);
        assertThat(List.of(nanos.cancel(), millis.cancel(), duration.cancel())).containsOnly(true);
        assertThat(timer.pending()).isZero();
    }

    @Test
    void clockThatStartsNegativeAndWrapsAroundIsFollowed() {
        ManualTime late = new ManualTime();
        late.stall(Duration.ofNanos(Long.MAX_VALUE - 1_000_000));
        WheelTimer timer = late.timerBuilder().build();
        timer.schedule(task("a"), ms(3));
        late.stall(ms(3).minusNanos(1));
        late.expireOnce();
        assertThat(ran).isEmpty();
        late.stall(Duration.ofNanos(1));
        late.expireOnce();
        assertThat(ran).containsExactly("a");
    }

    @Test
    void cancelledTaskDoesNotRun() {
        WheelTimer timer = builder().build();
        Timeout timeout = timer.schedule(task("a"), ms(10));
        timer.schedule(task("b"), ms(10));
        assertThat(timeout.cancel()).isTrue();
        assertThat(timeout.cancel()).isFalse();
        assertThat(timeout.state()).isEqualTo(Timeout.State.CANCELLED);
        assertThat(timeout.reschedule(ms(1))).isFalse();
        assertThat(timeout.remaining()).isEqualTo(Duration.ZERO);
        assertThat(timer.pending()).isEqualTo(1);
        expectAfter(MINUTE, "b");
    }

    @Test
    void cancelComesTooLateOnceTheTaskHasStarted() {
        WheelTimer timer = builder().build();
        Timeout[] timeout = new Timeout[1];
        List<Boolean> inside = new ArrayList<>();
        timeout[0] = timer.schedule(() -> inside.add(timeout[0].cancel()), ms(1));
        time.advanceMillis(1);
        assertThat(inside).containsExactly(false);
        assertThat(timeout[0].cancel()).isFalse();
        assertThat(timeout[0].state()).isEqualTo(Timeout.State.STARTED);
    }

    @Test
    void cancelWinsWhileTheTaskWaitsForAThread() {
        Queue<Runnable> queued = new ArrayDeque<>();
        WheelTimer timer = builder().executor(queued::add).build();
        Timeout timeout = timer.schedule(task("a"), ms(1));
        Timeout other = timer.schedule(task("b"), ms(1));
        time.advanceMillis(1);
        assertThat(queued).hasSize(2);
        assertThat(timeout.state()).isEqualTo(Timeout.State.PENDING);
        assertThat(timeout.reschedule(ms(1))).as("rescheduled once expired").isFalse();
        assertThat(timeout.cancel()).isTrue();
        queued.forEach(Runnable::run);
        assertThat(ran).containsExactly("b");
        assertThat(other.cancel()).isFalse();
        assertThat(timer.metrics().cancelled()).isEqualTo(1);
    }

    @Test
    void taskCancelsOneThatIsDueInTheSameTick() {
        WheelTimer timer = builder().build();
        Timeout[] second = new Timeout[1];
        timer.schedule(() -> ran.add("cancelled " + second[0].cancel()), ms(1));
        second[0] = timer.schedule(task("b"), ms(1));
        expectAfter(MINUTE, "cancelled true");
    }

    @Test
    void taskSchedulesAnotherOneThatIsDueAtOnce() {
        WheelTimer timer = builder().build();
        timer.schedule(() -> timer.schedule(task("inner"), ms(0)), ms(1));
        expectAfter(ms(1), "inner");
    }

    @Test
    void manyCancelledTimeoutsLeaveTheOthersInOrder() {
        WheelTimer timer = builder().build();
        List<Timeout> all = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            all.add(timer.schedule(task(String.valueOf(i)), ms(500 + i % 7)));
        }
        for (int i = 0; i < 1000; i++) {
            if (i % 100 != 0) {
                assertThat(all.get(i).cancel()).isTrue();
            }
        }
        assertThat(timer.pending()).isEqualTo(10);
        // 0, 100 .. 900 by their remainder of 7, then by number.
        expectAfter(MINUTE, "0", "700", "400", "100", "800", "500", "200", "900", "600", "300");
        assertThat(timer.metrics().cancelled()).isEqualTo(990);
    }

    /** Beside many a cancelled one stays in the wheel for a while, and counts no more. */
    @Test
    void cancelledTimeoutThatStaysInTheWheelIsCountedAsCancelled() {
        WheelTimer timer = builder().build();
        Timeout cancelled = timer.schedule(task("cancelled"), ms(10));
        for (int i = 0; i < 10_000; i++) {
            timer.schedule(task("pending"), MINUTE);
        }
        assertThat(cancelled.cancel()).isTrue();
        assertThat(timer.metrics().cancelled()).isEqualTo(1);
        assertThat(timer.metrics().pending()).isEqualTo(10_000);
        expectAfter(ms(10));
        assertThat(timer.metrics().cancelled()).isEqualTo(1);
    }

    @Test
    void laterDeadlineIsKeptAndTheOldOneIsNot() {
        WheelTimer timer = builder().build();
        Timeout timeout = timer.schedule(task("a"), ms(100));
        time.advanceMillis(60);
        assertThat(timeout.reschedule(ms(100))).isTrue();
        assertThat(timeout.remaining()).isEqualTo(ms(100));
        expectAfter(ms(99));
        expectAfter(ms(1), "a");
        assertThat(timeout.reschedule(ms(1))).isFalse();
    }

    @Test
    void earlierDeadlineIsKeptAndTheOldOneIsNot() {
        WheelTimer timer = builder().build();
        Timeout timeout = timer.schedule(task("a"), Duration.ofHours(1));
        time.advanceMillis(60);
        assertThat(timeout.reschedule(ms(5))).isTrue();
        expectAfter(ms(4));
        expectAfter(ms(1), "a");
        expectAfter(Duration.ofHours(2));
    }

    @Test
    void manyPostponementsCostOneWakeUpPerOldDeadlineAtMost() {
        WheelTimer timer = builder().build();
        Timeout timeout = timer.schedule(task("a"), Duration.ofSeconds(60));
        for (int second = 0; second < 600; second++) {
            expectAfter(Duration.ofSeconds(1));
            assertThat(timeout.reschedule(Duration.ofSeconds(60))).isTrue();
        }
        assertThat(timer.metrics().wakeUps()).isLessThan(30);
        expectAfter(Duration.ofSeconds(60).minusNanos(1));
        expectAfter(Duration.ofNanos(1), "a");
    }

    @Test
    void cancelAfterPostponementTakesItOut() {
        WheelTimer timer = builder().build();
        Timeout timeout = timer.schedule(task("a"), ms(10));
        timer.schedule(task("b"), ms(10));
        timeout.reschedule(Duration.ofHours(1));
        expectAfter(ms(20), "b");
        assertThat(timeout.cancel()).isTrue();
        expectAfter(Duration.ofHours(2));
        assertThat(timer.pending()).isZero();
    }

    @Test
    void slackMovesDeadlinesTogether() {
        WheelTimer timer = builder().build();
        for (int delay = 1000; delay <= 1100; delay += 10) {
            timer.schedule(task("s"), ms(delay), ms(200));
        }
        expectAfter(ms(1023));
        expectAfter(ms(1), "s", "s", "s");
        expectAfter(ms(127));
        expectAfter(ms(1), "s", "s", "s", "s", "s");
        expectAfter(ms(127));
        expectAfter(ms(1), "s", "s", "s");
        assertThat(timer.metrics().wakeUps())
                .as("the first one and 1024, 1152, 1280")
                .isEqualTo(4);
    }

    @Test
    void nothingMoreThanTheLimitIsPending() {
        WheelTimer timer = builder().maxPending(2).build();
        Timeout first = timer.schedule(task("a"), ms(10));
        timer.schedule(task("b"), ms(20));
        assertThatThrownBy(() -> timer.schedule(task("c"), ms(30)))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessageContaining("maxPending");
        first.cancel();
        timer.schedule(task("d"), ms(30));
        assertThatThrownBy(() -> timer.schedule(task("e"), ms(30))).isInstanceOf(RejectedExecutionException.class);
        expectAfter(ms(20), "b");
        timer.schedule(task("f"), ms(30));
        expectAfter(ms(30), "d", "f");
    }

    @Test
    void refusedTimeoutTakesNoPlace() {
        WheelTimer timer = builder().maxPending(1).build();
        timer.schedule(task("a"), ms(10)).cancel();
        timer.shutdown();
        assertThatThrownBy(() -> timer.schedule(task("b"), ms(1))).hasMessage("the timer is closed");
        assertThatThrownBy(() -> timer.schedule(task("b"), ms(1))).hasMessage("the timer is closed");
    }

    @Test
    void nothingIsStartedBeforeTheFirstSchedule() {
        WheelTimer timer = builder().build();
        assertThat(time.isStarted()).isFalse();
        timer.schedule(task("a"), ms(1));
        assertThat(time.isStarted()).isTrue();
    }

    @Test
    void onlyAnEarlierDeadlineWakesTheTimer() {
        WheelTimer timer = builder().build();
        timer.schedule(task("a"), ms(100));
        time.advanceMillis(0);
        int before = time.wakeUps();
        for (int i = 0; i < 50; i++) {
            timer.schedule(task("later"), ms(200 + i)).cancel();
        }
        assertThat(time.wakeUps()).isEqualTo(before);
        timer.schedule(task("b"), ms(50));
        assertThat(time.wakeUps()).isEqualTo(before + 1);
        timer.schedule(task("c"), ms(40));
        assertThat(time.wakeUps()).as("it is awake already").isEqualTo(before + 1);
        expectAfter(ms(100), "c", "b", "a");
    }

    @Test
    void metricsCountWhatHappened() {
        WheelTimer timer = builder().build();
        timer.schedule(task("a"), ms(10));
        timer.schedule(task("b"), ms(20)).cancel();
        timer.schedule(throwing("c"), ms(30));
        timer.schedule(task("d"), Duration.ofHours(1));
        time.stall(ms(14));
        time.advanceMillis(16);
        WheelTimerMetrics metrics = timer.metrics();
        assertThat(metrics.scheduled()).isEqualTo(4);
        assertThat(metrics.cancelled()).isEqualTo(1);
        assertThat(metrics.fired()).isEqualTo(2);
        assertThat(metrics.pending()).isEqualTo(1);
        assertThat(metrics.failed()).isEqualTo(1);
        assertThat(metrics.lateness().count()).isEqualTo(2);
        assertThat(metrics.lateness().max()).isEqualTo(ms(4));
        assertThat(metrics.lateness().percentile(50)).isEqualTo(Duration.ZERO);
        assertThat(metrics.lateness().percentile(100)).isEqualTo(ms(4));
    }

    @Test
    void settingsOutsideTheirRangeAreRefused() {
        WheelTimerBuilder settings = WheelTimer.builder();
        assertThatThrownBy(() -> settings.tick(Duration.ZERO)).hasMessageContaining("tick is PT0S");
        assertThatThrownBy(() -> settings.tick(Duration.ofDays(2))).hasMessageContaining("tick is PT48H");
        assertThatThrownBy(() -> settings.stripes(3)).hasMessageContaining("stripes is 3");
        assertThatThrownBy(() -> settings.stripes(0)).hasMessageContaining("stripes is 0");
        assertThatThrownBy(() -> settings.stripes(128)).hasMessageContaining("stripes is 128");
        assertThatThrownBy(() -> settings.maxPending(0)).hasMessageContaining("maxPending is 0");
        assertThatThrownBy(() -> settings.maxPendingWait(ms(-1))).hasMessageContaining("wait is PT-0.001S");
        assertThatThrownBy(() -> settings.slack(ms(-1))).hasMessageContaining("slack is PT-0.001S");
        WheelTimer timer = builder().build();
        assertThatThrownBy(() -> timer.schedule(task("a"), ms(1), ms(-1))).hasMessageContaining("slack is PT-0.001S");
        assertThatThrownBy(() -> timer.scheduleAtFixedRate(task("a"), ms(1), ms(0)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("period is PT0S");
        assertThatThrownBy(() -> timer.scheduleWithFixedDelay(task("a"), ms(1), ms(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("period is PT-0.001S");
    }
}
