package io.tickwheel.engine;

import java.time.Duration;

/**
 * How often and how soon a failed attempt is repeated: the delay before attempt n + 1 is {@code backoff * 2^(n-1)}, at most
 * {@link #MAX_BACKOFF}, of which the last tenth is drawn at random so that many timers that failed together do not come back
 * together. After {@code maxAttempts} the timer is dead.
 *
 * @param maxAttempts attempts in all, the first included: 1 to {@value #MAX_ATTEMPTS}
 * @param backoff the delay before the second attempt: 1 ms to one hour
 */
public record RetryPolicy(int maxAttempts, Duration backoff) {

    public static final int MAX_ATTEMPTS = 1_000;
    public static final Duration MAX_BACKOFF = Duration.ofHours(1);

    private static final Duration MIN_BACKOFF = Duration.ofMillis(1);

    /** 16 attempts from one second on: gives up after about four hours. */
    public static final RetryPolicy DEFAULT = new RetryPolicy(16, Duration.ofSeconds(1));

    public RetryPolicy {
        if (maxAttempts < 1 || maxAttempts > MAX_ATTEMPTS) {
            throw new IllegalArgumentException("maxAttempts is " + maxAttempts + ", must be 1 to " + MAX_ATTEMPTS);
        }
        if (backoff.compareTo(MIN_BACKOFF) < 0 || backoff.compareTo(MAX_BACKOFF) > 0) {
            throw new IllegalArgumentException("backoff is " + backoff + ", must be 1 ms to " + MAX_BACKOFF);
        }
    }

    /**
     * The delay after the given number of attempts.
     *
     * @param attempts how many attempts have failed, from 1
     * @param random 64 random bits
     */
    long delayMs(int attempts, long random) {
        long capMs = MAX_BACKOFF.toMillis();
        long baseMs = backoff.toMillis();
        int doublings = attempts - 1;
        long fullMs = doublings >= Long.numberOfLeadingZeros(baseMs) - 1 ? capMs : Math.min(capMs, baseMs << doublings);
        long spreadMs = fullMs / 10;
        return fullMs - Math.floorMod(random, spreadMs + 1);
    }
}
