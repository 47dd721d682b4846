package io.tickwheel.wheel;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Exchanger;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** With the real clock and the real thread. A test that fails may hang, until its time is over. */
@org.junit.jupiter.api.Timeout(60)
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
        assertThat(thread.getName()).isEqualTo("wheel-timer");
        timer.close();
        assertThat(timer.awaitTermination(LONG)).isTrue();
        thread.join();
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
    void taskClosesItsTimer() throws Exception {
        WheelTimer timer = WheelTimer.create();
        timer.schedule(timer::close, Duration.ZERO);
        assertThat(timer.awaitTermination(LONG)).isTrue();
    }

    @Test
    void drainingTimerTerminatesAfterItsLastTask() throws Exception {
        WheelTimer timer = WheelTimer.create();
        CountDownLatch ran = new CountDownLatch(1);
        timer.schedule(ran::countDown, Duration.ofMillis(30));
        timer.shutdown();
        assertThat(timer.awaitTermination(Duration.ZERO)).isFalse();
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
