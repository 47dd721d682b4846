package io.tickwheel.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.tickwheel.benchmarks.wheel.SplitMix;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.store.file.FileTimerStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** What a timer costs the disk in its whole life, and what stays when all have fired, under a clock that is put forward. */
record AmplificationProgram(int timers, List<Integer> days, int steps, Producers producers, int window, int rounds)
        implements LoadProgram {

    private static final String TICKWHEEL = "Tickwheel";
    private static final String QUEUE = TickwheelPlanSink.QUEUE;
    private static final String KEY_PREFIX = "order-";
    private static final int RECORD_HEADER_BYTES = 40;
    private static final double MIB = 1 << 20;
    private static final Duration LEAST_DELAY = Duration.ofMinutes(5);
    private static final long STALL_MS = 60_000;
    private static final long SETTLE_MS = 10_000;

    static AmplificationProgram of(Options options) {
        return new AmplificationProgram(
                options.number("timers", 5_000_000),
                options.numbers("days", "2,365"),
                options.number("steps", 3_000),
                new Producers(options.number("producers", 2)),
                options.number("window", 8_192),
                options.number("rounds", 1));
    }

    @Override
    public void run(DataDirectory data) throws Exception {
        System.out.printf(
                "%,d timers with uniform delays from %s to the days named are scheduled at one moment, then the engine's "
                        + "clock is put forward%nin %,d steps, each when all that is due is delivered. Bytes written: "
                        + "by the process, as the system counts them, from the opening%nto the end of the closing, "
                        + "zeros that files are made with included. A record: %d bytes of payload, key and queue, "
                        + "%d of header.%n%n",
                timers, LEAST_DELAY, steps, recordBytes() - RECORD_HEADER_BYTES, RECORD_HEADER_BYTES);
        Results results = new Results(TICKWHEEL);
        results.startCounting();
        for (int round = 1; round <= rounds; round++) {
            System.out.println("round " + round);
            for (int most : days) {
                Path directory = data.fresh("amplification");
                System.gc();
                life(directory, most, results);
                DataDirectory.delete(directory);
            }
        }
        results.print();
    }

    private void life(Path directory, int most, Results results) throws Exception {
        String measure = "up to " + most + " days";
        Cost start = Cost.now();
        OffsetClock clock = new OffsetClock();
        HandledTimers handled = new HandledTimers(clock, timers);
        Delays delays = Delays.uniform(LEAST_DELAY, Duration.ofDays(most));
        long startMs = clock.wallMs();
        TimerPlan plan = new TimerPlan(KEY_PREFIX, number -> startMs + delays.atMs(SplitMix.at(number)));
        try (Tickwheel engine = Tickwheel.builder(FileTimerStore.in(directory))
                .clock(clock)
                .attemptsPerQueue(Short.MAX_VALUE)
                .attemptsInAll(Short.MAX_VALUE)
                .open()) {
            engine.handle(QUEUE, handled);
            producers.fill(new TickwheelPlanSink(engine, window / producers.count()), measure, plan, 0, timers);
            results.add(measure + ", disk used when scheduled, MiB", TICKWHEEL, DataDirectory.bytes(directory) / MIB);
            perTimer(measure + ", until scheduled", start, results);
            Cost firing = Cost.now();
            passTime(engine, clock, handled, startMs, delays);
            results.add(
                    measure + ", s to fire all", TICKWHEEL, Cost.since(firing).nanos() / 1e9);
            // Synced with or after the acknowledgements.
            engine.schedule(QUEUE, "last", Duration.ofHours(1), new byte[0]).join();
            engine.cancel(QUEUE, "last").join();
            Thread.sleep(SETTLE_MS);
            results.add(measure + ", disk used when fired, MiB", TICKWHEEL, DataDirectory.bytes(directory) / MIB);
        }
        perTimer(measure + ", whole life", start, results);
        results.add(measure + ", disk used when closed, MiB", TICKWHEEL, DataDirectory.bytes(directory) / MIB);
        results.add(measure + ", early", TICKWHEEL, (double) handled.early());
    }

    private void perTimer(String measure, Cost start, Results results) throws Exception {
        double bytes = (double) Cost.since(start).bytesWritten() / timers;
        results.add(measure + ", bytes written a timer", TICKWHEEL, bytes);
        results.add(measure + ", bytes written / record", TICKWHEEL, bytes / recordBytes());
    }

    private void passTime(Tickwheel engine, OffsetClock clock, HandledTimers handled, long startMs, Delays delays)
            throws Exception {
        long[] dueBy = new long[steps + 1];
        long stepMs = delays.mostMs() / steps + 1;
        for (long number = 0; number < timers; number++) {
            dueBy[(int) ((delays.atMs(SplitMix.at(number)) + stepMs - 1) / stepMs)]++;
        }
        long due = 0;
        for (int step = 0; step <= steps; step++) {
            due += dueBy[step];
            clock.forwardTo(startMs + step * stepMs);
            // It sleeps by its own clock: any command makes it look at the time again.
            engine.find(QUEUE, KEY_PREFIX + "none").join();
            handled.await(due, STALL_MS);
        }
    }

    private int recordBytes() {
        int keyBytes = (KEY_PREFIX + (timers - 1)).getBytes(UTF_8).length;
        return TimerPlan.PAYLOAD_BYTES + keyBytes + QUEUE.getBytes(UTF_8).length + RECORD_HEADER_BYTES;
    }
}
