package io.tickwheel.store.redis.partition;

/** How long to wait after the server was not to be reached, or could not do what it was asked: longer each time. Of the loop. */
final class Pause {

    private static final long SHORTEST_NANOS = 5_000_000;
    private static final long LONGEST_NANOS = 200_000_000;

    private final NodeContext node;
    private boolean begun;
    private long untilNanos;
    private long lengthNanos;

    Pause(NodeContext node) {
        this.node = node;
    }

    /** Begins one, which is longer than that before, with some jitter. */
    void begin() {
        lengthNanos = Math.min(LONGEST_NANOS, Math.max(SHORTEST_NANOS, lengthNanos * 2));
        begin(lengthNanos / 2 + node.jitter(lengthNanos / 2));
    }

    /** Begins one of that length; the next one is as long as it would have been. */
    void begin(long nanos) {
        begun = true;
        untilNanos = node.nowNanos() + nanos;
    }

    /** All goes well again: the next one is the shortest. */
    void forget() {
        lengthNanos = 0;
    }

    /** Whether something went wrong, and nothing has gone well since. */
    boolean isGrowing() {
        return lengthNanos > 0;
    }

    boolean lasts(long nowNanos) {
        begun = begun && nowNanos - untilNanos < 0;
        return begun;
    }

    /** How long it lasts; for ever when there is none. */
    long idleNanos(long nowNanos) {
        return begun ? Math.max(0, untilNanos - nowNanos) : Long.MAX_VALUE;
    }
}
