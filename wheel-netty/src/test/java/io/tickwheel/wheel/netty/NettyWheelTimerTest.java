package io.tickwheel.wheel.netty;

import static io.tickwheel.wheel.netty.TimerContract.NOTHING;
import static io.tickwheel.wheel.netty.TimerContract.await;
import static io.tickwheel.wheel.netty.TimerContract.awaitUninterruptibly;
import static io.tickwheel.wheel.netty.TimerContract.inParallel;
import static java.util.concurrent.TimeUnit.DAYS;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Timeout.ThreadMode.SEPARATE_THREAD;

import io.netty.util.Timeout;
import io.netty.util.TimerTask;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.ImmediateExecutor;
import io.tickwheel.wheel.netty.TimerContract.Telling;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What we promise beyond the original. */
@org.junit.jupiter.api.Timeout(value = 60, threadMode = SEPARATE_THREAD)
final class NettyWheelTimerTest {
    private static final String THREAD = "ours";

    private final List<Thread> threads = new ArrayList<>();
    private final List<NettyWheelTimer> made = new ArrayList<>();

    @AfterEach
    void stopAll() {
        made.forEach(NettyWheelTimer::stop);
    }

    private NettyWheelTimer timer() {
        return timer(0, ImmediateExecutor.INSTANCE);
    }

    private NettyWheelTimer timer(long maxPending, Executor executor) {
        return note(new NettyWheelTimer(noted(), 1, MILLISECONDS, 512, false, maxPending, executor));
    }

    private NettyWheelTimer note(NettyWheelTimer timer) {
        made.add(timer);
        return timer;
    }

    private ThreadFactory noted() {
        ThreadFactory factory = new DefaultThreadFactory(THREAD, true);
        return loop -> {
            Thread thread = factory.newThread(loop);
            threads.add(thread);
            return thread;
        };
    }

    @Test
    void shortConstructorsTakeTheDefaults() throws Exception {
        List<NettyWheelTimer> timers = List.of(
                note(new NettyWheelTimer()),
                note(new NettyWheelTimer(5, MILLISECONDS)),
                note(new NettyWheelTimer(5, MILLISECONDS, 64)),
                note(new NettyWheelTimer(noted())),
                note(new NettyWheelTimer(noted(), 5, MILLISECONDS)),
                note(new NettyWheelTimer(noted(), 5, MILLISECONDS, 64)),
                note(new NettyWheelTimer(noted(), 5, MILLISECONDS, 64, true)),
                note(new NettyWheelTimer(noted(), 5, MILLISECONDS, 64, true, 10)));

        for (NettyWheelTimer timer : timers) {
            BlockingQueue<Boolean> ran = new LinkedBlockingQueue<>();
            timer.newTimeout(t -> ran.add(Thread.currentThread().isDaemon()), 1, MILLISECONDS);
            assertThat(ran.take()).isEqualTo(timers.indexOf(timer) > 2);
        }
    }

    @Test
    void tickAboveADayIsTaken() {
        NettyWheelTimer timer = note(new NettyWheelTimer(noted(), 7, DAYS));

        timer.newTimeout(NOTHING, 1, MILLISECONDS);

        assertThat(timer.pendingTimeouts()).isEqualTo(1);
    }

    @Test
    void threadIsMadeByTheConstructorAndStartedByTheFirstTimeout() {
        NettyWheelTimer timer = timer();
        assertThat(threads).hasSize(1).allMatch(thread -> thread.getState() == Thread.State.NEW);

        timer.newTimeout(NOTHING, 1, HOURS);
        timer.newTimeout(NOTHING, 1, HOURS);
        assertThat(threads).hasSize(1).allMatch(Thread::isAlive);

        timer.stop();
        assertThat(threads).noneMatch(Thread::isAlive);
    }

    @Test
    void threadThatWasStartedAheadExpires() throws Exception {
        NettyWheelTimer timer = timer();
        timer.start();
        await(() -> threads.get(0).getState() == Thread.State.TIMED_WAITING);
        CountDownLatch ran = new CountDownLatch(1);

        timer.newTimeout(t -> ran.countDown(), 1, MILLISECONDS);

        ran.await();
    }

    @Test
    void threadFactoryMustMakeAThread() {
        assertThatThrownBy(() -> new NettyWheelTimer(loop -> null)).isInstanceOf(NullPointerException.class);
    }

    @Test
    void cancelMakesRoomBeforeItReturns() {
        NettyWheelTimer timer = timer(2, ImmediateExecutor.INSTANCE);
        timer.newTimeout(NOTHING, 1, HOURS);
        for (int i = 0; i < 1000; i++) {
            Timeout timeout = timer.newTimeout(NOTHING, 1, HOURS);
            assertThat(timer.pendingTimeouts()).isEqualTo(2);
            timeout.cancel();
            assertThat(timer.pendingTimeouts()).isEqualTo(1);
        }
    }

    @Test
    void cancelWakesTheThreadOnlyForATaskThatWantsToKnow() {
        Telling telling = new Telling();

        assertThat(CancelledCallback.isOverriddenBy(NOTHING)).isFalse();
        assertThat(CancelledCallback.isOverriddenBy(new Silent())).isFalse();
        assertThat(CancelledCallback.isOverriddenBy(telling)).isTrue();
    }

    private static final class Silent implements TimerTask {
        @Override
        public void run(Timeout timeout) {}
    }

    @Test
    void cancelWinsOverATimeoutThatWaitsForAThreadOfTheExecutor() throws Exception {
        BlockingQueue<Runnable> handedOver = new LinkedBlockingQueue<>();
        NettyWheelTimer timer = timer(1, handedOver::add);
        Telling task = new Telling();
        Timeout timeout = timer.newTimeout(task, 1, MILLISECONDS);
        Runnable command = handedOver.take();
        assertThat(timer.pendingTimeouts()).isZero();
        assertThat(timeout.isExpired()).isFalse();

        assertThat(timeout.cancel()).isTrue();

        assertThat(task.told.take()).isSameAs(timeout);
        assertThat(task.thread).startsWith(THREAD);
        command.run();
        assertThat(timeout.isExpired()).isFalse();
        assertThat(timeout.isCancelled()).isTrue();
        timer.newTimeout(NOTHING, 1, HOURS);
        assertThatThrownBy(() -> timer.newTimeout(NOTHING, 1, HOURS)).isInstanceOf(RejectedExecutionException.class);
    }

    @Test
    void taskThatWaitsForTheExecutorIsLeftToItByTheStop() throws Exception {
        BlockingQueue<Runnable> handedOver = new LinkedBlockingQueue<>();
        NettyWheelTimer timer = timer(0, handedOver::add);
        AtomicBoolean ran = new AtomicBoolean();
        Telling cancelledLater = new Telling();
        Timeout first = timer.newTimeout(t -> ran.set(true), 1, MILLISECONDS);
        Timeout second = timer.newTimeout(cancelledLater, 2, MILLISECONDS);
        Runnable command = handedOver.take();
        handedOver.take();

        assertThat(timer.stop()).isEmpty();

        command.run();
        assertThat(ran).isTrue();
        assertThat(first.isExpired()).isTrue();
        assertThat(second.cancel()).isTrue();
        assertThat(cancelledLater.told)
                .as("there is no other thread to tell it")
                .containsExactly(second);
    }

    private static boolean isStopped(NettyWheelTimer timer) {
        try {
            timer.start();
            return false;
        } catch (IllegalStateException stopped) {
            return true;
        }
    }

    @Test
    void dueTasksBehindTheOneThatRunsAreReturnedByTheStop() throws Exception {
        NettyWheelTimer timer = note(new NettyWheelTimer(noted(), 100, MILLISECONDS));
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        timer.newTimeout(
                t -> {
                    running.countDown();
                    awaitUninterruptibly(mayEnd);
                },
                1,
                MILLISECONDS);
        running.await();
        Timeout behind = timer.newTimeout(NOTHING, 0, MILLISECONDS);
        inParallel(beside -> {
            Future<Set<Timeout>> unprocessed = beside.submit(timer::stop);
            await(() -> isStopped(timer));
            await(behind::isCancelled);
            mayEnd.countDown();
            assertThat(unprocessed.get()).containsExactly(behind);
        });
    }

    @Test
    void nothingThatWasAcceptedDuringAStopIsLost() throws Exception {
        for (int round = 0; round < 50; round++) {
            NettyWheelTimer timer = timer();
            ConcurrentLinkedQueue<Timeout> accepted = new ConcurrentLinkedQueue<>();
            inParallel(beside -> {
                CountDownLatch underWay = new CountDownLatch(100);
                Future<?> producer = beside.submit(() -> produceUntilStopped(timer, accepted, underWay));
                underWay.await();
                Set<Timeout> unprocessed = timer.stop();
                producer.get();
                assertThat(accepted).allMatch(timeout -> timeout.isExpired() != unprocessed.contains(timeout));
            });
        }
    }

    private static void produceUntilStopped(
            NettyWheelTimer timer, ConcurrentLinkedQueue<Timeout> accepted, CountDownLatch underWay) {
        while (true) {
            try {
                accepted.add(timer.newTimeout(NOTHING, accepted.size() % 3, MILLISECONDS));
                underWay.countDown();
            } catch (IllegalStateException stopped) {
                return;
            }
        }
    }

    @Test
    void whatGoesWrongWithATaskIsLogged() throws Exception {
        BlockingQueue<LogRecord> log = new LinkedBlockingQueue<>();
        Logger logger = Logger.getLogger(NettyWheelTimer.class.getName());
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord line) {
                log.add(line);
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Exception failure = new Exception("thrown on purpose");
        RejectedExecutionException refusal = new RejectedExecutionException("thrown on purpose");
        logger.addHandler(handler);
        try {
            timer().newTimeout(
                            t -> {
                                throw failure;
                            },
                            1,
                            MILLISECONDS);
            LogRecord failed = log.take();
            assertThat(failed.getThrown()).isSameAs(failure);
            assertThat(failed.getMessage()).contains(threads.get(0).getName());

            Executor refusing = command -> {
                throw refusal;
            };
            timer(0, refusing).newTimeout(NOTHING, 1, MILLISECONDS);
            LogRecord refused = log.take();
            assertThat(refused.getThrown()).isSameAs(refusal);
            assertThat(refused.getMessage()).contains(threads.get(1).getName());
        } finally {
            logger.removeHandler(handler);
        }
    }

    @Test
    void timerThatIsForgottenBecomesGarbage() throws Exception {
        WeakReference<NettyWheelTimer> forgotten = usedAndForgotten();

        await(() -> {
            System.gc();
            return forgotten.get() == null;
        });
    }

    private static WeakReference<NettyWheelTimer> usedAndForgotten() throws InterruptedException {
        NettyWheelTimer timer = new NettyWheelTimer(new DefaultThreadFactory("forgotten", true));
        CountDownLatch ran = new CountDownLatch(1);
        timer.newTimeout(NOTHING, 1, HOURS).cancel();
        timer.newTimeout(t -> ran.countDown(), 1, MILLISECONDS);
        ran.await();
        return new WeakReference<>(timer);
    }

    @Test
    void textSaysWhatHasBecomeOfATimeout() throws Exception {
        NettyWheelTimer timer = timer();
        Timeout pending = timer.newTimeout(NOTHING, 1, HOURS);
        Timeout ran = timer.newTimeout(NOTHING, 0, HOURS);
        await(ran::isExpired);

        assertThat(pending).asString().matches("NettyTimeout\\[due in \\d+ ns, task: .*]");
        assertThat(ran).asString().startsWith("NettyTimeout[expired, task: ");
        pending.cancel();
        assertThat(pending).asString().startsWith("NettyTimeout[cancelled, task: ");
    }
}
