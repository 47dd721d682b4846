package io.tickwheel.benchmarks;

/** A store that a load program puts timers into; what it was told is on disk, synced, when a method returns. */
interface TimerSink extends AutoCloseable {

    /** Schedules {@code count} timers as fast as one producer can. */
    void scheduleAll(int count) throws Exception;

    /** Schedules one timer. May be called by many threads. */
    void schedule(String key) throws Exception;

    @Override
    void close();
}
