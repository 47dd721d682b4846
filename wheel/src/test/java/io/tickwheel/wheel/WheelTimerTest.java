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
import java.util.logging.Filter;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class WheelTimerTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final ManualTime time = new ManualTime();
    private final List<String> ran = new ArrayList<>();
    private final List<String> told = new ArrayList<>();

    private WheelTimerBuilder builder() {
        return time.timerBuilder().listener(new WheelTimerListener() {
            @Override
            public void taskFailed(Timeout timeout, Throwable thrown) {
                told.add("failed: " + thrown.getMessage());
            }

            @Override
            public void taskRejected(Timeout timeout, Runnable task, Throwable cause) {
                told.add("rejected: " + cause.getMessage());
            }
        });
    }

    private Runnable task(String name) {
        return () -> ran.add(name);
    }

    private Runnable throwing(String message) {
        return () -> {
            ran.add(message);
            throw new IllegalStateException(message);
        };
    }

    private static Duration ms(long millis) {
        return Duration.ofMillis(millis);
    }

    private void expectAfter(Duration step, String... names) {
        ran.clear();
        time.advance(step);
        assertThat(ran).containsExactly(names);
    }

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

    @Test
    void timeoutThatWasGivenToTheWrongTimerCanStillBeStarted() {
        WheelTimer timer = builder().name("right").build();
        WheelTimer other = builder().name("wrong").build();
        TimeoutNode timeout = new TimeoutNode(timer) {
            @Override
            protected void expired() {
                ran.add("a");
            }
        };
        assertThatThrownBy(() -> other.start(timeout, 1, MILLISECONDS))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("timeout is of right, not of wrong");
        timer.start(timeout, 1, MILLISECONDS);
        assertThatThrownBy(() -> timer.start(timeout, 1, MILLISECONDS))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("timeout was started or cancelled before");
        expectAfter(ms(1), "a");
        assertThat(other.pending()).isZero();
    }

    /** A timeout that notes when it expires, and when it is told that it was cancelled. */
    private TimeoutNode noting(WheelTimer timer) {
        return new TimeoutNode(timer) {
            @Override
            protected void expired() {
                ran.add("expired");
            }

            @Override
            protected void cancelled() {
                ran.add("cancelled");
            }
        };
    }

    @Test
    void timeoutThatIsCancelledBeforeItsStartCannotBeStarted() {
        WheelTimer timer = builder().maxPending(1).build();
        TimeoutNode timeout = noting(timer);
        assertThat(timeout.state()).isEqualTo(Timeout.State.PENDING);

        assertThat(timeout.cancel()).isTrue();

        assertThat(ran).containsExactly("cancelled");
        assertThat(timeout.state()).isEqualTo(Timeout.State.CANCELLED);
        assertThat(timeout.cancel()).isFalse();
        assertThatThrownBy(() -> timer.start(timeout, 1, MILLISECONDS))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("timeout was started or cancelled before");
        assertThat(ran).hasSize(1);
        assertThat(timer.metrics().cancelled())
                .as("of those that were scheduled")
                .isZero();
        timer.start(noting(timer), 1, MILLISECONDS);
        assertThatThrownBy(() -> timer.start(noting(timer), 1, MILLISECONDS))
                .isInstanceOf(RejectedExecutionException.class);
    }

    @Test
    void timeoutWhoseStartWasRefusedCanBeStartedOnceThereIsRoom() {
        WheelTimer timer = builder().maxPending(1).build();
        Timeout first = timer.schedule(task("first"), ms(5));
        TimeoutNode refused = noting(timer);
        assertThatThrownBy(() -> timer.start(refused, 1, MILLISECONDS)).isInstanceOf(RejectedExecutionException.class);
        assertThat(refused.state()).isEqualTo(Timeout.State.PENDING);

        first.cancel();

        timer.start(refused, 1, MILLISECONDS);
        expectAfter(ms(1), "expired");
    }

    @Test
    void timeoutWhoseStartWasRefusedIsNotCountedWhenItIsCancelled() {
        WheelTimer timer = builder().maxPending(1).build();
        timer.schedule(task("first"), ms(5));
        TimeoutNode refused = noting(timer);
        assertThatThrownBy(() -> timer.start(refused, 1, MILLISECONDS)).isInstanceOf(RejectedExecutionException.class);

        assertThat(refused.cancel()).isTrue();

        assertThat(timer.metrics().cancelled()).isZero();
        assertThatThrownBy(() -> timer.start(refused, 1, MILLISECONDS)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void timeoutThatIsStartedOnAClosedTimerIsRefused() {
        WheelTimer timer = builder().build();
        TimeoutNode timeout = noting(timer);
        timer.close();
        assertThatThrownBy(() -> timer.start(timeout, 1, MILLISECONDS))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessage("the timer is closed");
    }

    @Test
    void timeoutThatWasRunByHandBeforeItsStartStillExpires() {
        WheelTimer timer = builder().build();
        TimeoutNode timeout = noting(timer);

        timeout.run();

        assertThat(ran).isEmpty();
        assertThat(timeout.state()).isEqualTo(Timeout.State.PENDING);
        timer.start(timeout, 1, MILLISECONDS);
        expectAfter(ms(1), "expired");
    }
}
