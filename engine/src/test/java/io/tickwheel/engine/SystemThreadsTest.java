package io.tickwheel.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Threads.Loop;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
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
}
