package io.tickwheel.wheel;

/**
 * The tick that the expiry must not sleep through for the sake of a stripe. Written under the lock of the stripe, read by the expiry
 * without.
 */
final class NextTick {
    private final TimerCore core;
    private volatile long tick = Long.MAX_VALUE;
    // The driver of the expiry threw when it was to be woken for the next tick.
    private volatile boolean unheard;

    NextTick(TimerCore core) {
        this.core = core;
    }

    long get() {
        return tick;
    }

    void set(long newTick) {
        tick = newTick;
    }

    /** Returns whether the expiry may have to be woken for a deadline. */
    boolean isNewsFor(long deadlineTick) {
        return deadlineTick < tick || unheard;
    }

    void lower(long deadlineTick) {
        if (deadlineTick < tick) {
            tick = deadlineTick;
        }
    }

    /** Takes notice of a deadline for which {@link #wakeFor} is called next. */
    void publish(long deadlineTick) {
        lower(deadlineTick);
        unheard = false;
    }

    /** Takes notice of when a crowd is to be met, and returns that tick if the expiry would come later, else {@code Long.MAX_VALUE}. */
    long publishForCrowd(long crowdTick) {
        if (crowdTick >= tick) {
            return Long.MAX_VALUE;
        }
        tick = crowdTick;
        return crowdTick;
    }

    /** Wakes the expiry if it would sleep through a deadline. No lock is held. */
    void wakeFor(long deadlineTick) {
        try {
            core.wakeFor(deadlineTick);
        } catch (Throwable driverFailed) {
            // The next schedule wakes it, also if its own deadline is later.
            unheard = true;
            throw driverFailed;
        }
    }

    /** As above, for a deadline that nobody waits for the answer of. */
    void wakeForCrowd(long crowdTick) {
        try {
            core.wakeFor(crowdTick);
        } catch (StackOverflowError | OutOfMemoryError scarce) {
            unheard = true;
        }
    }
}
