package io.tickwheel.benchmarks;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.function.LongUnaryOperator;

/**
 * Schedules over HTTP, one a request and in batches, and callbacks of timers that are all due at one moment. Beside it, in
 * the same round, the generator against a server that does nothing: what cannot be exceeded here.
 */
record HttpProgram(
        int requests,
        int timers,
        int callbacks,
        int connections,
        int pipeline,
        int batch,
        int rounds,
        int warmUpSeconds,
        List<String> parts,
        String store,
        String serverOptions)
        implements LoadProgram {

    private static final String TICKWHEEL = "Tickwheel";
    private static final String EMPTY = "empty server";
    private static final int BATCH_CONNECTIONS = 4;
    private static final int WARM_UP_REQUESTS = 10_000;
    private static final int WARM_UP_BATCHES = 20;
    private static final long HOUR_MS = 3_600_000;
    private static final long CALLBACK_TIMEOUT_MS = 120_000;
    private static final int BUSIEST = 6;

    static HttpProgram of(Options options) {
        String store = options.text("store", "file");
        if (!List.of("file", "redis").contains(store)) {
            throw new IllegalArgumentException("--store is " + store + ", must be file or redis");
        }
        RedisUnderTest.useServer(options);
        return new HttpProgram(
                options.number("requests", 100_000),
                options.number("timers", 500_000),
                options.number("callbacks", 100_000),
                options.number("connections", 64),
                options.number("pipeline", 16),
                options.number("batch", 1_000),
                options.number("rounds", 5),
                options.number("warm-up-seconds", 10),
                options.list("parts", "single,pipelined,batch,callbacks"),
                store,
                options.text("server-options", ""));
    }

    @Override
    public void run(DataDirectory data) throws Exception {
        System.out.printf(
                "Single: %,d PUTs over %d connections, one unanswered each; pipelined: %d unanswered each. Batches: %,d "
                        + "timers, %,d a request,%n%d connections. All due in an hour, 128-byte payload, %s. Callbacks: %,d timers due at one moment, from the first%nto the last arrival. The generator "
                        + "and the receiver share the processors with the server.%n%n",
                requests,
                connections,
                pipeline,
                timers,
                batch,
                BATCH_CONNECTIONS,
                store.equals("file") ? "synced to disk" : "on a Redis that saves nothing",
                callbacks);
        Results results = new Results(TICKWHEEL, EMPTY);
        results.startCounting();
        for (int round = 1; round <= rounds; round++) {
            System.out.println("round " + round);
            Path directory = data.fresh("http");
            if (store.equals("file")) {
                round(ServerProcess.start(directory, serverOptions), results);
            } else {
                try (RedisUnderTest redis = RedisUnderTest.single()) {
                    round(ServerProcess.onRedis(redis.uri(), directory, serverOptions), results);
                }
            }
            DataDirectory.delete(directory);
        }
        results.print();
    }

    private void round(ServerProcess started, Results results) throws Exception {
        try (ServerProcess server = started;
                CallbackReceiver nobody = new CallbackReceiver((request, atMicros) -> {})) {
            warmUp(server, nobody.address());
            for (String part : parts) {
                measure(part, server, nobody.address(), results);
            }
        }
    }

    private void warmUp(ServerProcess server, InetSocketAddress nobody) throws Exception {
        LongUnaryOperator inAnHour = always(System.currentTimeMillis() + HOUR_MS);
        long end = System.nanoTime() + warmUpSeconds * 1_000_000_000L;
        for (int i = 0; System.nanoTime() < end; i++) {
            TimerRequests warm = new TimerRequests(server.address(), nobody, "warm-" + i + "-", inAnHour);
            warm.load(connections, 1 + i % 2 * (pipeline - 1)).run(WARM_UP_REQUESTS);
            TimerRequests batches = new TimerRequests(server.address(), nobody, "warm-batch-" + i + "-", inAnHour);
            batches.schedule(batch * WARM_UP_BATCHES, batch, BATCH_CONNECTIONS);
        }
        if (parts.contains("callbacks")) {
            storm(server, "warm-storm-", batch * WARM_UP_BATCHES);
        }
    }

    private void measure(String part, ServerProcess server, InetSocketAddress nobody, Results results)
            throws Exception {
        switch (part) {
            case "single" -> puts("single PUTs", 1, server, nobody, results);
            case "pipelined" -> puts("pipelined PUTs", pipeline, server, nobody, results);
            case "batch" -> batches(server, nobody, results);
            case "callbacks" -> callbacks(server, results);
            default -> throw new IllegalArgumentException("no part " + part);
        }
    }

    private void puts(String measure, int unanswered, ServerProcess server, InetSocketAddress nobody, Results results)
            throws IOException {
        LongUnaryOperator inAnHour = always(System.currentTimeMillis() + HOUR_MS);
        String prefix = unanswered == 1 ? "single-" : "pipelined-";
        TimerRequests timers = new TimerRequests(server.address(), nobody, prefix, inAnHour);
        HttpLoad ceiling = new HttpLoad(nobody, connections, unanswered, timers.puts(), (number, response) -> 1);
        HttpLoad.Outcome most = ceiling.run(requests);
        results.add(measure + "/s", EMPTY, most.perSecond(requests));

        Usage before = Usage.of(server);
        HttpLoad.Outcome outcome = timers.load(connections, unanswered).run(requests);
        Usage used = Usage.of(server).since(before);
        System.out.println("  " + measure + ": answers by status " + outcome.statuses());
        results.add(measure + "/s", TICKWHEEL, outcome.perSecond(outcome.accepted()));
        results.addPercentiles(measure, TICKWHEEL, outcome.micros(), MILLISECONDS, 50, 99);
        used.report(measure, requests, outcome.nanos(), results);
    }

    private void batches(ServerProcess server, InetSocketAddress nobody, Results results) throws IOException {
        LongUnaryOperator inAnHour = always(System.currentTimeMillis() + HOUR_MS);
        TimerRequests batches = new TimerRequests(server.address(), nobody, "batch-", inAnHour);
        HttpLoad ceiling = new HttpLoad(nobody, BATCH_CONNECTIONS, 1, batches.batches(batch), (number, response) -> 1);
        HttpLoad.Outcome most = ceiling.run(timers / batch);
        results.add("timers/s in batches", EMPTY, most.perSecond((long) batch * most.requests()));

        Usage before = Usage.of(server);
        HttpLoad.Outcome outcome = batches.schedule(timers, batch, BATCH_CONNECTIONS);
        Usage used = Usage.of(server).since(before);
        System.out.println("  batches: answers by status " + outcome.statuses());
        results.add("timers/s in batches", TICKWHEEL, outcome.perSecond(outcome.accepted()));
        results.addPercentiles("a batch", TICKWHEEL, outcome.micros(), MILLISECONDS, 50, 99);
        used.report("timers in batches", timers, outcome.nanos(), results);
    }

    private void callbacks(ServerProcess server, Results results) throws Exception {
        Storm storm = storm(server, "storm-", callbacks);
        System.out.printf(
                "  callbacks: %d early, %d more than once%n",
                storm.arrivals().early(), storm.arrivals().again());
        results.add("callbacks/s", TICKWHEEL, storm.arrivals().perSecond());
        storm.used().report("callbacks", callbacks, storm.nanos(), results);
    }

    private record Storm(Arrivals arrivals, Usage used, long nanos) {}

    /** Schedules timers that are all due at one moment, and waits until each has arrived. */
    private Storm storm(ServerProcess server, String keyPrefix, int count) throws Exception {
        Arrivals arrivals = new Arrivals(count);
        try (CallbackReceiver receiver = new CallbackReceiver(arrivals)) {
            long dueAtMs = System.currentTimeMillis() + 5_000 + count / 20;
            new TimerRequests(server.address(), receiver.address(), keyPrefix, always(dueAtMs))
                    .schedule(count, batch, BATCH_CONNECTIONS);
            long aheadMs = dueAtMs - System.currentTimeMillis();
            if (aheadMs <= 0) {
                throw new IllegalStateException("scheduling took longer than the timers wait");
            }
            Thread.sleep(aheadMs);
            Usage before = Usage.of(server);
            long start = System.nanoTime();
            arrivals.await(CALLBACK_TIMEOUT_MS);
            return new Storm(arrivals, Usage.of(server).since(before), System.nanoTime() - start);
        }
    }

    private static LongUnaryOperator always(long dueAtMs) {
        return number -> dueAtMs;
    }

    /** What the server and this program have used. */
    private record Usage(ProcessUsage server, ProcessUsage own) {

        static Usage of(ServerProcess server) throws IOException {
            return new Usage(server.usage(), ProcessUsage.own());
        }

        Usage since(Usage earlier) {
            return new Usage(server.since(earlier.server), own.since(earlier.own));
        }

        void report(String measure, int count, long nanos, Results results) {
            results.add(measure + ", server CPU us each", TICKWHEEL, server.cpuNanos() / 1e3 / count);
            results.add(measure + ", generator CPU us each", TICKWHEEL, own.cpuNanos() / 1e3 / count);
            System.out.println("  server threads, of a core: " + server.busiest(BUSIEST, nanos));
        }
    }
}
