package io.tickwheel.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** How fast a load of timers goes on, from the making of this: a line for each step, so that a slope shows. Thread-safe. */
final class Progress {

    private static final long STEP = 1_000_000;

    /** How many steps a small load makes. */
    private static final int FEWEST_STEPS = 4;

    private final String name;
    private final long step;
    private final AtomicLong done = new AtomicLong();
    private final List<Double> rates = new ArrayList<>();
    private long stepNanos = System.nanoTime();

    private Progress(String name, long step) {
        this.name = name;
        this.step = step;
    }

    /** Of a load of {@code count} timers. */
    static Progress of(String name, long count) {
        return new Progress(name, Math.max(1, Math.min(STEP, count / FEWEST_STEPS)));
    }

    /** Says nothing. */
    static Progress unseen() {
        return new Progress("", Long.MAX_VALUE);
    }

    void scheduled(int count) {
        long before = done.getAndAdd(count);
        long steps = (before + count) / step - before / step;
        if (steps > 0) {
            stepped(before + count, steps);
        }
    }

    private synchronized void stepped(long count, long steps) {
        long now = System.nanoTime();
        double rate = steps * step * 1e9 / (now - stepNanos);
        stepNanos = now;
        rates.add(rate);
        Runtime runtime = Runtime.getRuntime();
        System.out.printf(
                "    %s, %,d timers: %,.0f/s, heap %,d MiB%n",
                name, count, rate, (runtime.totalMemory() - runtime.freeMemory()) >> 20);
    }

    /** The median rate of the last quarter of the steps, as a share of that of the first quarter. */
    synchronized double slope() {
        int quarter = Math.max(1, rates.size() / 4);
        return Results.median(rates.subList(rates.size() - quarter, rates.size()))
                / Results.median(rates.subList(0, quarter));
    }
}
