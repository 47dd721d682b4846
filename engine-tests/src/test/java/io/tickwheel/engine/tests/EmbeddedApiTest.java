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
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
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
        return Tickwheel.open(FileTimerStore.in(data).withSegmentBytes(1 << 16));
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
    void textIsScheduledAndRead() throws InterruptedException {
        BlockingQueue<String> handled = new LinkedBlockingQueue<>();
        try (Tickwheel timers = open()) {
            timers.handle("q", attempt -> handled.add(attempt.queue() + "/" + attempt.key() + ": " + attempt.text()));
            Tickwheel.await(timers.schedule("q", "plain", Duration.ZERO));
            assertThat(handled.poll(20, TimeUnit.SECONDS)).isEqualTo("q/plain: ");
            Tickwheel.await(timers.schedule(
                    TimerRequest.after("q", "text", Duration.ZERO).withText("größer")));
            assertThat(handled.poll(20, TimeUnit.SECONDS)).isEqualTo("q/text: größer");
            Tickwheel.await(timers.schedule("q", "at", Instant.EPOCH));
            assertThat(handled.poll(20, TimeUnit.SECONDS)).isEqualTo("q/at: ");
        }
    }

    @Test
    void removedHandlerGetsNoTimerAndTheNextOneGetsThoseThatWaited() throws InterruptedException {
        BlockingQueue<String> first = new LinkedBlockingQueue<>();
        BlockingQueue<String> second = new LinkedBlockingQueue<>();
        try (Tickwheel timers = open()) {
            assertThat(timers.removeHandler("q")).isFalse();
            timers.handle("q", attempt -> first.add(attempt.key()));
            timers.handle("other", attempt -> second.add(attempt.key()));
            Tickwheel.await(timers.schedule("q", "a", Duration.ZERO));
            assertThat(first.poll(20, TimeUnit.SECONDS)).isEqualTo("a");
            assertThat(timers.removeHandler("q")).isTrue();
            Tickwheel.await(timers.schedule("q", "b", Duration.ZERO));
            Tickwheel.await(timers.schedule("other", "behind", Duration.ZERO));
            assertThat(second.poll(20, TimeUnit.SECONDS)).isEqualTo("behind");
            assertThat(Tickwheel.await(timers.find("q", "b")).orElseThrow().state())
                    .isEqualTo(TimerState.PENDING);
            assertThat(first).isEmpty();
            timers.handle("q", attempt -> second.add(attempt.key() + attempt.number()));
            assertThat(second.poll(20, TimeUnit.SECONDS)).isEqualTo("b1");
        }
    }

    /** What runs goes on; what was granted for a handler that is gone is no attempt. */
    @Test
    void handlersComeAndGoWhileTimersAreDue() throws InterruptedException {
        int timersInAll = 3_000;
        List<CompletableFuture<Scheduled>> scheduled = new ArrayList<>();
        Map<String, Integer> handled = new ConcurrentHashMap<>();
        try (Tickwheel timers = open()) {
            for (int i = 0; i < timersInAll; i++) {
                scheduled.add(timers.schedule("q", "k" + i, Duration.ofMillis(i / 10)));
            }
            while (handled.size() < timersInAll) {
                int before = handled.size();
                timers.handle("q", attempt -> handled.merge(attempt.key(), attempt.number(), Integer::sum));
                // Else the loop might always find it gone already.
                while (handled.size() == before && timers.liveCount() > 0) {
                    Thread.onSpinWait();
                }
                assertThat(timers.removeHandler("q")).isTrue();
            }
            timers.handle("q", attempt -> handled.merge(attempt.key(), attempt.number(), Integer::sum));
            while (timers.liveCount() > 0) {
                Thread.onSpinWait();
            }
        }
        assertThat(handled)
                .hasSize(timersInAll)
                .allSatisfy((key, attempts) -> assertThat(attempts).as(key).isEqualTo(1));
        assertThat(scheduled).allMatch(CompletableFuture::isDone);
    }

    @Test
    void whatGoesWrongIsThrownAsItIsWhereItIsWaitedFor() {
        Tickwheel timers = open();
        timers.close();
        assertThatThrownBy(() -> Tickwheel.await(timers.schedule("q", "k", Duration.ZERO)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
        IllegalStateException shared = new IllegalStateException("shared");
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> Tickwheel.await(CompletableFuture.failedFuture(shared)))
                    .isSameAs(shared)
                    .hasNoSuppressedExceptions();
        }
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> Tickwheel.await(new CompletableFuture<>())).isInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void nullIsNamed() {
        try (Tickwheel timers = open()) {
            assertThatThrownBy(() -> timers.schedule(null, "k", Duration.ZERO)).hasMessage("queue");
            assertThatThrownBy(() -> timers.schedule("q", null, Duration.ZERO)).hasMessage("key");
            assertThatThrownBy(() -> timers.schedule("q", "k", (Duration) null)).hasMessage("delay");
            assertThatThrownBy(() -> timers.schedule("q", "k", (Instant) null)).hasMessage("dueAt");
            assertThatThrownBy(() -> timers.schedule("q", "k", Duration.ZERO, null))
                    .hasMessage("payload");
            assertThatThrownBy(() -> timers.schedule(null)).hasMessage("request");
            assertThatThrownBy(() -> timers.cancel("q", null)).hasMessage("key");
            assertThatThrownBy(() -> timers.find(null, "k")).hasMessage("queue");
            assertThatThrownBy(() -> timers.read("q", null)).hasMessage("key");
            assertThatThrownBy(() -> timers.list(null)).hasMessage("query");
            assertThatThrownBy(() -> timers.handle("q", null)).hasMessage("handler");
            assertThatThrownBy(() -> timers.handle(null, attempt -> {})).hasMessage("queue");
            TimerRequest request = TimerRequest.after("q", "k", Duration.ZERO);
            assertThatThrownBy(() -> request.withText(null)).hasMessage("text");
            assertThatThrownBy(() -> request.withRetry(null)).hasMessage("retry");
            assertThatThrownBy(() -> request.withOnConflict(null)).hasMessage("onConflict");
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
                seen.merge(attempt.key(), 1, Integer::sum);
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
