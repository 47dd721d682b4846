package io.tickwheel.store.redis.faults;

/** How hard the fault tests are. */
final class FaultSettings {

    private FaultSettings() {}

    /** How often a fault is repeated within its test: once in the short form. */
    static int rounds() {
        return Integer.getInteger("tickwheel.faults.rounds", 1);
    }

    /** The longest outage: 1 s in the short form; 61 or 600 in the long one. */
    static int outageSeconds() {
        return Integer.getInteger("tickwheel.faults.outageSeconds", 1);
    }

    /** Of the random choices; what the scheduler of the machine does is not among them. */
    static long seed() {
        return Long.getLong("tickwheel.faults.seed", 1);
    }
}
