package io.tickwheel.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Threads that fill a store together, each with every so manieth timer. */
record Producers(int count) {

    /** Schedules the timers from {@code first} on below {@code end}, and returns when all are synced. */
    Progress fill(PlanSink sink, String name, TimerPlan plan, long first, long end) throws Exception {
        Progress progress = Progress.of(name, end - first);
        fill(sink, progress, plan, first, end);
        return progress;
    }

    /** The same without a line for each step. */
    void fillQuietly(PlanSink sink, TimerPlan plan, long first, long end) throws Exception {
        fill(sink, Progress.unseen(), plan, first, end);
    }

    private void fill(PlanSink sink, Progress progress, TimerPlan plan, long first, long end) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(count);
        try {
            List<Callable<Void>> parts = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                long start = first + i;
                parts.add(() -> {
                    sink.fill(plan, start, count, end, progress);
                    return null;
                });
            }
            for (Future<Void> part : threads.invokeAll(parts)) {
                part.get();
            }
        } finally {
            threads.shutdown();
        }
    }
}
