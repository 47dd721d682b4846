package io.tickwheel.server.crash;

/** A moment on both clocks: the wall clock is for due times, the monotonic one for what came first. */
record LedgerMoment(long wallMs, long nanos) {

    static LedgerMoment now() {
        return new LedgerMoment(System.currentTimeMillis(), System.nanoTime());
    }

    boolean isAfter(LedgerMoment other) {
        return nanos - other.nanos > 0;
    }

    /** How long after {@code earlier} this is; negative when it is before. */
    long msAfter(LedgerMoment earlier) {
        return Math.floorDiv(nanos - earlier.nanos, 1_000_000L);
    }
}
