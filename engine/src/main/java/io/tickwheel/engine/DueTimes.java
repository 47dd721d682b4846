package io.tickwheel.engine;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;

/** The arithmetic of due times: overflow is refused by name, and rounding goes up so that nothing is early. */
final class DueTimes {

    /** The range of due times: the years that RFC 3339 can write. */
    static final Instant MIN = Instant.parse("0000-01-01T00:00:00Z");

    static final Instant MAX = Instant.parse("9999-12-31T23:59:59.999Z");

    /** No two due times are farther apart. */
    static final Duration LONGEST = Duration.between(MIN, MAX);

    private DueTimes() {}

    static Instant after(Instant now, Duration delay) {
        try {
            return now.plus(delay);
        } catch (ArithmeticException | DateTimeException e) {
            throw new IllegalArgumentException("delay is " + delay + ", must end before " + MAX, e);
        }
    }

    static long ceilMs(Instant due) {
        if (due.isBefore(MIN) || due.isAfter(MAX)) {
            throw new IllegalArgumentException("due time is " + due + ", must be from " + MIN + " to " + MAX);
        }
        long floorMs = due.toEpochMilli();
        return Instant.ofEpochMilli(floorMs).isBefore(due) ? floorMs + 1 : floorMs;
    }
}
