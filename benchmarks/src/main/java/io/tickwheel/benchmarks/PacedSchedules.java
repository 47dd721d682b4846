package io.tickwheel.benchmarks;

import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * Schedules at a steady rate from one thread, whatever becomes of the answers, and notes how long after its intended moment
 * each timer was on disk: who is slow to take one pays for all that wait behind it.
 */
final class PacedSchedules {

    private static final int MOST_AT_ONCE = 1_000;
    private static final long PARK_NANOS = 20_000;
    private static final long TIMEOUT_NANOS = 60_000_000_000L;

    /** Where the timers go. */
    interface Sink {
        /** Schedules the timers from {@code first} on below {@code end}; each is told when it is on disk, by any thread. */
        void schedule(long first, long end, Synced synced) throws Exception;
    }

    /** Told a timer that is on disk. */
    interface Synced {
        void timer(long number);
    }

    private final int rate;
    private final int count;
    private final Histogram micros = new ConcurrentHistogram(3);
    private final AtomicInteger synced = new AtomicInteger();
    private long startNanos;

    PacedSchedules(int rate, int count) {
        this.rate = rate;
        this.count = count;
    }

    /** Runs to the last answer, and returns the times in microseconds. */
    Histogram run(Sink sink) throws Exception {
        startNanos = System.nanoTime();
        long sent = 0;
        while (sent < count) {
            long elapsed = System.nanoTime() - startNanos;
            long due = Math.min(count, (long) (elapsed * 1e-9 * rate) + 1);
            if (due == sent) {
                LockSupport.parkNanos(PARK_NANOS);
                continue;
            }
            long end = Math.min(due, sent + MOST_AT_ONCE);
            sink.schedule(sent, end, this::synced);
            sent = end;
        }
        long deadline = System.nanoTime() + TIMEOUT_NANOS;
        while (synced.get() < count) {
            if (System.nanoTime() > deadline) {
                throw new TimeoutException(synced.get() + " of " + count + " timers answered");
            }
            Thread.sleep(1);
        }
        return micros;
    }

    private void synced(long number) {
        long intended = startNanos + (long) (number * 1e9 / rate);
        micros.recordValue(Math.max(0, System.nanoTime() - intended) / 1_000);
        synced.incrementAndGet();
    }
}
