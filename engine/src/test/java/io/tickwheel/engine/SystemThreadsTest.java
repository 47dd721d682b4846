package io.tickwheel.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.engine.Threads.Loop;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SystemThreadsTest {

    private static final long FOR_EVER_NANOS = TimeUnit.DAYS.toNanos(1);

    private final SystemThreads threads = new SystemThreads();

    @Test
    void aLoopThatLetsThingsGatherTurnsAgainUnwoken() throws InterruptedException {
        CountDownLatch gathered = new CountDownLatch(2);
        threads.run("gathers", new Loop() {
            @Override
            public long turn() {
                gathered.countDown();
                return gathered.getCount() > 0 ? FOR_EVER_NANOS : DONE;
            }

            @Override
            public long gatherNanos() {
                return 1_000;
            }
        });
        gathered.await();
        threads.close();
        assertThat(gathered.getCount()).isZero();
    }

    @Test
    void aLoopThatWaitsIsWoken() {
        AtomicInteger turns = new AtomicInteger();
        Threads.Running running = threads.run("waits", () -> turns.incrementAndGet() < 3 ? FOR_EVER_NANOS : Loop.DONE);
        while (turns.get() < 3) {
            running.wake();
            Thread.onSpinWait();
        }
        threads.close();
        assertThat(turns).hasValue(3);
    }

    /** What was handed over before is done; nothing is taken any more. */
    @Test
    void closingWaitsForTheLoopAndEndsTheExecutors() throws InterruptedException {
        Executor serial = threads.serial("log");
        CountDownLatch closing = new CountDownLatch(1);
        AtomicBoolean ended = new AtomicBoolean();
        AtomicReference<Thread> loop = new AtomicReference<>();
        threads.run("loop", () -> {
            loop.set(Thread.currentThread());
            if (closing.getCount() > 0) {
                return 1_000;
            }
            ended.set(true);
            return Loop.DONE;
        });
        AtomicInteger done = new AtomicInteger();
        serial.execute(done::incrementAndGet);
        threads.handlers().execute(done::incrementAndGet);
        closing.countDown();
        threads.close();
        assertThat(ended).isTrue();
        assertThat(loop.get().isAlive()).isFalse();
        assertThatThrownBy(() -> serial.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
        assertThatThrownBy(() -> threads.handlers().execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
        while (done.get() < 2) {
            Thread.onSpinWait();
        }
    }

    @Test
    void aLoopMayCloseItself() throws InterruptedException {
        CountDownLatch closed = new CountDownLatch(1);
        threads.run("loop", () -> {
            threads.close();
            closed.countDown();
            return Loop.DONE;
        });
        closed.await();
        assertThat(closed.getCount()).isZero();
    }

    /** Each turn in which the wake is lost would be followed by a sleep as long as a loop may sleep. */
    @Test
    @Timeout(30)
    void aLoopThatIsWokenInItsTurnTurnsAgainAtOnce() {
        AtomicInteger turns = new AtomicInteger();
        AtomicReference<Threads.Running> itself = new AtomicReference<>();
        itself.set(threads.run("wakes itself", () -> {
            Threads.Running running = itself.get();
            if (running == null) {
                return 0;
            }
            running.wake();
            return turns.incrementAndGet() < 60 ? FOR_EVER_NANOS : Loop.DONE;
        }));
        threads.close();
        assertThat(turns).hasValue(60);
    }

    @Test
    void whoIsInterruptedWhileItClosesLearnsIt() {
        CountDownLatch closed = new CountDownLatch(1);
        threads.run("loop", () -> closed.getCount() > 0 ? 1_000 : Loop.DONE);
        Thread.currentThread().interrupt();
        threads.close();
        closed.countDown();
        assertThat(Thread.interrupted()).isTrue();
    }
}
