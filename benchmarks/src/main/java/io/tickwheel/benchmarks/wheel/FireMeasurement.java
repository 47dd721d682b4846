package io.tickwheel.benchmarks.wheel;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import io.tickwheel.benchmarks.Options;
import io.tickwheel.benchmarks.ProcessUsage;
import io.tickwheel.benchmarks.Results;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Many timers due within a few milliseconds, all scheduled before the first is due, with one shared task that counts. Some
 * rounds warm up, the figures are the medians of the others. A driven wheel is advanced over all of them in one go.
 */
final class FireMeasurement implements Measurement {

    private static final long PAUSE_NANOS = MILLISECONDS.toNanos(50);
    private static final long TIMEOUT_SECONDS = 60;

    /** Tells the first from the last. Several threads may run it. */
    private static final class Counting implements Runnable {
        private final int expected;
        private final AtomicInteger count = new AtomicInteger();
        private final CountDownLatch done = new CountDownLatch(1);
        private volatile long firstNanos;
        private volatile long lastNanos;

        Counting(int expected) {
            this.expected = expected;
        }

        @Override
        public void run() {
            int number = count.incrementAndGet();
            if (number == 1) {
                firstNanos = System.nanoTime();
            }
            if (number == expected) {
                lastNanos = System.nanoTime();
                done.countDown();
            }
        }
    }

    private record Fired(double wallNanos, double cpuNanos) {}

    @Override
    public void run(WheelContender contender, Options options, Figures figures) throws Exception {
        int timers = options.number("timers", 0);
        int spreadMs = options.number("spread-ms", 0);
        int aheadMs = options.number("ahead-ms", 0);
        int warmUps = options.number("warm-ups", 0);
        int fires = options.number("fires", 0);
        Order order = Order.named(options.text("order", ""));

        List<Double> millionsPerSecond = new ArrayList<>();
        List<Double> cpuNanosEach = new ArrayList<>();
        SplitMix random = new SplitMix(timers);
        try (TimerFacility facility = contender.isDriven() ? new FloorFacility() : contender.start()) {
            for (int i = 0; i < warmUps + fires; i++) {
                System.gc();
                Fired fired = contender.isDriven()
                        ? advance(contender.wheel(timers), timers, spreadMs, aheadMs, order, random)
                        : fire(facility, timers, spreadMs, aheadMs, order, random);
                if (i >= warmUps) {
                    millionsPerSecond.add(timers * 1e3 / fired.wallNanos);
                    cpuNanosEach.add(fired.cpuNanos / timers);
                }
            }
        }
        figures.add("million/s", Results.median(millionsPerSecond));
        figures.add("CPU ns each", Results.median(cpuNanosEach));
    }

    private static Fired fire(
            TimerFacility facility, int timers, int spreadMs, int aheadMs, Order order, SplitMix random)
            throws Exception {
        Counting counting = new Counting(timers);
        long firstNanos = System.nanoTime() + MILLISECONDS.toNanos(aheadMs);
        long spreadMicros = MILLISECONDS.toMicros(spreadMs);
        for (int i = 0; i < timers; i++) {
            long dueNanos = firstNanos + 1_000 * order.place(i, timers, spreadMicros, random);
            facility.schedule(counting, dueNanos - System.nanoTime());
        }
        if (System.nanoTime() > firstNanos - 2 * PAUSE_NANOS) {
            throw new IllegalStateException(
                    "scheduling took longer than the timers wait, give more than --ahead-ms " + aheadMs);
        }
        parkUntil(firstNanos - PAUSE_NANOS);
        OwnUsage usage = OwnUsage.start();
        if (!counting.done.await(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException(
                    counting.count + " of " + timers + " fired after " + SECONDS.toMillis(TIMEOUT_SECONDS) + " ms");
        }
        ProcessUsage used = usage.process();
        return new Fired(counting.lastNanos - counting.firstNanos, used.cpuNanos());
    }

    private static Fired advance(DrivenWheel wheel, int timers, int spreadMs, int aheadMs, Order order, SplitMix random)
            throws Exception {
        for (int i = 0; i < timers; i++) {
            wheel.schedule(i, aheadMs + order.place(i, timers, spreadMs, random));
        }
        OwnUsage usage = OwnUsage.start();
        long start = System.nanoTime();
        boolean more = true;
        while (more) {
            more = wheel.advance(aheadMs + spreadMs, timers);
        }
        long nanos = System.nanoTime() - start;
        ProcessUsage used = usage.process();
        if (wheel.expired() != timers) {
            throw new IllegalStateException(wheel.expired() + " of " + timers + " have expired");
        }
        return new Fired(nanos, used.cpuNanos());
    }

    static void parkUntil(long nanos) {
        for (long left = nanos - System.nanoTime(); left > 0; left = nanos - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
