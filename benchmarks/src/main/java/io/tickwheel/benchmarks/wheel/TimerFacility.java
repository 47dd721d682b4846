package io.tickwheel.benchmarks.wheel;

/** A timer facility with a thread and a clock of its own, as an application would use it. Thread-safe. */
interface TimerFacility extends AutoCloseable {

    /**
     * Has the task run once, {@code delayNanos} from now, rounded up to what the facility can tell apart. The task is short
     * and runs wherever the facility runs it by default.
     *
     * @return what {@link #cancel} takes
     */
    Object schedule(Runnable task, long delayNanos);

    /** Cancels a timer. Does nothing when it has run. */
    void cancel(Object handle);

    /** Ends the threads. What is pending never runs. */
    @Override
    void close();
}
