package io.tickwheel.benchmarks;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Durable schedules inside one program: one producer that does not wait, and callers that wait for each timer. */
record EmbeddedProgram(
        int timers, int seconds, int rounds, int window, List<Integer> callers, String contenders, Random random)
        implements LoadProgram {

    private static final int PAYLOAD_BYTES = 128;

    static EmbeddedProgram of(Options options) {
        return new EmbeddedProgram(
                options.number("timers", 1_000_000),
                options.number("seconds", 3),
                options.number("rounds", 5),
                options.number("window", 8_192),
                options.numbers("callers", "1,16,64"),
                options.text("contenders", "both"),
                new Random(1));
    }

    @Override
    public void run(DataDirectory data) throws Exception {
        System.out.printf(
                "Asynchronous: %,d timers due in an hour, %d-byte payload, distinct keys, one producer, at most %,d "
                        + "unanswered.%nSynchronous: callers that wait for each timer, for %d s. All synced to disk.%n%n",
                timers, PAYLOAD_BYTES, window, seconds);
        byte[] payload = new byte[PAYLOAD_BYTES];
        random.nextBytes(payload);
        List<Contender> contending = contending(payload);
        Results results = new Results(contending.stream().map(Contender::name).toArray(String[]::new));
        for (int round = 0; round <= rounds; round++) {
            if (round > 0) {
                System.out.println("round " + round);
                results.startCounting();
            }
            for (Contender contender : contending) {
                asynchronous(contender, data.fresh(contender.name()), results);
                for (int count : callers) {
                    System.gc();
                    new WaitingCallers(count, seconds).measure(contender, data.fresh(contender.name()), results);
                }
                DataDirectory.delete(data.root().resolve(contender.name()));
            }
        }
        results.print();
    }

    private List<Contender> contending(byte[] payload) {
        List<Contender> contending = new ArrayList<>();
        if (!contenders.equals("rocksdb")) {
            contending.add(new Contender("Tickwheel", directory -> new TickwheelSink(directory, payload, window)));
        }
        if (!contenders.equals("tickwheel")) {
            contending.add(new Contender("RocksDB", directory -> new RocksDbSink(directory, payload)));
        }
        return contending;
    }

    private void asynchronous(Contender contender, Path directory, Results results) throws Exception {
        System.gc();
        try (TimerSink sink = contender.opening().in(directory)) {
            long start = System.nanoTime();
            sink.scheduleAll(timers);
            long nanos = System.nanoTime() - start;
            results.add("asynchronous, timers/s", contender.name(), timers * 1e9 / nanos);
        }
    }
}
