package io.tickwheel.engine;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;

/** The arithmetic of due times: overflow is refused by name, and rounding goes up so that nothing is early. */
final class DueTimes {

    /** The last due time there is: the end of the year 9999, where RFC 3339 ends. */
    static final Instant MAX = Instant.parse("9999-12-31T23:59:59.999Z");

    private DueTimes() {}

    static Instant after(Instant now, Duration delay) {
        try {
            return now.plus(delay);
        } catch (ArithmeticException | DateTimeException e) {
            throw new IllegalArgumentException("delay is " + delay + ", must end before " + MAX, e);
        }
    }

    static long ceilMs(Instant due) {
        if (due.isAfter(MAX)) {
            throw new IllegalArgumentException("due time is " + due + ", must not be after " + MAX);
        }
        if (due.isBefore(Instant.MIN.plusSeconds(31_556_889_864_403_199L))) {
            return Long.MIN_VALUE;
        }
        long floorMs = due.toEpochMilli();
        return due.getNano() % 1_000_000 == 0 ? floorMs : floorMs + 1;
    }
}
