package io.tickwheel.benchmarks;

import java.time.Duration;

/** How long timers wait. Immutable. */
record Delays(long leastMs, long mostMs, boolean logarithmic) {

    private static final double UNIT = 0x1.0p-53;

    /** Each delay is as likely as any other. */
    static Delays uniform(Duration least, Duration most) {
        return new Delays(least.toMillis(), most.toMillis(), false);
    }

    /** Each order of magnitude is as likely as any other. */
    static Delays logUniform(Duration least, Duration most) {
        return new Delays(least.toMillis(), most.toMillis(), true);
    }

    /** The delay that belongs to 64 random bits. */
    long atMs(long random) {
        double share = (random >>> 11) * UNIT;
        return logarithmic
                ? Math.round(leastMs * Math.exp(share * Math.log((double) mostMs / leastMs)))
                : leastMs + Math.round(share * (mostMs - leastMs));
    }
}
