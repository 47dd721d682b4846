package io.tickwheel.structure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** The checked-out tree that the rules read. */
final class SourceTree {
    /** Folders with nothing that we wrote. */
    private static final Set<String> SKIPPED =
            Set.of(".git", ".idea", ".vscode", ".settings", "vendor", "node_modules", "tickwheel-data");

    private static final Pattern SOURCE = Pattern.compile(".*\\.java");
    private static final Pattern MODULE = Pattern.compile("<module>([^<]+)</module>");

    private SourceTree() {}

    static Path root() {
        Path folder = Path.of(System.getProperty("basedir", "")).toAbsolutePath();
        while (!Files.isDirectory(folder.resolve(".mvn"))) {
            folder = folder.getParent();
            if (folder == null) {
                throw new IllegalStateException("No folder above the working directory has a .mvn folder");
            }
        }
        return folder;
    }

    /** The folders of the modules that the root builds. */
    static List<String> modules() {
        return MODULE.matcher(read(root().resolve("pom.xml")))
                .results()
                .map(match -> match.group(1))
                .toList();
    }

    static List<Path> files(Pattern name) {
        return files(root(), name);
    }

    /** Returns the Java files in {@code folder}, none if there is no such folder. */
    static List<Path> sources(Path folder) {
        return Files.isDirectory(folder) ? files(folder, SOURCE) : List.of();
    }

    private static List<Path> files(Path top, Pattern name) {
        List<Path> found = new ArrayList<>();
        try {
            Files.walkFileTree(top, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                    return SKIPPED.contains(folder.getFileName().toString()) || isOutput(folder)
                            ? FileVisitResult.SKIP_SUBTREE
                            : FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                    if (name.matcher(file.getFileName().toString()).matches()) {
                        found.add(file);
                    }
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return found;
    }

    /** Asks whether the build made what is in a folder; a package may be called target, too. */
    private static boolean isOutput(Path folder) {
        return folder.endsWith("target") && Files.exists(folder.resolveSibling("pom.xml"));
    }

    static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read " + file, e);
        }
    }
}
