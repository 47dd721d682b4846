package io.tickwheel.store.redis.link;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/** How long to wait before the next try: 50 ms, doubled with each failure up to one second, less a random part of up to a half. */
final class Backoff {

    private static final long LEAST_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final SplittableRandom random;
    private long nanos = LEAST_NANOS;

    Backoff(SplittableRandom random) {
        this.random = random;
    }

    long nextNanos() {
        long most = nanos;
        nanos = Math.min(2 * nanos, MOST_NANOS);
        return most - random.nextLong(most / 2);
    }

    void reset() {
        nanos = LEAST_NANOS;
    }
}
