package io.tickwheel.benchmarks;

/** A store that several producers fill with the timers of a plan. Thread-safe. */
interface PlanSink extends AutoCloseable {

    /**
     * Schedules the timers {@code first}, {@code first + step} and so on below {@code end}; tells {@code progress} of them when
     * they are synced.
     */
    void fill(TimerPlan plan, long first, int step, long end, Progress progress) throws Exception;

    @Override
    void close();
}
