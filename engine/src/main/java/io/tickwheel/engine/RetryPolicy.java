package io.tickwheel.engine;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * How often and how soon a failed attempt is repeated. The delay before attempt n + 1 is the n-th of {@code delays}; behind the last of
 * them each is {@code factor} times the one before, at most {@code maxBackoff}. Up to the {@code jitter} of each delay is left out at random, so that
 * many timers that failed together do not come back together. After {@code maxAttempts} the timer is dead. Immutable.
 *
 * <p>{@link #exponential}, {@link #fixed} and {@link #listed} are the usual ones.
 *
 * @param maxAttempts attempts in all, the first included: 1 to {@value #MAX_ATTEMPTS}
 * @param delays the first delays: 1 to {@value #MAX_DELAYS} of them, of 1 ms to 30 days, in whole milliseconds
 * @param factor by which delays grow behind these: 1 to {@value #MAX_FACTOR}
 * @param maxBackoff what no delay exceeds: not shorter than any of {@code delays}, at most 30 days, in whole milliseconds
 * @param jitter how much of a delay may be left out: 0 to 1
 */
public record RetryPolicy(int maxAttempts, List<Duration> delays, double factor, Duration maxBackoff, double jitter) {

    public static final int MAX_ATTEMPTS = 1_000;
    public static final int MAX_DELAYS = 100;
    public static final double MAX_FACTOR = 10;

    /** The longest delay that a policy may have. */
    public static final Duration LONGEST = Duration.ofDays(30);

    /** What no delay of {@link #exponential} exceeds, unless told otherwise. */
    public static final Duration MAX_BACKOFF = Duration.ofHours(1);

    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final double TENTH = 0.1;

    /** 16 attempts from one second on: gives up after about four hours. */
    public static final RetryPolicy DEFAULT = exponential(16, Duration.ofSeconds(1));

    public RetryPolicy {
        if (maxAttempts < 1 || maxAttempts > MAX_ATTEMPTS) {
            throw new IllegalArgumentException("maxAttempts is " + maxAttempts + ", must be 1 to " + MAX_ATTEMPTS);
        }
        delays = List.copyOf(delays);
        if (delays.isEmpty() || delays.size() > MAX_DELAYS) {
            throw new IllegalArgumentException("there are " + delays.size() + " delays, must be 1 to " + MAX_DELAYS);
        }
        for (Duration delay : delays) {
            checkRange("a delay", delay, SHORTEST);
        }
        checkRange("maxBackoff", maxBackoff, longest(delays));
        // Written so that NaN is refused too.
        if (!(factor >= 1 && factor <= MAX_FACTOR)) {
            throw new IllegalArgumentException("factor is " + factor + ", must be 1 to " + MAX_FACTOR);
        }
        if (!(jitter >= 0 && jitter <= 1)) {
            throw new IllegalArgumentException("jitter is " + jitter + ", must be 0 to 1");
        }
    }

    private static void checkRange(String name, Duration value, Duration least) {
        boolean isOutside = value.compareTo(least) < 0 || value.compareTo(LONGEST) > 0;
        // In this order: what is too long has more milliseconds than can be counted.
        if (isOutside || !value.equals(Duration.ofMillis(value.toMillis()))) {
            throw new IllegalArgumentException(
                    name + " is " + value + ", must be " + least + " to " + LONGEST + ", in whole milliseconds");
        }
    }

    private static Duration longest(List<Duration> delays) {
        return delays.stream().max(Duration::compareTo).orElse(SHORTEST);
    }

    /**
     * Delays that double from {@code backoff} on, up to an hour, or {@code backoff} when that is longer; up to a tenth of each is left out
     * at random.
     */
    public static RetryPolicy exponential(int maxAttempts, Duration backoff) {
        Objects.requireNonNull(backoff, "backoff");
        Duration longest = backoff.compareTo(MAX_BACKOFF) > 0 ? backoff : MAX_BACKOFF;
        return new RetryPolicy(maxAttempts, List.of(backoff), 2, longest, TENTH);
    }

    /** The same delay each time, exactly. */
    public static RetryPolicy fixed(int maxAttempts, Duration interval) {
        Objects.requireNonNull(interval, "interval");
        return new RetryPolicy(maxAttempts, List.of(interval), 1, interval, 0);
    }

    /** One delay after the other, exactly, and no attempt behind the last of them: one attempt more than delays. */
    public static RetryPolicy listed(Duration... delays) {
        List<Duration> list = Arrays.asList(delays);
        return new RetryPolicy(delays.length + 1, list, 1, longest(list), 0);
    }

    /** The same with another limit of each delay. */
    public RetryPolicy withMaxBackoff(Duration newMaxBackoff) {
        return new RetryPolicy(maxAttempts, delays, factor, newMaxBackoff, jitter);
    }

    /** The same with another part of each delay that may be left out, 0 to 1. */
    public RetryPolicy withJitter(double newJitter) {
        return new RetryPolicy(maxAttempts, delays, factor, maxBackoff, newJitter);
    }

    /** The same with another number of attempts; behind the last of its delays the rule goes on. */
    public RetryPolicy withMaxAttempts(int newMaxAttempts) {
        return new RetryPolicy(newMaxAttempts, delays, factor, maxBackoff, jitter);
    }

    /** Whether delays double from the first one on, as of {@link #exponential} without further words. */
    boolean isPlain() {
        return equals(exponential(maxAttempts, delays.get(0)));
    }

    /**
     * The delay after the given number of attempts.
     *
     * @param attempts how many attempts have failed, from 1
     * @param random 64 random bits
     */
    public long delayMs(int attempts, long random) {
        int at = Math.min(attempts, delays.size());
        double grownMs = (double) delays.get(at - 1).toMillis() * Math.pow(factor, (double) (attempts - at));
        long fullMs = (long) Math.min(grownMs, (double) maxBackoff.toMillis());
        long spreadMs = (long) ((double) fullMs * jitter);
        return fullMs - Math.floorMod(random, spreadMs + 1);
    }
}
