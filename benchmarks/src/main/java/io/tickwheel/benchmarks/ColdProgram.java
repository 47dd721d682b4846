package io.tickwheel.benchmarks;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * The first seconds of a server that has just become ready: schedules one by one as fast as they are answered; and, on another fresh server, a steady rate of them from the
 * first moment on, each called back a second later: how long answers take and how late callbacks arrive, by the second.
 */
record ColdProgram(int requests, int connections, int rate, int seconds, int rounds, String serverOptions)
        implements LoadProgram {

    private static final String TICKWHEEL = "Tickwheel";
    private static final long HOUR_MS = 3_600_000;
    private static final int DELAY_MS = 1_000;
    private static final int PIPELINE = 256;
    private static final long TIMEOUT_MS = 60_000;
    private static final int SHOWN_SECONDS = 3;

    static ColdProgram of(Options options) {
        return new ColdProgram(
                options.number("requests", 30_000),
                options.number("connections", 64),
                options.number("rate", 5_000),
                options.number("seconds", 6),
                options.number("rounds", 5),
                options.text("server-options", ""));
    }

    @Override
    public void run(DataDirectory data) throws Exception {
        System.out.printf(
                "Fresh servers. %,d PUTs over %d connections, one unanswered each, due in an hour. Then %,d PUTs a second from the first moment on, each called back %,d ms"
                        + " later;%nlateness: from the due time to the moment the receiver has read the request. Generator and receiver share the processors with the server.%n%n",
                requests, connections, rate, DELAY_MS);
        Results results = new Results(TICKWHEEL);
        results.startCounting();
        for (int round = 1; round <= rounds; round++) {
            System.out.println("round " + round);
            puts(data.fresh("cold"), results);
            timers(data.fresh("cold"), results);
        }
        DataDirectory.delete(data.fresh("cold"));
        results.print();
    }

    private void puts(Path directory, Results results) throws Exception {
        try (ServerProcess server = ServerProcess.start(directory, serverOptions);
                CallbackReceiver nobody = new CallbackReceiver((request, atMicros) -> {})) {
            results.add("ready after, ms", TICKWHEEL, server.startup().toNanos() / 1e6);
            long dueMs = System.currentTimeMillis() + HOUR_MS;
            HttpLoad.Outcome outcome = new TimerRequests(server.address(), nobody.address(), "cold-", number -> dueMs)
                    .load(connections, 1)
                    .run(requests);
            refuseLosses(outcome);
            results.add("PUTs/s", TICKWHEEL, outcome.perSecond(outcome.accepted()));
            results.addPercentiles("a PUT", TICKWHEEL, outcome.micros(), MILLISECONDS, 50, 99, 100);
        }
    }

    private void timers(Path directory, Results results) throws Exception {
        Arrivals arrivals = new Arrivals(rate * seconds);
        List<Histogram> bySecond = new ArrayList<>();
        for (int i = 0; i < seconds; i++) {
            bySecond.add(new Histogram(3));
        }
        try (ServerProcess server = ServerProcess.start(directory, serverOptions)) {
            long beginMs = System.currentTimeMillis();
            CallbackReceiver.Listener listener = (request, atMicros) -> {
                arrivals.arrived(request, atMicros);
                long dueMs = Arrivals.dueMs(request);
                int second = (int) Math.min((dueMs - DELAY_MS - beginMs) / 1_000, seconds - 1);
                bySecond.get(second).recordValue(Math.max(0, atMicros - dueMs * 1_000));
            };
            try (CallbackReceiver receiver = new CallbackReceiver(listener)) {
                HttpLoad.Outcome outcome = new TimerRequests(
                                server.address(),
                                receiver.address(),
                                "cold-",
                                number -> System.currentTimeMillis() + DELAY_MS)
                        .load(connections, PIPELINE)
                        .run(new Pace((long) rate * seconds, rate, TimeUnit.HOURS.toNanos(1)));
                refuseLosses(outcome);
                results.addPercentiles(
                        "answer at a steady rate", TICKWHEEL, outcome.micros(), MILLISECONDS, 50, 99, 100);
                arrivals.await(TIMEOUT_MS);
            }
        }
        for (int second = 0; second < seconds; second++) {
            if (second < SHOWN_SECONDS || second == seconds - 1) {
                results.addPercentiles(
                        "lateness, second " + second, TICKWHEEL, bySecond.get(second), MILLISECONDS, 50, 99);
            }
        }
        results.add("early", TICKWHEEL, arrivals.early());
    }

    private static void refuseLosses(HttpLoad.Outcome outcome) throws IOException {
        if (outcome.accepted() != outcome.requests()) {
            throw new IOException("not all were accepted: " + outcome.statuses());
        }
    }
}
