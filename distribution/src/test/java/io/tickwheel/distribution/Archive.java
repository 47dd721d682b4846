package io.tickwheel.distribution;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The archive that the build has made, unpacked as its users unpack it. */
record Archive(Path root) {

    private static final int MINUTES = 2;

    /** What a program has printed, on both streams, and what it ended with. */
    record Ended(int code, String printed) {}

    /** Unpacks it into a folder, which has nothing of this source tree above it. */
    static Archive unpack(Path folder) throws IOException {
        Path packed = Path.of(System.getProperty("tickwheel.archive"));
        Ended tar = run(folder, "tar", "-xzf", packed.toString());
        if (tar.code() != 0) {
            throw new AssertionError(tar);
        }
        try (Stream<Path> top = Files.list(folder)) {
            List<Path> all = top.filter(Files::isDirectory).toList();
            if (all.size() != 1) {
                throw new AssertionError("an archive unpacks to one folder, this one to " + all);
            }
            return new Archive(all.get(0));
        }
    }

    Path file(String name) {
        return root.resolve(name);
    }

    /** The names of the files in a folder of it. */
    List<String> names(String folder) throws IOException {
        try (Stream<Path> files = Files.list(file(folder))) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    /** Runs {@code bin/tickwheel} to its end. */
    Ended tickwheel(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(file("bin/tickwheel").toString()));
        command.addAll(List.of(arguments));
        return run(root, command.toArray(String[]::new));
    }

    /** Whether a program is on the path of this machine. */
    static boolean has(String program) throws IOException {
        return run(Path.of("."), "sh", "-c", "command -v " + program).code() == 0;
    }

    static Ended run(Path folder, String... command) throws IOException {
        Path printed = Files.createTempFile("tickwheel", ".txt");
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(printed.toFile())
                .start();
        try {
            if (!process.waitFor(MINUTES, TimeUnit.MINUTES)) {
                throw new AssertionError("it does not end: " + String.join(" ", command));
            }
            return new Ended(process.exitValue(), Files.readString(printed, StandardCharsets.UTF_8));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        } finally {
            process.destroyForcibly();
            Files.delete(printed);
        }
    }
}
