package io.tickwheel.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * Nodes on one Redis are restarted one after the other, in order, while each schedules and handles timers: how late these are beside
 * that.
 *
 * @param rate timers a second that each node schedules
 * @param restarts of each node
 */
record RollingProgram(int nodes, int rate, int aheadMs, int restarts, int calmSeconds, String jvmOptions, int rounds)
        implements LoadProgram {

    static final String READY = "ready";

    private static final String TICKWHEEL = "Tickwheel";
    private static final int WARM_UP_SECONDS = 15;

    /** For so long after a node is ready its restart is not over. */
    private static final long AFTER_MS = 3_000;

    static RollingProgram of(Options options) {
        return new RollingProgram(
                options.number("nodes", 3),
                options.number("rate", 300),
                options.number("ahead-ms", 2_000),
                options.number("restarts", 2),
                options.number("calm-seconds", 6),
                options.text("jvm-options", "-Xmx256m"),
                options.number("rounds", 1));
    }

    private record Span(long fromMs, long toMs) {}

    /** A child, and where it leaves what it has seen. */
    private record Node(Process process, Path file) {

        void awaitReady() throws IOException {
            BufferedReader lines = process.inputReader(UTF_8);
            String line = lines.readLine();
            if (!READY.equals(line)) {
                throw new IOException("a node said " + line);
            }
        }

        void close() throws IOException, InterruptedException {
            process.outputWriter(UTF_8).close();
            if (process.waitFor() != 0) {
                throw new IOException("a node has failed with exit code " + process.exitValue());
            }
        }

        void beQuiet() throws IOException {
            process.outputWriter(UTF_8).write("quiet\n");
            process.outputWriter(UTF_8).flush();
        }
    }

    @Override
    public void run(DataDirectory data) throws Exception {
        System.out.printf(
                "%,d nodes on one Redis, each in a JVM of its own (%s), each scheduling %,d timers/s for %,d ms later. Each is closed and "
                        + "started again%n%,d times, in turns. A restart lasts from the closing to %,d ms after the new one is open.%n%n",
                nodes, jvmOptions, rate, aheadMs, restarts, AFTER_MS);
        Results results = new Results(TICKWHEEL);
        results.startCounting();
        for (int round = 1; round <= rounds; round++) {
            round(data.fresh("rolling"), results);
        }
        DataDirectory.delete(data.root().resolve("rolling"));
        results.print();
    }

    private void round(Path directory, Results results) throws Exception {
        List<Node> running = new ArrayList<>();
        List<Path> files = new ArrayList<>();
        List<Span> spans = new ArrayList<>();
        long calmFromMs;
        try (RedisUnderTest redis = RedisUnderTest.single()) {
            try {
                for (int i = 0; i < nodes; i++) {
                    running.add(start(redis, directory, files));
                }
                Thread.sleep(1_000L * WARM_UP_SECONDS);
                calmFromMs = System.currentTimeMillis();
                for (int i = 0; i < nodes * restarts; i++) {
                    Thread.sleep(1_000L * calmSeconds);
                    long fromMs = System.currentTimeMillis();
                    running.remove(0).close();
                    running.add(start(redis, directory, files));
                    spans.add(new Span(fromMs, System.currentTimeMillis() + AFTER_MS));
                }
                Thread.sleep(1_000L * calmSeconds);
                for (Node node : running) {
                    node.beQuiet();
                }
                Thread.sleep(2L * aheadMs);
                for (Node node : running) {
                    node.close();
                }
            } finally {
                running.forEach(node -> node.process().destroyForcibly());
            }
        }
        report(files, spans, calmFromMs, results);
    }

    private Node start(RedisUnderTest redis, Path directory, List<Path> files) throws IOException {
        Path file = directory.resolve("node-" + files.size());
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(jvmOptions.strip().split(" +", -1)));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), RollingChild.class.getName()));
        command.addAll(List.of("--redis", redis.uri(), "--name", "node-" + files.size(), "--file", file.toString()));
        command.addAll(List.of("--rate", Integer.toString(rate), "--ahead-ms", Integer.toString(aheadMs)));
        files.add(file);
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        Node node = new Node(process, file);
        node.awaitReady();
        return node;
    }

    private static void report(List<Path> files, List<Span> spans, long calmFromMs, Results results)
            throws IOException {
        Map<String, Long> accepted = new HashMap<>();
        Map<String, List<Long>> delivered = new HashMap<>();
        for (Path file : files) {
            for (String line : Files.readAllLines(file, UTF_8)) {
                String[] words = line.split("\t", -1);
                long number = Long.parseLong(words[2]);
                if (words[0].equals("accepted")) {
                    accepted.put(words[1], number);
                } else {
                    delivered
                            .computeIfAbsent(words[1], key -> new ArrayList<>())
                            .add(number);
                }
            }
        }
        Histogram calm = new Histogram(3);
        Histogram restarting = new Histogram(3);
        int early = 0;
        int missing = 0;
        for (Map.Entry<String, Long> each : accepted.entrySet()) {
            List<Long> lateMicros = delivered.getOrDefault(each.getKey(), List.of());
            long dueMs = each.getValue();
            if (lateMicros.isEmpty()) {
                missing++;
            } else {
                long first = Collections.min(lateMicros);
                early += first < 0 ? 1 : 0;
                boolean isDuring = spans.stream().anyMatch(span -> dueMs >= span.fromMs() && dueMs < span.toMs());
                if (dueMs >= calmFromMs) {
                    (isDuring ? restarting : calm).recordValue(Math.max(0, first));
                }
            }
        }
        results.add("missing", TICKWHEEL, missing);
        results.add("early", TICKWHEEL, early);
        long twice = delivered.values().stream().filter(each -> each.size() > 1).count();
        results.add("more than once", TICKWHEEL, Math.toIntExact(twice));
        results.addPercentiles("late between restarts", TICKWHEEL, calm, MILLISECONDS, 50, 99, 99.9, 100);
        results.addPercentiles("late during restarts", TICKWHEEL, restarting, MILLISECONDS, 50, 99, 99.9, 100);
    }
}
