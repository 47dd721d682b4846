package io.tickwheel.benchmarks;

import static java.util.concurrent.TimeUnit.MICROSECONDS;

import io.tickwheel.engine.Tickwheel;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.file.FileTimerStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;

/** How long callers wait for their answers: as many as wait at once, and at a steady rate whatever the answers do. */
record StoreCallersProgram(
        List<Integer> callers, int seconds, int rate, int pacedSeconds, int rounds, List<String> contenders)
        implements LoadProgram {

    private static final String TICKWHEEL = "Tickwheel";
    private static final String ROCKSDB = "RocksDB";
    private static final TimerPlan PLAN =
            TimerPlan.after("paced-", Delays.uniform(Duration.ofHours(1), Duration.ofHours(2)));

    static StoreCallersProgram of(Options options) {
        return new StoreCallersProgram(
                options.numbers("callers", "1,16,64"),
                options.number("seconds", 3),
                options.number("rate", 100_000),
                options.number("paced-seconds", 10),
                options.number("rounds", 5),
                options.list("contenders", "tickwheel,rocksdb"));
    }

    @Override
    public void run(DataDirectory data) throws Exception {
        System.out.printf(
                "Callers that wait for each timer, for %d s; and %,d timers/s for %d s from one thread, each timed from its "
                        + "intended moment. %d-byte%npayload, all synced. RocksDB writes blindly; at the steady rate it "
                        + "writes what has gathered, at most 1,000 timers, as one batch.%n%n",
                seconds, rate, pacedSeconds, TimerPlan.PAYLOAD_BYTES);
        Results results = new Results(TICKWHEEL, ROCKSDB);
        for (int round = 0; round <= rounds; round++) {
            if (round > 0) {
                System.out.println("round " + round);
                results.startCounting();
            }
            for (String contender : contenders) {
                round(contender, data, results);
            }
        }
        DataDirectory.delete(data.root().resolve("store-callers"));
        results.print();
    }

    private void round(String contender, DataDirectory data, Results results) throws Exception {
        byte[] payload = TimerPlan.payload(0);
        Contender waiting = switch (contender) {
            case "tickwheel" -> new Contender(TICKWHEEL, directory -> new TickwheelSink(directory, payload, 1));
            case "rocksdb" -> new Contender(ROCKSDB, directory -> new RocksDbSink(directory, payload));
            default -> throw new IllegalArgumentException("no contender " + contender);
        };
        for (int count : callers) {
            System.gc();
            new WaitingCallers(count, seconds).measure(waiting, data.fresh("store-callers"), results);
        }
        System.gc();
        Path directory = data.fresh("store-callers");
        if (waiting.name().equals(TICKWHEEL)) {
            pacedTickwheel(directory, results);
        } else {
            pacedRocksDb(directory, results);
        }
    }

    private void pacedTickwheel(Path directory, Results results) throws Exception {
        try (Tickwheel engine = Tickwheel.open(FileTimerStore.in(directory))) {
            paced(TICKWHEEL, results, (first, end, synced) -> {
                for (long number = first; number < end; number++) {
                    long one = number;
                    CompletableFuture<Scheduled> answer = engine.schedule(TickwheelPlanSink.request(PLAN, number));
                    CompletableFuture<Void> unused = answer.thenAccept(scheduled -> synced.timer(one));
                }
            });
        }
    }

    private void pacedRocksDb(Path directory, Results results) throws Exception {
        try (RocksDbPlanSink store = RocksDbPlanSink.blind(directory)) {
            paced(ROCKSDB, results, (first, end, synced) -> {
                List<Long> numbers = LongStream.range(first, end).boxed().toList();
                store.write(PLAN, numbers);
                numbers.forEach(synced::timer);
            });
        }
    }

    private void paced(String contender, Results results, PacedSchedules.Sink sink) throws Exception {
        results.addPercentiles(
                "answer at %,d/s".formatted(rate),
                contender,
                new PacedSchedules(rate, Math.multiplyExact(rate, pacedSeconds)).run(sink),
                MICROSECONDS,
                50,
                99,
                99.9,
                100);
    }
}
