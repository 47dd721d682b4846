package io.tickwheel.wheel;

/** What the stripes and the expiry loop of a timer tell the one that began it and ends it. */
interface Lifecycle {

    /** Has the expiry run soon. Any thread may call this. */
    void wake();

    /** Called whenever the last thing that a closed timer waits for may have happened. Any thread may call this. */
    void noteIdle();

    /** Ends the timer, because its loop has broken down. Only the thread of the expiry calls this. */
    void fail(Throwable cause);

    /** Returns whether the timer is closed, nothing is pending and the expiry has nothing left to do. Any thread may call this. */
    boolean isTerminated();
}
