package io.tickwheel.benchmarks;

import io.tickwheel.benchmarks.wheel.SplitMix;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongUnaryOperator;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * What is measured of a peer: puts by connections that wait for each answer, then the lateness of timers that are due at random milliseconds within a few seconds, and how fast as many
 * come that are due at once.
 */
record PeerLoad(int warmUp, int puts, int timers, int connections) {

    static final int SPREAD_MS = 5_000;

    private static final long FAR_MS = 3_600_000;
    private static final long AHEAD_MS = 3_000;
    private static final double SLOWER = 1.5;
    private static final long TIMEOUT_MS = 60_000;

    /** Told each figure. */
    interface Figures {
        void add(String measure, double figure);
    }

    static PeerLoad of(Options options) {
        return new PeerLoad(
                options.number("warm-up", 10_000),
                options.number("puts", 50_000),
                options.number("timers", 10_000),
                options.number("connections", 64));
    }

    List<String> arguments() {
        return List.of(
                "--warm-up",
                Integer.toString(warmUp),
                "--puts",
                Integer.toString(puts),
                "--timers",
                Integer.toString(timers),
                "--connections",
                Integer.toString(connections));
    }

    void run(Peer peer, Figures figures) throws Exception {
        LongUnaryOperator far = number -> System.currentTimeMillis() + FAR_MS;
        put(peer, 2L * timers, warmUp, far);
        Histogram micros = new Histogram(3);
        long start = System.nanoTime();
        micros.add(put(peer, 2L * timers + warmUp, puts, far));
        double rate = puts * 1e9 / (System.nanoTime() - start);
        figures.add("puts/s", rate);
        figures.add("a put, p50 ms", micros.getValueAtPercentile(50) / 1e3);
        figures.add("a put, p99 ms", micros.getValueAtPercentile(99) / 1e3);

        Late late = new Late(0, timers);
        Late atOnce = new Late(timers, timers);
        peer.receive(payload -> {
            PeerPayload timer = PeerPayload.of(payload);
            (timer.number() < timers ? late : atOnce).arrived(timer);
        });
        long startMs = startMs(rate);
        put(peer, 0, timers, soon(startMs));
        if (System.currentTimeMillis() > startMs) {
            System.out.println("    scheduling took longer than the timers wait: some were put late");
        }
        late.await();
        late.report(figures);
        long moment = wholeSecond(startMs(rate));
        put(peer, timers, timers, number -> moment);
        atOnce.await();
        figures.add("fire/s", atOnce.perSecond());
    }

    /** A moment of which all peers know. */
    static long wholeSecond(long ms) {
        return (ms + 999) / 1_000 * 1_000;
    }

    /** A moment at which timers can begin to be due that are put before at about this rate. */
    long startMs(double rate) {
        return System.currentTimeMillis() + AHEAD_MS + (long) (SLOWER * timers * 1_000 / rate);
    }

    /** Random milliseconds from {@code startMs} on. */
    static LongUnaryOperator soon(long startMs) {
        return number -> startMs + Math.floorMod(SplitMix.at(number), SPREAD_MS);
    }

    private Histogram put(Peer peer, long first, int count, LongUnaryOperator dueAtMs) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(connections);
        AtomicLong next = new AtomicLong(first);
        try {
            List<Callable<Histogram>> loops = new ArrayList<>();
            for (int i = 0; i < connections; i++) {
                loops.add(() -> loop(peer, next, first + count, dueAtMs));
            }
            Histogram micros = new Histogram(3);
            for (Future<Histogram> loop : threads.invokeAll(loops)) {
                micros.add(loop.get());
            }
            return micros;
        } finally {
            threads.shutdown();
        }
    }

    private static Histogram loop(Peer peer, AtomicLong next, long end, LongUnaryOperator dueAtMs) throws Exception {
        Histogram micros = new Histogram(3);
        try (Peer.Connection connection = peer.connect()) {
            for (long number = next.getAndIncrement(); number < end; number = next.getAndIncrement()) {
                long before = System.nanoTime();
                connection.put(number, dueAtMs.applyAsLong(number));
                micros.recordValue((System.nanoTime() - before) / 1_000);
            }
        }
        return micros;
    }

    /** How late the timers came, each the first time. */
    private static final class Late {

        private static final long MOST_MICROS = TimeUnit.HOURS.toMicros(1);

        private final int first;
        private final AtomicIntegerArray seen;
        private final Histogram micros = new ConcurrentHistogram(MOST_MICROS, 3);
        private final AtomicLong early = new AtomicLong();
        private final AtomicLong again = new AtomicLong();
        private final AtomicLong distinct = new AtomicLong();

        Late(int first, int count) {
            this.first = first;
            seen = new AtomicIntegerArray(count);
        }

        void arrived(PeerPayload timer) {
            Instant now = Instant.now();
            if (seen.getAndIncrement((int) timer.number() - first) > 0) {
                again.incrementAndGet();
                return;
            }
            long late = (now.getEpochSecond() * 1_000 - timer.dueAtMs()) * 1_000 + now.getNano() / 1_000;
            if (late < 0) {
                early.incrementAndGet();
            }
            micros.recordValue(Math.min(Math.max(late, 0), MOST_MICROS));
            distinct.incrementAndGet();
        }

        void await() throws InterruptedException {
            long before = -1;
            long lastMs = System.currentTimeMillis();
            while (distinct.get() < seen.length() && System.currentTimeMillis() - lastMs < TIMEOUT_MS) {
                if (distinct.get() != before) {
                    before = distinct.get();
                    lastMs = System.currentTimeMillis();
                }
                Thread.sleep(10);
            }
        }

        /** Of timers that were due at once: from that moment until the last came. */
        double perSecond() {
            return distinct.get() * 1e6 / Math.max(1, micros.getMaxValue());
        }

        void report(Figures figures) {
            figures.add("timers, missing", (double) seen.length() - distinct.get());
            figures.add("timers, early", (double) early.get());
            figures.add("timers, more than once", (double) again.get());
            for (double percentile : Arrays.asList(50.0, 99.0)) {
                figures.add("lateness, p%.0f ms".formatted(percentile), micros.getValueAtPercentile(percentile) / 1e3);
            }
            figures.add("lateness, longest ms", micros.getMaxValue() / 1e3);
        }
    }
}
