package io.tickwheel.benchmarks.messages;

import java.util.BitSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.HdrHistogram.Histogram;

/** The messages that came out: how late, how many too early, how many again. Written by one thread; to be read after {@link #await}. */
final class OutletArrivals implements Inlet.Taker {

    private static final long MOST_MICROS = TimeUnit.HOURS.toMicros(1);

    private final int expected;
    private final BitSet came = new BitSet();
    private final Histogram lateMicros = new Histogram(MOST_MICROS, 3);
    private int early;
    private int again;
    private volatile int distinct;

    OutletArrivals(int expected) {
        this.expected = expected;
    }

    static String message(int number, long dueMs) {
        return number + " " + dueMs;
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // Only one thread writes.
    public void came(String message) {
        long nowMs = System.currentTimeMillis();
        int space = message.indexOf(' ');
        int number = Integer.parseInt(message.substring(0, space));
        long lateMs = nowMs - Long.parseLong(message.substring(space + 1));
        if (came.get(number)) {
            again++;
            return;
        }
        came.set(number);
        if (lateMs < 0) {
            early++;
        }
        lateMicros.recordValue(Math.min(TimeUnit.MILLISECONDS.toMicros(Math.max(lateMs, 0)), MOST_MICROS));
        distinct++;
    }

    /** Waits until each message has come once. */
    void await(long timeoutMs) throws InterruptedException, TimeoutException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        while (distinct < expected) {
            if (System.nanoTime() > deadline) {
                throw new TimeoutException(distinct + " of " + expected + " messages in " + timeoutMs + " ms");
            }
            Thread.sleep(1);
        }
    }

    Histogram lateMicros() {
        return lateMicros;
    }

    int early() {
        return early;
    }

    int again() {
        return again;
    }
}
