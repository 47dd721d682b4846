package io.tickwheel.benchmarks;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.LongUnaryOperator;
import org.HdrHistogram.Histogram;

/** Our server beside other servers of timers: puts that are synced one by one, and how late timers come. */
record PeersProgram(PeerLoad load, List<String> peers, int rounds, String serverOptions) implements LoadProgram {

    private static final String TICKWHEEL = "Tickwheel";
    private static final String ROCKETMQ_SYNC = "RocketMQ, sync";
    private static final String ROCKETMQ_ASYNC = "RocketMQ, async";
    private static final String BEANSTALKD = "beanstalkd";
    private static final String POSTGRESQL = "PostgreSQL";
    private static final String DB_SCHEDULER = "db-scheduler";
    private static final String QUARTZ = "Quartz";
    private static final List<String> ALL = List.of(
            "tickwheel", "rocketmq-sync", "rocketmq-async", "beanstalkd", "postgresql", "db-scheduler", "quartz");
    private static final long HOUR_MS = 3_600_000;
    private static final long TIMEOUT_MS = 60_000;

    static PeersProgram of(Options options) {
        List<String> peers = options.list("peers", String.join(",", ALL));
        if (!ALL.containsAll(peers)) {
            throw new IllegalArgumentException("peers are " + peers + ", must be of " + ALL);
        }
        return new PeersProgram(
                PeerLoad.of(options), peers, options.number("rounds", 3), options.text("server-options", ""));
    }

    @Override
    public void run(DataDirectory data) throws Exception {
        System.out.printf(
                "%,d puts by %d connections (RocketMQ: threads of one client) with one unanswered each, answered when "
                        + "synced, but for RocketMQ's async;%nthen %,d timers due at random milliseconds within %,d ms, "
                        + "then as many due at once: fire/s is from that moment until the last has come.%nTickwheel "
                        + "calls back over HTTP; beanstalkd's delays are whole seconds, rounded up; RocketMQ's precision "
                        + "is 100 ms; PostgreSQL is polled every 5 ms by two, skipping locked rows; db-scheduler every 50 ms, "
                        + "and Quartz takes triggers as they are due, by 20 threads each.%n%n",
                load.puts(), load.connections(), load.timers(), PeerLoad.SPREAD_MS);
        Results results =
                new Results(TICKWHEEL, ROCKETMQ_SYNC, ROCKETMQ_ASYNC, BEANSTALKD, POSTGRESQL, DB_SCHEDULER, QUARTZ);
        results.startCounting();
        for (int round = 1; round <= rounds; round++) {
            System.out.println("round " + round);
            for (String peer : peers) {
                System.gc();
                try {
                    round(peer, data.fresh("peers"), results);
                } catch (InterruptedException e) {
                    throw e;
                } catch (Exception e) {
                    System.out.println("  " + peer + " has failed, and what it did not get to is left out: " + e);
                }
            }
        }
        DataDirectory.delete(data.root().resolve("peers"));
        results.print();
    }

    private void round(String peer, Path directory, Results results) throws Exception {
        switch (peer) {
            case "tickwheel" -> tickwheel(directory, (measure, figure) -> results.add(measure, TICKWHEEL, figure));
            case "rocketmq-sync" -> rocketMq(directory, "SYNC_FLUSH", ROCKETMQ_SYNC, results);
            case "rocketmq-async" -> rocketMq(directory, "ASYNC_FLUSH", ROCKETMQ_ASYNC, results);
            case "beanstalkd" -> beanstalkd(directory, results);
            case "postgresql" -> onPostgresql(directory, POSTGRESQL, PostgresPeer.TABLE, PostgresPeer::new, results);
            case "db-scheduler" ->
                onPostgresql(
                        directory,
                        DB_SCHEDULER,
                        DbSchedulerPeer.TABLE,
                        server -> new DbSchedulerPeer(server, load.connections()),
                        results);
            case "quartz" ->
                onPostgresql(
                        directory,
                        QUARTZ,
                        QuartzPeer.tables(),
                        server -> new QuartzPeer(server, load.connections()),
                        results);
            default -> throw new IllegalArgumentException("no peer " + peer);
        }
    }

    private void tickwheel(Path directory, PeerLoad.Figures figures) throws Exception {
        LongUnaryOperator far = number -> System.currentTimeMillis() + HOUR_MS;
        Arrivals arrivals = new Arrivals(load.timers());
        Arrivals atOnce = new Arrivals(load.timers());
        try (ServerProcess server = ServerProcess.start(directory, serverOptions);
                CallbackReceiver receiver = new CallbackReceiver(arrivals);
                CallbackReceiver second = new CallbackReceiver(atOnce)) {
            puts(server, receiver, "warm-", far, load.warmUp());
            HttpLoad.Outcome outcome = puts(server, receiver, "put-", far, load.puts());
            double rate = outcome.perSecond(outcome.accepted());
            figures.add("puts/s", rate);
            figures.add("a put, p50 ms", outcome.micros().getValueAtPercentile(50) / 1e3);
            figures.add("a put, p99 ms", outcome.micros().getValueAtPercentile(99) / 1e3);
            puts(server, receiver, "due-", PeerLoad.soon(load.startMs(rate)), load.timers());
            arrivals.await(TIMEOUT_MS);
            long moment = PeerLoad.wholeSecond(load.startMs(rate));
            puts(server, second, "once-", number -> moment, load.timers());
            atOnce.await(TIMEOUT_MS);
        }
        Histogram late = arrivals.lateMicros();
        figures.add("timers, missing", 0);
        figures.add("timers, early", arrivals.early());
        figures.add("timers, more than once", arrivals.again());
        figures.add("lateness, p50 ms", late.getValueAtPercentile(50) / 1e3);
        figures.add("lateness, p99 ms", late.getValueAtPercentile(99) / 1e3);
        figures.add("lateness, longest ms", late.getMaxValue() / 1e3);
        figures.add("fire/s", load.timers() * 1e6 / atOnce.lateMicros().getMaxValue());
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

    private void rocketMq(Path directory, String flush, String name, Results results) throws Exception {
        Optional<String> classPath = RocketMqChild.classPath();
        if (classPath.isEmpty()) {
            missing("RocketMQ's jars");
            return;
        }
        RocketMqChild.run(classPath.get(), directory, flush, load)
                .forEach((measure, figure) -> results.add(measure, name, figure));
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

    /** A peer on a PostgreSQL of its own, with its tables. */
    private void onPostgresql(Path directory, String name, String tables, OnPostgresql peer, Results results)
            throws Exception {
        Optional<PostgresServer> server = PostgresServer.start(directory, tables);
        if (server.isEmpty()) {
            missing("PostgreSQL (initdb, postgres)");
            return;
        }
        try (Peer opened = peer.on(server.get())) {
            load.run(opened, (measure, figure) -> results.add(measure, name, figure));
        }
    }

    private interface OnPostgresql {
        Peer on(PostgresServer server) throws Exception;
    }

    private static void missing(String what) {
        System.out.println("  " + what + ": not found, left out");
    }
}
