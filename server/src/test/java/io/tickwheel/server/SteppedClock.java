package io.tickwheel.server;

import io.tickwheel.engine.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;

/** The clocks of the system, put forward by a test. Thread-safe. */
public final class SteppedClock implements Clock {

    private final Clock system = Clock.system();
    private final AtomicReference<Duration> ahead = new AtomicReference<>(Duration.ZERO);

    public void step(Duration more) {
        ahead.accumulateAndGet(more, Duration::plus);
    }

    @Override
    public Instant now() {
        return system.now().plus(ahead.get());
    }

    @Override
    public long monoNanos() {
        return system.monoNanos() + ahead.get().toNanos();
    }
}
