package io.tickwheel.store.redis.query;

/** When to try again what failed: after 5 ms, and twice as long each time, up to 200 ms. */
final class RetryDelay {

    private static final long FIRST_NANOS = 5_000_000;
    private static final long LONGEST_NANOS = 200_000_000;

    private long waitNanos;
    private boolean begun;
    private long beginNanos;

    /** It failed; the wait begins when it is looked at next. */
    void failed() {
        waitNanos = waitNanos == 0 ? FIRST_NANOS : Math.min(2 * waitNanos, LONGEST_NANOS);
        begun = false;
    }

    boolean isOver(long nowNanos) {
        if (!begun) {
            begun = true;
            beginNanos = nowNanos;
        }
        return nowNanos - beginNanos >= waitNanos;
    }
}
