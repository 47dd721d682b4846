package io.tickwheel.benchmarks;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.LongUnaryOperator;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * How late callbacks arrive at a healthy target, and how soon schedules are answered, while timers of the same queue go to a target that treats each connection badly, or while
 * thousands of clients hold connections and hardly say a word, beside the same without them. Each is measured on a server of its own, which has had the same for a while before.
 */
record HostileProgram(
        int rate,
        int hostileRate,
        int puts,
        int seconds,
        int warmUpSeconds,
        List<HostileTarget.Manner> manners,
        int idleClients,
        int tricklingClients,
        int rounds,
        String serverOptions)
        implements LoadProgram {

    private static final String ALONE = "alone";
    private static final String CLIENTS = "clients";
    private static final int BATCH = 100;
    private static final int CONNECTIONS = 2;

    /** Of the timers to the hostile one a tenth, so that few of them are left to be repeated. */
    private static final int WARM_UP_SHARE = 10;

    private static final int AHEAD_MS = 3_000;
    private static final int SCHEDULED_A_MS = 20;
    private static final long TIMEOUT_MS = 60_000;

    static HostileProgram of(Options options) {
        return new HostileProgram(
                options.number("rate", 1_000),
                options.number("hostile-rate", 1_000),
                options.number("puts", 200),
                options.number("seconds", 20),
                // More than an attempt may take: what is done when one has lasted too long is done in it too.
                options.number("warm-up-seconds", 40),
                options
                        .list(
                                "manners",
                                "never-accepts,hangs,trickles,resets,endless-headers,endless-body,gzip-bomb,redirects-to-itself")
                        .stream()
                        .map(HostileTarget.Manner::named)
                        .toList(),
                options.number("idle-clients", 2_000),
                options.number("trickling-clients", 2_000),
                options.number("rounds", 3),
                options.text("server-options", ""));
    }

    @Override
    public void run(DataDirectory data) throws Exception {
        System.out.printf(
                "%,d callbacks/s to a healthy target for %d s, and %,d schedules/s, beside %,d timers/s of the same queue to a hostile one, or beside %,d clients that are idle and"
                        + " %,d that%nsay a byte a second. Lateness: from the due time to the moment the healthy receiver has read the request. Targets and clients share the"
                        + " processors with the server.%n%n",
                rate, seconds, puts, hostileRate, idleClients, tricklingClients);
        String[] contenders = Stream.concat(
                        Stream.of(ALONE, CLIENTS), manners.stream().map(HostileTarget.Manner::title))
                .toArray(String[]::new);
        Results results = new Results(contenders);
        results.startCounting();
        for (int round = 1; round <= rounds; round++) {
            System.out.println("round " + round);
            measure(data.fresh("hostile"), ALONE, null, 0, 0, results);
            measure(data.fresh("hostile"), CLIENTS, null, idleClients, tricklingClients, results);
            for (HostileTarget.Manner manner : manners) {
                try (HostileTarget hostile = new HostileTarget(manner)) {
                    measure(data.fresh("hostile"), manner.title(), hostile.address(), 0, 0, results);
                }
            }
        }
        DataDirectory.delete(data.fresh("hostile"));
        results.print();
    }

    private void measure(
            Path directory,
            String contender,
            @Nullable InetSocketAddress hostile,
            int idle,
            int trickling,
            Results results)
            throws Exception {
        try (ServerProcess server = ServerProcess.start(directory, serverOptions);
                SlowClients clients = new SlowClients(server.address(), idle, trickling)) {
            callbacks(server, "warm-", warmUpSeconds, hostile, hostileRate / WARM_UP_SHARE, new Histogram(3));
            Histogram answered = new Histogram(3);
            Arrivals arrivals = callbacks(server, "timer-", seconds, hostile, hostileRate, answered);
            results.addPercentiles("lateness", contender, arrivals.lateMicros(), MILLISECONDS, 50, 99, 100);
            results.addPercentiles("answer", contender, answered, MILLISECONDS, 50, 99, 100);
            System.out.println("  " + clients.report());
        }
    }

    private Arrivals callbacks(
            ServerProcess server,
            String keyPrefix,
            int lasting,
            @Nullable InetSocketAddress hostile,
            int badly,
            Histogram answered)
            throws Exception {
        Arrivals arrivals = new Arrivals(rate * lasting);
        try (CallbackReceiver receiver = new CallbackReceiver(arrivals)) {
            long startMs = System.currentTimeMillis() + AHEAD_MS + (rate + badly) * lasting / SCHEDULED_A_MS;
            if (hostile != null) {
                schedule(server, hostile, "hostile-" + keyPrefix, badly * lasting, startMs, lasting);
            }
            schedule(server, receiver.address(), keyPrefix, rate * lasting, startMs, lasting);
            if (System.currentTimeMillis() >= startMs) {
                throw new IllegalStateException("scheduling took longer than the timers wait");
            }
            answered.add(put(server, receiver.address(), "put-" + keyPrefix, AHEAD_MS / 1_000 + lasting));
            arrivals.await(AHEAD_MS + lasting * 1_000L + TIMEOUT_MS);
        }
        return arrivals;
    }

    /** How long each answer takes, while the callbacks come. */
    private Histogram put(ServerProcess server, InetSocketAddress receiver, String keyPrefix, int lasting)
            throws IOException {
        long dueAtMs = System.currentTimeMillis() + TimeUnit.DAYS.toMillis(1);
        HttpLoad.Outcome outcome = new TimerRequests(server.address(), receiver, keyPrefix, number -> dueAtMs)
                .load(CONNECTIONS, 1)
                .run(Pace.rate(puts, lasting));
        if (outcome.accepted() != outcome.requests()) {
            throw new IllegalStateException(
                    "of " + outcome.requests() + " schedules some were refused: " + outcome.statuses());
        }
        return outcome.micros();
    }

    private static void schedule(
            ServerProcess server, InetSocketAddress target, String keyPrefix, int count, long startMs, int lasting)
            throws IOException {
        Random random = new Random(startMs);
        LongUnaryOperator dueAtMs = number -> startMs + random.nextInt(lasting * 1_000);
        new TimerRequests(server.address(), target, keyPrefix, dueAtMs).schedule(count, BATCH, CONNECTIONS);
    }
}
