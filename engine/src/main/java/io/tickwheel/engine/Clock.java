package io.tickwheel.engine;

import java.time.Instant;

/**
 * The two clocks of the engine. Due times are wall-clock, waiting is monotonic; neither may be used for the other's purpose.
 * Thread-safe.
 */
public interface Clock {

    /** The wall clock, as fine as it goes. May step in both directions. */
    Instant now();

    /** The wall clock in whole milliseconds since the epoch, rounded down. */
    default long wallMs() {
        return now().toEpochMilli();
    }

    /** A clock in nanoseconds that never steps; only differences mean anything. */
    long monoNanos();

    /** The clocks of this machine. */
    static Clock system() {
        return SystemClock.INSTANCE;
    }
}
