package io.tickwheel.wheel;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Exchanger;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** With the real clock and the real thread. A test that fails may hang, until its time is over. */
@org.junit.jupiter.api.Timeout(60)
@Tag("races")
final class WheelTimerThreadsTest {
    private static final Duration LONG = Duration.ofSeconds(50);

    @Test
    void firstScheduleStartsOneDaemonThreadThatEndsWithTheTimer() throws Exception {
        CompletableFuture<Thread> runner = new CompletableFuture<>();
        WheelTimer timer = WheelTimer.create();
        long before = System.nanoTime();
        timer.schedule(() -> runner.complete(Thread.currentThread()), Duration.ofMillis(2));
        Thread thread = runner.get();
        assertThat(System.nanoTime() - before).as("not early").isGreaterThanOrEqualTo(2_000_000);
        assertThat(thread.isDaemon()).isTrue();
        assertThat(thread.getName()).matches("wheel-timer-\\d+");
        timer.close();
        assertThat(timer.awaitTermination(LONG)).isTrue();
        thread.join();
    }

    @Test
    void threadIsCalledAsTheTimerIs() throws Exception {
        CompletableFuture<Thread> runner = new CompletableFuture<>();
        try (WheelTimer timer = WheelTimer.builder().name("requests").build()) {
            timer.schedule(() -> runner.complete(Thread.currentThread()), Duration.ZERO);
            assertThat(runner.get().getName()).isEqualTo("requests");
        }
        assertThatThrownBy(() -> WheelTimer.builder().name(" "))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("name is ' ', must not be blank");
    }

    @Test
    void sleeperIsWokenForAnEarlierDeadline() throws Exception {
        BlockingQueue<String> ran = new LinkedBlockingQueue<>();
        try (WheelTimer timer = WheelTimer.create()) {
            timer.schedule(() -> ran.add("late"), LONG.plus(LONG));
            while (timer.metrics().wakeUps() == 0) {
                Thread.onSpinWait();
            }
            for (int i = 0; i < 100; i++) {
                timer.schedule(() -> ran.add("soon"), Duration.ZERO);
                assertThat(ran.take()).isEqualTo("soon");
            }
        }
    }

    @Test
    void interruptThatATaskLeavesBehindIsCleared() throws Exception {
        BlockingQueue<Boolean> interrupted = new LinkedBlockingQueue<>();
        try (WheelTimer timer = WheelTimer.create()) {
            timer.schedule(() -> Thread.currentThread().interrupt(), Duration.ZERO);
            while (timer.metrics().fired() == 0) {
                Thread.onSpinWait();
            }
            timer.schedule(() -> interrupted.add(Thread.currentThread().isInterrupted()), Duration.ofMillis(20));
            assertThat(interrupted.take()).isFalse();
            assertThat(timer.metrics().wakeUps()).as("slept in between").isLessThan(20);
        }
    }

    @Test
    void interruptDoesNotReachTheNextTask() {
        ManualTime time = new ManualTime();
        List<Boolean> interrupted = new ArrayList<>();
        WheelTimer timer = time.timerBuilder().build();
        timer.schedule(() -> Thread.currentThread().interrupt(), Duration.ZERO);
        timer.schedule(() -> interrupted.add(Thread.interrupted()), Duration.ZERO);
        time.advanceMillis(0);
        assertThat(interrupted).containsExactly(false);
    }

    @Test
    void threadInheritsNothingFromTheOneThatSchedulesFirst() throws Exception {
        InheritableThreadLocal<String> local = new InheritableThreadLocal<>();
        CompletableFuture<String> seen = new CompletableFuture<>();
        WheelTimer timer = WheelTimer.create();
        Thread first = new Thread(() -> {
            local.set("of the first caller");
            Thread.currentThread().setContextClassLoader(new ClassLoader(null) {});
            timer.schedule(
                    () -> seen.complete(local.get() + " "
                            + (Thread.currentThread().getContextClassLoader() == ClassLoader.getSystemClassLoader())),
                    Duration.ZERO);
        });
        first.start();
        first.join();
        assertThat(seen.get()).isEqualTo("null true");
        timer.close();
    }

    @Test
    void taskDoesNotWaitForAPlaceOnTheThreadThatWouldFreeIt() throws Exception {
        CompletableFuture<Throwable> refusal = new CompletableFuture<>();
        try (WheelTimer timer =
                WheelTimer.builder().maxPending(2).maxPendingWait(LONG).build()) {
            timer.schedule(() -> {}, LONG.plus(LONG));
            timer.schedule(
                    () -> {
                        timer.schedule(() -> {}, LONG.plus(LONG));
                        try {
                            timer.schedule(() -> {}, LONG.plus(LONG));
                        } catch (RejectedExecutionException e) {
                            refusal.complete(e);
                        }
                    },
                    Duration.ZERO);
            assertThat(refusal.get()).hasMessageContaining("maxPending");
        }
    }

    @Test
    void manyThreadsOfOneStripeGetTheirTurn() throws Exception {
        int threads = 40;
        int each = 2_000;
        CountDownLatch done = new CountDownLatch(threads);
        CountDownLatch ran = new CountDownLatch(threads);
        try (WheelTimer timer = WheelTimer.builder().stripes(1).build()) {
            for (int i = 0; i < threads; i++) {
                Thread thread = new Thread(() -> {
                    // A waiter whose interrupt is pending must not spin, nor lose it.
                    Thread.currentThread().interrupt();
                    for (int n = 0; n < each; n++) {
                        timer.schedule(() -> {}, LONG).cancel();
                    }
                    timer.schedule(ran::countDown, Duration.ZERO);
                    if (Thread.interrupted()) {
                        done.countDown();
                    }
                });
                thread.start();
            }
            done.await();
            ran.await();
            assertThat(timer.metrics().cancelled()).isEqualTo((long) threads * each);
        }
    }

    @Test
    void taskClosesItsTimer() throws Exception {
        WheelTimer timer = WheelTimer.create();
        timer.schedule(timer::close, Duration.ZERO);
        assertThat(timer.awaitTermination(LONG)).isTrue();
    }

    @Test
    void drainingTimerTerminatesAfterItsLastTask() throws Exception {
        WheelTimer timer = WheelTimer.create();
        // It may have begun by the time the timer is shut down.
        CompletableFuture<Void> mayEnd = new CompletableFuture<>();
        CountDownLatch ran = new CountDownLatch(1);
        timer.schedule(
                () -> {
                    mayEnd.join();
                    ran.countDown();
                },
                Duration.ofMillis(30));
        timer.shutdown();
        assertThat(timer.awaitTermination(Duration.ZERO)).isFalse();
        mayEnd.complete(null);
        assertThat(timer.awaitTermination(LONG)).isTrue();
        assertThat(ran.getCount()).isZero();
    }

    @Test
    void callerWaitsForAPlaceAmongThePending() throws Exception {
        try (WheelTimer timer =
                WheelTimer.builder().maxPending(1).maxPendingWait(LONG).build()) {
            Timeout first = timer.schedule(() -> {}, LONG.plus(LONG));
            FutureTask<Timeout> second = new FutureTask<>(() -> timer.schedule(() -> {}, LONG.plus(LONG)));
            Thread waiting = new Thread(second);
            waiting.start();
            while (waiting.getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait();
            }
            assertThat(timer.pending()).isEqualTo(1);
            first.cancel();
            assertThat(second.get().state()).isEqualTo(Timeout.State.PENDING);
            assertThat(timer.pending()).isEqualTo(1);
        }
    }

    @Test
    void callerThatIsInterruptedWhileItWaitsIsRefused() throws Exception {
        try (WheelTimer timer =
                WheelTimer.builder().maxPending(1).maxPendingWait(LONG).build()) {
            timer.schedule(() -> {}, LONG.plus(LONG));
            Exchanger<Boolean> stillInterrupted = new Exchanger<>();
            Thread waiting = new Thread(() -> {
                assertThatThrownBy(() -> timer.schedule(() -> {}, LONG))
                        .isInstanceOf(RejectedExecutionException.class)
                        .hasMessageContaining("interrupted");
                boolean interrupted = Thread.interrupted();
                try {
                    stillInterrupted.exchange(interrupted);
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            waiting.start();
            while (waiting.getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait();
            }
            waiting.interrupt();
            assertThat(stillInterrupted.exchange(false, LONG.toMillis(), MILLISECONDS))
                    .isTrue();
        }
    }

    @Test
    void virtualThreadsRunTheTasksWhereThereAreAny() throws Exception {
        if (Runtime.version().feature() < 21) {
            assertThatThrownBy(() -> WheelTimer.builder().virtualThreads())
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining("need Java 21");
            return;
        }
        CompletableFuture<Thread> runner = new CompletableFuture<>();
        try (WheelTimer timer = WheelTimer.builder().virtualThreads().build()) {
            timer.schedule(() -> runner.complete(Thread.currentThread()), 0, TimeUnit.SECONDS);
            assertThat(Thread.class.getMethod("isVirtual").invoke(runner.get())).isEqualTo(true);
        }
    }
}
