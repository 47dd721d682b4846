package io.tickwheel.benchmarks.proof;

import io.tickwheel.benchmarks.BrokenPromiseException;
import io.tickwheel.benchmarks.DataDirectory;
import io.tickwheel.benchmarks.LoadProgram;
import io.tickwheel.benchmarks.Loopback;
import io.tickwheel.benchmarks.Options;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Servers with plans of all kinds are killed again and again: after each start every plan has one next run, and in the end its runs are without a gap that its
 * rules do not allow, each delivered, none made twice.
 *
 * @param plans of each {@link PlanKind}
 * @param store {@code file}, or {@code redis} for two servers, which are stopped for longer than their lease in turns too
 * @param failover whether the master of Redis is killed too
 */
public record RecurrenceProof(int plans, int kills, String store, boolean failover, int seed, String serverOptions)
        implements LoadProgram {

    private static final String QUEUE = "plans";
    private static final long MOST_ALIVE_MS = 2_500;
    private static final long PATIENCE_MS = 60_000;
    private static final long LOOK_MS = 100;
    private static final int SECOND_MS = 1_000;

    public static RecurrenceProof of(Options options) {
        RecurrenceProof proof = new RecurrenceProof(
                options.number("plans", 3),
                options.number("kills", 10),
                options.text("store", "file"),
                options.flag("failover"),
                options.number("seed", 1),
                options.text("server-options", "-Xmx256m"));
        if (!List.of("file", "redis").contains(proof.store)) {
            throw new IllegalArgumentException("--store is " + proof.store + ", must be file or redis");
        }
        if (proof.failover && proof.store.equals("file")) {
            throw new IllegalArgumentException("--failover is for --store redis only");
        }
        return proof;
    }

    @Override
    public void run(DataDirectory data) throws Exception {
        Path directory = data.fresh("recurrence");
        try (PlanLedger ledger = new PlanLedger();
                PlanServers servers = store.equals("file")
                        ? PlanServers.onFiles(directory, serverOptions)
                        : PlanServers.onRedis(directory, serverOptions, failover)) {
            List<PlanHistory> histories = schedule(servers, ledger);
            SplittableRandom random = new SplittableRandom(seed);
            for (int kill = 1; kill <= kills; kill++) {
                awaitMoment(random, ledger);
                servers.hurt(random);
                lookAtAll(histories, servers);
                if (kill % 50 == 0) {
                    System.out.printf("  %,d faults, %,d runs%n", kill, runs(histories));
                }
            }
            finish(histories, servers);
            int visits = 0;
            for (PlanHistory history : histories) {
                visits += ledger.visits(history.plan()).size();
                history.judge(ledger.visits(history.plan()), servers.downs());
            }
            System.out.printf(
                    "%,d plans, %s; %,d runs, %,d callbacks, %,d of them again%n"
                            + "after each start one next run of each; lost 0, made twice 0, left out against the rules 0%n",
                    histories.size(), servers.faults(), runs(histories), visits, visits - runs(histories));
        }
        DataDirectory.delete(directory);
    }

    private static int runs(List<PlanHistory> histories) {
        return histories.stream().mapToInt(PlanHistory::size).sum();
    }

    private List<PlanHistory> schedule(PlanServers servers, PlanLedger ledger) throws IOException {
        String target = "http://" + Loopback.authority(ledger.address()) + "/";
        List<PlanHistory> histories = new ArrayList<>();
        try (HttpCalls calls = servers.calls()) {
            for (PlanKind kind : PlanKind.values()) {
                for (int i = 0; i < plans; i++) {
                    PlanHistory history = new PlanHistory(QUEUE, kind.key(i));
                    history.schedule(calls, target);
                    histories.add(history);
                }
            }
        }
        return histories;
    }

    /** At once, at random, when a callback comes, or about the beginning of a second, when most runs are made. */
    private static void awaitMoment(SplittableRandom random, PlanLedger ledger) throws InterruptedException {
        switch (random.nextInt(4)) {
            case 0 -> Thread.sleep(random.nextInt(20));
            case 1 -> Thread.sleep(random.nextLong(MOST_ALIVE_MS));
            case 2 -> {
                Thread.sleep(random.nextLong(MOST_ALIVE_MS));
                ledger.awaitArrival(MOST_ALIVE_MS);
            }
            default -> Thread.sleep(2 * SECOND_MS - System.currentTimeMillis() % SECOND_MS + random.nextInt(-5, 30));
        }
    }

    private static void lookAtAll(List<PlanHistory> histories, PlanServers servers)
            throws IOException, BrokenPromiseException {
        try (HttpCalls calls = servers.calls()) {
            for (PlanHistory history : histories) {
                history.look(calls);
            }
        }
    }

    private static void finish(List<PlanHistory> histories, PlanServers servers)
            throws IOException, InterruptedException, BrokenPromiseException {
        long endMs = System.currentTimeMillis() + PATIENCE_MS;
        int contended = 0;
        try (HttpCalls calls = servers.calls()) {
            for (PlanHistory history : histories) {
                while (!history.pause(calls)) {
                    contended++;
                    rest(endMs, "plan " + history.plan() + " is not to be paused");
                }
            }
            for (PlanHistory history : histories) {
                while (!history.isOver(calls)) {
                    rest(endMs, "runs of plan " + history.plan() + " are not delivered");
                }
            }
        }
        System.out.printf("pauses of a plan that were refused as contended, and asked again: %,d%n", contended);
    }

    private static void rest(long endMs, String otherwise) throws InterruptedException, BrokenPromiseException {
        if (System.currentTimeMillis() > endMs) {
            throw new BrokenPromiseException(otherwise + " " + PATIENCE_MS + " ms after the last fault");
        }
        Thread.sleep(LOOK_MS);
    }
}
