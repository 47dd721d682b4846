package io.tickwheel.benchmarks;

import java.nio.file.Path;

/** A server whose timers are all due in an hour: what doing nothing costs. */
record IdleProgram(int timers, int seconds, int settle, int rounds, String serverOptions) implements LoadProgram {

    private static final int BATCH = 1_000;
    private static final int CONNECTIONS = 2;
    private static final long HOUR_MS = 3_600_000;
    private static final int BUSIEST = 6;

    static IdleProgram of(Options options) {
        return new IdleProgram(
                options.number("timers", 100_000),
                options.number("seconds", 30),
                options.number("settle", 15),
                options.number("rounds", 3),
                options.text("server-options", ""));
    }

    @Override
    public void run(DataDirectory data) throws Exception {
        System.out.printf(
                "%,d timers due in an hour; after %d s of rest, the server is watched for %d s, and again.%n%n",
                timers, settle, seconds);
        Path directory = data.fresh("idle");
        Results results = new Results("Tickwheel");
        results.startCounting();
        try (CallbackReceiver nobody = new CallbackReceiver((request, atMicros) -> {});
                ServerProcess server = ServerProcess.start(directory, serverOptions)) {
            long dueAtMs = System.currentTimeMillis() + HOUR_MS;
            new TimerRequests(server.address(), nobody.address(), "idle-", number -> dueAtMs)
                    .schedule(timers, BATCH, CONNECTIONS);
            Thread.sleep(settle * 1_000L);
            for (int round = 1; round <= rounds; round++) {
                ProcessUsage before = server.usage();
                long start = System.nanoTime();
                Thread.sleep(seconds * 1_000L);
                ProcessUsage used = server.usage().since(before);
                long nanos = System.nanoTime() - start;
                results.add("% of a core", "Tickwheel", 100.0 * used.cpuNanos() / nanos);
                results.add("wake-ups/s", "Tickwheel", used.wakeups() * 1e9 / nanos);
                System.out.println("  server threads, of a core: " + used.busiest(BUSIEST, nanos));
            }
        }
        DataDirectory.delete(directory);
        results.print();
    }
}
