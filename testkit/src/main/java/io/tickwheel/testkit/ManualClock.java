package io.tickwheel.testkit;

import io.tickwheel.engine.Clock;
import java.time.Duration;
import java.time.Instant;

/**
 * A clock that moves only when it is told to. {@link #advance} moves both times; {@link #stepWall} moves the wall clock
 * alone, as an operator or a time server does. Thread-safe.
 */
public final class ManualClock implements Clock {

    private Instant now;
    private long monoNanos;

    public ManualClock(Instant now) {
        this.now = now;
    }

    @Override
    public synchronized Instant now() {
        return now;
    }

    @Override
    public synchronized long monoNanos() {
        return monoNanos;
    }

    /** Lets time pass; not negative. */
    public synchronized void advance(Duration duration) {
        if (duration.isNegative()) {
            throw new IllegalArgumentException("duration is " + duration + ", must not be negative");
        }
        now = now.plus(duration);
        monoNanos += duration.toNanos();
    }

    /** Steps the wall clock, forward or back, while no time passes. */
    public synchronized void stepWall(Duration step) {
        now = now.plus(step);
    }
}
