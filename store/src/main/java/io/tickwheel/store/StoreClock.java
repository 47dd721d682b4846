package io.tickwheel.store;

import java.time.Instant;

/**
 * The wall clock by which the timers of a store are due, where several nodes share a store and so must share a clock.
 * Thread-safe.
 */
public interface StoreClock {

    /**
     * What the clock shows, as far as this node knows.
     *
     * @param monoNanos the moment, by the monotonic clock of {@link StoreContext}
     */
    Instant at(long monoNanos);
}
