package io.tickwheel.benchmarks;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.store.Scheduled;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Schedules timers at a steady rate that are due a second later, from its start until it is stopped. */
final class FreshTimers {

    static final String QUEUE = "fresh";

    private static final String KEY_PREFIX = "fresh-";

    private static final Duration DELAY = Duration.ofSeconds(1);

    private final Tickwheel engine;
    private final long everyNanos;
    private final CompletableFuture<Void> failed = new CompletableFuture<>();
    private final AtomicInteger accepted = new AtomicInteger();
    private final Thread thread = new Thread(this::loop, "fresh");
    private volatile boolean stopped;
    private int sent;

    FreshTimers(Tickwheel engine, int perSecond) {
        this.engine = engine;
        everyNanos = 1_000_000_000L / perSecond;
    }

    static boolean isOne(Attempt attempt) {
        return attempt.key().startsWith(KEY_PREFIX);
    }

    void start() {
        thread.start();
    }

    /** Stops, and waits until all are accepted; returns how many. */
    int stop() throws InterruptedException {
        stopped = true;
        thread.join();
        while (accepted.get() < sent) {
            failed.getNow(null); // Throws what went wrong, if anything did.
            Thread.sleep(1);
        }
        return sent;
    }

    private void loop() {
        long next = System.nanoTime();
        while (!stopped) {
            long waitNanos = next - System.nanoTime();
            if (waitNanos > 0) {
                LockSupport.parkNanos(waitNanos);
                continue;
            }
            int number = sent++;
            CompletableFuture<Scheduled> unused = engine.schedule(TimerRequest.after(QUEUE, KEY_PREFIX + number, DELAY)
                            .withPayload(TimerPlan.payload(number)))
                    .whenComplete(this::answered);
            next += everyNanos;
        }
    }

    private void answered(@Nullable Scheduled answer, @Nullable Throwable failure) {
        if (failure != null) {
            failed.completeExceptionally(failure);
        } else {
            accepted.incrementAndGet();
        }
    }
}
