package io.tickwheel.structure;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * The classes of all modules but the programs, as the build has made them, or, where one of them is missing or older than its source, compiled
 * here and now: first all main code at once, then all tests. A class counts for the module in whose folder its source lies, whatever its
 * package says.
 */
final class CompiledTree {

    private static final CompiledTree TREE = new CompiledTree();

    private final Path folder =
            SourceTree.root().resolve("structure").resolve("target").resolve("tree");
    private final Path main = folder.resolve("main");
    private final Path tests = folder.resolve("test");
    private final Map<String, Module> owners = new HashMap<>();
    private final JavaClasses mainClasses;
    private final JavaClasses testClasses;

    private CompiledTree() {
        String libraries = System.getProperty("java.class.path");
        clear();
        fill("main", "classes", main, libraries);
        fill("test", "test-classes", tests, main + File.pathSeparator + libraries);
        mainClasses = new ClassFileImporter().importPath(main);
        testClasses = new ClassFileImporter().importPath(tests);
    }

    /** Returns the folder with the compiled main code of all modules. */
    static Path mainFolder() {
        return TREE.main;
    }

    static JavaClasses main() {
        return TREE.mainClasses;
    }

    static JavaClasses main(Module module) {
        return TREE.mainClasses.that(new Owned(module));
    }

    static JavaClasses tests() {
        return TREE.testClasses;
    }

    static JavaClasses tests(Module module) {
        return TREE.testClasses.that(new Owned(module));
    }

    /** Returns the module in which a class was written, by its name or that of a class nested in it. */
    static Module owner(String className) {
        String top = className.split("\\$", 2)[0];
        Module owner = TREE.owners.get(top);
        if (owner == null) {
            throw new IllegalArgumentException(className + " is in no file of its own name");
        }
        return owner;
    }

    private void clear() {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void fill(String kind, String built, Path output, String classPath) {
        List<Path> sources = new ArrayList<>();
        Map<Path, List<Path>> classes = new LinkedHashMap<>();
        for (Module module : Module.compiled()) {
            Path folder = SourceTree.root().resolve(module.folder());
            Path root = folder.resolve("src/" + kind + "/java");
            Path target = folder.resolve("target").resolve(built);
            BuiltClasses.of(root, target).ifPresent(names -> classes.put(target, names));
            for (Path source : SourceTree.sources(root)) {
                String name =
                        root.relativize(source).toString().replace('/', '.').replaceFirst("\\.java$", "");
                if (!name.equals("module-info")) {
                    sources.add(source);
                    owners.put(name, module);
                }
            }
        }
        if (classes.size() == Module.compiled().size()) {
            copy(classes, output);
        } else {
            compile(kind, sources, output, classPath);
        }
    }

    private static void copy(Map<Path, List<Path>> classes, Path output) {
        try {
            for (Map.Entry<Path, List<Path>> module : classes.entrySet()) {
                for (Path name : module.getValue()) {
                    Path to = output.resolve(name);
                    Files.createDirectories(to.getParent());
                    Files.copy(module.getKey().resolve(name), to);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void compile(String kind, List<Path> sources, Path output, String classPath) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter said = new StringWriter();
        List<String> options = List.of(
                "--release",
                "17",
                "-proc:none",
                "-nowarn",
                "-Xlint:none",
                "-g:source,lines",
                "-d",
                output.toString(),
                "-cp",
                classPath);
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
            Files.createDirectories(output);
            if (!compiler.getTask(said, files, null, options, null, files.getJavaFileObjectsFromPaths(sources))
                    .call()) {
                throw new IllegalStateException("The " + kind + " code of the tree does not compile:\n" + said);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static final class Owned extends DescribedPredicate<JavaClass> {
        private final Module module;

        Owned(Module module) {
            super("are of " + module.folder());
            this.module = module;
        }

        @Override
        public boolean test(JavaClass type) {
            return owner(type.getName()).equals(module);
        }
    }
}
