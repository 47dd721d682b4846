package io.tickwheel.benchmarks.wheel;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import io.tickwheel.benchmarks.Options;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * How late a timer of a millisecond is while very many others fire, and how long it takes to schedule it. A thread schedules one after the
 * other for as long as the others come due. A probe is due a millisecond after its schedule call began.
 */
final class ProbeMeasurement implements Measurement {

    private static final long DELAY_NANOS = MILLISECONDS.toNanos(1);
    private static final long AHEAD_NANOS = SECONDS.toNanos(1);
    private static final int REHEARSED = 200_000;
    private static final long TIMEOUT_SECONDS = 60;
    private static final int DIGITS = 3;

    private static final class Probe implements Runnable {
        private final long dueNanos;
        private final CountDownLatch pending;
        private volatile long lateNanos;

        Probe(long dueNanos, CountDownLatch pending) {
            this.dueNanos = dueNanos;
            this.pending = pending;
        }

        @Override
        public void run() {
            lateNanos = System.nanoTime() - dueNanos;
            pending.countDown();
        }
    }

    @Override
    public void run(WheelContender contender, Options options, Figures figures) throws Exception {
        int timers = options.number("timers", 0);
        int withinSeconds = options.number("within-seconds", 0);
        Order order = Order.named(options.text("order", ""));

        try (TimerFacility facility = contender.start()) {
            fill(facility, REHEARSED, SECONDS.toNanos(1), Order.RANDOM);
            probe(facility, SECONDS.toMillis(2), new Histogram(DIGITS), new Histogram(DIGITS));
            System.gc();

            Histogram late = new Histogram(DIGITS);
            Histogram calls = new Histogram(DIGITS);
            long startNanos = System.nanoTime() + AHEAD_NANOS;
            fill(facility, timers, SECONDS.toNanos(withinSeconds), order);
            FireMeasurement.parkUntil(startNanos);
            probe(facility, SECONDS.toMillis(withinSeconds), late, calls);

            figures.add("probe late, p50 ms", late.getValueAtPercentile(50) / 1e6);
            figures.add("probe late, p99 ms", late.getValueAtPercentile(99) / 1e6);
            figures.add("probe late, longest ms", late.getMaxValue() / 1e6);
            figures.add("schedule, p99.9 ms", calls.getValueAtPercentile(99.9) / 1e6);
            figures.add("schedule, longest ms", calls.getMaxValue() / 1e6);
        }
    }

    /** The first is due a second from now. */
    private static void fill(TimerFacility facility, int timers, long spreadNanos, Order order) {
        SplitMix random = new SplitMix(timers);
        Runnable task = () -> {};
        long firstNanos = System.nanoTime() + AHEAD_NANOS;
        long spreadMicros = TimeUnit.NANOSECONDS.toMicros(spreadNanos);
        for (int i = 0; i < timers; i++) {
            long dueNanos = firstNanos + 1_000 * order.place(i, timers, spreadMicros, random);
            facility.schedule(task, dueNanos - System.nanoTime());
        }
    }

    private static void probe(TimerFacility facility, long probes, Histogram late, Histogram calls)
            throws InterruptedException {
        CountDownLatch pending = new CountDownLatch((int) probes);
        Probe[] all = new Probe[(int) probes];
        long start = System.nanoTime();
        for (int i = 0; i < all.length; i++) {
            LockSupport.parkNanos(start + i * DELAY_NANOS - System.nanoTime());
            long before = System.nanoTime();
            all[i] = new Probe(before + DELAY_NANOS, pending);
            facility.schedule(all[i], DELAY_NANOS);
            calls.recordValue(System.nanoTime() - before);
        }
        if (!pending.await(TIMEOUT_SECONDS, SECONDS)) {
            throw new IllegalStateException(
                    pending.getCount() + " probes have not fired " + TIMEOUT_SECONDS + " s later");
        }
        for (Probe probe : all) {
            late.recordValue(Math.max(0, probe.lateNanos));
        }
    }
}
