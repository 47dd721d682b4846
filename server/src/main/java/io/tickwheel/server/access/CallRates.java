package io.tickwheel.server.access;

import io.tickwheel.engine.RateLimit;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How many calls each token may still make at this node: a bucket that fills at the rate of its token, up to its burst. A call is let in while there is one left in it;
 * one that turns out to be of many parts takes them all the same, and those that follow wait until that is made up for. So any batch can be sent, and none beyond the
 * rate in the long run. Kept are as many buckets as there can be tokens. For one event loop.
 *
 * <p>A bucket is the time at which it is full: with 2 a second and a burst of 10, a bucket that is full in 3 seconds has 4 left, and one that is full in 20 owes 30.
 */
public final class CallRates {

    private static final double SECOND_NANOS = 1e9;

    private final Map<String, Long> fullAtNanos = new LinkedHashMap<>(16, 0.75f, true) {

        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
            return size() > TokenList.MOST;
        }
    };

    /**
     * Counts a call.
     *
     * @return in how many seconds it can be made, when it was not counted as there is none left; 0 when it was
     */
    public long call(Caller caller, long nowNanos) {
        RateLimit rate = caller.rate();
        if (rate == null) {
            return 0;
        }
        double ahead = ahead(caller, nowNanos);
        double over = ahead - (rate.burst() - 1) * nanosOfOne(rate);
        if (over > 0) {
            return (long) Math.ceil(over / SECOND_NANOS);
        }
        take(caller, rate, 1, nowNanos);
        return 0;
    }

    /** Counts what a call, which was counted once, has besides. */
    public void more(Caller caller, int count, long nowNanos) {
        RateLimit rate = caller.rate();
        if (rate != null && count > 0) {
            take(caller, rate, count, nowNanos);
        }
    }

    private void take(Caller caller, RateLimit rate, int count, long nowNanos) {
        fullAtNanos.put(caller.id(), nowNanos + (long) (ahead(caller, nowNanos) + count * nanosOfOne(rate)));
    }

    private double ahead(Caller caller, long nowNanos) {
        Long fullAt = fullAtNanos.get(caller.id());
        return fullAt == null ? 0 : Math.max(0, fullAt - nowNanos);
    }

    private static double nanosOfOne(RateLimit rate) {
        return SECOND_NANOS / rate.perSecond();
    }

    int buckets() {
        return fullAtNanos.size();
    }
}
