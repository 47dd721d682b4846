package io.tickwheel.structure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** What the build has made of a folder of sources already. */
final class BuiltClasses {

    private BuiltClasses() {}

    /**
     * Returns the files of all classes, by their paths in {@code classes}, without the descriptor of a module; nothing if these are not the
     * classes of the sources as they are now: one is missing, is older than its source, or has no source of its name.
     */
    static Optional<List<Path>> of(Path sources, Path classes) {
        Set<Path> missing = new HashSet<>();
        for (Path source : SourceTree.sources(sources)) {
            if (!source.endsWith("module-info.java") && !source.endsWith("package-info.java")) {
                missing.add(classFile(sources.relativize(source)));
            }
        }
        List<Path> found = new ArrayList<>();
        for (Path file : classFiles(classes)) {
            Path name = classes.relativize(file);
            if (!name.endsWith("module-info.class")) {
                Path source = sources.resolve(sourceFile(name));
                if (!Files.exists(source) || changed(file).compareTo(changed(source)) < 0) {
                    return Optional.empty();
                }
                missing.remove(name);
                found.add(name);
            }
        }
        return missing.isEmpty() ? Optional.of(found) : Optional.empty();
    }

    private static Path classFile(Path source) {
        String name = source.getFileName().toString();
        return source.resolveSibling(name.substring(0, name.length() - ".java".length()) + ".class");
    }

    private static Path sourceFile(Path classFile) {
        String name = classFile.getFileName().toString();
        return classFile.resolveSibling(name.split("[$.]", 2)[0] + ".java");
    }

    private static List<Path> classFiles(Path folder) {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".class")).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static FileTime changed(Path file) {
        try {
            return Files.getLastModifiedTime(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
