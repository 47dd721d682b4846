package io.tickwheel.benchmarks;

import java.util.List;
import java.util.concurrent.TimeoutException;

/** One part of {@link RedisProgram}. */
interface RedisMeasurement {

    /** So long after the last timer that came, the others are missing. Longer than any of them waits. */
    long STALL_MS = 15_000;

    /** Measures each contender once, one after the other or in the same minute. */
    void round(List<RedisContender> contenders, Results results) throws Exception;

    /** Waits for the timers; returns how many did not come. */
    static long missing(HandledTimers handled, long count) throws InterruptedException {
        try {
            handled.await(count, STALL_MS);
        } catch (TimeoutException stalled) {
            System.out.println("    " + stalled.getMessage());
        }
        return count - handled.distinct();
    }
}
