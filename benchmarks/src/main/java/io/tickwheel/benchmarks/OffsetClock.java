package io.tickwheel.benchmarks;

import io.tickwheel.engine.Clock;
import java.time.Duration;
import java.time.Instant;

/** The clocks of this machine, put forward together: days pass as if they had been waited for. Thread-safe. */
final class OffsetClock implements Clock {

    private final Clock machine = Clock.system();
    private volatile Duration ahead = Duration.ZERO;

    @Override
    public Instant now() {
        return machine.now().plus(ahead);
    }

    @Override
    public long monoNanos() {
        return machine.monoNanos() + ahead.toNanos();
    }

    /** Puts the clocks forward so that it is {@code wallMs} now; does nothing when that is past. */
    synchronized void forwardTo(long wallMs) {
        Duration missing = Duration.between(now(), Instant.ofEpochMilli(wallMs));
        if (!missing.isNegative()) {
            ahead = ahead.plus(missing);
        }
    }
}
