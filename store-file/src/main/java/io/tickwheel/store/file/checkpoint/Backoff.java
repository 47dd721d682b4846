package io.tickwheel.store.file.checkpoint;

/** When to try again what failed: after a second, and twice as long each time, up to a minute. */
final class Backoff {

    private static final long FIRST_NANOS = 1_000_000_000L;
    private static final long LONGEST_NANOS = 64 * FIRST_NANOS;

    private long waitNanos;
    private long failedAtNanos;

    void failed(long nowNanos) {
        waitNanos = waitNanos == 0 ? FIRST_NANOS : Math.min(2 * waitNanos, LONGEST_NANOS);
        failedAtNanos = nowNanos;
    }

    /** Forgets how often it failed. */
    void reset() {
        waitNanos = 0;
    }

    boolean isOver(long nowNanos) {
        return waitNanos == 0 || nowNanos - failedAtNanos >= waitNanos;
    }
}
