package io.tickwheel.benchmarks;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.nio.file.Path;
import java.util.Random;
import java.util.function.LongUnaryOperator;

/** Callbacks at a steady rate, due at random milliseconds: how late they arrive at a receiver on the same host. */
record LatenessProgram(int rate, int seconds, int rounds, String serverOptions) implements LoadProgram {

    private static final int BATCH = 1_000;
    private static final int CONNECTIONS = 2;
    private static final int WARM_UP_SECONDS = 10;
    private static final long TIMEOUT_MS = 60_000;
    private static final int BUSIEST = 6;

    static LatenessProgram of(Options options) {
        return new LatenessProgram(
                options.number("rate", 5_000),
                options.number("seconds", 30),
                options.number("rounds", 3),
                options.text("server-options", ""));
    }

    @Override
    public void run(DataDirectory data) throws Exception {
        System.out.printf(
                "%,d callbacks/s for %d s, scheduled before, due at random milliseconds. Lateness: from the due time to the "
                        + "moment the receiver has read%nthe request. The receiver shares the processors with the server."
                        + "%n%n",
                rate, seconds);
        Path directory = data.fresh("lateness");
        Results results = new Results("Tickwheel");
        try (ServerProcess server = ServerProcess.start(directory, serverOptions)) {
            round(server, "warm-up-", WARM_UP_SECONDS, results);
            results.startCounting();
            for (int round = 1; round <= rounds; round++) {
                System.out.println("round " + round);
                round(server, "round-" + round + "-", seconds, results);
            }
        }
        DataDirectory.delete(directory);
        results.print();
    }

    private void round(ServerProcess server, String keyPrefix, int lasting, Results results) throws Exception {
        int count = rate * lasting;
        Arrivals arrivals = new Arrivals(count);
        try (CallbackReceiver receiver = new CallbackReceiver(arrivals)) {
            long startMs = System.currentTimeMillis() + 5_000 + count / 20;
            Random random = new Random(startMs);
            LongUnaryOperator dueAtMs = number -> startMs + random.nextInt(lasting * 1_000);
            new TimerRequests(server.address(), receiver.address(), keyPrefix, dueAtMs)
                    .schedule(count, BATCH, CONNECTIONS);
            long aheadMs = startMs - System.currentTimeMillis();
            if (aheadMs <= 0) {
                throw new IllegalStateException("scheduling took longer than the timers wait");
            }
            Thread.sleep(aheadMs);
            ProcessUsage before = server.usage();
            arrivals.await(lasting * 1_000L + TIMEOUT_MS);
            ProcessUsage used = server.usage().since(before);
            report(arrivals, used, lasting, results);
        }
    }

    private static void report(Arrivals arrivals, ProcessUsage used, int lasting, Results results) {
        results.add("early", "Tickwheel", arrivals.early());
        results.add("more than once", "Tickwheel", arrivals.again());
        results.addPercentiles("lateness", "Tickwheel", arrivals.lateMicros(), MILLISECONDS, 50, 90, 99, 99.9, 100);
        results.add("server, % of a core", "Tickwheel", used.cpuNanos() / 1e7 / lasting);
        System.out.println("  server threads, of a core: " + used.busiest(BUSIEST, lasting * 1_000_000_000L));
    }
}
