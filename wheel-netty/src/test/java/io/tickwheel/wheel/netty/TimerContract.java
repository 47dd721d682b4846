package io.tickwheel.wheel.netty;

import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Timeout.ThreadMode.SEPARATE_THREAD;

import io.netty.util.Timeout;
import io.netty.util.Timer;
import io.netty.util.TimerTask;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.ImmediateExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What users of {@code HashedWheelTimer} rely on. It runs against that class too, so that nothing is expected here that
 * the original does not do.
 */
@org.junit.jupiter.api.Timeout(value = 60, threadMode = SEPARATE_THREAD)
abstract class TimerContract {
    static final TimerTask NOTHING = timeout -> {};

    /** Of the timer's thread. */
    static final String THREAD = "under-test";

    final ThreadFactory threads = new DefaultThreadFactory(THREAD, true);
    private final List<Timer> made = new ArrayList<>();

    /** Calls the longest constructor. */
    abstract Timer make(
            ThreadFactory threads,
            long tick,
            TimeUnit unit,
            int ticksPerWheel,
            boolean leakDetection,
            long maxPending,
            Executor executor);

    abstract void start(Timer timer);

    abstract long pending(Timer timer);

    final Timer timer() {
        return timer(0, ImmediateExecutor.INSTANCE);
    }

    final Timer timer(long maxPending, Executor executor) {
        Timer timer = make(threads, 1, MILLISECONDS, 64, false, maxPending, executor);
        made.add(timer);
        return timer;
    }

    @AfterEach
    void stopAll() {
        made.forEach(Timer::stop);
    }

    @Test
    void taskIsNeverRunEarly() throws Exception {
        Timer timer = timer();
        BlockingQueue<Long> early = new LinkedBlockingQueue<>();
        for (int delayMicros = 0; delayMicros < 50_000; delayMicros += 500) {
            long delayNanos = delayMicros * 1000L;
            long start = System.nanoTime();
            timer.newTimeout(t -> early.add(delayNanos - (System.nanoTime() - start)), delayNanos, NANOSECONDS);
        }
        for (int i = 0; i < 100; i++) {
            assertThat(early.take()).isNotPositive();
        }
    }

    @Test
    void taskIsRunOnceWithItsTimeout() throws Exception {
        Timer timer = timer();
        BlockingQueue<Timeout> runs = new LinkedBlockingQueue<>();
        TimerTask task = runs::add;

        Timeout timeout = timer.newTimeout(task, 1, MILLISECONDS);

        assertThat(runs.take()).isSameAs(timeout);
        assertThat(timeout.timer()).isSameAs(timer);
        assertThat(timeout.task()).isSameAs(task);
        timer.stop();
        assertThat(runs).isEmpty();
    }

    @Test
    void timeoutIsExpiredFromWhenItsTaskStarts() throws Exception {
        BlockingQueue<List<Boolean>> seen = new LinkedBlockingQueue<>();

        Timeout timeout =
                timer().newTimeout(t -> seen.add(List.of(t.isExpired(), t.isCancelled(), t.cancel())), 1, MILLISECONDS);

        assertThat(seen.take()).containsExactly(true, false, false);
        assertThat(timeout.isExpired()).isTrue();
        assertThat(timeout.isCancelled()).isFalse();
        assertThat(timeout.cancel()).isFalse();
    }

    @Test
    void pendingTimeoutIsNeitherExpiredNorCancelled() {
        Timeout timeout = timer().newTimeout(NOTHING, 1, HOURS);

        assertThat(timeout.isExpired()).isFalse();
        assertThat(timeout.isCancelled()).isFalse();
    }

    @Test
    void cancelledTaskDoesNotRun() throws Exception {
        Timer timer = timer();
        BlockingQueue<Timeout> ran = new LinkedBlockingQueue<>();
        CountDownLatch later = new CountDownLatch(1);
        long delayMs = 50;
        Timeout timeout = timer.newTimeout(ran::add, delayMs, MILLISECONDS);

        while (!timeout.cancel()) {
            // The machine was too busy to cancel in time.
            assertThat(ran.take()).isSameAs(timeout);
            delayMs *= 2;
            timeout = timer.newTimeout(ran::add, delayMs, MILLISECONDS);
        }

        assertThat(timeout.cancel()).isFalse();
        assertThat(timeout.isCancelled()).isTrue();
        assertThat(timeout.isExpired()).isFalse();
        timer.newTimeout(t -> later.countDown(), 2 * delayMs, MILLISECONDS);
        later.await();
        assertThat(ran).isEmpty();
    }

    @Test
    void cancelIsToldToTheTaskOnTheThreadOfTheTimer() throws Exception {
        Telling task = new Telling();
        Timeout timeout = timer().newTimeout(task, 1, HOURS);

        timeout.cancel();

        assertThat(task.told.take()).isSameAs(timeout);
        assertThat(task.thread).startsWith(THREAD);
        assertThat(timeout.isCancelled()).isTrue();
    }

    @Test
    void taskThatThrowsWhenToldOfItsCancelHurtsNobody() throws Exception {
        Timer timer = timer();
        TimerTask throwing = new TimerTask() {
            @Override
            public void run(Timeout timeout) {}

            @Override
            public void cancelled(Timeout timeout) {
                throw new IllegalStateException("thrown on purpose");
            }
        };
        Telling task = new Telling();
        Timeout first = timer.newTimeout(throwing, 1, HOURS);
        Timeout second = timer.newTimeout(task, 1, HOURS);

        first.cancel();
        second.cancel();

        assertThat(task.told.take()).isSameAs(second);
        assertRuns(timer);
    }

    @Test
    void stopDoesNotTellTheTasksThatItCancels() {
        Timer timer = timer();
        Telling task = new Telling();
        Timeout timeout = timer.newTimeout(task, 1, HOURS);

        assertThat(timer.stop()).containsExactly(timeout);

        assertThat(task.told).isEmpty();
    }

    @Test
    void cancelsBeforeTheStopAreToldBeforeItReturns() {
        Timer timer = timer();
        Telling task = new Telling();
        for (int i = 0; i < 500; i++) {
            timer.newTimeout(task, 1, HOURS).cancel();
        }

        timer.stop();

        assertThat(task.told).hasSize(500);
    }

    @Test
    void taskThatThrowsDoesNotEndTheTimer() throws Exception {
        Timer timer = timer();
        timer.newTimeout(
                t -> {
                    throw new Exception("thrown on purpose");
                },
                1,
                MILLISECONDS);
        timer.newTimeout(
                t -> {
                    throw new AssertionError("thrown on purpose");
                },
                1,
                MILLISECONDS);

        assertRuns(timer);
    }

    @Test
    void interruptThatATaskLeavesBehindDoesNotEndTheTimer() throws Exception {
        Timer timer = timer();
        timer.newTimeout(t -> Thread.currentThread().interrupt(), 1, MILLISECONDS);

        assertRuns(timer);
    }

    @Test
    void taskMaySetTheNextTimeout() throws Exception {
        Timer timer = timer();
        CountDownLatch runs = new CountDownLatch(5);
        timer.newTimeout(
                new TimerTask() {
                    @Override
                    public void run(Timeout timeout) {
                        timeout.timer().newTimeout(this, 1, MILLISECONDS);
                        runs.countDown();
                    }
                },
                1,
                MILLISECONDS);

        runs.await();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, -1_000_000_000, Long.MIN_VALUE})
    void whatIsDueAlreadyRunsOnTheThreadOfTheTimer(long delay) throws Exception {
        BlockingQueue<String> ran = new LinkedBlockingQueue<>();

        timer().newTimeout(t -> ran.add(Thread.currentThread().getName()), delay, NANOSECONDS);

        assertThat(ran.take()).startsWith(THREAD);
    }

    @ParameterizedTest
    @EnumSource(TimeUnit.class)
    void longestDelayNeverComes(TimeUnit unit) throws Exception {
        Timer timer = timer();
        Timeout timeout = timer.newTimeout(NOTHING, Long.MAX_VALUE, unit);

        assertRuns(timer);

        assertThat(timeout.isExpired()).isFalse();
        assertThat(timeout.cancel()).isTrue();
    }

    @Test
    void stopReturnsWhatWasPending() throws Exception {
        Timer timer = timer();
        assertRuns(timer);
        Timeout cancelled = timer.newTimeout(NOTHING, 1, HOURS);
        Timeout first = timer.newTimeout(NOTHING, 1, HOURS);
        Timeout second = timer.newTimeout(NOTHING, 2, HOURS);
        cancelled.cancel();

        Set<Timeout> unprocessed = timer.stop();

        assertThat(unprocessed).containsExactlyInAnyOrder(first, second);
        assertThat(unprocessed).allMatch(Timeout::isCancelled).noneMatch(Timeout::isExpired);
        assertThat(first.cancel()).isFalse();
        assertThat(timer.stop()).isEmpty();
    }

    @Test
    void timerThatWasNotUsedIsStopped() {
        Timer timer = timer();

        assertThat(timer.stop()).isEmpty();
        assertThat(timer.stop()).isEmpty();
        assertRefuses(timer);
    }

    @Test
    void timerThatWasOnlyStartedIsStopped() {
        Timer timer = timer();
        start(timer);
        start(timer);

        assertThat(timer.stop()).isEmpty();
        assertRefuses(timer);
    }

    @Test
    void stoppedTimerRefuses() throws Exception {
        Timer timer = timer();
        assertRuns(timer);
        timer.stop();

        assertRefuses(timer);
    }

    @Test
    void stopFromInsideATaskIsRefused() throws Exception {
        Timer timer = timer();
        BlockingQueue<Throwable> thrown = new LinkedBlockingQueue<>();
        timer.newTimeout(
                t -> {
                    try {
                        timer.stop();
                    } catch (IllegalStateException refused) {
                        thrown.add(refused);
                    }
                },
                1,
                MILLISECONDS);

        assertThat(thrown.take()).isNotNull();
        assertRuns(timer);
    }

    @Test
    void stopWaitsForTheTaskThatRuns() throws Exception {
        Timer timer = timer();
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        AtomicBoolean ended = new AtomicBoolean();
        timer.newTimeout(
                t -> {
                    running.countDown();
                    awaitUninterruptibly(mayEnd);
                    ended.set(true);
                },
                1,
                MILLISECONDS);
        running.await();
        inParallel(threads -> {
            Future<Boolean> stopped = threads.submit(() -> {
                timer.stop();
                return ended.get();
            });
            awaitStopOf(timer);
            mayEnd.countDown();
            assertThat(stopped.get()).isTrue();
        });
    }

    @Test
    void stopInterruptsATaskThatWaitsUntilItEnds() throws Exception {
        Timer timer = timer();
        CountDownLatch running = new CountDownLatch(1);
        AtomicInteger interrupts = new AtomicInteger();
        timer.newTimeout(
                t -> {
                    running.countDown();
                    while (interrupts.get() < 3) {
                        try {
                            new CountDownLatch(1).await();
                        } catch (InterruptedException e) {
                            interrupts.incrementAndGet();
                        }
                    }
                },
                1,
                MILLISECONDS);
        running.await();

        timer.stop();

        assertThat(interrupts.get()).isEqualTo(3);
    }

    @Test
    void interruptDoesNotKeepStopFromWaitingAndIsKept() throws Exception {
        Timer timer = timer();
        assertRuns(timer);
        Timeout pending = timer.newTimeout(NOTHING, 1, HOURS);

        Thread.currentThread().interrupt();
        Set<Timeout> unprocessed = timer.stop();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(unprocessed).containsExactly(pending);
    }

    @Test
    void oneMoreThanTheLimitIsRefused() {
        Timer timer = timer(2, ImmediateExecutor.INSTANCE);
        timer.newTimeout(NOTHING, 1, HOURS);
        timer.newTimeout(NOTHING, 1, HOURS);

        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> timer.newTimeout(NOTHING, 1, HOURS))
                    .isExactlyInstanceOf(RejectedExecutionException.class);
            assertThat(pending(timer)).isEqualTo(2);
        }
    }

    @Test
    void cancelMakesRoomUnderTheLimit() throws Exception {
        Timer timer = timer(1, ImmediateExecutor.INSTANCE);
        Telling task = new Telling();
        for (int i = 0; i < 3; i++) {
            timer.newTimeout(task, 1, HOURS).cancel();
            task.told.take();
        }

        assertRuns(timer);
    }

    @Test
    void expiryMakesRoomUnderTheLimitBeforeTheTaskRuns() throws Exception {
        Timer timer = timer(1, ImmediateExecutor.INSTANCE);
        CountDownLatch ran = new CountDownLatch(1);

        timer.newTimeout(
                t -> {
                    if (pending(timer) == 0) {
                        timer.newTimeout(again -> ran.countDown(), 1, MILLISECONDS);
                    }
                },
                1,
                MILLISECONDS);

        ran.await();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE, Integer.MAX_VALUE, Long.MAX_VALUE})
    void limitsThatAreNone(long maxPending) {
        Timer timer = timer(maxPending, ImmediateExecutor.INSTANCE);
        for (int i = 0; i < 100; i++) {
            timer.newTimeout(NOTHING, 1, HOURS);
        }

        assertThat(pending(timer)).isEqualTo(100);
    }

    @Test
    void expiredTimeoutsAreNotPending() throws Exception {
        Timer timer = timer();
        timer.newTimeout(NOTHING, 1, HOURS);

        assertRuns(timer);

        assertThat(pending(timer)).isEqualTo(1);
    }

    @Test
    void withoutAnExecutorTasksRunOnTheThreadOfTheTimer() throws Exception {
        BlockingQueue<String> ran = new LinkedBlockingQueue<>();

        timer().newTimeout(t -> ran.add(Thread.currentThread().getName()), 1, MILLISECONDS);

        assertThat(ran.take()).startsWith(THREAD);
    }

    @Test
    void taskThatBlocksItsExecutorBlocksNoOther() throws Exception {
        CountDownLatch mayEnd = new CountDownLatch(1);
        inParallel(executor -> {
            Timer timer = timer(0, executor);
            CountDownLatch running = new CountDownLatch(1);
            BlockingQueue<String> ran = new LinkedBlockingQueue<>();
            timer.newTimeout(
                    t -> {
                        running.countDown();
                        awaitUninterruptibly(mayEnd);
                    },
                    1,
                    MILLISECONDS);
            running.await();

            timer.newTimeout(t -> ran.add(Thread.currentThread().getName()), 1, MILLISECONDS);

            assertThat(ran.take()).doesNotStartWith(THREAD);
            assertThat(timer.stop()).isEmpty();
            mayEnd.countDown();
        });
    }

    @Test
    void executorMayRunTasksAtOnce() throws Exception {
        assertRuns(timer(2, Runnable::run));
    }

    @Test
    void taskThatTheExecutorRefusesIsExpiredAndNotPending() throws Exception {
        AtomicInteger refusals = new AtomicInteger();
        Timer timer = timer(1, command -> {
            if (refusals.getAndIncrement() == 0) {
                throw new RejectedExecutionException("thrown on purpose");
            }
            command.run();
        });
        AtomicReference<Timeout> ran = new AtomicReference<>();
        Timeout refused = timer.newTimeout(ran::set, 1, MILLISECONDS);
        await(refused::isExpired);
        await(() -> pending(timer) == 0);

        assertRuns(timer);

        assertThat(ran).hasNullValue();
        assertThat(refused.isCancelled()).isFalse();
        assertThat(refused.cancel()).isFalse();
    }

    @Test
    void timeoutsAreEqualOnlyToThemselves() {
        Timer timer = timer();
        Timeout first = timer.newTimeout(NOTHING, 1, HOURS);
        Timeout second = timer.newTimeout(NOTHING, 1, HOURS);

        assertThat(first).isNotEqualTo(second);
        assertThat(Set.of(first, second)).contains(first, second);
    }

    @Test
    void textOfATimeoutNamesItsTaskAndSaysWhetherItIsCancelled() {
        TimerTask task = new Telling();
        Timeout timeout = timer().newTimeout(task, 1, HOURS);

        assertThat(timeout.toString()).contains(task.toString()).doesNotContain("cancelled");
        timeout.cancel();
        assertThat(timeout.toString()).contains(task.toString()).contains("cancelled");
    }

    @Test
    void wrongArgumentsAreRefused() {
        Executor executor = ImmediateExecutor.INSTANCE;
        assertThatThrownBy(() -> make(null, 1, MILLISECONDS, 1, true, 0, executor))
                .isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> make(threads, 1, null, 1, true, 0, executor)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> make(threads, 1, MILLISECONDS, 1, true, 0, null))
                .isInstanceOf(NullPointerException.class);
        for (long tick : new long[] {0, -1, Long.MIN_VALUE}) {
            assertThatThrownBy(() -> make(threads, tick, MILLISECONDS, 1, true, 0, executor))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        for (int slots : new int[] {0, -1, Integer.MIN_VALUE}) {
            assertThatThrownBy(() -> make(threads, 1, MILLISECONDS, slots, true, 0, executor))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        Timer timer = timer();
        assertThatThrownBy(() -> timer.newTimeout(null, 1, MILLISECONDS)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> timer.newTimeout(NOTHING, 1, null)).isInstanceOf(NullPointerException.class);
        assertThat(pending(timer)).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 300, 512})
    void roundOfTheWheelMustBeATime(int ticksPerWheel) {
        int slots = ticksPerWheel == 300 ? 512 : ticksPerWheel == 3 ? 4 : ticksPerWheel;
        long limit = Long.MAX_VALUE / slots;

        assertThatThrownBy(() -> make(threads, limit, NANOSECONDS, ticksPerWheel, false, 0, ImmediateExecutor.INSTANCE))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatCode(() -> make(threads, limit - 1, NANOSECONDS, ticksPerWheel, false, 0, ImmediateExecutor.INSTANCE))
                .doesNotThrowAnyException();
    }

    @Test
    void tickBelowAMillisecondIsTaken() throws Exception {
        Timer timer = make(threads, 1, NANOSECONDS, 16, false, 0, ImmediateExecutor.INSTANCE);
        made.add(timer);

        assertRuns(timer);
    }

    @Test
    void everyTimeoutOfManyThreadsEndsInExactlyOneWay() throws Exception {
        int producers = 4;
        int each = 5_000;
        Timer timer = timer();
        LongAdder ran = new LongAdder();
        LongAdder cancelled = new LongAdder();
        inParallel(threads -> {
            List<Future<?>> running = new ArrayList<>();
            for (int producer = 0; producer < producers; producer++) {
                running.add(threads.submit(() -> {
                    List<Timeout> mine = new ArrayList<>();
                    for (int i = 0; i < each; i++) {
                        mine.add(timer.newTimeout(t -> ran.increment(), i % 40, MILLISECONDS));
                        if (i % 3 == 0 && mine.get(i / 2).cancel()) {
                            cancelled.increment();
                        }
                    }
                }));
            }
            for (Future<?> producer : running) {
                producer.get();
            }
        });

        int unprocessed = timer.stop().size();

        assertThat(ran.sum() + cancelled.sum() + unprocessed).isEqualTo((long) producers * each);
    }

    final void assertRuns(Timer timer) throws InterruptedException {
        CountDownLatch ran = new CountDownLatch(1);
        timer.newTimeout(t -> ran.countDown(), 1, MILLISECONDS);
        ran.await();
    }

    private void assertRefuses(Timer timer) {
        assertThatThrownBy(() -> timer.newTimeout(NOTHING, 1, MILLISECONDS))
                .isExactlyInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> start(timer)).isExactlyInstanceOf(IllegalStateException.class);
    }

    final void awaitStopOf(Timer timer) {
        await(() -> {
            try {
                start(timer);
                return false;
            } catch (IllegalStateException stopped) {
                return true;
            }
        });
    }

    static void await(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            Thread.onSpinWait();
        }
    }

    static void awaitUninterruptibly(CountDownLatch latch) {
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException again) {
                Thread.onSpinWait();
            }
        }
    }

    /** Code that may throw. */
    interface Body {
        void run(ExecutorService threads) throws Exception;
    }

    static void inParallel(Body body) throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool(new DefaultThreadFactory("beside-it", true));
        try {
            body.run(threads);
        } finally {
            threads.shutdownNow();
        }
    }

    /** A task that notes when it is told of its cancel. */
    static final class Telling implements TimerTask {
        final BlockingQueue<Timeout> told = new LinkedBlockingQueue<>();
        volatile String thread = "none";

        @Override
        public void run(Timeout timeout) {
            throw new AssertionError("it was cancelled");
        }

        @Override
        public void cancelled(Timeout timeout) {
            thread = Thread.currentThread().getName();
            told.add(timeout);
        }
    }
}
