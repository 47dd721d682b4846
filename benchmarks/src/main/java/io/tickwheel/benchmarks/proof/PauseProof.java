package io.tickwheel.benchmarks.proof;

import io.tickwheel.benchmarks.BrokenPromiseException;
import io.tickwheel.benchmarks.CallbackReceiver;
import io.tickwheel.benchmarks.DataDirectory;
import io.tickwheel.benchmarks.HttpReader;
import io.tickwheel.benchmarks.LoadProgram;
import io.tickwheel.benchmarks.Loopback;
import io.tickwheel.benchmarks.Options;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Timers come due in a paused queue, whose server is killed meanwhile: none is delivered, none lost. Then the queue starts slowly, and each second has as many
 * starts as the rule says.
 *
 * @param slowStart what the rate begins with, and how much it rises in each second
 */
public record PauseProof(int timers, int kills, int slowStart, String serverOptions) implements LoadProgram {

    private static final String QUEUE = "paused";
    private static final int BATCH = 1_000;
    private static final long PATIENCE_MS = 120_000;
    private static final long WATCHED_MS = 3_000;

    /** What a slow start lets gather is a twentieth of a second. */
    private static final long MOST_STALL_MS = 50;

    private static final double TOLERANCE = 0.1;

    public static PauseProof of(Options options) {
        PauseProof proof = new PauseProof(
                options.number("timers", 20_000),
                options.number("kills", 2),
                options.number("slow-start", 50),
                options.text("server-options", "-Xmx512m"));
        if (proof.timers % BATCH != 0) {
            throw new IllegalArgumentException("--timers is " + proof.timers + ", must be in whole thousands");
        }
        return proof;
    }

    @Override
    public void run(DataDirectory data) throws Exception {
        Path directory = data.fresh("pause");
        Map<String, Long> startedAtMs = new ConcurrentHashMap<>();
        Map<String, Long> again = new ConcurrentHashMap<>();
        CallbackReceiver.Listener note = (request, atMicros) -> {
            if (startedAtMs.putIfAbsent(header(request, "tickwheel-key"), startMs(request)) != null) {
                again.merge(header(request, "tickwheel-key"), 1L, Long::sum);
            }
        };
        try (CallbackReceiver receiver = new CallbackReceiver(note);
                Node node = new Node(directory, "server", Node.onFiles(directory, "sync"), serverOptions)) {
            fill(node, "http://" + Loopback.authority(receiver.address()) + "/");
            for (int kill = 1; kill <= kills; kill++) {
                node.kill();
                node.start();
                Thread.sleep(WATCHED_MS);
                long pending = pending(node);
                System.out.printf(
                        "kill %d: %,d timers are due and pending, %,d delivered%n", kill, pending, startedAtMs.size());
                demand(startedAtMs.isEmpty(), startedAtMs.size() + " timers of a paused queue were delivered");
                demand(pending == timers, pending + " of " + timers + " timers are there after kill " + kill);
            }
            long resumedMs = resume(node);
            try (Stalls stalls = Stalls.watch(resumedMs)) {
                await(startedAtMs);
                judge(List.copyOf(startedAtMs.values()), resumedMs, stalls);
            }
            demand(again.isEmpty(), again.size() + " timers were delivered again, without a kill: " + again);
            demand(pending(node) == 0, pending(node) + " timers are left");
        }
        System.out.printf("%,d timers delivered, each once; lost 0, delivered during the pause 0%n", timers);
        DataDirectory.delete(directory);
    }

    private void fill(Node node, String target) throws IOException {
        try (HttpCalls calls = new HttpCalls(node.address())) {
            calls.post("/v1/queues/" + QUEUE + "/pause", "").expect(200);
            for (int from = 0; from < timers; from += BATCH) {
                StringBuilder lines = new StringBuilder();
                for (int i = from; i < from + BATCH; i++) {
                    lines.append("{\"key\":\"t-%d\",\"delay\":\"%dms\",\"target\":{\"url\":\"%s\"}}%n"
                            .formatted(i, i % BATCH, target));
                }
                calls.batch(QUEUE, lines.toString(), BATCH);
            }
        }
    }

    private static long pending(Node node) throws IOException {
        try (HttpCalls calls = new HttpCalls(node.address())) {
            return QueueCounts.of(calls, QUEUE).pending();
        }
    }

    private long resume(Node node) throws IOException {
        try (HttpCalls calls = new HttpCalls(node.address())) {
            calls.post("/v1/queues/" + QUEUE + "/resume?slowStart=" + slowStart, "")
                    .expect(200);
            return System.currentTimeMillis();
        }
    }

    private void await(Map<String, Long> startedAtMs) throws InterruptedException, BrokenPromiseException {
        long seconds = Math.round(Math.sqrt(2.0 * timers / slowStart));
        long endMs = System.currentTimeMillis() + 1_000 * seconds + PATIENCE_MS;
        while (startedAtMs.size() < timers) {
            demand(
                    System.currentTimeMillis() < endMs,
                    startedAtMs.size() + " of " + timers + " timers were delivered after the pause");
            Thread.sleep(100);
        }
    }

    /**
     * The last second is left out: in it, the timers run out. A second in which the machine let processes wait may have less starts, but never more: what could not
     * start in its time is not made up for.
     */
    private void judge(List<Long> startedAtMs, long resumedMs, Stalls stalls) throws BrokenPromiseException {
        int seconds =
                (int) ((startedAtMs.stream().mapToLong(Long::longValue).max().orElseThrow() - resumedMs) / 1_000);
        int[] starts = new int[seconds + 1];
        for (long each : startedAtMs) {
            starts[(int) Math.max(0, (each - resumedMs) / 1_000)]++;
        }
        System.out.println("second   starts   by the rule   the machine stood still, ms");
        int wrong = 0;
        int untold = 0;
        for (int second = 0; second < seconds; second++) {
            double rule = slowStart * (second + 1.5);
            boolean isMore = starts[second] > (1 + TOLERANCE) * rule;
            boolean isLess = starts[second] < (1 - TOLERANCE) * rule;
            boolean isTold = isMore || !isLess || stalls.inSecond(second) <= MOST_STALL_MS;
            untold += isTold ? 0 : 1;
            wrong += isTold && (isMore || isLess) ? 1 : 0;
            System.out.printf(
                    "%6d %,8d %,13.0f %,29d%s%n",
                    second + 1,
                    starts[second],
                    rule,
                    stalls.inSecond(second),
                    isMore ? "  too many" : isLess ? "  too few" : "");
        }
        demand(wrong == 0, wrong + " of " + seconds + " seconds have a tenth more or less starts than the rule says");
        demand(
                2 * untold <= seconds,
                "in " + untold + " of " + seconds + " seconds the machine was too busy to see anything: run it alone");
    }

    /** When the server says that it has started the attempt. */
    private static long startMs(HttpReader request) {
        return Instant.parse(header(request, "tickwheel-due-at")).toEpochMilli()
                + Long.parseLong(header(request, "tickwheel-lateness-ms"));
    }

    private static String header(HttpReader request, String name) {
        return Objects.requireNonNull(request.header(name), name);
    }

    private static void demand(boolean holds, String otherwise) throws BrokenPromiseException {
        if (!holds) {
            throw new BrokenPromiseException(otherwise);
        }
    }
}
