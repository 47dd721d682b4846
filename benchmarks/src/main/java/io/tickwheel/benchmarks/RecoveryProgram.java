package io.tickwheel.benchmarks;

import io.tickwheel.engine.Tickwheel;
import io.tickwheel.store.file.FileTimerStore;
import java.nio.file.Path;
import java.util.List;

/** How long a restart takes after kill -9, by the number of pending timers: the whole server, and the engine alone. */
record RecoveryProgram(List<Integer> timers, int rounds, String serverOptions) implements LoadProgram {

    private static final int BATCH = 1_000;
    private static final int CONNECTIONS = 2;
    private static final long DAY_MS = 86_400_000;

    static RecoveryProgram of(Options options) {
        return new RecoveryProgram(
                options.numbers("timers", "0,100000,1000000"),
                options.number("rounds", 5),
                options.text("server-options", ""));
    }

    @Override
    public void run(DataDirectory data) throws Exception {
        System.out.println(
                "Timers due in a day, 128-byte payload. Server: from the start of the process to the first answer "
                        + "that it is ready, after kill -9.\nEngine: opening the same directory in this process.\n");
        Results results = new Results("Tickwheel");
        results.startCounting();
        for (int count : timers) {
            System.out.printf("%,d timers%n", count);
            Path directory = data.fresh("recovery");
            fill(directory, count);
            for (int round = 1; round <= rounds; round++) {
                ServerProcess server = ServerProcess.start(directory, serverOptions);
                results.add(
                        "server, %,d timers, ms".formatted(count),
                        "Tickwheel",
                        server.startup().toNanos() / 1e6);
                server.kill();
            }
            for (int round = 1; round <= rounds; round++) {
                results.add("engine, %,d timers, ms".formatted(count), "Tickwheel", open(directory, count));
            }
            DataDirectory.delete(directory);
        }
        results.print();
    }

    private void fill(Path directory, int count) throws Exception {
        try (CallbackReceiver nobody = new CallbackReceiver((request, atMicros) -> {})) {
            ServerProcess server = ServerProcess.start(directory, serverOptions);
            long dueAtMs = System.currentTimeMillis() + DAY_MS;
            new TimerRequests(server.address(), nobody.address(), "recovery-", number -> dueAtMs)
                    .schedule(count, BATCH, CONNECTIONS);
            server.kill();
        }
    }

    private static double open(Path directory, int count) {
        long start = System.nanoTime();
        try (Tickwheel timers = Tickwheel.open(FileTimerStore.in(directory))) {
            long nanos = System.nanoTime() - start;
            if (timers.liveCount() != count) {
                throw new IllegalStateException(timers.liveCount() + " of " + count + " timers recovered");
            }
            return nanos / 1e6;
        }
    }
}
