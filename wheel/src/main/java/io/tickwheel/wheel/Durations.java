package io.tickwheel.wheel;

import java.time.Duration;

/** Durations in nanoseconds: one beyond 292 years is the largest {@code long} there is, which no timer lives to see. */
final class Durations {
    private Durations() {}

    static long nanos(Duration duration) {
        try {
            return duration.toNanos();
        } catch (ArithmeticException tooLong) {
            return duration.isNegative() ? Long.MIN_VALUE : Long.MAX_VALUE;
        }
    }
}
