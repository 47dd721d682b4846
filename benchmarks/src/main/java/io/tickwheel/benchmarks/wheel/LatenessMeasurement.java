package io.tickwheel.benchmarks.wheel;

import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import io.tickwheel.benchmarks.Options;
import io.tickwheel.benchmarks.ProcessUsage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * Timers at a steady rate with random delays of whole milliseconds. A timer is due at the time its schedule call began, plus
 * its delay: that the scheduling thread falls behind does not count, that a call takes long does. Each task writes its
 * lateness into its own place, so that the timer thread pays for nothing but a look at the clock.
 */
final class LatenessMeasurement implements Measurement {

    private static final int LONGEST_DELAY_MS = 1_000;
    private static final int WARM_UP_SECONDS = 2;
    private static final long PACE_NANOS = 100_000;
    private static final long TIMEOUT_SECONDS = 30;
    private static final int DIGITS = 3;
    private static final int PER_CENT = 100;

    private static final class Late implements Runnable {
        private final CountDownLatch pending;
        private final long dueNanos;
        private long lateNanos;

        Late(CountDownLatch pending, long dueNanos) {
            this.pending = pending;
            this.dueNanos = dueNanos;
        }

        @Override
        public void run() {
            lateNanos = System.nanoTime() - dueNanos;
            pending.countDown();
        }
    }

    @Override
    public void run(WheelContender contender, Options options, Figures figures) throws Exception {
        int rate = options.number("rate", 0);
        int seconds = options.number("seconds", 0);
        int background = options.number("background", 0);

        TimerFacility facility = contender.start();
        SplitMix random = new SplitMix(rate);
        Runnable nothing = () -> {};
        for (int i = 0; i < background; i++) {
            facility.schedule(nothing, HOURS.toNanos(1) + 1_000 * SplitMix.upper(random.next(), HOURS.toMicros(1)));
        }
        System.gc();
        scheduleAll(facility, rate, rate * WARM_UP_SECONDS, random);

        OwnUsage usage = OwnUsage.start();
        Late[] timers = scheduleAll(facility, rate, rate * seconds, random);
        ProcessUsage process = usage.process();
        ProcessUsage timerThreads = usage.timerThreads();
        double passed = usage.elapsedNanos();
        report(timers, figures);
        figures.add("timer threads, % of a core", PER_CENT * timerThreads.cpuNanos() / passed);
        figures.add("process, % of a core", PER_CENT * process.cpuNanos() / passed);
    }

    /** Returns when all have fired. */
    private static Late[] scheduleAll(TimerFacility facility, int rate, int count, SplitMix random)
            throws InterruptedException {
        CountDownLatch pending = new CountDownLatch(count);
        Late[] timers = new Late[count];
        long start = System.nanoTime();
        int scheduled = 0;
        while (scheduled < count) {
            long owed = (System.nanoTime() - start) * rate / SECONDS.toNanos(1);
            while (scheduled < Math.min(owed, count)) {
                long delayNanos = MILLISECONDS.toNanos(1 + SplitMix.upper(random.next(), LONGEST_DELAY_MS));
                Late timer = new Late(pending, System.nanoTime() + delayNanos);
                timers[scheduled++] = timer;
                facility.schedule(timer, delayNanos);
            }
            LockSupport.parkNanos(PACE_NANOS);
        }
        if (!pending.await(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException(
                    pending.getCount() + " of " + count + " timers have not fired " + TIMEOUT_SECONDS + " s later");
        }
        return timers;
    }

    private static void report(Late[] timers, Figures figures) {
        Histogram late = new Histogram(DIGITS);
        int early = 0;
        for (Late timer : timers) {
            if (timer.lateNanos < 0) {
                early++;
            }
            late.recordValue(Math.max(0, timer.lateNanos));
        }
        for (double percentile : new double[] {50, 99, 99.9}) {
            String name = percentile == 99.9 ? "p99.9 us" : "p" + (int) percentile + " us";
            figures.add(name, late.getValueAtPercentile(percentile) / 1e3);
        }
        figures.add("longest us", late.getMaxValue() / 1e3);
        figures.add("early, %", (double) PER_CENT * early / timers.length);
    }
}
