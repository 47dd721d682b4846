package io.tickwheel.wheel;

/**
 * Runs the expiry of one {@link WheelTimer} when its time comes. The default is a thread of its own; another one lets an
 * event loop, or a test with a manual clock, do it. One driver may serve several timers.
 */
public interface ExpiryDriver {

    /**
     * Takes on a timer. Called once, by the first thread that schedules something; it must not block. From now on the
     * driver must call {@link Expiry#expireDue} after every {@link #wake} and at the time that the last call returned,
     * never from two threads at once, and never from inside {@code start} or {@code wake}.
     */
    void start(Expiry expiry);

    /**
     * Has the expiry run soon: an earlier deadline came in, or the timer was closed. Any thread may call this; it must not
     * block. Calls before the next {@code expireDue} count as one.
     */
    void wake(Expiry expiry);

    /** What a driver runs. */
    interface Expiry {
        /**
         * Expires what is due by the clock and hands it to the executor, or runs it: some thousands of timeouts at most,
         * and returns 0 when there may be more.
         *
         * @return in how many nanoseconds it is to be called again, not negative; {@code Long.MAX_VALUE} for not before
         *     the next wake
         */
        long expireDue();

        /** Returns whether the timer is closed and has nothing left to do: the driver may forget it. */
        boolean isTerminated();
    }
}
