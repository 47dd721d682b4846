package io.tickwheel.benchmarks;

import io.tickwheel.engine.Destination;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.recurrence.Recurrence;
import io.tickwheel.testkit.ManualClock;
import io.tickwheel.testkit.ManualThreads;
import io.tickwheel.testkit.MemoryTimerStore;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;

/**
 * Many plans with a run a minute, on the memory calendar, one thread and a clock that is moved by hand: what an hour of them costs.
 *
 * @param minutes of simulated time
 */
record PlansProgram(int plans, int minutes, int rounds) implements LoadProgram {

    private static final String NAME = "Tickwheel";
    private static final String QUEUE = "q";

    static PlansProgram of(Options options) {
        return new PlansProgram(
                options.number("plans", 100_000), options.number("minutes", 60), options.number("rounds", 1));
    }

    @Override
    public void run(DataDirectory data) throws Exception {
        System.out.printf("%,d plans with a run a minute, for %,d minutes.%n%n", plans, minutes);
        Results results = new Results(NAME);
        results.startCounting();
        for (int round = 1; round <= rounds; round++) {
            List<String> breakdown = round(results);
            System.out.println("  samples of the thread, by class:");
            breakdown.forEach(line -> System.out.println("    " + line));
        }
        results.print();
    }

    private List<String> round(Results results) throws InterruptedException, BrokenPromiseException {
        ManualClock clock = new ManualClock(Instant.parse("2030-01-01T00:00:00Z"));
        ManualThreads threads = new ManualThreads(clock, new SplittableRandom(1));
        long[] runs = new long[minutes + 1];
        // Never closed: that would wait for threads which take no step by themselves.
        Tickwheel engine = Tickwheel.builder(new MemoryTimerStore())
                .clock(clock)
                .threads(threads)
                .random(() -> 0)
                .target("t", (attempt, delivery) -> {
                    runs[(int) attempt.run().orElseThrow()]++;
                    delivery.acknowledge();
                })
                .queueDestination(QUEUE, new Destination("t", ""))
                .open();
        long startNanos = System.nanoTime();
        schedule(engine, threads);
        results.add("plans scheduled, s", NAME, (System.nanoTime() - startNanos) / 1e9);
        StackSamples samples = new StackSamples();
        long cpuNanos = threadCpuNanos();
        long collectionMs = collectionMs();
        startNanos = System.nanoTime();
        for (int minute = 1; minute <= minutes; minute++) {
            threads.advance(Duration.ofMinutes(1));
            while (threads.step() || engine.stats().running() > 0) {
                // So many steps at one moment are more than the threads take at once.
            }
            if (runs[minute] != plans) {
                throw new BrokenPromiseException(runs[minute] + " runs of " + plans + " in minute " + minute);
            }
        }
        double seconds = (System.nanoTime() - startNanos) / 1e9;
        results.add("runs, s", NAME, seconds);
        results.add("CPU of the thread, s", NAME, (threadCpuNanos() - cpuNanos) / 1e9);
        results.add("CPU, us a run", NAME, (threadCpuNanos() - cpuNanos) / 1e3 / ((double) plans * minutes));
        results.add("collections, s", NAME, (collectionMs() - collectionMs) / 1e3);
        return samples.largest();
    }

    private void schedule(Tickwheel engine, ManualThreads threads) {
        Recurrence eachMinute = Recurrence.fixedRate(Duration.ofMinutes(1));
        for (int i = 0; i < plans; i++) {
            CompletableFuture<?> answer = engine.schedule(TimerRequest.recurring(QUEUE, "plan-" + i, eachMinute));
            threads.runUntilIdle();
            if (!answer.isDone()) {
                throw new IllegalStateException("plan " + i + " has no answer");
            }
        }
    }

    private static long threadCpuNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private static long collectionMs() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionTime)
                .sum();
    }
}
