package io.tickwheel.engine.limit;

/** What the attempts of a queue that has limits are started from: of this node alone, or borrowed from all. Owned by the loop. */
interface StartBudget {

    /** Takes other limits. */
    void set(StartRule rule, long nowMs, long nowNanos);

    /** Whether one attempt more may start now, beside those that run or are being claimed. */
    boolean admits(int running, long nowMs, long nowNanos);

    /** Notes that an attempt starts. */
    void take();

    /** Notes that an attempt that was taken did not start. */
    void giveBack();

    /** Begins a turn of the loop, in which nobody was refused yet. */
    void begin();

    /** Whether an attempt was refused in this turn because of the time. */
    boolean hasRefused();

    /** In how many nanoseconds one may start that was refused in this turn for its time; {@link Long#MAX_VALUE} when none was. */
    long nanosToOpen(long nowMs, long nowNanos);

    /**
     * Ends a turn of the loop.
     *
     * @param running attempts that run or are being claimed
     * @param waiting timers that are due and wait here; 0 when none may start
     */
    default void work(int running, int waiting, long nowMs, long nowNanos) {}

    /** In how many nanoseconds there is something to do even if nothing waits. */
    default long idleNanos(long nowNanos) {
        return Long.MAX_VALUE;
    }

    /** Whether nothing was borrowed that could be given back. */
    default boolean isSettled() {
        return true;
    }
}
