package io.tickwheel.wheel;

/**
 * Nanoseconds of a clock and ticks of a wheel. A deadline is rounded up to a tick and time is rounded down, so nothing is
 * early; a tick is late by less than its length. With a tick of 1,000,000 ns and a deadline of 2,300,000 ns after the
 * start: the deadline is tick 3, which is due from 3,000,000 ns on. What does not fit into 63 bits is the largest value.
 */
final class TickClock {
    private final NanoClock clock;
    private final long originNanos;
    private final long tickNanos;

    TickClock(NanoClock clock, long tickNanos) {
        this.clock = clock;
        this.originNanos = clock.nanoTime();
        this.tickNanos = tickNanos;
    }

    /** Returns the nanoseconds since the start, not negative. A difference, so that the clock may wrap around. */
    long elapsedNanos() {
        return Math.max(0, clock.nanoTime() - originNanos);
    }

    /** Returns the last tick that has come by {@code elapsedNanos}. */
    long tickAt(long elapsedNanos) {
        return elapsedNanos / tickNanos;
    }

    /** Returns the first tick that does not begin before {@code elapsedNanos}. */
    long tickFrom(long elapsedNanos) {
        long tick = elapsedNanos / tickNanos;
        return tick * tickNanos == elapsedNanos ? tick : tick + 1;
    }

    /** Returns when a tick begins, in nanoseconds since the start. */
    long nanosOf(long tick) {
        return saturated(Math.multiplyHigh(tick, tickNanos), tick * tickNanos);
    }

    /** Returns the sum of a time since the start and a delay, from 0, as a delay may be negative, to the largest value. */
    static long after(long elapsedNanos, long delayNanos) {
        long sum = elapsedNanos + Math.max(0, delayNanos);
        return sum < 0 ? Long.MAX_VALUE : sum;
    }

    private static long saturated(long high, long low) {
        return high == 0 && low >= 0 ? low : Long.MAX_VALUE;
    }
}
