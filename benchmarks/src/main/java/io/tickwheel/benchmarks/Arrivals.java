package io.tickwheel.benchmarks;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.HdrHistogram.Histogram;

/**
 * The callbacks of {@code expected} timers as they arrive: how late, how many too early, how many again. Written by the
 * receiver's thread; to be read after {@link #await}.
 */
final class Arrivals implements CallbackReceiver.Listener {

    private static final long MAX_LATE_MICROS = TimeUnit.HOURS.toMicros(1);

    private final byte[] counts;
    private final Histogram lateMicros = new Histogram(MAX_LATE_MICROS, 3);
    private long firstMicros = Long.MAX_VALUE;
    private long lastMicros;
    private int early;
    private int again;
    private volatile int distinct;

    Arrivals(int expected) {
        counts = new byte[expected];
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // Only one thread writes.
    public void arrived(HttpReader request, long atMicros) {
        int number = number(request);
        long dueAtMs = dueMs(request);
        if (counts[number]++ > 0) {
            again++;
            return;
        }
        long late = atMicros - dueAtMs * 1_000;
        if (late < 0) {
            early++;
        }
        lateMicros.recordValue(Math.min(Math.max(late, 0), MAX_LATE_MICROS));
        firstMicros = Math.min(firstMicros, atMicros);
        lastMicros = atMicros;
        distinct++;
    }

    /** Waits until every timer has arrived once. */
    void await(long timeoutMs) throws InterruptedException, TimeoutException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        while (distinct < counts.length) {
            if (System.nanoTime() > deadline) {
                throw new TimeoutException(distinct + " of " + counts.length + " callbacks in " + timeoutMs + " ms");
            }
            Thread.sleep(10);
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

    double perSecond() {
        return counts.length * 1e6 / Math.max(1, lastMicros - firstMicros);
    }

    /** The number of a timer, as its payload says. */
    static int number(HttpReader request) {
        return (int) digits(request, numberAt(request), TimerTemplate.NUMBER.length());
    }

    /** The due time of a timer, as its payload says. */
    static long dueMs(HttpReader request) {
        return digits(request, numberAt(request) + TimerTemplate.NUMBER.length() + 1, TimerTemplate.DUE.length());
    }

    private static int numberAt(HttpReader request) {
        return request.bodyByte(0) == '"' ? 1 : 0;
    }

    private static long digits(HttpReader request, int from, int count) {
        long number = 0;
        for (int i = from; i < from + count; i++) {
            number = 10 * number + request.bodyByte(i) - '0';
        }
        return number;
    }
}
