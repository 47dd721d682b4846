package io.tickwheel.benchmarks.wheel;

import static java.util.concurrent.TimeUnit.SECONDS;

import io.tickwheel.benchmarks.Options;
import io.tickwheel.benchmarks.ProcessUsage;
import java.io.IOException;
import java.util.concurrent.locks.LockSupport;

/**
 * Replaces timers of a standing population as {@link PairMeasurement} does, at a steady rate: the processors sleep in between, and their
 * caches go cold. What a timer thread does whether or not there is load is then part of what a pair costs.
 */
final class PacedMeasurement implements Measurement {

    private static final long PACE_NANOS = 100_000;

    @Override
    public void run(WheelContender contender, Options options, Figures figures) throws Exception {
        int rate = options.number("rate", 0);
        int timers = options.number("timers", 0);
        int warmUpSeconds = options.number("warm-up-seconds", 0);
        int seconds = options.number("seconds", 0);

        TimerSlots slots = contender.slots(1, timers).get(0);
        SplitMix random = new SplitMix(rate);
        PairMeasurement.fill(slots, timers, random);
        System.gc();
        replace(slots, timers, random, rate, warmUpSeconds);

        OwnUsage usage = OwnUsage.start();
        replace(slots, timers, random, rate, seconds);
        report(usage, (long) rate * seconds, figures);
    }

    private static void replace(TimerSlots slots, int timers, SplitMix random, int rate, int seconds) {
        long start = System.nanoTime();
        long pairs = (long) rate * seconds;
        long done = 0;
        while (done < pairs) {
            long owed = Math.min(pairs, (System.nanoTime() - start) * rate / SECONDS.toNanos(1));
            PairMeasurement.replace(slots, timers, random, (int) (owed - done));
            done = owed;
            LockSupport.parkNanos(PACE_NANOS);
        }
    }

    private static void report(OwnUsage usage, long pairs, Figures figures) throws IOException {
        ProcessUsage process = usage.process();
        ProcessUsage timerThreads = usage.timerThreads();
        figures.add("CPU ns", (double) process.cpuNanos() / pairs);
        figures.add("of timer threads, CPU ns", (double) timerThreads.cpuNanos() / pairs);
        figures.add("pairs/s", pairs * 1e9 / usage.elapsedNanos());
    }
}
