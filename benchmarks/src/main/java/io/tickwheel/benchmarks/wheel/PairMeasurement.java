package io.tickwheel.benchmarks.wheel;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import io.tickwheel.benchmarks.Options;
import io.tickwheel.benchmarks.ProcessUsage;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Replaces timers of a standing population: a random one is cancelled, a new one scheduled in its place. Delays are 1 s to
 * 1 h, so that hardly any is due while it lasts. Each thread has its own share of the population.
 */
final class PairMeasurement implements Measurement {

    private static final int BATCH = 256;
    private static final long SHORTEST_NANOS = SECONDS.toNanos(1);
    private static final long SPREAD_MICROS = SECONDS.toMicros(3_599);
    private static final long SLICE_NANOS = MILLISECONDS.toNanos(250);
    private static final double STEADY = 0.05;
    private static final int LONGEST_WARM_UP = 3;

    private record Pairs(long count, long nanos) {
        double nanosEach() {
            return (double) nanos / count;
        }
    }

    @Override
    public void run(WheelContender contender, Options options, Figures figures) throws Exception {
        int timers = options.number("timers", 0);
        int threads = options.number("threads", 1);
        long warmUpNanos = MILLISECONDS.toNanos(options.number("warm-up-ms", 0));
        long measuredNanos = MILLISECONDS.toNanos(options.number("measured-ms", 0));

        int share = timers / threads;
        List<TimerSlots> slots = contender.slots(threads, share);
        List<SplitMix> randoms = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            randoms.add(new SplitMix(i + 1L));
            fill(slots.get(i), share, randoms.get(i));
        }
        // The population is old from here on, as a standing one is.
        System.gc();
        AtomicInteger number = new AtomicInteger();
        ExecutorService pool = Executors.newFixedThreadPool(
                threads, task -> new Thread(task, OwnUsage.PROGRAM_THREAD + number.incrementAndGet()));
        warmUp(pool, slots, share, randoms, warmUpNanos);

        OwnUsage usage = OwnUsage.start();
        Pairs pairs = replace(pool, slots, share, randoms, measuredNanos);
        ProcessUsage used = usage.process();
        figures.add("wall ns", pairs.nanosEach());
        figures.add("CPU ns", (double) used.cpuNanos() / pairs.count);
    }

    static void fill(TimerSlots slots, int count, SplitMix random) {
        for (int i = 0; i < count; i++) {
            slots.schedule(i, delayNanos(random.next()));
        }
    }

    /** Goes on until two slices in a row differ by little, but not for ever: a machine that is shared is never steady. */
    private static void warmUp(
            ExecutorService pool, List<TimerSlots> slots, int share, List<SplitMix> randoms, long shortestNanos)
            throws Exception {
        long start = System.nanoTime();
        double previous = 0;
        boolean steady = false;
        long passed = 0;
        while (passed < shortestNanos || (!steady && passed < LONGEST_WARM_UP * shortestNanos)) {
            double current = replace(pool, slots, share, randoms, SLICE_NANOS).nanosEach();
            steady = Math.abs(current - previous) <= STEADY * current;
            previous = current;
            passed = System.nanoTime() - start;
        }
    }

    /** Replaces in all threads at once for so long. Nanoseconds are those of the clock on the wall. */
    private static Pairs replace(
            ExecutorService pool, List<TimerSlots> slots, int share, List<SplitMix> randoms, long nanos)
            throws Exception {
        CyclicBarrier start = new CyclicBarrier(slots.size());
        List<Callable<Pairs>> tasks = new ArrayList<>();
        for (int i = 0; i < slots.size(); i++) {
            TimerSlots own = slots.get(i);
            SplitMix random = randoms.get(i);
            tasks.add(() -> {
                start.await();
                return replace(own, share, random, nanos);
            });
        }
        double pairsPerNano = 0;
        long count = 0;
        for (Future<Pairs> future : pool.invokeAll(tasks)) {
            Pairs pairs = future.get();
            count += pairs.count;
            pairsPerNano += 1 / pairs.nanosEach();
        }
        return new Pairs(count, Math.round(count / pairsPerNano));
    }

    private static Pairs replace(TimerSlots slots, int share, SplitMix random, long nanos) {
        long start = System.nanoTime();
        long count = 0;
        long passed = 0;
        while (passed < nanos) {
            replace(slots, share, random, BATCH);
            count += BATCH;
            passed = System.nanoTime() - start;
        }
        return new Pairs(count, passed);
    }

    /** Replaces so many timers, as fast as it goes. */
    static void replace(TimerSlots slots, int share, SplitMix random, int count) {
        for (int i = 0; i < count; i++) {
            long next = random.next();
            int slot = SplitMix.lower(next, share);
            slots.cancel(slot);
            slots.schedule(slot, delayNanos(next));
        }
    }

    static long delayNanos(long random) {
        return SHORTEST_NANOS + 1_000 * SplitMix.upper(random, SPREAD_MICROS);
    }
}
