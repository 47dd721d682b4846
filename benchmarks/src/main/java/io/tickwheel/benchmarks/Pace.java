package io.tickwheel.benchmarks;

import java.util.concurrent.TimeUnit;

/**
 * How many requests a load sends, and when: a count as fast as they are answered, or a rate for some seconds, whatever is answered.
 *
 * @param aSecond the rate, or {@link Double#POSITIVE_INFINITY}
 */
record Pace(long requests, double aSecond, long lastsNanos) {

    static Pace count(long requests) {
        return new Pace(requests, Double.POSITIVE_INFINITY, Long.MAX_VALUE);
    }

    static Pace rate(int aSecond, int seconds) {
        return new Pace(Long.MAX_VALUE, aSecond, TimeUnit.SECONDS.toNanos(seconds));
    }

    boolean isSteady() {
        return aSecond < Double.POSITIVE_INFINITY;
    }

    /** How many may have been sent by then. */
    long allowed(long elapsedNanos) {
        if (!isSteady()) {
            return requests;
        }
        return elapsedNanos < lastsNanos ? Math.min(requests, (long) (aSecond * elapsedNanos / 1e9)) : 0;
    }

    boolean isOver(long elapsedNanos, long sent) {
        return sent >= requests || elapsedNanos >= lastsNanos;
    }
}
