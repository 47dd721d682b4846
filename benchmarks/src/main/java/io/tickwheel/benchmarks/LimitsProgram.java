package io.tickwheel.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Nodes on one Redis, each in a process of its own, start the timers of one queue whose rate is set: how many start in each second over all of them. The program
 * fails when that is not within a tenth of the rate in each full second behind the first, or when more attempts ran at once than may.
 *
 * @param concurrency how many attempts may run at once, over all nodes; 0 for any number
 * @param lastsMs how long each attempt runs
 */
record LimitsProgram(int nodes, int rate, int seconds, int concurrency, int lastsMs, String jvmOptions)
        implements LoadProgram {

    static final String READY = "ready";

    private static final double TENTH = 0.1;
    private static final long MS_A_SECOND = 1_000;

    /** Timers that are due beyond those that can start: work must wait to the end. */
    private static final int MORE_SECONDS = 5;

    static LimitsProgram of(Options options) {
        RedisUnderTest.useServer(options);
        return new LimitsProgram(
                options.number("nodes", 3),
                options.number("rate", 1_000),
                options.number("seconds", 20),
                options.number("concurrency", 0),
                options.number("lasts-ms", 0),
                options.text("jvm-options", "-Xmx256m"));
    }

    /** When an attempt began and ended, on the clock of this machine. */
    private record Run(long fromMs, long toMs) {}

    @Override
    public void run(DataDirectory data) throws Exception {
        System.out.printf(
                "%,d nodes on one Redis, each in a JVM of its own (%s), with timers of one queue that are all due; %,d a second may start%s.%n%n",
                nodes,
                jvmOptions,
                rate,
                concurrency == 0 ? "" : ", " + concurrency + " may run, " + lastsMs + " ms each");
        Path directory = data.fresh("limits");
        List<List<Run>> runs = new ArrayList<>();
        try (RedisUnderTest redis = RedisUnderTest.single()) {
            System.out.println(redis.describe());
            List<Process> children = new ArrayList<>();
            try {
                for (int i = 0; i < nodes; i++) {
                    Process child = start(redis, directory.resolve("node-" + i), i);
                    children.add(child);
                    awaitReady(child);
                }
                // Only now may they begin: the first would start what the others are to have.
                for (Process child : children) {
                    child.outputWriter(UTF_8).write("go\n");
                    child.outputWriter(UTF_8).flush();
                }
                Thread.sleep(MS_A_SECOND * (seconds + 2));
                for (Process child : children) {
                    child.outputWriter(UTF_8).close();
                }
                for (Process child : children) {
                    if (child.waitFor() != 0) {
                        throw new IOException("a node has failed with exit code " + child.exitValue());
                    }
                }
            } finally {
                children.forEach(Process::destroyForcibly);
            }
        }
        for (int i = 0; i < nodes; i++) {
            runs.add(read(directory.resolve("node-" + i)));
        }
        DataDirectory.delete(directory);
        report(runs);
    }

    private Process start(RedisUnderTest redis, Path file, int index) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(jvmOptions.strip().split(" +", -1)));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), LimitsChild.class.getName()));
        command.addAll(List.of("--redis", redis.uri(), "--name", "node-" + index, "--file", file.toString()));
        command.addAll(List.of("--rate", Integer.toString(rate), "--concurrency", Integer.toString(concurrency)));
        command.addAll(List.of("--lasts-ms", Integer.toString(lastsMs)));
        command.addAll(List.of("--timers", Integer.toString(rate * (seconds + MORE_SECONDS) / nodes)));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static void awaitReady(Process child) throws IOException {
        BufferedReader lines = child.inputReader(UTF_8);
        String line = lines.readLine();
        if (!READY.equals(line)) {
            throw new IOException("a node said " + line);
        }
    }

    private static List<Run> read(Path file) throws IOException {
        return Files.readAllLines(file, UTF_8).stream()
                .map(line -> line.split("\t", -1))
                .map(words -> new Run(Long.parseLong(words[0]), Long.parseLong(words[1])))
                .toList();
    }

    private void report(List<List<Run>> runs) {
        long firstMs = runs.stream()
                .flatMap(List::stream)
                .mapToLong(Run::fromMs)
                .min()
                .orElseThrow(() -> new IllegalStateException("nothing has started"));
        boolean isWithin = true;
        System.out.println("second   starts   of each node");
        for (int second = 1; second <= seconds; second++) {
            long fromMs = firstMs + second * MS_A_SECOND;
            List<Long> ofNodes = runs.stream()
                    .map(each -> each.stream()
                            .filter(run -> run.fromMs >= fromMs && run.fromMs < fromMs + MS_A_SECOND)
                            .count())
                    .toList();
            long starts = ofNodes.stream().mapToLong(Long::longValue).sum();
            isWithin &= starts <= rate * (1 + TENTH) && (concurrency > 0 || starts >= rate * (1 - TENTH));
            System.out.printf("%6d   %6d   %s%n", second, starts, ofNodes);
        }
        int most = mostAtOnce(runs);
        System.out.println("at most " + most + " ran at once");
        if (!isWithin) {
            throw new IllegalStateException("the starts of a second are not within a tenth of the rate");
        }
        if (concurrency > 0 && most > concurrency) {
            throw new IllegalStateException(most + " ran at once, at most " + concurrency + " may");
        }
    }

    /** An attempt that ends in the millisecond in which another one begins has ended before. */
    private static int mostAtOnce(List<List<Run>> runs) {
        List<long[]> events = new ArrayList<>();
        runs.stream().flatMap(List::stream).forEach(run -> {
            events.add(new long[] {run.fromMs, 1});
            events.add(new long[] {run.toMs, -1});
        });
        events.sort((a, b) -> a[0] == b[0] ? Long.compare(a[1], b[1]) : Long.compare(a[0], b[0]));
        int running = 0;
        int most = 0;
        for (long[] event : events) {
            running += (int) event[1];
            most = Math.max(most, running);
        }
        return most;
    }
}
