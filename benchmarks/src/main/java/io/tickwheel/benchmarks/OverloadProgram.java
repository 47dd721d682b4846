package io.tickwheel.benchmarks;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongUnaryOperator;
import org.HdrHistogram.Histogram;

/**
 * A server that is offered several times what it can do: first its capacity, then a calm load as measure, then the overload with the calm load beside it, then the calm
 * load until its answers are quick again. Each timer is due within seconds and is called back. Fails when an accepted timer does not arrive, a refused one does, or an
 * answer is neither.
 *
 * @param times how many times its capacity the server is offered
 */
record OverloadProgram(
        int seconds, int times, int connections, int pipeline, int calmRate, int warmUpSeconds, String serverOptions)
        implements LoadProgram {

    private static final String TICKWHEEL = "Tickwheel";
    private static final String CALM_QUEUE = "calm";
    private static final int LEAST_AHEAD_MS = 1_000;
    private static final int AHEAD_MS = 9_000;
    private static final int CAPACITY_SECONDS = 20;
    private static final int CALM_SECONDS = 20;
    private static final int CALM_CONNECTIONS = 4;
    private static final int CALM_PIPELINE = 256;
    private static final int LOOK_SECONDS = 5;
    private static final int LOOKS = 24;
    private static final double NORMAL = 2;
    private static final long DRAIN_MS = 600_000;
    private static final double MIB = 1 << 20;

    static OverloadProgram of(Options options) {
        OverloadProgram program = new OverloadProgram(
                options.number("seconds", 300),
                options.number("times", 3),
                options.number("connections", 256),
                options.number("pipeline", 64),
                options.number("calm-rate", 200),
                options.number("warm-up-seconds", 60),
                options.text("server-options", "-Xmx1g"));
        if (program.seconds < 2) {
            throw new IllegalArgumentException("--seconds is " + program.seconds + ", must be 2 or more");
        }
        return program;
    }

    @Override
    public void run(DataDirectory data) throws Exception {
        Path directory = data.fresh("overload");
        Results results = new Results(TICKWHEEL);
        results.startCounting();
        AcceptedTimers load = new AcceptedTimers();
        AcceptedTimers calm = new AcceptedTimers();
        try (ServerProcess server = ServerProcess.start(directory, serverOptions);
                CallbackReceiver loadReceiver = new CallbackReceiver(load);
                CallbackReceiver calmReceiver = new CallbackReceiver(calm)) {
            Calm probe = new Calm(server, calmReceiver, calm);
            double capacity = capacity(server);
            results.add("capacity, PUTs and callbacks/s", TICKWHEEL, capacity);
            Histogram before = probe.answers(CALM_SECONDS);
            results.addPercentiles("answer, calm", TICKWHEEL, before, MILLISECONDS, 50, 99, 100);

            CompletableFuture<HttpLoad.Outcome> overload =
                    run(() -> timers(server, loadReceiver, TimerRequests.QUEUE, "over-")
                            .load(connections, pipeline, load)
                            .run(Pace.rate((int) (times * capacity), seconds)));
            int firstSeconds = Math.min(seconds / 2, 60);
            probe.answers(firstSeconds);
            double early = server.liveHeapBytes();
            Histogram during = probe.answers(seconds - firstSeconds);
            double late = server.liveHeapBytes();
            HttpLoad.Outcome outcome = overload.join();
            System.out.printf(
                    "  overload: %,.0f/s offered for %d s, %,.0f/s sent as far as the connections took them, answers by status %s%n",
                    times * capacity, seconds, outcome.perSecond(outcome.requests()), outcome.statuses());
            results.add("overload, accepted/s", TICKWHEEL, outcome.perSecond(outcome.accepted()));
            results.addPercentiles("answer, overload", TICKWHEEL, outcome.micros(), MILLISECONDS, 50, 99, 100);
            results.addPercentiles("answer, calm load beside it", TICKWHEEL, during, MILLISECONDS, 50, 99, 100);
            results.add(
                    "heap in use after a full collection, after " + firstSeconds + " s, MiB", TICKWHEEL, early / MIB);
            results.add("the same at the end, MiB", TICKWHEEL, late / MIB);
            results.add("seconds until normal", TICKWHEEL, secondsUntilNormal(probe, before));
            results.add("seconds until all had arrived", TICKWHEEL, drain(load) + drain(calm));
        }
        System.out.println("overload: " + load.summary());
        System.out.println("calm load: " + calm.summary());
        load.check();
        calm.check();
        results.print();
        DataDirectory.delete(directory);
    }

    /** What the server does with one request unanswered on each of 64 connections, while timers are called back. */
    private double capacity(ServerProcess server) throws Exception {
        AcceptedTimers timers = new AcceptedTimers();
        try (CallbackReceiver receiver = new CallbackReceiver(timers)) {
            timers(server, receiver, TimerRequests.QUEUE, "warm-")
                    .load(64, 1, (number, response) -> 1)
                    .run(Pace.rate(Integer.MAX_VALUE, warmUpSeconds));
            HttpLoad.Outcome outcome = timers(server, receiver, TimerRequests.QUEUE, "most-")
                    .load(64, 1)
                    .run(Pace.rate(Integer.MAX_VALUE, CAPACITY_SECONDS));
            Thread.sleep(LEAST_AHEAD_MS + AHEAD_MS);
            return outcome.perSecond(outcome.accepted());
        }
    }

    private static TimerRequests timers(
            ServerProcess server, CallbackReceiver receiver, String queue, String keyPrefix) {
        Random random = new Random(keyPrefix.hashCode());
        LongUnaryOperator dueAtMs = number -> System.currentTimeMillis() + LEAST_AHEAD_MS + random.nextInt(AHEAD_MS);
        return new TimerRequests(server.address(), receiver.address(), queue, keyPrefix, dueAtMs);
    }

    /** A light load in a queue of its own, whose numbers go on from call to call. */
    private final class Calm {

        private final ServerProcess server;
        private final CallbackReceiver receiver;
        private final AcceptedTimers timers;
        private long first;

        Calm(ServerProcess server, CallbackReceiver receiver, AcceptedTimers timers) {
            this.server = server;
            this.receiver = receiver;
            this.timers = timers;
        }

        /** How long its answers take. */
        Histogram answers(int lasting) throws IOException {
            RequestSource puts = timers(server, receiver, CALM_QUEUE, "calm-").puts();
            long from = first;
            HttpLoad.Outcome outcome = new HttpLoad(
                            server.address(),
                            CALM_CONNECTIONS,
                            CALM_PIPELINE,
                            (number, out) -> puts.append(from + number, out),
                            (number, response) -> timers.accepted(from + number, response))
                    .run(Pace.rate(calmRate, lasting));
            first += outcome.requests();
            return outcome.micros();
        }
    }

    /** Until the calm load's p99 within five seconds is at most twice that before the overload, or a look's limit. */
    private static int secondsUntilNormal(Calm probe, Histogram before) throws IOException, BrokenPromiseException {
        for (int look = 0; look < LOOKS; look++) {
            Histogram now = probe.answers(LOOK_SECONDS);
            System.out.printf(
                    "  %d s after the overload: p99 %,.2f ms%n",
                    (look + 1) * LOOK_SECONDS, now.getValueAtPercentile(99) / 1e3);
            if (now.getValueAtPercentile(99) <= NORMAL * before.getValueAtPercentile(99)) {
                return look * LOOK_SECONDS;
            }
        }
        throw new BrokenPromiseException(
                "answers are not quick again " + LOOKS * LOOK_SECONDS + " s after the overload");
    }

    private static double drain(AcceptedTimers timers) throws InterruptedException, BrokenPromiseException {
        long begin = System.nanoTime();
        int missing = timers.missing();
        while (missing > 0) {
            if (System.nanoTime() - begin > TimeUnit.MILLISECONDS.toNanos(DRAIN_MS)) {
                throw new BrokenPromiseException(missing + " accepted timers have not arrived: " + timers.summary());
            }
            Thread.sleep(100);
            missing = timers.missing();
        }
        return (System.nanoTime() - begin) / 1e9;
    }

    /** A load, on a thread of its own. */
    private interface Load {
        HttpLoad.Outcome run() throws IOException;
    }

    private static CompletableFuture<HttpLoad.Outcome> run(Load load) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return load.run();
                    } catch (IOException e) {
                        throw new CompletionException(e);
                    }
                },
                task -> new Thread(task, "overload").start());
    }
}
