package io.tickwheel.wheel;

import static java.util.concurrent.TimeUnit.DAYS;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MICROSECONDS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.MINUTES;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When things happen, told by a clock that the test moves and workers that run when the test says so. */
// A future that nobody asks is what most callers make.
@SuppressWarnings("FutureReturnValueIgnored")
@org.junit.jupiter.api.Timeout(60)
@Tag("races")
class WheelScheduledExecutorTest {
    private final ManualTime time = new ManualTime();
    private final QueuedWorkers workers = new QueuedWorkers();
    private final List<String> refused = new ArrayList<>();
    private final WheelScheduledExecutor executor = new WheelScheduledExecutor(workers, settings());
    private final List<String> ran = new ArrayList<>();

    private WheelTimerBuilder settings() {
        return time.timerBuilder().listener(new WheelTimerListener() {
            @Override
            public void taskFailed(Timeout timeout, Throwable thrown) {
                throw new AssertionError(thrown);
            }

            @Override
            public void taskRejected(Timeout timeout, Runnable task, Throwable cause) {
                refused.add(cause.getMessage());
            }
        });
    }

    /** Lets time pass, runs what came due, and expects that it was exactly this. */
    private void advance(Duration duration, String... expected) {
        time.advance(duration);
        workers.runAll();
        expect(expected);
    }

    private void expect(String... expected) {
        assertThat(ran).containsExactly(expected);
        ran.clear();
    }

    private Runnable task(String name) {
        return () -> ran.add(name);
    }

    private static Duration millis(long millis) {
        return Duration.ofMillis(millis);
    }

    @Test
    void aTaskRunsAtItsDeadlineAndNotBefore() throws Exception {
        ScheduledFuture<?> runnable = executor.schedule(task("runnable"), 10, MILLISECONDS);
        ScheduledFuture<String> callable = executor.schedule(() -> "value", 20, MILLISECONDS);
        assertThat(executor.pending()).isEqualTo(2);
        advance(millis(10).minusNanos(1));
        advance(Duration.ofNanos(1), "runnable");
        assertThat(runnable.get()).isNull();
        advance(millis(10).minusNanos(1));
        assertThat(callable.isDone()).isFalse();
        advance(Duration.ofNanos(1));
        assertThat(callable.get()).isEqualTo("value");
        assertThat(executor.pending()).isZero();
    }

    @Test
    void tasksOfOneTickRunInTheOrderOfTheCalls() {
        executor.schedule(task("a"), 2_900, MICROSECONDS);
        executor.schedule(task("b"), 2_100, MICROSECONDS);
        executor.scheduleAtFixedRate(task("c"), 3, 100, MILLISECONDS);
        executor.schedule(task("d"), 2_001, MICROSECONDS);
        executor.schedule(task("earlier"), 2, MILLISECONDS);
        advance(millis(5), "earlier", "a", "b", "c", "d");
    }

    @Test
    void tasksRunInTheOrderOfTheirDeadlines() {
        executor.schedule(task("c"), 30, DAYS);
        executor.schedule(task("b"), 20, MINUTES);
        executor.schedule(task("a"), 10, MILLISECONDS);
        advance(Duration.ofDays(40), "a", "b", "c");
    }

    @Test
    void whatIsDueAtOnceNeedsNoTimer() {
        executor.schedule(task("a"), 0, SECONDS);
        executor.execute(task("b"));
        executor.schedule(task("c"), -1, DAYS);
        executor.submit(task("d"));
        executor.scheduleAtFixedRate(task("e"), Long.MIN_VALUE, 1, DAYS);
        assertThat(executor.pending()).isZero();
        assertThat(time.isStarted()).isFalse();
        assertThat(workers.queued()).isEqualTo(5);
        workers.runAll();
        expect("a", "b", "c", "d", "e");
        assertThat(executor.pending()).isEqualTo(1);
    }

    @Test
    void aTaskThatCameDueFirstIsAheadOfWhatIsExecutedLater() {
        executor.schedule(task("a"), 1, MILLISECONDS);
        executor.execute(task("b"));
        time.advanceMillis(1);
        executor.execute(task("c"));
        workers.runAll();
        expect("b", "a", "c");
    }

    @Test
    void aFixedRateIsCountedFromTheFirstDeadline() {
        executor.scheduleAtFixedRate(task("run"), 5, 10, MILLISECONDS);
        advance(millis(5).minusNanos(1));
        advance(Duration.ofNanos(1), "run");
        advance(millis(10).minusNanos(1));
        // The run is late by three, the next is not.
        time.advance(millis(3).plusNanos(1));
        workers.runAll();
        expect("run");
        advance(millis(7).minusNanos(1));
        advance(Duration.ofNanos(1), "run");
    }

    @Test
    void missedRunsOfAFixedRateAreMadeUpFor() {
        executor.scheduleAtFixedRate(task("run"), 10, 10, MILLISECONDS);
        time.stall(millis(45));
        advance(Duration.ZERO, "run", "run", "run", "run");
        advance(millis(4));
        advance(millis(1), "run");
    }

    @Test
    void aRateFinerThanTheTickIsKeptOnAverage() {
        executor.scheduleAtFixedRate(task("run"), 250, 250, MICROSECONDS);
        advance(millis(1), "run", "run", "run", "run");
        advance(Duration.ofNanos(250_000 * 3));
        advance(Duration.ofNanos(250_000), "run", "run", "run", "run");
    }

    @Test
    void aFixedDelayIsCountedFromTheEndOfTheRun() {
        executor.scheduleWithFixedDelay(
                () -> {
                    ran.add("run");
                    time.stall(millis(7));
                },
                0,
                10,
                MILLISECONDS);
        advance(Duration.ZERO, "run");
        advance(millis(10).minusNanos(1));
        advance(Duration.ofNanos(1), "run");
        time.stall(millis(95));
        advance(Duration.ZERO, "run");
        advance(millis(9));
        advance(millis(1), "run");
    }

    @Test
    void aPeriodicTaskIsGivenToTheWorkersOnceAtATime() {
        executor.scheduleAtFixedRate(task("run"), 1, 1, MILLISECONDS);
        time.advanceMillis(50);
        assertThat(workers.queued()).isEqualTo(1);
        assertThat(executor.pending()).isZero();
    }

    @Test
    void theDelayIsExact() {
        ScheduledFuture<?> future = executor.schedule(task("a"), 1_234_567, NANOSECONDS);
        ScheduledFuture<?> longest = executor.schedule(task("b"), Long.MAX_VALUE, DAYS);
        ScheduledFuture<?> past = executor.schedule(task("c"), -5, DAYS);
        assertThat(future.getDelay(NANOSECONDS)).isEqualTo(1_234_567);
        assertThat(future.getDelay(MILLISECONDS)).isEqualTo(1);
        assertThat(longest.getDelay(NANOSECONDS)).isEqualTo(Long.MAX_VALUE);
        assertThat(past.getDelay(NANOSECONDS)).isZero();
        time.advance(Duration.ofNanos(1_234_568));
        assertThat(future.getDelay(NANOSECONDS)).isEqualTo(-1);
        assertThat(longest.getDelay(NANOSECONDS)).isEqualTo(Long.MAX_VALUE - 1_234_568);
        assertThat(executor.schedule(task("d"), Long.MAX_VALUE, NANOSECONDS).getDelay(NANOSECONDS))
                .isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void theDelayOfAPeriodicTaskIsThatOfItsNextRun() {
        ScheduledFuture<?> rate = executor.scheduleAtFixedRate(task("rate"), 5, 10, MILLISECONDS);
        ScheduledFuture<?> longest = executor.scheduleAtFixedRate(task("longest"), 0, Long.MAX_VALUE, DAYS);
        ScheduledFuture<?> delay = executor.scheduleWithFixedDelay(task("delay"), 5, 10, MILLISECONDS);
        advance(millis(7), "longest", "rate", "delay");
        assertThat(rate.getDelay(MILLISECONDS)).isEqualTo(8);
        assertThat(delay.getDelay(MILLISECONDS)).isEqualTo(10);
        assertThat(longest.getDelay(NANOSECONDS))
                .isEqualTo(Long.MAX_VALUE - millis(7).toNanos());
    }

    @Test
    void equalDeadlinesCompareInTheOrderOfTheCalls() {
        ScheduledFuture<?> first = executor.schedule(task("a"), 1, MILLISECONDS);
        ScheduledFuture<?> second = executor.schedule(task("b"), 1, MILLISECONDS);
        ScheduledFuture<?> overdue = executor.schedule(task("c"), 0, MILLISECONDS);
        ScheduledFuture<?> longest = executor.schedule(task("d"), Long.MAX_VALUE, NANOSECONDS);
        time.advanceMillis(5);
        ScheduledFuture<?> longer = executor.schedule(task("e"), Long.MAX_VALUE, NANOSECONDS);
        List<ScheduledFuture<?>> futures = new ArrayList<>(List.of(longer, second, longest, first, overdue));
        Collections.sort(futures);
        assertThat(futures.equals(List.of(overdue, first, second, longest, longer)))
                .isTrue();
    }

    @Test
    void nothingIsKeptOfACancelledTask() {
        ScheduledFuture<?> delayed = executor.schedule(task("a"), 10, MILLISECONDS);
        ScheduledFuture<?> periodic = executor.scheduleAtFixedRate(task("b"), 10, 10, MILLISECONDS);
        ScheduledFuture<?> again = executor.scheduleAtFixedRate(task("c"), 0, 10, MILLISECONDS);
        Future<?> queued = executor.submit(() -> "value");
        time.advance(Duration.ZERO);
        assertThat(executor.pending()).isEqualTo(2);
        assertThat(queued.cancel(false)).isTrue();
        assertThat(delayed.cancel(false)).isTrue();
        assertThat(executor.pending()).isEqualTo(1);
        assertThat(periodic.cancel(true)).isTrue();
        assertThat(executor.pending()).isZero();
        workers.runAll();
        expect("c");
        assertThat(executor.pending()).isEqualTo(1);
        assertThat(again.cancel(true)).isTrue();
        assertThat(executor.pending()).isZero();
        for (ScheduledFuture<?> future : List.of(delayed, periodic, again)) {
            DueNode node = ((ScheduledTask<?>) future).node;
            assertThat(node).hasToString("null");
            assertThat(node.pendingTask()).isNull();
        }
        advance(millis(100));
    }

    @Test
    void nothingIsKeptOfATaskThatHasRun() {
        ScheduledFuture<?> future = executor.schedule(task("a"), 10, MILLISECONDS);
        assertThat(((ScheduledTask<?>) future).node).doesNotHaveToString("null");
        advance(millis(10), "a");
        assertThat(((ScheduledTask<?>) future).node).hasToString("null");
    }

    @Test
    void aCancelWinsUntilTheTaskStarts() {
        ScheduledFuture<?> future = executor.schedule(task("a"), 1, MILLISECONDS);
        time.advanceMillis(1);
        assertThat(workers.queued()).isEqualTo(1);
        assertThat(future.cancel(false)).isTrue();
        workers.runAll();
        expect();
        assertThatThrownBy(future::get).isInstanceOf(CancellationException.class);
    }

    @Test
    void aTaskThatSomebodyRunsEarlyLeavesTheWheel() {
        ScheduledFuture<?> future = executor.schedule(task("a"), 1, HOURS);
        ((Runnable) future).run();
        expect("a");
        assertThat(future.isDone()).isTrue();
        assertThat(executor.pending()).isZero();
        advance(Duration.ofHours(2));
    }

    @Test
    void theWorkersAreShutDownAfterTheLastDelayedTask() {
        executor.schedule(task("a"), 1, HOURS);
        executor.schedule(task("b"), 2, HOURS);
        executor.shutdown();
        advance(Duration.ofHours(1), "a");
        assertThat(workers.isShutdown()).isFalse();
        assertThat(executor.isTerminated()).isFalse();
        time.advance(Duration.ofHours(1));
        assertThat(workers.isShutdown()).isTrue();
        assertThat(executor.isTerminated()).isFalse();
        workers.runAll();
        expect("b");
        assertThat(executor.isTerminated()).isTrue();
    }

    @Test
    void theWorkersAreShutDownWhenTheLastDelayedTaskIsCancelled() {
        ScheduledFuture<?> first = executor.schedule(task("a"), 1, HOURS);
        ScheduledFuture<?> last = executor.schedule(task("b"), 2, HOURS);
        executor.shutdown();
        first.cancel(false);
        assertThat(workers.isShutdown()).isFalse();
        last.cancel(false);
        assertThat(executor.isTerminated()).isTrue();
    }

    @Test
    void aPeriodicTaskThatGoesOnKeepsTheWorkers() {
        executor.setContinueExistingPeriodicTasksAfterShutdownPolicy(true);
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        assertThat(executor.getContinueExistingPeriodicTasksAfterShutdownPolicy())
                .isTrue();
        assertThat(executor.getExecuteExistingDelayedTasksAfterShutdownPolicy()).isFalse();
        ScheduledFuture<?> delayed = executor.schedule(task("delayed"), 5, MILLISECONDS);
        ScheduledFuture<?> periodic = executor.scheduleAtFixedRate(task("run"), 10, 10, MILLISECONDS);
        executor.shutdown();
        assertThat(delayed.isCancelled()).isTrue();
        advance(millis(10), "run");
        advance(millis(10), "run");
        // Between two runs, and in the hands of the workers.
        assertThat(workers.isShutdown()).isFalse();
        time.advanceMillis(10);
        assertThat(workers.isShutdown()).isFalse();
        executor.setContinueExistingPeriodicTasksAfterShutdownPolicy(false);
        assertThat(periodic.isCancelled()).isTrue();
        assertThat(workers.isShutdown()).isTrue();
        workers.runAll();
        expect();
    }

    @Test
    void aTaskThatIsDueIsNotCancelledByTheShutdown() {
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        ScheduledFuture<?> queued = executor.schedule(task("queued"), 1_000_001, NANOSECONDS);
        time.advanceMillis(2);
        ScheduledFuture<?> rounded = executor.schedule(task("rounded"), 1, NANOSECONDS);
        ScheduledFuture<?> waiting = executor.schedule(task("waiting"), 3, NANOSECONDS);
        time.advance(Duration.ofNanos(2));
        executor.shutdown();
        assertThat(queued.isDone()).isFalse();
        assertThat(rounded.isDone()).isFalse();
        assertThat(waiting.isCancelled()).isTrue();
        advance(millis(1), "queued", "rounded");
        assertThat(executor.isTerminated()).isTrue();
    }

    @Test
    void shutdownNowReturnsTheTasksInTheOrderOfTheirDeadlines() {
        ScheduledFuture<?> due = executor.schedule(task("due"), 1, MILLISECONDS);
        Future<?> submitted = executor.submit(task("submitted"));
        ScheduledFuture<?> c = executor.schedule(task("c"), 30, DAYS);
        ScheduledFuture<?> a = executor.scheduleAtFixedRate(task("a"), 1_900, 1, MICROSECONDS);
        ScheduledFuture<?> b = executor.schedule(task("b"), 1, MINUTES);
        ScheduledFuture<?> beforeA = executor.schedule(task("before a"), 1_800, MICROSECONDS);
        time.advanceMillis(1);
        List<Runnable> returned = executor.shutdownNow();
        assertThat(returned.equals(List.of(submitted, due, beforeA, a, b, c))).isTrue();
        assertThat(executor.isTerminated()).isTrue();
        assertThat(executor.pending()).isZero();
        advance(Duration.ofDays(40));
    }

    @Test
    void aTaskThatTheWorkersRefuseEndsWithTheRefusal() {
        ScheduledFuture<?> delayed = executor.schedule(task("a"), 1, MILLISECONDS);
        ScheduledFuture<?> periodic = executor.scheduleAtFixedRate(task("b"), 1, 1, MILLISECONDS);
        ScheduledFuture<?> lagging = executor.scheduleAtFixedRate(
                () -> {
                    time.stall(millis(10));
                    workers.shutdown();
                },
                0,
                1,
                MILLISECONDS);
        workers.runAll();
        time.advanceMillis(2);
        for (ScheduledFuture<?> future : List.of(delayed, periodic, lagging)) {
            assertThatThrownBy(future::get)
                    .cause()
                    .isInstanceOf(RejectedExecutionException.class)
                    .hasMessage("the workers are shut down");
        }
        assertThat(refused).hasSize(3).containsOnly("the workers are shut down");
        assertThatThrownBy(() -> executor.execute(task("c"))).isInstanceOf(RejectedExecutionException.class);
        executor.shutdown();
        assertThat(executor.isTerminated()).isTrue();
        expect();
    }

    @Test
    void theExecutorIsNotTerminatedBeforeItsTimer() {
        executor.schedule(task("a"), 1, HOURS);
        executor.shutdown();
        workers.shutdown();
        assertThat(workers.isTerminated()).isTrue();
        assertThat(executor.isTerminated()).isFalse();
        time.advance(Duration.ofHours(1));
        assertThat(executor.isTerminated()).isTrue();
    }

    @Test
    void aTaskThatSlipsInBehindAShutdownIsCancelled() throws Exception {
        AtomicReference<WheelScheduledExecutor> own = new AtomicReference<>();
        AtomicReference<Runnable> atNextThread = new AtomicReference<>(() -> {});
        own.set(new WheelScheduledExecutor(
                1,
                worker -> {
                    atNextThread.get().run();
                    return null;
                },
                settings()));
        own.get().setContinueExistingPeriodicTasksAfterShutdownPolicy(true);
        own.get().setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        // It keeps the timer open, and the shutdown comes while the first worker is asked for.
        ScheduledFuture<?> periodic = own.get().scheduleAtFixedRate(task("b"), 0, 1, HOURS);
        atNextThread.set(() -> own.get().shutdown());
        ScheduledFuture<?> delayed = own.get().schedule(task("a"), 1, HOURS);
        assertThat(own.get().isShutdown()).isTrue();
        assertThat(delayed.isCancelled()).isTrue();
        assertThat(periodic.isDone()).isFalse();
        assertThat(own.get().shutdownNow().equals(List.of(periodic))).isTrue();
    }

    @Test
    void aTaskThatCameDueDuringShutdownNowIsCancelled() {
        List<Runnable> returned = new ArrayList<>();
        AtomicReference<WheelScheduledExecutor> stopped = new AtomicReference<>();
        QueuedWorkers stopping = new QueuedWorkers() {
            @Override
            public void execute(Runnable command) {
                returned.addAll(stopped.get().shutdownNow());
                super.execute(command);
            }
        };
        stopped.set(new WheelScheduledExecutor(stopping, settings()));
        ScheduledFuture<?> first = stopped.get().schedule(task("a"), 1, MILLISECONDS);
        ScheduledFuture<?> second = stopped.get().schedule(task("b"), 1, MILLISECONDS);
        ScheduledFuture<?> third = stopped.get().schedule(task("c"), 2, MILLISECONDS);
        time.advanceMillis(5);
        assertThat(first.isCancelled()).isTrue();
        assertThat(returned.equals(List.of(second, third))).isTrue();
        assertThat(stopped.get().isTerminated()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1})
    void aCancelBetweenTwoRunsLeavesNothingInTheWheel(long initialDelay) {
        // The deadline of the next run is read after the run and before the wheel is entered: here comes the cancel.
        AtomicReference<ScheduledFuture<?>> self = new AtomicReference<>();
        AtomicReference<Runnable> atNextReading = new AtomicReference<>(() -> {});
        NanoClock clock = () -> {
            atNextReading.getAndSet(() -> {}).run();
            return time.nanoTime();
        };
        WheelScheduledExecutor cancelled =
                new WheelScheduledExecutor(workers, settings().clock(clock));
        self.set(cancelled.scheduleWithFixedDelay(
                () -> {
                    ran.add("run");
                    atNextReading.set(() -> atNextReading.set(() -> self.get().cancel(false)));
                },
                initialDelay,
                1_000_000,
                MILLISECONDS));
        advance(millis(1), "run");
        assertThat(self.get().isCancelled()).isTrue();
        assertThat(cancelled.pending()).isZero();
        cancelled.shutdown();
        assertThat(cancelled.isTerminated()).isTrue();
    }

    @Test
    void aBrokenTimerFailsWhatIsPending() {
        AtomicReference<RuntimeException> broken = new AtomicReference<>();
        NanoClock clock = () -> {
            if (broken.get() != null) {
                throw broken.get();
            }
            return time.nanoTime();
        };
        WheelScheduledExecutor failing =
                new WheelScheduledExecutor(workers, settings().clock(clock));
        ScheduledFuture<?> delayed = failing.schedule(task("a"), 1, MILLISECONDS);
        ScheduledFuture<?> periodic = failing.scheduleAtFixedRate(task("b"), 1, 1, MILLISECONDS);
        time.advance(Duration.ZERO);
        broken.set(new IllegalStateException("the clock is broken"));
        time.advanceMillis(1);
        broken.set(null);
        assertThatThrownBy(delayed::get).hasRootCauseMessage("the clock is broken");
        assertThatThrownBy(periodic::get).hasRootCauseMessage("the clock is broken");
        assertThatThrownBy(() -> failing.schedule(task("c"), 1, MILLISECONDS))
                .isInstanceOf(RejectedExecutionException.class)
                .hasRootCauseMessage("the clock is broken");
        assertThatThrownBy(() -> failing.execute(task("d"))).isInstanceOf(RejectedExecutionException.class);
        assertThat(failing.isShutdown()).isTrue();
        assertThat(failing.isTerminated()).isTrue();
    }

    @Test
    void aTimerThatFindsNoThreadFailsTheTask() {
        WheelScheduledExecutor threadless =
                new WheelScheduledExecutor(workers, settings().driver(new ExpiryThread(loop -> null)));
        ScheduledFuture<?> periodic = threadless.scheduleAtFixedRate(task("run"), 0, 1, HOURS);
        workers.runAll();
        expect("run");
        assertThatThrownBy(periodic::get).hasRootCauseMessage("the thread factory returned null");
        assertThatThrownBy(() -> threadless.schedule(task("a"), 1, HOURS))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the thread factory returned null");
        assertThatThrownBy(() -> threadless.scheduleAtFixedRate(task("a"), 1, 1, HOURS))
                .isInstanceOf(IllegalStateException.class);
        threadless.shutdown();
        assertThat(threadless.isTerminated()).isTrue();
    }

    @Test
    void theTickAndTheSlackAreTheTimers() {
        WheelScheduledExecutor coarse = new WheelScheduledExecutor(
                workers, settings().tick(Duration.ofSeconds(1)).slack(Duration.ofSeconds(100)));
        ScheduledFuture<?> future = coarse.schedule(task("one-shot"), 1_000_500, MILLISECONDS);
        coarse.scheduleAtFixedRate(task("periodic"), 1_000_500, Long.MAX_VALUE, MILLISECONDS);
        assertThat(future.getDelay(MILLISECONDS)).isEqualTo(1_000_500);
        advance(Duration.ofSeconds(1001).minusNanos(1));
        advance(Duration.ofNanos(1), "periodic");
        advance(Duration.ofSeconds(23).minusNanos(1));
        advance(Duration.ofNanos(1), "one-shot");
    }

    @Test
    void settingsThatCannotHoldAreRefused() {
        for (WheelTimerBuilder settings : List.of(
                settings().executor(Runnable::run),
                settings().onRejection(RejectionPolicy.RETRY),
                settings().maxPending(5))) {
            assertThatIllegalArgumentException().isThrownBy(() -> new WheelScheduledExecutor(workers, settings));
        }
        assertThatNullPointerException().isThrownBy(() -> new WheelScheduledExecutor(null, settings()));
        assertThatNullPointerException().isThrownBy(() -> new WheelScheduledExecutor((ExecutorService) null));
        assertThatNullPointerException().isThrownBy(() -> new WheelScheduledExecutor(workers, null));
    }

    @Test
    void ownWorkersTakeTheSettingsOfTheTimerToo() throws Exception {
        WheelScheduledExecutor own = new WheelScheduledExecutor(
                1, Executors.defaultThreadFactory(), settings().tick(Duration.ofSeconds(1)));
        ScheduledFuture<String> future = own.schedule(() -> "value", 1, MILLISECONDS);
        time.advanceMillis(999);
        assertThat(own.pending()).isEqualTo(1);
        time.advanceMillis(1);
        assertThat(future.get()).isEqualTo("value");
        own.shutdown();
        assertThat(own.awaitTermination(1, MINUTES)).isTrue();
    }

    @Test
    void foreignWorkersAreOwned() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        WheelScheduledExecutor over = new WheelScheduledExecutor(pool);
        CountDownLatch entered = new CountDownLatch(1);
        AtomicReference<Throwable> end = new AtomicReference<>();
        over.schedule(
                () -> {
                    entered.countDown();
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException e) {
                        end.set(e);
                    }
                },
                1,
                MILLISECONDS);
        entered.await();
        assertThat(over.shutdownNow()).isEmpty();
        assertThat(over.awaitTermination(1, MINUTES)).isTrue();
        assertThat(pool.isTerminated()).isTrue();
        assertThat(end.get()).isInstanceOf(InterruptedException.class);
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void workersMayBeVirtualThreads() throws Exception {
        ExecutorService virtual = (ExecutorService)
                Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        WheelScheduledExecutor over = new WheelScheduledExecutor(virtual);
        CountDownLatch runs = new CountDownLatch(5);
        ScheduledFuture<?> periodic = over.scheduleAtFixedRate(runs::countDown, 0, 100, MICROSECONDS);
        assertThat(over.schedule(() -> Thread.currentThread().getClass(), 1, MILLISECONDS)
                        .get())
                .isNotEqualTo(Thread.class);
        runs.await();
        over.shutdown();
        assertThat(over.awaitTermination(1, MINUTES)).isTrue();
        assertThat(periodic.isCancelled()).isTrue();
    }
}
