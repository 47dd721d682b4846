package io.tickwheel.benchmarks;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.function.LongUnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How late callbacks arrive at a healthy target while timers of the same queue go to one that treats each connection badly, beside the same without it. Each is measured on
 * a server of its own, which has had such timers for a while before.
 */
record HostileProgram(
        int rate, int hostileRate, int seconds, List<HostileTarget.Manner> manners, int rounds, String serverOptions)
        implements LoadProgram {

    private static final String ALONE = "alone";
    private static final int BATCH = 1_000;
    private static final int CONNECTIONS = 2;

    /** More than an attempt may take: what is done when one has lasted too long is done in it too. */
    private static final int WARM_UP_SECONDS = 40;

    /** Of the timers to the hostile one a tenth, so that few of them are left to be repeated. */
    private static final int WARM_UP_SHARE = 10;

    private static final int AHEAD_MS = 3_000;
    private static final int SCHEDULED_A_MS = 20;
    private static final long TIMEOUT_MS = 60_000;

    static HostileProgram of(Options options) {
        return new HostileProgram(
                options.number("rate", 1_000),
                options.number("hostile-rate", 1_000),
                options.number("seconds", 20),
                options
                        .list(
                                "manners",
                                "never-accepts,hangs,trickles,resets,endless-headers,endless-body,redirects-to-itself")
                        .stream()
                        .map(HostileTarget.Manner::named)
                        .toList(),
                options.number("rounds", 3),
                options.text("server-options", ""));
    }

    @Override
    public void run(DataDirectory data) throws Exception {
        System.out.printf(
                "%,d callbacks/s to a healthy target for %d s, beside %,d timers/s of the same queue to a hostile one. Lateness: from the due time to the moment the"
                        + " healthy%nreceiver has read the request. Targets share the processors with the server.%n%n",
                rate, seconds, hostileRate);
        String[] contenders = Stream.concat(Stream.of(ALONE), manners.stream().map(HostileTarget.Manner::title))
                .toArray(String[]::new);
        Results results = new Results(contenders);
        results.startCounting();
        for (int round = 1; round <= rounds; round++) {
            System.out.println("round " + round);
            measure(data.fresh("hostile"), ALONE, null, results);
            for (HostileTarget.Manner manner : manners) {
                try (HostileTarget hostile = new HostileTarget(manner)) {
                    measure(data.fresh("hostile"), manner.title(), hostile.address(), results);
                }
            }
        }
        DataDirectory.delete(data.fresh("hostile"));
        results.print();
    }

    private void measure(Path directory, String contender, @Nullable InetSocketAddress hostile, Results results)
            throws Exception {
        try (ServerProcess server = ServerProcess.start(directory, serverOptions)) {
            callbacks(server, "warm-", WARM_UP_SECONDS, hostile, hostileRate / WARM_UP_SHARE);
            Arrivals arrivals = callbacks(server, "timer-", seconds, hostile, hostileRate);
            results.addPercentiles("lateness", contender, arrivals.lateMicros(), MILLISECONDS, 50, 99, 100);
        }
    }

    private Arrivals callbacks(
            ServerProcess server, String keyPrefix, int lasting, @Nullable InetSocketAddress hostile, int badly)
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
            arrivals.await(AHEAD_MS + lasting * 1_000L + TIMEOUT_MS);
        }
        return arrivals;
    }

    private static void schedule(
            ServerProcess server, InetSocketAddress target, String keyPrefix, int count, long startMs, int lasting)
            throws IOException {
        Random random = new Random(startMs);
        LongUnaryOperator dueAtMs = number -> startMs + random.nextInt(lasting * 1_000);
        new TimerRequests(server.address(), target, keyPrefix, dueAtMs).schedule(count, BATCH, CONNECTIONS);
    }
}
