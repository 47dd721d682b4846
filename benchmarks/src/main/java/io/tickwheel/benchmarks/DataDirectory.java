package io.tickwheel.benchmarks;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** Where the programs keep what they measure: it must be on the disk that is meant, not in memory. */
public record DataDirectory(Path root) {

    static DataDirectory of(Options options) throws IOException {
        Path root = Path.of(options.text("data", System.getProperty("tickwheel.benchmarks.data", "benchmark-data")));
        return new DataDirectory(Files.createDirectories(root));
    }

    /** An empty directory of that name. */
    public Path fresh(String name) throws IOException {
        Path directory = root.resolve(name);
        delete(directory);
        return Files.createDirectories(directory);
    }

    public static void delete(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        try (Stream<Path> paths = Files.walk(directory)) {
            paths.sorted(Comparator.reverseOrder()).forEach(DataDirectory::deleteOne);
        }
    }

    /** How large the files in a directory are together; those that go away meanwhile do not count. */
    static long bytes(Path directory) throws IOException {
        try (Stream<Path> paths = Files.walk(directory)) {
            return paths.map(Path::toFile)
                    .filter(File::isFile)
                    .mapToLong(File::length)
                    .sum();
        }
    }

    private static void deleteOne(Path path) {
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
