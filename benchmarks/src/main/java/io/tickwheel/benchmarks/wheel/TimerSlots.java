package io.tickwheel.benchmarks.wheel;

/** Numbered timers, one to a slot: what a program schedules and cancels. One thread. */
interface TimerSlots {

    void schedule(int slot, long delayNanos);

    /** Cancels the timer that was scheduled last in the slot. Does nothing when it has expired. */
    void cancel(int slot);

    /** Returns how many bytes for a slot are the harness's own, with compressed references. */
    int handleBytes();
}
