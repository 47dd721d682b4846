package io.tickwheel.benchmarks.proof;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLongArray;

/** How long in each second this machine let a thread wait that wanted to run. Thread-safe. */
final class Stalls implements AutoCloseable {

    private static final long SLEEP_MS = 5;
    private static final long USUAL_MS = 10;
    private static final int MOST_SECONDS = 3_600;

    private final AtomicLongArray bySecond = new AtomicLongArray(MOST_SECONDS);
    private final AtomicBoolean ended = new AtomicBoolean();
    private final long fromMs;

    private Stalls(long fromMs) {
        this.fromMs = fromMs;
    }

    /** Watches for an hour at most, and counts seconds from that time. */
    static Stalls watch(long fromMs) {
        Stalls stalls = new Stalls(fromMs);
        Thread thread = new Thread(stalls::loop, "stalls");
        thread.setDaemon(true);
        thread.start();
        return stalls;
    }

    private void loop() {
        try {
            while (!ended.get()) {
                long beforeNanos = System.nanoTime();
                Thread.sleep(SLEEP_MS);
                long waitedMs = (System.nanoTime() - beforeNanos) / 1_000_000 - SLEEP_MS;
                int second = (int) Math.max(0, (System.currentTimeMillis() - fromMs) / 1_000);
                if (waitedMs > USUAL_MS && second < MOST_SECONDS) {
                    bySecond.addAndGet(second, waitedMs);
                }
            }
        } catch (InterruptedException e) {
            // That is how it is closed.
            Thread.currentThread().interrupt();
        }
    }

    /** In milliseconds; seconds are counted from 0. */
    long inSecond(int second) {
        return bySecond.get(second);
    }

    @Override
    public void close() {
        ended.set(true);
    }
}
