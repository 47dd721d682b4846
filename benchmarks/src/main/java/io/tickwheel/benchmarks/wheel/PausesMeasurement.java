package io.tickwheel.benchmarks.wheel;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import io.tickwheel.benchmarks.Options;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The longest single steps while many timers fire: of the calls that schedule, first while the population grows and then
 * while it fires, and of the advance where it can be seen. The young generation is meant to be so large that nothing is
 * collected meanwhile; what was is reported. The floor shows what the machine alone does to a thread, beside another one that is
 * as busy as a timer's may be.
 */
final class PausesMeasurement implements Measurement {

    private static final int LIMIT = 1_000;
    private static final int REHEARSED = 100_000;
    private static final long PACE_NANOS = 100_000;
    private static final int DIGITS = 3;

    // Keeps the compiler from leaving out what nobody looks at.
    volatile @Nullable Object latest;

    /** Where the time of steps goes. */
    private static final class Steps {
        private final Histogram growing = new Histogram(DIGITS);
        private final Histogram firing = new Histogram(DIGITS);
        private final Histogram advance = new Histogram(DIGITS);
    }

    @Override
    public void run(WheelContender contender, Options options, Figures figures) throws Exception {
        int timers = options.number("timers", 0);
        int withinSeconds = options.number("within-seconds", 0);
        int rate = options.number("rate", 0);

        long collected = collectionMillis();
        Steps steps = new Steps();
        if (contender.isDriven()) {
            int all = timers + rate * (withinSeconds + 1);
            drive(contender.wheel(REHEARSED), REHEARSED / 10, 1, REHEARSED / 10, new Steps());
            drive(contender.wheel(all), timers, withinSeconds, rate, steps);
            figures.add("advance, p99.9 us", steps.advance.getValueAtPercentile(99.9) / 1e3);
            figures.add("advance, longest us", steps.advance.getMaxValue() / 1e3);
        } else {
            boolean kafka = contender.name().equals("kafka");
            if (contender.name().equals(WheelContender.FLOOR)) {
                startBusyThread();
            }
            try (TimerFacility facility = kafka ? KafkaFacility.watched() : contender.start()) {
                rehearse(facility);
                if (facility instanceof KafkaFacility watched) {
                    watched.longestAdvanceNanos();
                }
                fire(facility, timers, withinSeconds, rate, steps);
                if (facility instanceof KafkaFacility watched) {
                    figures.add("advance, longest us", watched.longestAdvanceNanos() / 1e3);
                }
            }
        }
        figures.add("schedule while growing, longest us", steps.growing.getMaxValue() / 1e3);
        figures.add("schedule while firing, p99.9 us", steps.firing.getValueAtPercentile(99.9) / 1e3);
        figures.add("schedule while firing, longest us", steps.firing.getMaxValue() / 1e3);
        figures.add("collections, ms", (double) (collectionMillis() - collected));
    }

    private static void startBusyThread() {
        Thread busy = new Thread(() -> {
            while (true) {
                Thread.onSpinWait();
            }
        });
        busy.setDaemon(true);
        busy.start();
    }

    /** Compiles what is to be timed. */
    private void rehearse(TimerFacility facility) {
        Runnable task = () -> {};
        Steps none = new Steps();
        for (int i = 0; i < REHEARSED; i++) {
            schedule(facility, task, MILLISECONDS.toNanos(1 + i % LIMIT), none.growing);
        }
        FireMeasurement.parkUntil(System.nanoTime() + SECONDS.toNanos(2));
    }

    private void fire(TimerFacility facility, int timers, int withinSeconds, int rate, Steps steps) {
        Runnable task = () -> {};
        SplitMix random = new SplitMix(timers);
        long spreadMicros = SECONDS.toMicros(withinSeconds);
        for (int i = 0; i < timers; i++) {
            schedule(facility, task, 1_000 * SplitMix.upper(random.next(), spreadMicros), steps.growing);
        }
        long start = System.nanoTime();
        long lastingNanos = SECONDS.toNanos(withinSeconds);
        long scheduled = 0;
        for (long passed = 0; passed < lastingNanos; passed = System.nanoTime() - start) {
            for (long owed = passed * rate / SECONDS.toNanos(1); scheduled < owed; scheduled++) {
                schedule(facility, task, 1_000 * SplitMix.upper(random.next(), spreadMicros), steps.firing);
            }
            LockSupport.parkNanos(PACE_NANOS);
        }
    }

    private void schedule(TimerFacility facility, Runnable task, long delayNanos, Histogram nanos) {
        long start = System.nanoTime();
        latest = facility.schedule(task, delayNanos);
        nanos.recordValue(System.nanoTime() - start);
    }

    /** The same by one thread, which advances the wheel in slices whenever it has nothing else to do. */
    private static void drive(DrivenWheel wheel, int timers, int withinSeconds, int rate, Steps steps) {
        SplitMix random = new SplitMix(timers);
        long spreadMs = SECONDS.toMillis(withinSeconds);
        int slot = 0;
        while (slot < timers) {
            schedule(wheel, slot++, SplitMix.upper(random.next(), spreadMs), steps.growing);
        }
        long start = System.nanoTime();
        long lastingNanos = SECONDS.toNanos(withinSeconds);
        for (long passed = 0; passed < lastingNanos; passed = System.nanoTime() - start) {
            long tick = passed / ClockedSlots.TICK_NANOS;
            advance(wheel, tick, steps.advance);
            for (long owed = passed * rate / SECONDS.toNanos(1); slot - timers < owed; slot++) {
                schedule(wheel, slot, tick + SplitMix.upper(random.next(), spreadMs), steps.firing);
            }
            LockSupport.parkNanos(PACE_NANOS);
        }
    }

    private static void schedule(DrivenWheel wheel, int slot, long deadlineTick, Histogram nanos) {
        long start = System.nanoTime();
        wheel.schedule(slot, deadlineTick);
        nanos.recordValue(System.nanoTime() - start);
    }

    private static void advance(DrivenWheel wheel, long tick, Histogram nanos) {
        boolean more = true;
        while (more) {
            long start = System.nanoTime();
            more = wheel.advance(tick, LIMIT);
            nanos.recordValue(System.nanoTime() - start);
        }
    }

    private static long collectionMillis() {
        List<GarbageCollectorMXBean> collectors = ManagementFactory.getGarbageCollectorMXBeans();
        return collectors.stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionTime)
                .sum();
    }
}
