package io.tickwheel.benchmarks;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Clock;
import io.tickwheel.engine.TimerHandler;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * A handler that notes of each numbered timer that it came: how late by the given clock, how many too early, how many again.
 * Thread-safe.
 */
final class HandledTimers implements TimerHandler {

    private static final long MOST_MICROS = TimeUnit.DAYS.toMicros(1);
    private static final long POLL_MS = 1;

    private final Clock clock;
    private final AtomicIntegerArray seen;
    private final Histogram lateMicros = new ConcurrentHistogram(MOST_MICROS, 3);
    private final AtomicLong distinct = new AtomicLong();
    private final AtomicLong early = new AtomicLong();
    private final AtomicLong earliestMicros = new AtomicLong();
    private final AtomicLong again = new AtomicLong();
    private final AtomicLong firstNanos = new AtomicLong(Long.MAX_VALUE);
    private volatile long lastNanos;

    /** For timers whose numbers are below {@code most}. */
    HandledTimers(Clock clock, long most) {
        this.clock = clock;
        seen = new AtomicIntegerArray(Math.toIntExact((most + Integer.SIZE - 1) / Integer.SIZE));
    }

    @Override
    public void handle(Attempt attempt) {
        arrived(TimerPlan.number(attempt.payload()), attempt.dueAt());
    }

    /** Notes that the timer of that number came. */
    void arrived(long number, Instant dueAt) {
        Duration late = Duration.between(dueAt, clock.now());
        if (firstNanos.get() == Long.MAX_VALUE) {
            firstNanos.compareAndSet(Long.MAX_VALUE, System.nanoTime());
        }
        int bit = 1 << (number % Integer.SIZE);
        if ((seen.getAndAccumulate((int) (number / Integer.SIZE), bit, (a, b) -> a | b) & bit) != 0) {
            again.incrementAndGet();
            return;
        }
        if (late.isNegative()) {
            early.incrementAndGet();
            earliestMicros.accumulateAndGet(-late.toNanos() / 1_000, Math::max);
        }
        lateMicros.recordValue(Math.min(Math.max(late.toNanos() / 1_000, 0), MOST_MICROS));
        lastNanos = System.nanoTime();
        distinct.incrementAndGet();
    }

    /** Waits until that many timers have come; fails when none comes for {@code stallMs}. */
    void await(long count, long stallMs) throws InterruptedException, TimeoutException {
        long before = distinct.get();
        long lastNanos = System.nanoTime();
        while (distinct.get() < count) {
            Thread.sleep(POLL_MS);
            if (distinct.get() != before) {
                before = distinct.get();
                lastNanos = System.nanoTime();
            } else if (System.nanoTime() - lastNanos > TimeUnit.MILLISECONDS.toNanos(stallMs)) {
                throw new TimeoutException(before + " of " + count + " timers came, and none for " + stallMs + " ms");
            }
        }
    }

    long distinct() {
        return distinct.get();
    }

    long early() {
        return early.get();
    }

    /** How many milliseconds before its due time the earliest came; 0 if none was early. */
    double earliestMillis() {
        return earliestMicros.get() / 1e3;
    }

    long again() {
        return again.get();
    }

    /** Adds what is to be zero, and how late the timers came. */
    void report(String measure, String contender, Results results) {
        results.add(measure + ", early", contender, (double) early());
        results.add(measure + ", more than once", contender, (double) again());
        results.addPercentiles(measure + ", lateness", contender, lateMicros(), TimeUnit.MILLISECONDS, 50, 99, 100);
    }

    /** When the first timer came, as {@link System#nanoTime} says it. */
    long firstNanos() {
        return firstNanos.get();
    }

    /** When the last timer came until now, as {@link System#nanoTime} says it. */
    long lastNanos() {
        return lastNanos;
    }

    /** A copy. */
    Histogram lateMicros() {
        return lateMicros.copy();
    }
}
