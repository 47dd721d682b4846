package io.tickwheel.benchmarks.proof;

import io.tickwheel.benchmarks.BrokenPromiseException;
import io.tickwheel.benchmarks.DataDirectory;
import io.tickwheel.benchmarks.LoadProgram;
import io.tickwheel.benchmarks.Options;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Consumers in processes of their own share a queue, and are killed or stopped for longer than their leases; the server is killed too. Each timer is worked on, and
 * again only after a fault; what is acknowledged too late is refused.
 *
 * @param seconds the time in which the timers come due, and the faults happen
 */
public record LeasesProof(
        int timers,
        int seconds,
        int consumers,
        int serverKills,
        int faultEveryMs,
        int ttlMs,
        int seed,
        String serverOptions)
        implements LoadProgram {

    private static final String QUEUE = "pulled";
    private static final int BATCH = 1_000;
    private static final int LEASED_AT_ONCE = 100;
    private static final int WORK_MS = 40;
    private static final long PATIENCE_MS = 120_000;
    private static final long LOOK_MS = 50;

    public static LeasesProof of(Options options) {
        LeasesProof proof = new LeasesProof(
                options.number("timers", 20_000),
                options.number("seconds", 20),
                options.number("consumers", 4),
                options.number("server-kills", 1),
                options.number("fault-every-ms", 1_000),
                options.number("ttl-ms", 4_000),
                options.number("seed", 1),
                options.text("server-options", "-Xmx512m"));
        if (proof.timers % BATCH != 0) {
            throw new IllegalArgumentException("--timers is " + proof.timers + ", must be in whole thousands");
        }
        return proof;
    }

    @Override
    public void run(DataDirectory data) throws Exception {
        Path directory = data.fresh("leases");
        List<ConsumerProcess> all = new ArrayList<>();
        List<PlanHistory.Down> kills = new ArrayList<>();
        try (Node node = new Node(directory, "server", Node.onFiles(directory, "sync"), serverOptions)) {
            fill(node);
            List<ConsumerProcess> running = new ArrayList<>();
            for (int i = 0; i < consumers; i++) {
                running.add(consumer(node, directory, all));
            }
            disturb(node, directory, running, all, kills);
            awaitEmpty(node, running);
            for (ConsumerProcess each : running) {
                each.end();
            }
        } finally {
            all.forEach(ConsumerProcess::destroy);
        }
        LeaseLedger ledger = LeaseLedger.of(all, kills);
        System.out.printf(
                "%,d consumers killed, %,d stopped, server killed %,d times%n",
                all.size() - consumers, faults(all) - (all.size() - consumers), kills.size());
        ledger.judge(timers);
        DataDirectory.delete(directory);
    }

    private static int faults(List<ConsumerProcess> all) {
        return all.stream().mapToInt(each -> each.faults().size()).sum();
    }

    private void fill(Node node) throws IOException {
        try (HttpCalls calls = new HttpCalls(node.address())) {
            long fromMs = System.currentTimeMillis();
            for (int from = 0; from < timers; from += BATCH) {
                StringBuilder lines = new StringBuilder();
                for (int i = from; i < from + BATCH; i++) {
                    long dueMs = fromMs + 1_000L * seconds * i / timers;
                    lines.append(
                            "{\"key\":\"t-%d\",\"dueAt\":%d,\"retry\":{\"maxAttempts\":1000}}%n".formatted(i, dueMs));
                }
                calls.batch(QUEUE, lines.toString(), BATCH);
            }
        }
    }

    private ConsumerProcess consumer(Node node, Path directory, List<ConsumerProcess> all) throws IOException {
        List<String> arguments = List.of(
                "--port", Integer.toString(node.address().getPort()),
                "--queue", QUEUE,
                "--max", Integer.toString(LEASED_AT_ONCE),
                "--work-ms", Integer.toString(WORK_MS),
                "--ttl-ms", Integer.toString(ttlMs));
        ConsumerProcess started = new ConsumerProcess(directory.resolve("consumer-" + all.size()), arguments);
        all.add(started);
        return started;
    }

    private void disturb(
            Node node,
            Path directory,
            List<ConsumerProcess> running,
            List<ConsumerProcess> all,
            List<PlanHistory.Down> kills)
            throws IOException, InterruptedException {
        SplittableRandom random = new SplittableRandom(seed);
        long startMs = System.currentTimeMillis();
        long endMs = startMs + 1_000L * seconds;
        while (System.currentTimeMillis() < endMs) {
            rest(running, random.nextInt(2 * faultEveryMs));
            long nowMs = System.currentTimeMillis();
            if (kills.size() < serverKills
                    && nowMs - startMs > (kills.size() + 1) * 1_000L * seconds / (serverKills + 1)) {
                node.kill();
                node.start();
                kills.add(new PlanHistory.Down(nowMs, System.currentTimeMillis()));
                continue;
            }
            int chosen = random.nextInt(running.size());
            ConsumerProcess victim = running.get(chosen);
            if (victim.isStopped()) {
                continue;
            }
            if (random.nextBoolean()) {
                victim.kill();
                running.set(chosen, consumer(node, directory, all));
            } else {
                victim.stop(nowMs + ttlMs + random.nextInt(ttlMs));
            }
        }
    }

    private static void rest(List<ConsumerProcess> running, long restMs) throws IOException, InterruptedException {
        long endMs = System.currentTimeMillis() + restMs;
        do {
            Thread.sleep(LOOK_MS);
            for (ConsumerProcess each : running) {
                each.goOnIfTime(System.currentTimeMillis());
            }
        } while (System.currentTimeMillis() < endMs);
    }

    private void awaitEmpty(Node node, List<ConsumerProcess> running)
            throws IOException, InterruptedException, BrokenPromiseException {
        long endMs = System.currentTimeMillis() + PATIENCE_MS;
        try (HttpCalls calls = new HttpCalls(node.address())) {
            while (true) {
                rest(running, LOOK_MS);
                QueueCounts counts = QueueCounts.of(calls, QUEUE);
                if (counts.dead() > 0) {
                    throw new BrokenPromiseException(
                            counts.dead() + " timers are dead, which have a thousand attempts");
                }
                if (counts.pending() + counts.claimed() == 0
                        && running.stream().noneMatch(ConsumerProcess::isStopped)) {
                    return;
                }
                if (System.currentTimeMillis() > endMs) {
                    throw new BrokenPromiseException(
                            "after " + PATIENCE_MS + " ms without a fault there are " + counts);
                }
            }
        }
    }
}
