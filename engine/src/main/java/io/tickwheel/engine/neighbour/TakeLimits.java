package io.tickwheel.engine.neighbour;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * How long takes may be on their way, node by node: a second, where nothing has come late. What comes late is given back and taken again, so where all of it is late, nothing would ever come; so the limit
 * of a node is twice as long as the last one that came late was on its way, {@link #LONGEST} at most. It goes back by an eighth with each that comes sooner than in half of it. Owned by the loop.
 */
final class TakeLimits {

    static final Duration SHORTEST = Duration.ofSeconds(1);

    /** Also of what is large: that may always take so long. */
    static final Duration LONGEST = Duration.ofSeconds(10);

    /** Of the nodes of which something came late a while ago, in nanoseconds. */
    private final Map<Long, Long> raised = new HashMap<>();

    /**
     * The limit of the next take: what comes so late has not ended yet.
     *
     * @param ttl how long its leases last
     */
    Duration of(long node, boolean isLarge, Duration ttl) {
        Duration limit = isLarge ? LONGEST : Duration.ofNanos(raised.getOrDefault(node, SHORTEST.toNanos()));
        Duration half = ttl.dividedBy(2);
        Duration most = half.compareTo(SHORTEST) < 0 ? SHORTEST : half;
        return limit.compareTo(most) < 0 ? limit : most;
    }

    /** Takes note that what a node was asked for has come, after so many nanoseconds. */
    void came(long node, long afterNanos) {
        long before = raised.getOrDefault(node, SHORTEST.toNanos());
        long needed = 2 * Math.min(afterNanos, LONGEST.toNanos() / 2);
        long limit = before;
        if (afterNanos > before) {
            limit = needed;
        } else if (needed < before) {
            limit = Math.max(needed, before - before / 8);
        }
        if (limit <= SHORTEST.toNanos()) {
            raised.remove(node);
        } else {
            raised.put(node, limit);
        }
    }

    void gone(long node) {
        raised.remove(node);
    }
}
