package io.tickwheel.benchmarks.wheel;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;

/** The JDK's scheduled executors, with one thread that runs tasks. */
final class ExecutorFacility implements TimerFacility {

    private final ScheduledExecutorService executor;

    private ExecutorFacility(ScheduledExecutorService executor) {
        this.executor = executor;
    }

    /** The heap under a lock. What is cancelled is removed at once, or the heap would only grow. */
    static ExecutorFacility threadPool() {
        ScheduledThreadPoolExecutor executor =
                new ScheduledThreadPoolExecutor(1, threads -> new Thread(threads, "scheduled-pool"));
        executor.setRemoveOnCancelPolicy(true);
        executor.prestartAllCoreThreads();
        return new ExecutorFacility(executor);
    }

    /** The pool that schedules since JDK 25: one thread keeps the heap, another runs the tasks. */
    static ExecutorFacility forkJoinPool() {
        Object pool = new ForkJoinPool(1);
        if (pool instanceof ScheduledExecutorService executor) {
            return new ExecutorFacility(executor);
        }
        throw new IllegalArgumentException("a ForkJoinPool schedules since JDK 25");
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // It is the handle.
    public Object schedule(Runnable task, long delayNanos) {
        return executor.schedule(task, delayNanos, NANOSECONDS);
    }

    @Override
    public void cancel(Object handle) {
        ((Future<?>) handle).cancel(false);
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }
}
