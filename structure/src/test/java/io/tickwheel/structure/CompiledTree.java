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
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * The sources of all modules but the programs, compiled here and now, before any module is built: first all main code at once, then
 * all tests. A class counts for the module in whose folder its source lies, whatever its package says.
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
        compile("main", main, libraries);
        compile("test", tests, main + File.pathSeparator + libraries);
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

    private void compile(String kind, Path output, String classPath) {
        List<Path> sources = new ArrayList<>();
        for (Module module : Module.compiled()) {
            Path root = SourceTree.root().resolve(module.folder()).resolve("src/" + kind + "/java");
            for (Path source : SourceTree.sources(root)) {
                String name =
                        root.relativize(source).toString().replace('/', '.').replaceFirst("\\.java$", "");
                if (!name.equals("module-info")) {
                    sources.add(source);
                    owners.put(name, module);
                }
            }
        }
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
