package io.tickwheel.engine;

import java.time.Duration;

/**
 * How an attempt ended. Any thread may call this: exactly one method, once; further calls are ignored. Until then the
 * attempt holds one of the credits of its queue.
 */
public interface Delivery {

    /** The receiver has it; the timer is completed. */
    void acknowledge();

    /** Try again when the retry policy says so. */
    void fail(String reason);

    /**
     * Try again, not before {@code wait} has passed, and not before the retry policy says so.
     *
     * @param wait not negative; more than 30 days counts as 30 days
     */
    void fail(String reason, Duration wait);

    /** Never try again: the timer is dead. */
    void reject(String reason);
}
