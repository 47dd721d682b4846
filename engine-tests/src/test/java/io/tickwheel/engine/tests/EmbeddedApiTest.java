package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.engine.NeverAgainException;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.engine.TryAgainAtException;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreLockedException;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import io.tickwheel.store.file.FileTimerStore;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The engine as a program embeds it: real threads, the real clock, a real directory. */
class EmbeddedApiTest {

    private static final byte[] PAYLOAD = {1, 2, 3};

    @TempDir
    private Path data;

    private Tickwheel open() {
        return Tickwheel.open(FileTimerStore.in(data));
    }

    @Test
    void programSchedulesHandlesAndCancelsInTenLines() throws InterruptedException {
        CountDownLatch handled = new CountDownLatch(1);
        try (Tickwheel timers = open()) {
            timers.handle("close-order", attempt -> handled.countDown());
            timers.schedule("close-order", "order-1", Duration.ofMillis(20), PAYLOAD)
                    .join();
            timers.schedule("close-order", "order-2", Instant.now().plusSeconds(3_600), PAYLOAD)
                    .join();
            Cancelled cancelled = timers.cancel("close-order", "order-2").join();
            assertThat(cancelled.outcome()).isEqualTo(Cancelled.Outcome.CANCELLED);
            assertThat(handled.await(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void handlerSaysWhenToTryAgainOrNever() throws InterruptedException {
        CountDownLatch handled = new CountDownLatch(2);
        List<Integer> numbers = new CopyOnWriteArrayList<>();
        try (Tickwheel timers = open()) {
            timers.handle("later", attempt -> {
                numbers.add(attempt.number());
                if (numbers.size() < 3) {
                    throw new TryAgainAtException("not yet", Instant.now().plusMillis(10));
                }
                handled.countDown();
            });
            timers.handle("never", attempt -> {
                handled.countDown();
                throw new NeverAgainException("no such order");
            });
            timers.schedule("later", "a", Duration.ZERO, PAYLOAD).join();
            timers.schedule("never", "b", Duration.ZERO, PAYLOAD).join();
            assertThat(handled.await(20, TimeUnit.SECONDS)).isTrue();
            while (timers.liveCount() > 0) {
                Thread.onSpinWait();
            }
            assertThat(numbers).containsExactly(1, 1, 1);
            assertThat(timers.find("later", "a").join().orElseThrow().state()).isEqualTo(TimerState.COMPLETED);
            assertThat(timers.find("never", "b").join().orElseThrow().state()).isEqualTo(TimerState.DEAD);
        }
    }

    @Test
    void manyTimersFromManyThreadsComeOnceEachAndNeverEarly() throws InterruptedException {
        int threads = 4;
        int each = 2_000;
        Map<String, Integer> seen = new ConcurrentHashMap<>();
        AtomicInteger early = new AtomicInteger();
        List<CompletableFuture<Scheduled>> scheduled = new ArrayList<>();
        CountDownLatch all = new CountDownLatch(threads * each);
        try (Tickwheel timers = open()) {
            timers.handle("q", attempt -> {
                if (Instant.now().isBefore(attempt.dueAt())) {
                    early.incrementAndGet();
                }
                seen.merge(attempt.key().key(), 1, Integer::sum);
                all.countDown();
            });
            List<Thread> callers = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                int caller = t;
                Thread thread = new Thread(() -> {
                    for (int i = 0; i < each; i++) {
                        CompletableFuture<Scheduled> future =
                                timers.schedule("q", caller + "-" + i, Duration.ofMillis(i % 300), PAYLOAD);
                        synchronized (scheduled) {
                            scheduled.add(future);
                        }
                    }
                });
                callers.add(thread);
                thread.start();
            }
            for (Thread caller : callers) {
                caller.join();
            }
            assertThat(all.await(60, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(scheduled).allMatch(future -> future.join().outcome() == Scheduled.Outcome.CREATED);
        assertThat(early).hasValue(0);
        assertThat(seen)
                .hasSize(threads * each)
                .allSatisfy((key, times) -> assertThat(times).isEqualTo(1));
    }

    @Test
    void pendingTimersComeAfterAReopening() throws InterruptedException {
        try (Tickwheel timers = open()) {
            timers.schedule(TimerRequest.after("q", "a", Duration.ofMillis(1)).withPayload(PAYLOAD))
                    .join();
        }
        CountDownLatch handled = new CountDownLatch(1);
        try (Tickwheel timers = open()) {
            assertThat(timers.find("q", "a").join()).map(TimerView::state).contains(TimerState.PENDING);
            timers.handle("q", attempt -> {
                assertThat(attempt.payload()).isEqualTo(PAYLOAD);
                handled.countDown();
            });
            assertThat(handled.await(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void directoryIsOpenOnce() {
        try (Tickwheel first = open()) {
            assertThatThrownBy(this::open)
                    .isInstanceOf(StoreLockedException.class)
                    .hasMessageContaining(data.toString());
            assertThat(first.isRunning()).isTrue();
        }
    }

    @Test
    void closedEngineRefuses() {
        Tickwheel timers = open();
        timers.close();
        timers.close();
        assertThatThrownBy(() -> timers.cancel("q", "a").join()).hasCauseInstanceOf(IllegalStateException.class);
    }
}
