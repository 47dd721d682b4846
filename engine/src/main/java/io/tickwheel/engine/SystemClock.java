package io.tickwheel.engine;

import java.time.Instant;

/** The one place that reads the machine's clocks. */
@SuppressForbidden(reason = "this is the clock that all other code gets as a parameter")
enum SystemClock implements Clock {
    INSTANCE;

    @Override
    public Instant now() {
        return Instant.now();
    }

    @Override
    public long wallMs() {
        return System.currentTimeMillis();
    }

    @Override
    public long monoNanos() {
        return System.nanoTime();
    }
}
