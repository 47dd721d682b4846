package io.tickwheel.engine;

import java.time.Duration;

/**
 * What a consumer asks of a queue that has neither a handler nor a target. Immutable.
 *
 * <pre>{@code
 * LeaseRequest request = LeaseRequest.of("thumbnails").withMax(10).withWait(Duration.ofSeconds(20));
 * for (Lease lease : timers.lease(request).join()) {
 *     work(lease.attempt());
 *     timers.acknowledge(lease.id()).join();
 * }
 * }</pre>
 *
 * @param queue whose timers
 * @param max how many at most: 1 to {@value #MOST}
 * @param waitFor how long to wait for the first one when none is due: 0 to 60 s
 * @param ttl how long a lease lasts: 1 s to 1 h
 */
public record LeaseRequest(String queue, int max, Duration waitFor, Duration ttl) {

    public static final int MOST = 1_000;
    public static final Duration LONGEST_WAIT = Duration.ofSeconds(60);
    public static final Duration SHORTEST_TTL = Duration.ofSeconds(1);
    public static final Duration LONGEST_TTL = Duration.ofHours(1);

    /** What is asked for when nothing else is said. */
    public static final Duration DEFAULT_TTL = Duration.ofSeconds(30);

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException when one breaks its rule
     */
    public LeaseRequest {
        TimerNames.checkQueue(queue);
        if (max < 1 || max > MOST) {
            throw new IllegalArgumentException("max is " + max + ", must be 1 to " + MOST);
        }
        check("wait", waitFor, Duration.ZERO, LONGEST_WAIT);
        checkTtl(ttl);
    }

    /** One timer, without waiting, for 30 s. */
    public static LeaseRequest of(String queue) {
        return new LeaseRequest(queue, 1, Duration.ZERO, DEFAULT_TTL);
    }

    public LeaseRequest withMax(int max) {
        return new LeaseRequest(queue, max, waitFor, ttl);
    }

    public LeaseRequest withWait(Duration waitFor) {
        return new LeaseRequest(queue, max, waitFor, ttl);
    }

    public LeaseRequest withTtl(Duration ttl) {
        return new LeaseRequest(queue, max, waitFor, ttl);
    }

    static void checkTtl(Duration ttl) {
        check("ttl", ttl, SHORTEST_TTL, LONGEST_TTL);
    }

    static void check(String name, Duration value, Duration least, Duration most) {
        if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw new IllegalArgumentException(name + " is " + value + ", must be " + least + " to " + most);
        }
    }
}
