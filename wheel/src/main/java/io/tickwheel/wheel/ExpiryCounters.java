package io.tickwheel.wheel;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/** What the expiry loop has done. Written by the loop alone, read by anyone. */
final class ExpiryCounters {
    private final AtomicLong wakeUps = new AtomicLong();
    private final AtomicLong spuriousWakeUps = new AtomicLong();
    private final AtomicLong expired = new AtomicLong();
    private final AtomicLongArray lateness = new AtomicLongArray(Lateness.BUCKETS);
    private final AtomicLong maxLatenessNanos = new AtomicLong();
    private long expiredBefore;

    /** Counts a call of the expiry, the one before as spurious if nothing has expired in it. */
    void wokenUp() {
        add(wakeUps, 1);
    }

    void idle() {
        long now = expired.getPlain();
        if (now == expiredBefore) {
            add(spuriousWakeUps, 1);
        }
        expiredBefore = now;
    }

    void expired(TimerNode[] nodes, int size, TickClock ticks) {
        add(expired, size);
        long elapsed = ticks.elapsedNanos();
        for (int i = 0; i < size; ) {
            long tick = nodes[i].deadlineTick();
            int same = i + 1;
            while (same < size && nodes[same].deadlineTick() == tick) {
                same++;
            }
            late(Math.max(0, elapsed - ticks.nanosOf(tick)), same - i);
            i = same;
        }
    }

    private void late(long nanos, int count) {
        int bucket = Lateness.bucketOf(nanos);
        lateness.setOpaque(bucket, lateness.getPlain(bucket) + count);
        if (nanos > maxLatenessNanos.getPlain()) {
            maxLatenessNanos.setOpaque(nanos);
        }
    }

    private static void add(AtomicLong counter, long count) {
        counter.setOpaque(counter.getPlain() + count);
    }

    long wakeUps() {
        return wakeUps.get();
    }

    long spuriousWakeUps() {
        return spuriousWakeUps.get();
    }

    long expired() {
        return expired.get();
    }

    Lateness lateness() {
        long[] counts = new long[Lateness.BUCKETS];
        for (int bucket = 0; bucket < counts.length; bucket++) {
            counts[bucket] = lateness.get(bucket);
        }
        return new Lateness(counts, maxLatenessNanos.get());
    }
}
