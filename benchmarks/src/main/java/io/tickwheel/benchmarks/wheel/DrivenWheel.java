package io.tickwheel.benchmarks.wheel;

/**
 * A wheel that its caller drives: no thread, no clock, ticks of a millisecond. Timers go by slot numbers, so that a wheel
 * with {@code long} handles need not box them. A slot holds one timer at a time. Not thread-safe.
 */
interface DrivenWheel {

    /** Schedules the timer of a slot. One that is pending there is forgotten, not cancelled. */
    void schedule(int slot, long deadlineTick);

    /** Cancels the timer that was scheduled last in the slot. Does nothing when it has expired. */
    void cancel(int slot);

    /** Expires at most {@code limit} timers and returns whether there is more to do for {@code nowTick}. */
    boolean advance(long nowTick, int limit);

    /** Returns how many bytes for a slot go to remember its handle, with compressed references. */
    int handleBytes();

    /** Returns how many timers have expired so far. */
    long expired();
}
