package io.tickwheel.wheel;

import static java.util.concurrent.TimeUnit.DAYS;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.MINUTES;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Delayed;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What whoever used a {@link java.util.concurrent.ScheduledThreadPoolExecutor} relies on. Run against that class too, so
 * that no expectation here is of our making. Real threads and the clock of the machine: a task either is due in a
 * millisecond and is waited for, or in hours and never comes.
 */
// A future that nobody asks is what most callers make; a task as a constant reads better than a method.
@SuppressWarnings({"FutureReturnValueIgnored", "UnnecessaryLambda"})
@Timeout(60)
abstract class ScheduledExecutorContract {
    private static final Runnable NOTHING = () -> {};

    private final List<ScheduledExecutorService> executors = new ArrayList<>();

    /** Makes one that keeps no cancelled task. */
    abstract ScheduledExecutorService make(int threads, ThreadFactory factory);

    abstract void runDelayedAfterShutdown(ScheduledExecutorService executor, boolean value);

    abstract void runPeriodicAfterShutdown(ScheduledExecutorService executor, boolean value);

    private ScheduledExecutorService executor(int threads) {
        return executor(threads, Executors.defaultThreadFactory());
    }

    private ScheduledExecutorService executor(int threads, ThreadFactory factory) {
        ScheduledExecutorService made = make(threads, factory);
        executors.add(made);
        return made;
    }

    @AfterEach
    void endThreads() throws InterruptedException {
        for (ScheduledExecutorService executor : executors) {
            executor.shutdownNow();
            awaitEnd(executor);
        }
    }

    private static void awaitEnd(ScheduledExecutorService executor) throws InterruptedException {
        assertThat(executor.awaitTermination(1, MINUTES)).isTrue();
        assertThat(executor.isTerminated()).isTrue();
    }

    /** Keeps one worker busy until it is opened, or interrupted. */
    private static final class Gate implements Runnable {
        private final CountDownLatch entered = new CountDownLatch(1);
        private final CountDownLatch opened = new CountDownLatch(1);
        private final AtomicBoolean interrupted = new AtomicBoolean();
        private final CountDownLatch left = new CountDownLatch(1);

        @Override
        public void run() {
            entered.countDown();
            try {
                opened.await();
            } catch (InterruptedException e) {
                interrupted.set(true);
            }
            left.countDown();
        }

        static Gate closedIn(ScheduledExecutorService executor) throws InterruptedException {
            Gate gate = new Gate();
            executor.execute(gate);
            gate.entered.await();
            return gate;
        }

        void open() {
            opened.countDown();
        }
    }

    @Test
    void sizesAndFactoriesAreChecked() {
        assertThatIllegalArgumentException().isThrownBy(() -> make(-1, Executors.defaultThreadFactory()));
        assertThatNullPointerException().isThrownBy(() -> make(1, null));
    }

    @Test
    void noThreadBeforeTheFirstUse() throws Exception {
        AtomicInteger made = new AtomicInteger();
        ScheduledExecutorService executor = executor(3, task -> {
            made.incrementAndGet();
            return new Thread(task);
        });
        assertThat(made).hasValue(0);
        executor.submit(NOTHING).get();
        assertThat(made).hasValue(1);
    }

    @Test
    void aTaskThatWaitsForItsDeadlineHasAWorkerThatKeepsTheProcessAlive() {
        AtomicInteger made = new AtomicInteger();
        AtomicReference<Thread> worker = new AtomicReference<>();
        ScheduledExecutorService executor = executor(1, task -> {
            made.incrementAndGet();
            worker.set(Executors.defaultThreadFactory().newThread(task));
            return worker.get();
        });
        executor.schedule(NOTHING, 1, HOURS);
        executor.schedule(NOTHING, 1, HOURS);
        assertThat(made).hasValue(1);
        assertThat(worker.get().isDaemon()).isFalse();
        assertThat(worker.get().isAlive()).isTrue();
    }

    @Test
    void oneWorkerWillDoWhereNoneWereAskedFor() throws Exception {
        AtomicReference<Thread> worker = new AtomicReference<>();
        ScheduledExecutorService executor = executor(0, task -> {
            worker.set(new Thread(task));
            return worker.get();
        });
        assertThat(executor.schedule(() -> "late", 1, MILLISECONDS).get()).isEqualTo("late");
        assertThat(executor.submit(() -> "now").get()).isEqualTo("now");
        // It ends by itself.
        worker.get().join();
    }

    @Test
    void nullsAreRefused() {
        ScheduledExecutorService executor = executor(1);
        nullsAreRefusedBy(executor);
        executor.shutdown();
        nullsAreRefusedBy(executor);
    }

    private static void nullsAreRefusedBy(ScheduledExecutorService executor) {
        assertThatNullPointerException().isThrownBy(() -> executor.execute(null));
        assertThatNullPointerException().isThrownBy(() -> executor.submit((Runnable) null));
        assertThatNullPointerException().isThrownBy(() -> executor.submit((Callable<?>) null));
        assertThatNullPointerException().isThrownBy(() -> executor.submit(null, "result"));
        assertThatNullPointerException().isThrownBy(() -> executor.schedule((Runnable) null, 1, SECONDS));
        assertThatNullPointerException().isThrownBy(() -> executor.schedule((Callable<?>) null, 1, SECONDS));
        assertThatNullPointerException().isThrownBy(() -> executor.schedule(NOTHING, 1, null));
        assertThatNullPointerException().isThrownBy(() -> executor.schedule(() -> "value", 1, null));
        assertThatNullPointerException().isThrownBy(() -> executor.scheduleAtFixedRate(null, 1, 0, SECONDS));
        assertThatNullPointerException().isThrownBy(() -> executor.scheduleAtFixedRate(NOTHING, 1, 0, null));
        assertThatNullPointerException().isThrownBy(() -> executor.scheduleWithFixedDelay(null, 1, 0, SECONDS));
        assertThatNullPointerException().isThrownBy(() -> executor.scheduleWithFixedDelay(NOTHING, 1, 0, null));
        assertThatNullPointerException().isThrownBy(() -> executor.invokeAll(null));
        assertThatNullPointerException().isThrownBy(() -> executor.invokeAny(null));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE})
    void periodsAreAboveZero(long period) {
        ScheduledExecutorService executor = executor(1);
        for (int i = 0; i < 2; i++) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> executor.scheduleAtFixedRate(NOTHING, 1, period, SECONDS));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> executor.scheduleWithFixedDelay(NOTHING, 1, period, SECONDS));
            executor.shutdown();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void everythingIsRefusedAfterTheShutdown(boolean now) {
        ScheduledExecutorService executor = executor(1);
        if (now) {
            executor.shutdownNow();
        } else {
            executor.shutdown();
        }
        assertThat(executor.isShutdown()).isTrue();
        List<Runnable> calls = List.of(
                () -> executor.execute(NOTHING),
                () -> executor.submit(NOTHING),
                () -> executor.submit(NOTHING, "result"),
                () -> executor.submit(() -> "value"),
                () -> executor.schedule(NOTHING, 1, SECONDS),
                () -> executor.schedule(NOTHING, -1, SECONDS),
                () -> executor.schedule(() -> "value", 1, SECONDS),
                () -> executor.scheduleAtFixedRate(NOTHING, 0, 1, SECONDS),
                () -> executor.scheduleAtFixedRate(NOTHING, 1, 1, SECONDS),
                () -> executor.scheduleWithFixedDelay(NOTHING, 1, 1, SECONDS));
        assertThat(calls)
                .allSatisfy(call -> assertThatThrownBy(call::run).isInstanceOf(RejectedExecutionException.class));
    }

    @Test
    void aShutdownWithNothingToDoTerminates() throws Exception {
        ScheduledExecutorService unused = executor(1);
        assertThat(unused.isShutdown()).isFalse();
        assertThat(unused.isTerminated()).isFalse();
        assertThat(unused.awaitTermination(0, SECONDS)).isFalse();
        unused.shutdown();
        awaitEnd(unused);

        ScheduledExecutorService used = executor(2);
        used.schedule(() -> "value", 1, MILLISECONDS).get();
        used.shutdown();
        awaitEnd(used);
        used.shutdown();
        assertThat(used.shutdownNow()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {-5, 0, 1})
    void futuresReturnWhatTheTaskReturned(long delay) throws Exception {
        ScheduledExecutorService executor = executor(2);
        assertThat(executor.schedule(() -> "value", delay, MILLISECONDS).get()).isEqualTo("value");
        ScheduledFuture<?> runnable = executor.schedule(NOTHING, delay, MILLISECONDS);
        assertThat(runnable.get(1, MINUTES)).isNull();
        assertThat(runnable.isDone()).isTrue();
        assertThat(runnable.isCancelled()).isFalse();
        assertThat(runnable.cancel(true)).isFalse();
        assertThat(runnable.isCancelled()).isFalse();
    }

    @Test
    void submitReturnsWhatItWasToldTo() throws Exception {
        ScheduledExecutorService executor = executor(1);
        assertThat(executor.submit(NOTHING).get()).isNull();
        assertThat(executor.submit(NOTHING, "result").get()).isEqualTo("result");
        assertThat(executor.submit(NOTHING, null).get()).isNull();
        assertThat(executor.submit(() -> "value").get()).isEqualTo("value");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1})
    void futuresThrowWhatTheTaskThrew(long delay) {
        ScheduledExecutorService executor = executor(1);
        Error error = new AssertionError("from the task");
        RuntimeException exception = new IllegalStateException("from the task");
        Runnable throwing = () -> {
            throw error;
        };
        Callable<String> failing = () -> {
            throw exception;
        };
        for (Future<?> future : List.of(
                executor.schedule(throwing, delay, MILLISECONDS),
                executor.scheduleAtFixedRate(throwing, delay, 1, MILLISECONDS),
                executor.scheduleWithFixedDelay(throwing, delay, 1, MILLISECONDS))) {
            assertThatThrownBy(future::get)
                    .isInstanceOf(ExecutionException.class)
                    .cause()
                    .isSameAs(error);
            assertThat(future.isDone()).isTrue();
            assertThat(future.isCancelled()).isFalse();
        }
        assertThatThrownBy(() -> executor.schedule(failing, delay, MILLISECONDS).get())
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isSameAs(exception);
    }

    @Test
    void whatAnExecutedTaskThrowsEndsNoWorker() throws Exception {
        AtomicInteger uncaught = new AtomicInteger();
        AtomicInteger made = new AtomicInteger();
        ScheduledExecutorService executor = executor(1, task -> {
            Thread thread = new Thread(task);
            thread.setUncaughtExceptionHandler((where, thrown) -> uncaught.incrementAndGet());
            made.incrementAndGet();
            return thread;
        });
        executor.execute(() -> {
            throw new IllegalStateException("nobody sees it");
        });
        executor.submit(NOTHING).get();
        executor.shutdown();
        awaitEnd(executor);
        assertThat(uncaught).hasValue(0);
        assertThat(made).hasValue(1);
    }

    @Test
    void getTimesOutAndIsInterrupted() {
        ScheduledFuture<?> future = executor(1).schedule(NOTHING, 1, HOURS);
        assertThatThrownBy(() -> future.get(1, NANOSECONDS)).isInstanceOf(TimeoutException.class);
        Thread.currentThread().interrupt();
        assertThatThrownBy(future::get).isInstanceOf(InterruptedException.class);
        assertThat(future.isDone()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aCancelledTaskDoesNotRun(boolean mayInterrupt) throws Exception {
        ScheduledExecutorService executor = executor(1);
        AtomicInteger runs = new AtomicInteger();
        Gate gate = Gate.closedIn(executor);
        List<Future<?>> futures = List.of(
                executor.schedule(runs::incrementAndGet, 1, HOURS),
                executor.schedule((Runnable) runs::incrementAndGet, 1, HOURS),
                executor.schedule((Runnable) runs::incrementAndGet, 1, NANOSECONDS),
                executor.scheduleAtFixedRate(runs::incrementAndGet, 1, 1, HOURS),
                executor.scheduleWithFixedDelay(runs::incrementAndGet, 0, 1, HOURS),
                executor.submit((Runnable) runs::incrementAndGet),
                executor.submit(runs::incrementAndGet));
        for (Future<?> future : futures) {
            assertThat(future.isDone()).isFalse();
            assertThat(future.cancel(mayInterrupt)).isTrue();
            assertThat(future.isCancelled()).isTrue();
            assertThat(future.isDone()).isTrue();
            assertThat(future.cancel(mayInterrupt)).isFalse();
            assertThatThrownBy(future::get).isInstanceOf(CancellationException.class);
            assertThatThrownBy(() -> future.get(1, SECONDS)).isInstanceOf(CancellationException.class);
        }
        assertThat(gate.interrupted).isFalse();
        gate.open();
        executor.shutdown();
        awaitEnd(executor);
        assertThat(runs).hasValue(0);
    }

    @ParameterizedTest
    @CsvSource({"false, 0", "true, 0", "false, 1", "true, 1"})
    void aRunningTaskIsInterruptedOnlyIfAsked(boolean mayInterrupt, long delay) throws Exception {
        ScheduledExecutorService executor = executor(1);
        Gate gate = new Gate();
        ScheduledFuture<?> future = executor.schedule(gate, delay, MILLISECONDS);
        gate.entered.await();
        assertThat(future.cancel(mayInterrupt)).isTrue();
        assertThat(future.isCancelled()).isTrue();
        assertThatThrownBy(future::get).isInstanceOf(CancellationException.class);
        if (!mayInterrupt) {
            gate.open();
        }
        gate.left.await();
        assertThat(gate.interrupted.get()).isEqualTo(mayInterrupt);
        assertThat(executor.submit(Thread::interrupted).get()).isFalse();
    }

    @Test
    void aRunningPeriodicTaskIsInterruptedAndStops() throws Exception {
        ScheduledExecutorService executor = executor(1);
        Gate gate = new Gate();
        ScheduledFuture<?> future = executor.scheduleAtFixedRate(gate, 1, 1, MILLISECONDS);
        gate.entered.await();
        assertThat(future.cancel(true)).isTrue();
        gate.left.await();
        assertThat(gate.interrupted).isTrue();
        executor.shutdown();
        awaitEnd(executor);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void periodicTasksRunUntilTheyCancelThemselves(boolean fixedRate) throws Exception {
        ScheduledExecutorService executor = executor(3);
        AtomicInteger runs = new AtomicInteger();
        AtomicInteger atATime = new AtomicInteger();
        AtomicBoolean overlapped = new AtomicBoolean();
        AtomicReference<Future<?>> self = new AtomicReference<>();
        CountDownLatch known = new CountDownLatch(1);
        Runnable task = () -> {
            awaitQuietly(known);
            overlapped.compareAndSet(false, atATime.incrementAndGet() > 1);
            if (runs.incrementAndGet() == 20) {
                assertThat(self.get().cancel(false)).isTrue();
            }
            atATime.decrementAndGet();
        };
        self.set(
                fixedRate
                        ? executor.scheduleAtFixedRate(task, 0, 50, TimeUnit.MICROSECONDS)
                        : executor.scheduleWithFixedDelay(task, 0, 50, TimeUnit.MICROSECONDS));
        known.countDown();
        assertThatThrownBy(() -> self.get().get()).isInstanceOf(CancellationException.class);
        executor.shutdown();
        awaitEnd(executor);
        assertThat(runs).hasValue(20);
        assertThat(overlapped).isFalse();
    }

    @Test
    void anExceptionEndsAPeriodicTask() throws Exception {
        ScheduledExecutorService executor = executor(2);
        AtomicInteger runs = new AtomicInteger();
        ScheduledFuture<?> future = executor.scheduleAtFixedRate(
                () -> {
                    if (runs.incrementAndGet() == 3) {
                        throw new IllegalStateException("the third");
                    }
                },
                0,
                1,
                MILLISECONDS);
        assertThatThrownBy(future::get).hasRootCauseMessage("the third");
        executor.shutdown();
        awaitEnd(executor);
        assertThat(runs).hasValue(3);
    }

    @Test
    void whatIsDueAtOnceRunsInTheOrderOfSubmission() throws Exception {
        ScheduledExecutorService executor = executor(1);
        List<Integer> ran = Collections.synchronizedList(new ArrayList<>());
        Gate gate = Gate.closedIn(executor);
        executor.execute(() -> ran.add(1));
        executor.submit(() -> ran.add(2));
        executor.schedule(() -> ran.add(3), 0, SECONDS);
        executor.submit(() -> ran.add(4), "result");
        executor.schedule(() -> ran.add(5), Long.MIN_VALUE, DAYS);
        executor.scheduleAtFixedRate(() -> ran.add(6), -1, 1, HOURS);
        executor.execute(() -> ran.add(7));
        Future<?> last = executor.schedule(() -> ran.add(8), -1, NANOSECONDS);
        gate.open();
        last.get();
        assertThat(ran).containsExactly(1, 2, 3, 4, 5, 6, 7, 8);
    }

    @ParameterizedTest
    @ValueSource(strings = {"NANOSECONDS", "MILLISECONDS", "DAYS"})
    void longDelaysDoNotOverflow(TimeUnit unit) throws Exception {
        ScheduledExecutorService executor = executor(1);
        AtomicInteger runs = new AtomicInteger();
        CountDownLatch first = new CountDownLatch(1);
        ScheduledFuture<?> never = executor.schedule(runs::incrementAndGet, Long.MAX_VALUE, unit);
        executor.scheduleAtFixedRate(runs::incrementAndGet, Long.MAX_VALUE, Long.MAX_VALUE, unit);
        executor.scheduleAtFixedRate(first::countDown, 0, Long.MAX_VALUE, unit);
        executor.scheduleWithFixedDelay(first::countDown, Long.MIN_VALUE, Long.MAX_VALUE, unit);
        first.await();
        assertThat(executor.schedule(() -> "value", 1, MILLISECONDS).get()).isEqualTo("value");
        assertThat(executor.submit(() -> "value").get()).isEqualTo("value");
        assertThat(never.getDelay(DAYS)).isGreaterThan(100 * 365);
        assertThat(never.isDone()).isFalse();
        assertThat(runs).hasValue(0);
    }

    @Test
    void aDelayCountsDown() throws Exception {
        ScheduledExecutorService executor = executor(1);
        ScheduledFuture<?> future = executor.schedule(NOTHING, 3, HOURS);
        assertThat(future.getDelay(MILLISECONDS)).isBetween(HOURS.toMillis(2), HOURS.toMillis(3));
        ScheduledFuture<?> done = executor.schedule(NOTHING, -5, HOURS);
        done.get();
        assertThat(done.getDelay(NANOSECONDS)).isNotPositive();
        assertThat(done.getDelay(HOURS)).isZero();
    }

    @Test
    void futuresCompareByDeadline() {
        ScheduledExecutorService executor = executor(1);
        ScheduledFuture<?> second = executor.schedule(NOTHING, 2, HOURS);
        ScheduledFuture<?> first = executor.schedule(() -> "value", 1, HOURS);
        ScheduledFuture<?> third = executor.scheduleAtFixedRate(NOTHING, 2, 1, HOURS);
        ScheduledFuture<?> fourth = executor.schedule(NOTHING, Long.MAX_VALUE, NANOSECONDS);
        List<Delayed> sorted = new ArrayList<>(List.of(fourth, third, second, first));
        Collections.sort(sorted);
        assertThat(sorted).containsExactly(first, second, third, fourth);
        Delayed same = first;
        assertThat(first.compareTo(same)).isZero();
        assertThat((Object) first).isEqualTo(first).isNotEqualTo(second);
        assertThat(first.compareTo(second)).isNegative();
        assertThat(second.compareTo(first)).isPositive();

        ScheduledFuture<?> elsewhere = executor(1).schedule(NOTHING, 90, MINUTES);
        assertThat(elsewhere.compareTo(first)).isPositive();
        assertThat(second.compareTo(elsewhere)).isPositive();
        assertThat(first.compareTo(delayed(90, MINUTES))).isNegative();
        assertThat(second.compareTo(delayed(90, MINUTES))).isPositive();
    }

    private static Delayed delayed(long delay, TimeUnit of) {
        return new Delayed() {
            @Override
            public long getDelay(TimeUnit unit) {
                return unit.convert(delay, of);
            }

            @Override
            public int compareTo(Delayed other) {
                throw new AssertionError("not asked");
            }
        };
    }

    @Test
    void futuresTellWhetherTheyRepeat() {
        ScheduledExecutorService executor = executor(1);
        assertThat(isPeriodic(executor.schedule(NOTHING, 1, HOURS))).isFalse();
        assertThat(isPeriodic(executor.schedule(() -> "value", 1, HOURS))).isFalse();
        assertThat(isPeriodic(executor.scheduleAtFixedRate(NOTHING, 1, 1, HOURS)))
                .isTrue();
        assertThat(isPeriodic(executor.scheduleWithFixedDelay(NOTHING, 1, 1, HOURS)))
                .isTrue();
    }

    private static boolean isPeriodic(ScheduledFuture<?> future) {
        return ((RunnableScheduledFuture<?>) future).isPeriodic();
    }

    @Test
    void invokeAllAndAnyRunTheTasks() throws Exception {
        ScheduledExecutorService executor = executor(2);
        List<Callable<String>> tasks = List.of(() -> "a", () -> "b", () -> "c");
        List<String> results = new ArrayList<>();
        for (Future<String> future : executor.invokeAll(tasks)) {
            results.add(future.get());
        }
        assertThat(results).containsExactly("a", "b", "c");
        assertThat(executor.invokeAny(tasks)).isIn("a", "b", "c");
        Callable<String> failing = () -> {
            throw new IllegalStateException("from the task");
        };
        assertThatThrownBy(() -> executor.invokeAny(List.of(failing))).isInstanceOf(ExecutionException.class);
        Gate gate = new Gate();
        List<Callable<Object>> slow = List.of(Executors.callable(gate));
        assertThat(executor.invokeAll(slow, 1, MILLISECONDS)).allMatch(Future::isCancelled);
        assertThatThrownBy(() -> executor.invokeAny(slow, 1, MILLISECONDS)).isInstanceOf(TimeoutException.class);
    }

    @Test
    void delayedTasksRunAfterTheShutdownAndPeriodicOnesDoNot() throws Exception {
        ScheduledExecutorService executor = executor(1);
        Gate gate = Gate.closedIn(executor);
        AtomicInteger runs = new AtomicInteger();
        ScheduledFuture<?> delayed = executor.schedule((Runnable) runs::incrementAndGet, 5, MILLISECONDS);
        ScheduledFuture<?> waiting = executor.scheduleAtFixedRate(runs::incrementAndGet, 1, 1, HOURS);
        ScheduledFuture<?> due = executor.scheduleWithFixedDelay(runs::incrementAndGet, 0, 1, NANOSECONDS);
        Future<?> submitted = executor.submit((Runnable) runs::incrementAndGet);
        executor.shutdown();
        assertThat(waiting.isCancelled()).isTrue();
        assertThat(due.isCancelled()).isTrue();
        assertThat(delayed.isDone()).isFalse();
        assertThat(submitted.isDone()).isFalse();
        assertThat(executor.isTerminated()).isFalse();
        gate.open();
        awaitEnd(executor);
        assertThat(delayed.isCancelled()).isFalse();
        assertThat(submitted.isCancelled()).isFalse();
        assertThat(runs).hasValue(2);
    }

    @Test
    void delayedTasksAreCancelledByTheShutdownIfSoAsked() throws Exception {
        ScheduledExecutorService executor = executor(1);
        runDelayedAfterShutdown(executor, false);
        Gate gate = Gate.closedIn(executor);
        List<ScheduledFuture<?>> delayed = new ArrayList<>();
        for (long hours = 1; hours < 100_000; hours *= 3) {
            delayed.add(executor.schedule(NOTHING, hours, HOURS));
            delayed.add(executor.schedule(() -> "value", hours, HOURS));
        }
        Future<?> submitted = executor.submit(() -> "value");
        executor.shutdown();
        assertThat(delayed).allMatch(Future::isCancelled);
        gate.open();
        assertThat(submitted.get()).isEqualTo("value");
        awaitEnd(executor);
    }

    @Test
    void delayedTasksAreCancelledWhenTheMindChangesAfterTheShutdown() throws Exception {
        ScheduledExecutorService executor = executor(1);
        ScheduledFuture<?> delayed = executor.schedule(NOTHING, 1, HOURS);
        executor.shutdown();
        assertThat(delayed.isDone()).isFalse();
        assertThat(executor.awaitTermination(1, MILLISECONDS)).isFalse();
        runDelayedAfterShutdown(executor, true);
        assertThat(delayed.isDone()).isFalse();
        runDelayedAfterShutdown(executor, false);
        assertThat(delayed.isCancelled()).isTrue();
        awaitEnd(executor);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void periodicTasksGoOnAfterTheShutdownIfSoAsked(boolean delayedToo) throws Exception {
        ScheduledExecutorService executor = executor(1);
        runPeriodicAfterShutdown(executor, true);
        runDelayedAfterShutdown(executor, delayedToo);
        CountDownLatch runsAfterShutdown = new CountDownLatch(5);
        ScheduledFuture<?> waiting = executor.scheduleWithFixedDelay(NOTHING, 1, 1, HOURS);
        ScheduledFuture<?> delayed = executor.schedule(NOTHING, 1, HOURS);
        ScheduledFuture<?> running = executor.scheduleAtFixedRate(
                () -> {
                    if (executor.isShutdown()) {
                        runsAfterShutdown.countDown();
                    }
                },
                1,
                1,
                MILLISECONDS);
        executor.shutdown();
        runsAfterShutdown.await();
        assertThat(delayed.isCancelled()).isEqualTo(!delayedToo);
        assertThat(waiting.isDone()).isFalse();
        assertThat(running.isDone()).isFalse();
        running.cancel(false);
        delayed.cancel(false);
        assertThat(executor.isTerminated()).isFalse();
        waiting.cancel(false);
        awaitEnd(executor);
    }

    @Test
    void periodicTasksEndWhenTheMindChangesAfterTheShutdown() throws Exception {
        ScheduledExecutorService executor = executor(1);
        runPeriodicAfterShutdown(executor, true);
        ScheduledFuture<?> waiting = executor.scheduleAtFixedRate(NOTHING, 1, 1, HOURS);
        ScheduledFuture<?> delayed = executor.schedule(() -> "value", 1, MILLISECONDS);
        executor.shutdown();
        assertThat(delayed.get()).isEqualTo("value");
        assertThat(waiting.isDone()).isFalse();
        runPeriodicAfterShutdown(executor, false);
        assertThat(waiting.isCancelled()).isTrue();
        awaitEnd(executor);
    }

    @Test
    void aPeriodicTaskThatRunsDuringTheShutdownIsCancelledAtTheEndOfTheRun() throws Exception {
        ScheduledExecutorService executor = executor(1);
        Gate gate = new Gate();
        ScheduledFuture<?> future = executor.scheduleAtFixedRate(gate, 1, 1, MILLISECONDS);
        gate.entered.await();
        executor.shutdown();
        assertThat(future.isDone()).isFalse();
        gate.open();
        assertThatThrownBy(future::get).isInstanceOf(CancellationException.class);
        assertThat(gate.interrupted).isFalse();
        awaitEnd(executor);
    }

    @Test
    void theExecutorTerminatesOnlyAfterTheRunningTask() throws Exception {
        ScheduledExecutorService executor = executor(1);
        Gate gate = Gate.closedIn(executor);
        executor.shutdown();
        assertThat(executor.isTerminated()).isFalse();
        assertThat(executor.awaitTermination(1, MILLISECONDS)).isFalse();
        assertThat(gate.interrupted).isFalse();
        gate.open();
        awaitEnd(executor);
        assertThat(gate.interrupted).isFalse();
    }

    @Test
    void shutdownNowReturnsWhatHasNotCommenced() throws Exception {
        ScheduledExecutorService executor = executor(1);
        Gate gate = Gate.closedIn(executor);
        AtomicInteger runs = new AtomicInteger();
        executor.execute(runs::incrementAndGet);
        List<Object> expected = new ArrayList<>(List.of(
                executor.submit(runs::incrementAndGet),
                executor.submit((Runnable) runs::incrementAndGet),
                executor.schedule(runs::incrementAndGet, 0, HOURS),
                executor.scheduleAtFixedRate(runs::incrementAndGet, 0, 1, HOURS),
                executor.schedule(runs::incrementAndGet, 1, HOURS),
                executor.schedule((Runnable) runs::incrementAndGet, 30, DAYS),
                executor.scheduleAtFixedRate(runs::incrementAndGet, 1, 1, HOURS),
                executor.scheduleWithFixedDelay(runs::incrementAndGet, 365, 1, DAYS)));
        executor.schedule(NOTHING, 1, HOURS).cancel(false);
        executor.submit(NOTHING).cancel(false);
        List<Runnable> returned = executor.shutdownNow();
        assertThat(returned).hasSize(expected.size() + 1).allMatch(task -> task instanceof ScheduledFuture);
        expected.removeAll(returned);
        assertThat(expected).isEmpty();
        assertThat(returned).noneMatch(task -> ((Future<?>) task).isDone());
        gate.left.await();
        assertThat(gate.interrupted).isTrue();
        awaitEnd(executor);
        assertThat(returned).noneMatch(task -> ((Future<?>) task).isDone());
        assertThat(executor.shutdownNow()).isEmpty();
        executor.shutdown();
        runPeriodicAfterShutdown(executor, false);
        runDelayedAfterShutdown(executor, false);
        assertThat(returned).noneMatch(task -> ((Future<?>) task).isDone());
        for (Runnable task : returned) {
            task.run();
        }
        assertThat(returned).allMatch(task -> ((Future<?>) task).isCancelled());
        assertThat(runs).hasValue(0);
    }

    @Test
    void shutdownNowAfterShutdownTakesWhatWasLeft() throws Exception {
        ScheduledExecutorService executor = executor(1);
        ScheduledFuture<?> future = executor.schedule(NOTHING, 1, HOURS);
        executor.shutdown();
        List<Runnable> returned = executor.shutdownNow();
        assertThat((Object) returned.get(0)).isSameAs(future);
        assertThat(returned).hasSize(1);
        awaitEnd(executor);
        assertThat(future.cancel(false)).isTrue();
    }

    @Test
    void shutdownNowEndsARunningPeriodicTask() throws Exception {
        ScheduledExecutorService executor = executor(1);
        runPeriodicAfterShutdown(executor, true);
        Gate gate = new Gate();
        ScheduledFuture<?> future = executor.scheduleWithFixedDelay(gate, 1, 1, MILLISECONDS);
        gate.entered.await();
        assertThat(executor.shutdownNow()).isEmpty();
        assertThatThrownBy(future::get).isInstanceOf(CancellationException.class);
        awaitEnd(executor);
    }

    @Test
    void tasksMayScheduleAndShutDown() throws Exception {
        ScheduledExecutorService executor = executor(1);
        ScheduledFuture<ScheduledFuture<String>> outer = executor.schedule(
                () -> {
                    ScheduledFuture<String> inner = executor.schedule(() -> "inner", 1, MILLISECONDS);
                    executor.shutdown();
                    return inner;
                },
                1,
                MILLISECONDS);
        assertThat(outer.get().get()).isEqualTo("inner");
        awaitEnd(executor);
    }

    @Test
    void closeWaitsForWhatIsLeft() throws Exception {
        ScheduledExecutorService executor = executor(1);
        ScheduledFuture<String> future = executor.schedule(() -> "value", 5, MILLISECONDS);
        // An executor can be closed since Java 19.
        if (executor instanceof AutoCloseable closeable) {
            closeable.close();
            assertThat(future.isDone()).isTrue();
            assertThat(executor.isTerminated()).isTrue();
        }
        assertThat(future.get()).isEqualTo("value");
    }

    @Test
    void itSaysInWhatStateItIs() throws Exception {
        ScheduledExecutorService executor = executor(1);
        assertThat(executor.toString()).matches("[^\\[]*\\[Running, .*");
        Gate gate = Gate.closedIn(executor);
        executor.shutdown();
        assertThat(executor.toString()).matches("[^\\[]*\\[Shutting down, .*");
        gate.open();
        awaitEnd(executor);
        assertThat(executor.toString()).matches("[^\\[]*\\[Terminated, .*");
    }

    @Test
    void futuresSayWhatTheyAre() throws Exception {
        ScheduledExecutorService executor = executor(1);
        Runnable task = new Runnable() {
            @Override
            public void run() {}

            @Override
            public String toString() {
                return "the task";
            }
        };
        ScheduledFuture<?> future = executor.schedule(task, 1, HOURS);
        assertThat(future.toString()).contains("Not completed").contains("the task");
        assertThat(executor.scheduleAtFixedRate(task, 1, 1, HOURS).toString())
                .contains("Not completed")
                .contains("the task");
        future.cancel(false);
        assertThat(future.toString()).contains("Cancelled").doesNotContain("the task");
        Future<?> done = executor.submit(task);
        done.get();
        assertThat(done.toString()).contains("Completed normally");
    }

    @Test
    void nothingIsLostBetweenScheduleAndShutdown() throws Exception {
        for (int round = 0; round < 30; round++) {
            ScheduledExecutorService executor = executor(2);
            runDelayedAfterShutdown(executor, round % 2 == 0);
            runPeriodicAfterShutdown(executor, round % 3 == 0);
            List<Future<?>> accepted = Collections.synchronizedList(new ArrayList<>());
            CyclicBarrier start = new CyclicBarrier(4);
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                threads.add(new Thread(() -> {
                    awaitQuietly(start);
                    try {
                        while (true) {
                            accepted.add(executor.schedule(NOTHING, 1, MILLISECONDS));
                            accepted.add(executor.submit(NOTHING));
                            accepted.add(endsItself(executor, 0));
                            accepted.add(endsItself(executor, 1));
                            ScheduledFuture<?> cancelled = executor.schedule(NOTHING, 1, MILLISECONDS);
                            cancelled.cancel(false);
                            accepted.add(cancelled);
                        }
                    } catch (RejectedExecutionException expected) {
                        assertThat(executor.isShutdown()).isTrue();
                    }
                }));
            }
            threads.forEach(Thread::start);
            awaitQuietly(start);
            while (accepted.size() < 200) {
                Thread.onSpinWait();
            }
            executor.shutdown();
            for (Thread thread : threads) {
                thread.join();
            }
            awaitEnd(executor);
            assertThat(accepted).allMatch(Future::isDone);
        }
    }

    private static Future<?> endsItself(ScheduledExecutorService executor, long initialDelay) {
        AtomicInteger runs = new AtomicInteger();
        return executor.scheduleAtFixedRate(
                () -> {
                    if (runs.incrementAndGet() == 3) {
                        throw new IllegalStateException("enough");
                    }
                },
                initialDelay,
                1,
                MILLISECONDS);
    }

    @Test
    void nothingIsLostBetweenCancelAndTheRuns() throws Exception {
        ScheduledExecutorService executor = executor(2);
        List<Future<?>> futures = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            futures.add(executor.scheduleAtFixedRate(NOTHING, i % 3, 1 + i % 700, TimeUnit.MICROSECONDS));
            futures.add(executor.schedule(NOTHING, i % 5, TimeUnit.MICROSECONDS));
        }
        for (Future<?> future : futures) {
            boolean cancelled = future.cancel(false);
            assertThat(future.isCancelled()).isEqualTo(cancelled);
            assertThat(future.isDone()).isTrue();
        }
        runPeriodicAfterShutdown(executor, true);
        executor.shutdown();
        awaitEnd(executor);
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void awaitQuietly(CyclicBarrier barrier) {
        try {
            barrier.await();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
