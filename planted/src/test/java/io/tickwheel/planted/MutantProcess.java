package io.tickwheel.planted;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** A process that runs tests on one set of resources after another. It is a new one now and then, as tests that fail leave things. */
final class MutantProcess implements AutoCloseable {

    private static final int RUNS = 100;

    private final Path folder;
    private Process process;
    private BufferedWriter orders;
    private BufferedReader answers;
    private int runs;

    /** @param folder what it works in; what it says is beside it */
    MutantProcess(Path folder) throws IOException {
        this.folder = Files.createDirectories(folder);
    }

    /** Runs tests until the first of them fails, or for so long; {@code first} comes before all other classes and resources. */
    TestProcess.End run(Path first, List<String> tests, Duration patience) throws IOException {
        if (process == null || runs == RUNS) {
            close();
            start();
        }
        runs++;
        orders.write(patience.toSeconds() + " " + first + " " + String.join(" ", tests) + "\n");
        orders.flush();
        String answer = answers.readLine();
        for (TestProcess.End end : TestProcess.End.values()) {
            if (end.name().equals(answer)) {
                if (end == TestProcess.End.HUNG) {
                    close();
                }
                return end;
            }
        }
        throw new IllegalStateException(
                "the tests " + tests + " ended with " + answer + ", see " + TestProcess.said(folder));
    }

    private void start() throws IOException {
        List<String> product = places().filter(MutantProcess::isProduct).toList();
        List<String> others =
                places().filter(place -> !product.contains(place)).distinct().toList();
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-ea",
                "-Xmx1g",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Dtickwheel.redis.seeds=60",
                "-cp",
                String.join(File.pathSeparator, others),
                MutantMain.class.getName()));
        command.addAll(product);
        process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectError(ProcessBuilder.Redirect.appendTo(
                        TestProcess.said(folder).toFile()))
                .start();
        orders = process.outputWriter(StandardCharsets.UTF_8);
        answers = process.inputReader(StandardCharsets.UTF_8);
        runs = 0;
    }

    private static Stream<String> places() {
        return Arrays.stream(Tree.classPath().split(File.pathSeparator, -1));
    }

    /** What reads the scripts, and all that is made of it. Servers and libraries are not. */
    private static boolean isProduct(String place) {
        Path path = Path.of(place);
        return path.startsWith(Tree.ROOT)
                && !path.startsWith(Tree.ROOT.resolve("planted"))
                && !path.startsWith(Tree.ROOT.resolve("redis-testkit"));
    }

    /** Ends the process, and the servers that it has started. */
    @Override
    public void close() {
        if (process != null) {
            process.destroyForcibly();
            process = null;
        }
    }
}
