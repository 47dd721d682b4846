package io.tickwheel.benchmarks;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.store.file.FileTimerStore;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Many durable timers with delays of all magnitudes, those that come due delivered meanwhile, beside RocksDB. */
record StoreProgram(
        int timers,
        int peerTimers,
        int warmUpTimers,
        Delays delays,
        Producers producers,
        int window,
        int rounds,
        List<String> contenders)
        implements LoadProgram {

    private static final String TICKWHEEL = "Tickwheel";
    private static final String KEYED = "RocksDB keyed";
    private static final String BLIND = "RocksDB blind";
    private static final double MIB = 1 << 20;

    static StoreProgram of(Options options) {
        return new StoreProgram(
                options.number("timers", 20_000_000),
                options.number("peer-timers", 2_000_000),
                options.number("warm-up-timers", 500_000),
                Delays.logUniform(
                        Duration.ofSeconds(options.number("least-seconds", 1)),
                        Duration.ofDays(options.number("most-days", 60))),
                new Producers(options.number("producers", 2)),
                options.number("window", 8_192),
                options.number("rounds", 3),
                options.list("contenders", "tickwheel,keyed,blind"));
    }

    @Override
    public void run(DataDirectory data) throws Exception {
        System.out.printf(
                "Durable schedules: %,d timers (RocksDB: %,d), distinct keys, %d-byte payloads of random bytes, delays of %s "
                        + "to %s log-uniform,%n%d producers, at most %,d unanswered. Tickwheel delivers what comes due "
                        + "meanwhile; RocksDB delivers nothing. RocksDB writes synced%nbatches of 1,000; keyed looks for "
                        + "the key's timer first. Bytes written: by the process, until the store is closed.%n%n",
                timers,
                peerTimers,
                TimerPlan.PAYLOAD_BYTES,
                Duration.ofMillis(delays.leastMs()),
                Duration.ofMillis(delays.mostMs()),
                producers.count(),
                window);
        Results results = new Results(TICKWHEEL, KEYED, BLIND);
        for (int round = 0; round <= rounds; round++) {
            if (round > 0) {
                System.out.println("round " + round);
                results.startCounting();
            }
            for (String contender : contenders) {
                round(contender, round == 0, data, results);
            }
        }
        results.print();
    }

    private void round(String contender, boolean warmUp, DataDirectory data, Results results) throws Exception {
        Path directory = data.fresh("store");
        System.gc();
        switch (contender) {
            case "tickwheel" -> tickwheel(directory, warmUp ? warmUpTimers : timers, results);
            case "keyed" -> {
                Cost start = Cost.now();
                peer(KEYED, RocksDbPlanSink.keyed(directory), directory, warmUp, start, results);
            }
            case "blind" -> {
                Cost start = Cost.now();
                peer(BLIND, RocksDbPlanSink.blind(directory), directory, warmUp, start, results);
            }
            default -> throw new IllegalArgumentException("no contender " + contender);
        }
        DataDirectory.delete(directory);
    }

    private void tickwheel(Path directory, int count, Results results) throws Exception {
        HandledTimers handled = new HandledTimers(Clock.system(), count);
        Cost start = Cost.now();
        try (Tickwheel engine = Tickwheel.open(FileTimerStore.in(directory))) {
            engine.handle(TickwheelPlanSink.QUEUE, handled);
            fill(TICKWHEEL, new TickwheelPlanSink(engine, window / producers.count()), count, results);
            results.add("heap after collection, MiB", TICKWHEEL, heapMib());
        }
        results.add("delivered meanwhile, %", TICKWHEEL, 100.0 * handled.distinct() / count);
        results.add("early", TICKWHEEL, (double) handled.early());
        results.add("more than once", TICKWHEEL, (double) handled.again());
        wrote(TICKWHEEL, directory, count, start, results);
    }

    private void peer(String name, PlanSink sink, Path directory, boolean warmUp, Cost start, Results results)
            throws Exception {
        int count = warmUp ? Math.min(warmUpTimers, peerTimers) : peerTimers;
        try (sink) {
            fill(name, sink, count, results);
            results.add("heap after collection, MiB", name, heapMib());
        }
        wrote(name, directory, count, start, results);
    }

    private void fill(String name, PlanSink sink, int count, Results results) throws Exception {
        Cost before = Cost.now();
        Progress progress = producers.fill(sink, name, TimerPlan.after("order-", delays), 0, count);
        Cost cost = Cost.since(before);
        results.add("timers/s", name, cost.perSecond(count));
        results.add("rate of the last quarter / the first", name, progress.slope());
        results.add("CPU us a timer", name, cost.cpuNanos() / 1e3 / count);
    }

    private static void wrote(String name, Path directory, int count, Cost start, Results results) throws Exception {
        results.add("bytes written a timer", name, (double) Cost.since(start).bytesWritten() / count);
        results.add("disk used at the end, MiB", name, DataDirectory.bytes(directory) / MIB);
    }

    private static double heapMib() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / MIB;
    }
}
