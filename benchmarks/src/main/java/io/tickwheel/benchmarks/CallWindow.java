package io.tickwheel.benchmarks;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Calls in flight, bounded, and how long each took. One thread begins them, any thread ends them. Once it is full, no call
 * begins before it has emptied to a level, so that the beginner is not woken for each answer.
 */
final class CallWindow {

    private static final long MOST_PARK_NANOS = 1_000_000;
    private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final int size;
    private final int resume;
    private final Thread beginner = Thread.currentThread();
    private final Histogram micros = new ConcurrentHistogram(3);
    private final AtomicLong ended = new AtomicLong();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private volatile long wakeAt = Long.MAX_VALUE;
    private long begun;

    /** Made by the thread that begins the calls. */
    CallWindow(int size, int resume) {
        this.size = size;
        this.resume = resume;
    }

    /** Waits for room; returns the moment from which the call is timed. */
    long begin() throws TimeoutException {
        if (begun - ended.get() >= size) {
            await(begun - resume);
        }
        begun++;
        return System.nanoTime();
    }

    void end(long beginNanos, @Nullable Throwable thrown) {
        if (thrown != null) {
            failure.compareAndSet(null, thrown);
        }
        micros.recordValue((System.nanoTime() - beginNanos) / 1_000);
        if (ended.incrementAndGet() == wakeAt) {
            LockSupport.unpark(beginner);
        }
    }

    /** Waits until all have ended, and returns how many microseconds each took; fails if one failed. */
    Histogram join() throws TimeoutException {
        await(begun);
        return micros;
    }

    private void await(long least) throws TimeoutException {
        long deadline = System.nanoTime() + TIMEOUT_NANOS;
        wakeAt = least;
        while (ended.get() < least) {
            if (System.nanoTime() > deadline) {
                throw new TimeoutException(begun - ended.get() + " calls have no answer");
            }
            LockSupport.parkNanos(this, MOST_PARK_NANOS);
        }
        wakeAt = Long.MAX_VALUE;
        Throwable thrown = failure.get();
        if (thrown != null) {
            throw new IllegalStateException("a call has failed", thrown);
        }
    }
}
