package io.tickwheel.engine;

import java.time.Duration;

/**
 * How a consumer works on a queue. Immutable.
 *
 * @param concurrency how many timers it works on at once: 1 to {@value LeaseRequest#MOST}
 * @param max how many it has leased at once, of which those beyond {@code concurrency} wait for their turn: {@code concurrency} to {@value LeaseRequest#MOST}
 * @param ttl how long a lease lasts that is not extended, as when this process dies: 1 s to 1 h
 * @param drain how long a close waits for what runs: 0 to 1 h
 */
public record ConsumerOptions(int concurrency, int max, Duration ttl, Duration drain) {

    public static final Duration LONGEST_DRAIN = Duration.ofHours(1);

    /** Sixteen at once and none that waits, leases of 30 s, and 30 s for a close. */
    public static final ConsumerOptions DEFAULTS =
            new ConsumerOptions(16, 16, LeaseRequest.DEFAULT_TTL, Duration.ofSeconds(30));

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException when one breaks its rule
     */
    public ConsumerOptions {
        if (concurrency < 1 || concurrency > LeaseRequest.MOST) {
            throw new IllegalArgumentException("concurrency is " + concurrency + ", must be 1 to " + LeaseRequest.MOST);
        }
        if (max < concurrency || max > LeaseRequest.MOST) {
            throw new IllegalArgumentException(
                    "max is " + max + ", must be " + concurrency + ", the concurrency, to " + LeaseRequest.MOST);
        }
        LeaseRequest.checkTtl(ttl);
        LeaseRequest.check("drain", drain, Duration.ZERO, LONGEST_DRAIN);
    }

    /** So many at once, and none that waits. */
    public ConsumerOptions withConcurrency(int concurrency) {
        return new ConsumerOptions(concurrency, concurrency, ttl, drain);
    }

    /** To be set behind the concurrency. */
    public ConsumerOptions withMax(int max) {
        return new ConsumerOptions(concurrency, max, ttl, drain);
    }

    public ConsumerOptions withTtl(Duration ttl) {
        return new ConsumerOptions(concurrency, max, ttl, drain);
    }

    public ConsumerOptions withDrain(Duration drain) {
        return new ConsumerOptions(concurrency, max, ttl, drain);
    }
}
