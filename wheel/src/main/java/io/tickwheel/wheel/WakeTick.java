package io.tickwheel.wheel;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The tick that the expiry of a timer sleeps to. Thread-safe.
 *
 * <p>A thread that brings an earlier deadline writes its stripe's next tick and then reads the wake tick; the expiry writes the wake
 * tick and then reads every next tick again: one of the two sees the other, so no deadline is slept through. Whoever finds the wake tick
 * too late sets it to {@link #AWAKE}, so that one wake-up is enough. Cancels wake nobody.
 */
final class WakeTick {
    private static final long AWAKE = -1;

    // Asleep at first: the first timeout wakes the driver, which has had no reason to call before.
    private final AtomicLong tick = new AtomicLong(Long.MAX_VALUE);

    /** Takes notice of a stripe's new earliest deadline; true if the caller must wake the driver for it. */
    boolean mustWakeFor(long earliestTick) {
        long sleepingTo = tick.get();
        return earliestTick < sleepingTo && tick.compareAndSet(sleepingTo, AWAKE);
    }

    void awake() {
        tick.set(AWAKE);
    }

    boolean isAwake() {
        return tick.get() == AWAKE;
    }

    void sleepTo(long nextTick) {
        tick.set(nextTick);
    }
}
