package io.tickwheel.benchmarks;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.LongUnaryOperator;
import org.HdrHistogram.Histogram;

/** Our server beside other servers of timers: puts that are synced one by one, and how late timers come. */
record PeersProgram(PeerLoad load, List<String> peers, int rounds, String serverOptions) implements LoadProgram {

    private static final String TICKWHEEL = "Tickwheel";
    private static final String ROCKETMQ = "RocketMQ";
    private static final String BEANSTALKD = "beanstalkd";
    private static final String POSTGRESQL = "PostgreSQL";
    private static final long HOUR_MS = 3_600_000;
    private static final long TIMEOUT_MS = 60_000;

    static PeersProgram of(Options options) {
        return new PeersProgram(
                PeerLoad.of(options),
                options.list("peers", "tickwheel,rocketmq,beanstalkd,postgresql"),
                options.number("rounds", 3),
                options.text("server-options", ""));
    }

    @Override
    public void run(DataDirectory data) throws Exception {
        System.out.printf(
                "%,d puts, each answered when synced, by %d connections (RocketMQ: threads of one client) with one "
                        + "unanswered each; then %,d%ntimers due at random milliseconds within %,d ms. Tickwheel calls "
                        + "back over HTTP; beanstalkd's delays are whole seconds, rounded up;%nRocketMQ's precision is "
                        + "100 ms; PostgreSQL is polled every 5 ms by two.%n%n",
                load.puts(), load.connections(), load.timers(), PeerLoad.SPREAD_MS);
        Results results = new Results(TICKWHEEL, ROCKETMQ, BEANSTALKD, POSTGRESQL);
        results.startCounting();
        for (int round = 1; round <= rounds; round++) {
            System.out.println("round " + round);
            for (String peer : peers) {
                System.gc();
                round(peer, data.fresh("peers"), results);
            }
        }
        DataDirectory.delete(data.root().resolve("peers"));
        results.print();
    }

    private void round(String peer, Path directory, Results results) throws Exception {
        switch (peer) {
            case "tickwheel" -> tickwheel(directory, (measure, figure) -> results.add(measure, TICKWHEEL, figure));
            case "rocketmq" -> rocketMq(directory, results);
            case "beanstalkd" -> beanstalkd(directory, results);
            case "postgresql" -> postgresql(directory, results);
            default -> throw new IllegalArgumentException("no peer " + peer);
        }
    }

    private void tickwheel(Path directory, PeerLoad.Figures figures) throws Exception {
        LongUnaryOperator far = number -> System.currentTimeMillis() + HOUR_MS;
        Arrivals arrivals = new Arrivals(load.timers());
        try (ServerProcess server = ServerProcess.start(directory, serverOptions);
                CallbackReceiver receiver = new CallbackReceiver(arrivals)) {
            puts(server, receiver, "warm-", far, load.warmUp());
            HttpLoad.Outcome outcome = puts(server, receiver, "put-", far, load.puts());
            double rate = outcome.perSecond(outcome.accepted());
            figures.add("puts/s", rate);
            figures.add("a put, p50 ms", outcome.micros().getValueAtPercentile(50) / 1e3);
            figures.add("a put, p99 ms", outcome.micros().getValueAtPercentile(99) / 1e3);
            puts(server, receiver, "due-", PeerLoad.soon(load.startMs(rate)), load.timers());
            arrivals.await(TIMEOUT_MS);
        }
        Histogram late = arrivals.lateMicros();
        figures.add("timers, missing", 0);
        figures.add("timers, early", arrivals.early());
        figures.add("timers, more than once", arrivals.again());
        figures.add("lateness, p50 ms", late.getValueAtPercentile(50) / 1e3);
        figures.add("lateness, p99 ms", late.getValueAtPercentile(99) / 1e3);
        figures.add("lateness, longest ms", late.getMaxValue() / 1e3);
    }

    private HttpLoad.Outcome puts(
            ServerProcess server, CallbackReceiver receiver, String keyPrefix, LongUnaryOperator dueAtMs, int count)
            throws Exception {
        TimerRequests timers = new TimerRequests(server.address(), receiver.address(), keyPrefix, dueAtMs);
        HttpLoad.Outcome outcome = timers.load(load.connections(), 1).run(count);
        if (outcome.accepted() != count) {
            throw new IllegalStateException("answers by status: " + outcome.statuses());
        }
        return outcome;
    }

    private void rocketMq(Path directory, Results results) throws Exception {
        Optional<String> classPath = RocketMqChild.classPath();
        if (classPath.isEmpty()) {
            missing("RocketMQ's jars");
            return;
        }
        RocketMqChild.run(classPath.get(), directory, load)
                .forEach((measure, figure) -> results.add(measure, ROCKETMQ, figure));
    }

    private void beanstalkd(Path directory, Results results) throws Exception {
        Optional<Path> program = PeerProcess.find("beanstalkd");
        if (program.isEmpty()) {
            missing("beanstalkd");
            return;
        }
        try (Peer peer = new BeanstalkdPeer(program.get(), directory)) {
            load.run(peer, (measure, figure) -> results.add(measure, BEANSTALKD, figure));
        }
    }

    private void postgresql(Path directory, Results results) throws Exception {
        Optional<Path> postgres = PeerProcess.find("postgres");
        Optional<Path> initdb = PeerProcess.find("initdb");
        if (postgres.isEmpty() || initdb.isEmpty()) {
            missing("PostgreSQL (initdb, postgres)");
            return;
        }
        try (Peer peer = new PostgresPeer(postgres.get(), initdb.get(), directory)) {
            load.run(peer, (measure, figure) -> results.add(measure, POSTGRESQL, figure));
        }
    }

    private static void missing(String what) {
        System.out.println("  " + what + ": not found, left out");
    }
}
