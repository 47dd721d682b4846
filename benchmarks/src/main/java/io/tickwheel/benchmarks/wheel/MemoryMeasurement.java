package io.tickwheel.benchmarks.wheel;

import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.SECONDS;

import io.tickwheel.benchmarks.Options;
import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;

/**
 * How much the heap grows for a pending timer, the facility itself included. The array in which the harness keeps handles is
 * taken off; the task is shared.
 */
final class MemoryMeasurement implements Measurement {

    private static final int COLLECTIONS = 3;
    private static final int REHEARSED = 1_000;

    @Override
    public void run(WheelContender contender, Options options, Figures figures) throws Exception {
        int timers = options.number("timers", 0);
        rehearse(contender);
        settle();
        usedBytes();
        settle();
        long before = usedBytes();
        TimerSlots slots = contender.slots(1, timers).get(0);
        try {
            SplitMix random = new SplitMix(timers);
            for (int i = 0; i < timers; i++) {
                slots.schedule(i, delayNanos(random));
            }
            settle();
            long bytes = usedBytes() - before - (long) timers * slots.handleBytes();
            figures.add("bytes", (double) bytes / timers);
        } finally {
            Reference.reachabilityFence(slots);
        }
    }

    /** Loads the classes. What comes into being here is garbage afterwards, but for a thread at most. */
    private static void rehearse(WheelContender contender) {
        TimerSlots slots = contender.slots(1, REHEARSED).get(0);
        SplitMix random = new SplitMix(REHEARSED);
        for (int i = 0; i < REHEARSED; i++) {
            slots.schedule(i, delayNanos(random));
        }
        for (int i = 0; i < REHEARSED; i++) {
            slots.cancel(i);
        }
    }

    private static long delayNanos(SplitMix random) {
        return HOURS.toNanos(1) + 1_000 * SplitMix.upper(random.next(), HOURS.toMicros(1));
    }

    /** Lets a timer thread take over what was queued for it. */
    private static void settle() {
        FireMeasurement.parkUntil(System.nanoTime() + SECONDS.toNanos(1));
    }

    private static long usedBytes() {
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
