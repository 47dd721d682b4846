package io.tickwheel.engine.limit;

/**
 * Tokens that were granted together: one comes after the other, as the rate says, and those that come late are worth nothing {@value #LAPSE_MS} ms after the last
 * one. Owned by the loop.
 */
final class GrantedStarts {

    private static final long LAPSE_MS = 50;
    private static final double NANOS_A_SECOND = 1e9;

    private final double perSecond;
    private final long sinceNanos;
    private final long lastNanos;

    /** How many were there at once, less those that were taken. */
    private double balance;

    private int left;

    /** @param atOnce how many may be taken now; below 0 when the first has to wait for longer than one takes */
    GrantedStarts(int tokens, double atOnce, double perSecond, long nowNanos) {
        this.left = tokens;
        this.balance = atOnce;
        this.perSecond = perSecond;
        this.sinceNanos = nowNanos;
        this.lastNanos = nowNanos + nanosTo(tokens);
    }

    /** How many are not taken. */
    int left() {
        return left;
    }

    boolean hasLapsed(long nowNanos) {
        return nowNanos - lastNanos >= LAPSE_MS * 1_000_000;
    }

    /** In how many nanoseconds the next one comes, at most 0 when it is there. */
    long nanosToNext(long nowNanos) {
        return sinceNanos + nanosTo(1) - nowNanos;
    }

    /** In how many nanoseconds the last one comes, at most 0 when it is there. */
    long nanosToLast(long nowNanos) {
        return lastNanos - nowNanos;
    }

    void take() {
        left--;
        balance -= 1;
        assert left >= 0 : "more taken than granted";
    }

    private long nanosTo(int number) {
        double missing = number - balance;
        return missing <= 0 ? 0 : Math.round(missing / perSecond * NANOS_A_SECOND);
    }
}
