package io.tickwheel.store;

import org.jspecify.annotations.Nullable;

/**
 * What a node needs of the {@link SharedLimits} of a queue. Immutable.
 *
 * @param concurrency how many attempts may run at once over all nodes, from 1; null for any number, and then no slots are asked for
 * @param running how many of this node run or are being claimed
 * @param kept how many slots the node holds on to until the answer: at least {@code running}
 * @param slots how many it could use: at least {@code running}
 * @param perSecond how many attempts may start a second over all nodes, now, above 0; null for any number, and then no tokens are asked for
 * @param burst how many may start at once after a time in which none did, from 1
 * @param tokens how many it could use
 * @param unused how many tokens it gives back
 */
public record LimitRequest(
        String queue,
        @Nullable Integer concurrency,
        int running,
        int kept,
        int slots,
        @Nullable Double perSecond,
        double burst,
        int tokens,
        int unused) {

    public LimitRequest {
        require(concurrency == null || concurrency >= 1, "concurrency", concurrency, "at least 1");
        require(running >= 0, "running", running, "at least 0");
        require(kept >= running, "kept", kept, "at least " + running);
        require(slots >= running, "slots", slots, "at least " + running);
        // Written so that NaN is refused too.
        require(
                perSecond == null || (perSecond > 0 && perSecond < Double.POSITIVE_INFINITY),
                "perSecond",
                perSecond,
                "above 0");
        require(burst >= 1 && burst < Double.POSITIVE_INFINITY, "burst", burst, "at least 1");
        require(tokens >= 0, "tokens", tokens, "at least 0");
        require(unused >= 0, "unused", unused, "at least 0");
    }

    private static void require(boolean isSo, String name, @Nullable Object value, String rule) {
        if (!isSo) {
            throw new IllegalArgumentException(name + " is " + value + ", must be " + rule);
        }
    }
}
