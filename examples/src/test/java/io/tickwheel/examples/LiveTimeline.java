package io.tickwheel.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Tickwheel;
import io.tickwheel.store.file.FileTimerStore;
import io.tickwheel.testkit.ManualClock;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** As {@link Timeline}, on threads of its own and on files: for handlers that wait for an answer, and for real sockets. */
final class LiveTimeline implements AutoCloseable {

    private static final String PROBE = "probe";

    private final ManualClock clock = new ManualClock(Instant.parse("2030-01-01T00:00:00Z"));
    private final Queue<String> happened = new ConcurrentLinkedQueue<>();
    private final Semaphore probed = new Semaphore(0);
    private final Tickwheel timers;

    LiveTimeline(Path folder) {
        timers = Tickwheel.builder(FileTimerStore.in(folder)).clock(clock).open();
        timers.handle(PROBE, attempt -> probed.release());
    }

    Tickwheel timers() {
        return timers;
    }

    void note(String event) {
        happened.add(event);
    }

    /** Lets time pass, and waits until all that has come due has been handled; returns what has happened since the last look. */
    List<String> after(Duration duration) throws InterruptedException {
        clock.advance(duration);
        // Due now, and so started behind all that was due before.
        Tickwheel.await(timers.schedule(PROBE, PROBE, Duration.ZERO));
        assertThat(probed.tryAcquire(30, TimeUnit.SECONDS))
                .as("the engine goes on")
                .isTrue();
        do {
            // Its answer comes from a turn of the engine, and what runs is as of the last one.
            Tickwheel.await(timers.find(PROBE, PROBE));
        } while (timers.stats().running() > 0);
        List<String> seen = List.copyOf(happened);
        happened.clear();
        return seen;
    }

    /** Waits until what happens on other threads, and is not told to them who caused it, has happened. */
    static void await(BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .as("the wait")
                    .isLessThan(Duration.ofSeconds(30));
            Thread.onSpinWait();
        }
    }

    @Override
    public void close() {
        timers.close();
    }
}
