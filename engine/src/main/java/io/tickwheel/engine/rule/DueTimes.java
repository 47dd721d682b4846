package io.tickwheel.engine.rule;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

/** The arithmetic of due times: overflow is refused by name, and rounding goes up so that nothing is early. */
public final class DueTimes {

    /** The first due time that a timer may have. */
    public static final Instant FIRST = Instant.parse("0000-01-01T00:00:00Z");

    /** The last due time that a timer may have. */
    public static final Instant LAST = Instant.parse("9999-12-31T23:59:59.999Z");

    /** No two due times are farther apart. */
    public static final Duration LONGEST = Duration.between(FIRST, LAST);

    private DueTimes() {}

    public static void checkDelay(Duration delay) {
        Objects.requireNonNull(delay, "delay");
        if (delay.isNegative()) {
            throw new IllegalArgumentException("delay is " + delay + ", must not be negative");
        }
    }

    public static Instant after(Instant now, Duration delay) {
        try {
            return now.plus(delay);
        } catch (ArithmeticException | DateTimeException e) {
            throw new IllegalArgumentException("delay is " + delay + ", must end before " + LAST, e);
        }
    }

    public static long ceilMs(Duration delay) {
        return delay.plusNanos(999_999).toMillis();
    }

    public static long ceilMs(Instant due) {
        if (due.isBefore(FIRST) || due.isAfter(LAST)) {
            throw new IllegalArgumentException("due time is " + due + ", must be from " + FIRST + " to " + LAST);
        }
        long floorMs = due.toEpochMilli();
        return Instant.ofEpochMilli(floorMs).isBefore(due) ? floorMs + 1 : floorMs;
    }
}
