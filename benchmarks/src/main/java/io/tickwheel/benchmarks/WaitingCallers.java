package io.tickwheel.benchmarks;

import static java.util.concurrent.TimeUnit.MICROSECONDS;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.HdrHistogram.Histogram;

/** Threads that schedule a timer, wait until it is on disk, and go on with the next. */
record WaitingCallers(int count, int seconds) {

    void measure(Contender contender, Path directory, Results results) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(count);
        try (TimerSink sink = contender.opening().in(directory)) {
            CountDownLatch ready = new CountDownLatch(count);
            List<Callable<Histogram>> loops = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                String prefix = "caller-" + i + "-";
                loops.add(() -> {
                    ready.countDown();
                    ready.await();
                    return callUntil(System.nanoTime() + seconds * 1_000_000_000L, sink, prefix);
                });
            }
            Histogram micros = new Histogram(3);
            for (Future<Histogram> loop : threads.invokeAll(loops)) {
                micros.add(loop.get());
            }
            String measure = count + (count == 1 ? " caller" : " callers");
            results.add(measure + ", timers/s", contender.name(), (double) micros.getTotalCount() / seconds);
            results.addPercentiles(measure, contender.name(), micros, MICROSECONDS, 50, 99, 99.9);
        } finally {
            threads.shutdown();
        }
    }

    private static Histogram callUntil(long end, TimerSink sink, String prefix) throws Exception {
        Histogram micros = new Histogram(3);
        long before = System.nanoTime();
        for (int i = 0; before < end; i++) {
            sink.schedule(prefix + i);
            long after = System.nanoTime();
            micros.recordValue((after - before) / 1_000);
            before = after;
        }
        return micros;
    }
}
