package io.tickwheel.benchmarks.wheel;

import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.SECONDS;

import io.tickwheel.benchmarks.Options;
import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;

/** How much the heap grows for a pending timer. What the harness keeps is there before; the task is shared. */
final class MemoryMeasurement implements Measurement {

    private static final int COLLECTIONS = 3;
    private static final int REHEARSED = 1_000;

    @Override
    public void run(WheelContender contender, Options options, Figures figures) throws Exception {
        int timers = options.number("timers", 0);
        TimerSlots slots = contender.slots(1, timers).get(0);
        SplitMix random = new SplitMix(timers);
        for (int i = 0; i < REHEARSED; i++) {
            slots.schedule(i, delayNanos(random));
            slots.cancel(i);
        }
        try {
            settle();
            long before = usedBytes();
            for (int i = 0; i < timers; i++) {
                slots.schedule(i, delayNanos(random));
            }
            settle();
            figures.add("bytes", (double) (usedBytes() - before) / timers);
        } finally {
            Reference.reachabilityFence(slots);
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
