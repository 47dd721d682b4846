package io.tickwheel.planted;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Tests that run in a process of their own, on classes some of which are others than those of the product. */
final class TestProcess {

    private static final long PATIENCE_SECONDS = 300;
    private static final int LINES_SHOWN = 40;

    private TestProcess() {}

    /** How it ended. */
    enum End {
        PASSED,
        FAILED,
        HUNG
    }

    /**
     * Runs tests until the first of them fails.
     *
     * @param first comes before all other classes and resources
     * @param patienceSeconds how long the tests wait for what must come
     * @param folder what the process works in; what it says is beside it
     */
    static End run(List<Path> first, List<String> tests, int patienceSeconds, Path folder)
            throws IOException, InterruptedException {
        List<String> classPath = new ArrayList<>();
        first.forEach(path -> classPath.add(path.toString()));
        classPath.add(Tree.classPath());
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-ea",
                "-Xmx1g",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Dtickwheel.seeds=300",
                "-Dtickwheel.stride=4",
                "-Dtickwheel.redis.seeds=100",
                "-Djqwik.tries.default=200",
                "-Dtickwheel.patience=" + patienceSeconds,
                "-Djqwik.database=" + folder.resolve("jqwik-database"),
                "-cp",
                String.join(File.pathSeparator, classPath),
                TestMain.class.getName()));
        command.addAll(tests);
        Files.createDirectories(folder);
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(said(folder).toFile())
                .start();
        try {
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                return End.HUNG;
            }
        } finally {
            process.destroyForcibly();
        }
        return switch (process.exitValue()) {
            case TestMain.PASSED -> End.PASSED;
            case TestMain.FAILED -> End.FAILED;
            default ->
                throw new IllegalStateException(
                        "the tests " + tests + " ended with " + process.exitValue() + ":\n" + end(said(folder)));
        };
    }

    /** By its name for {@link TestMain}, the test that failed in the process that worked in a folder, or that it hung in. */
    static String lastTest(Path folder) throws IOException {
        try (Stream<String> lines = Files.lines(said(folder))) {
            return lines.filter(line -> line.startsWith(TestMain.AT))
                    .reduce((earlier, later) -> later)
                    .map(line -> TestMain.ID + line.substring(TestMain.AT.length()))
                    .orElseThrow(() -> new IOException("no test was begun: " + said(folder)));
        }
    }

    private static String end(Path said) throws IOException {
        List<String> lines = Files.readAllLines(said);
        return String.join("\n", lines.subList(Math.max(0, lines.size() - LINES_SHOWN), lines.size()));
    }

    /** What a process said that works in a folder. */
    static Path said(Path folder) {
        return folder.resolveSibling(folder.getFileName() + ".log");
    }
}
