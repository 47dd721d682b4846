package io.tickwheel.engine;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;

/** The arithmetic of due times: overflow is refused by name, and rounding goes up so that nothing is early. */
final class DueTimes {

    /** No two due times are farther apart. */
    static final Duration LONGEST = Duration.between(TimerRequest.FIRST_DUE, TimerRequest.LAST_DUE);

    private DueTimes() {}

    static Instant after(Instant now, Duration delay) {
        try {
            return now.plus(delay);
        } catch (ArithmeticException | DateTimeException e) {
            throw new IllegalArgumentException("delay is " + delay + ", must end before " + TimerRequest.LAST_DUE, e);
        }
    }

    static long ceilMs(Instant due) {
        if (due.isBefore(TimerRequest.FIRST_DUE) || due.isAfter(TimerRequest.LAST_DUE)) {
            throw new IllegalArgumentException(
                    "due time is " + due + ", must be from " + TimerRequest.FIRST_DUE + " to " + TimerRequest.LAST_DUE);
        }
        long floorMs = due.toEpochMilli();
        return Instant.ofEpochMilli(floorMs).isBefore(due) ? floorMs + 1 : floorMs;
    }
}
