package io.tickwheel.wheel;

import java.math.BigInteger;

/**
 * Nanoseconds of a clock and ticks of a wheel. A deadline is rounded up to a tick and time is rounded down, so nothing is
 * early; a tick is late by less than its length. With a tick of 1,000,000 ns and a deadline of 2,300,000 ns after the
 * start: the deadline is tick 3, which is due from 3,000,000 ns on. What does not fit into 63 bits is the largest value.
 */
final class TickClock {
    /*
     * T. Granlund, P. Montgomery, "Division by Invariant Integers using Multiplication", PLDI 1994. The compiler does not
     * know the tick, so that a division by it would be one of the slowest instructions. With the reciprocal
     * floor(2^(64 + shift) / tick), the largest below 2^63, the upper half of the product with a time is the quotient or
     * one less: what the reciprocal lacks, less than 1, makes less than time / 2^(64 + shift), less than 1. The remainder
     * tells which of the two it is.
     */
    private final NanoClock clock;
    private final long originNanos;
    private final long tickNanos;
    private final long reciprocal;
    private final int shift;

    TickClock(NanoClock clock, long tickNanos) {
        assert tickNanos > 0;
        this.clock = clock;
        this.originNanos = clock.nanoTime();
        this.tickNanos = tickNanos;
        // Not used for a tick of 1. For a power of two it is one less than it should be, so that it fits.
        shift = Math.max(0, Long.SIZE - 2 - Long.numberOfLeadingZeros(tickNanos));
        reciprocal = BigInteger.TWO
                .pow(Long.SIZE + shift)
                .divide(BigInteger.valueOf(tickNanos))
                .min(BigInteger.valueOf(Long.MAX_VALUE))
                .longValueExact();
    }

    /** Returns the nanoseconds since the start, not negative. A difference, so that the clock may wrap around. */
    long elapsedNanos() {
        return Math.max(0, clock.nanoTime() - originNanos);
    }

    /** Returns the last tick that has come by {@code elapsedNanos}. */
    long tickAt(long elapsedNanos) {
        if (tickNanos == 1) {
            return elapsedNanos;
        }
        long tick = Math.multiplyHigh(elapsedNanos, reciprocal) >> shift;
        return elapsedNanos - tick * tickNanos < tickNanos ? tick : tick + 1;
    }

    /** Returns the first tick that does not begin before {@code elapsedNanos}. */
    long tickFrom(long elapsedNanos) {
        long tick = tickAt(elapsedNanos);
        return tick * tickNanos == elapsedNanos ? tick : tick + 1;
    }

    /** Returns the roundest tick of those that begin from a deadline to {@code slack} later: at least the first. */
    long tickWithin(long deadlineNanos, long slack) {
        long tick = tickFrom(deadlineNanos);
        return slack == 0 ? tick : roundest(tick, Math.max(tick, tickAt(after(deadlineNanos, slack))));
    }

    /** Returns the tick of a range that has the most zeros at its end. From 1000 to 1100: 1024. */
    static long roundest(long from, long to) {
        long differing = (from - 1) ^ to;
        return from == 0 ? 0 : to & -Long.highestOneBit(differing);
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
