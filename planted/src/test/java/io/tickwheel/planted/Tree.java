package io.tickwheel.planted;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** The sources and classes of all modules, as the build has left them, and copies of single files with something wrong in them. */
final class Tree {

    /** Where tests look for what a module has. Those of this module run in its folder. */
    static final Path ROOT = Path.of("").toAbsolutePath().getParent();

    private static final List<String> TESTED = List.of(
            "wheel",
            "wheel-netty",
            "store",
            "recurrence",
            "engine",
            "testkit",
            "micrometer",
            "engine-tests",
            "store-file",
            "store-redis",
            "targets/message",
            "opentelemetry",
            "targets/kafka",
            "targets/redis-streams",
            "targets/rabbitmq",
            "targets/rocketmq",
            "server");

    private static final Path RESOURCES = Path.of("src", "main", "resources");

    private Tree() {}

    /** The classes of all modules, and of their tests. */
    static String classPath() {
        List<String> parts = new ArrayList<>();
        for (String module : TESTED) {
            parts.add(testClasses(module).toString());
        }
        parts.add(System.getProperty("java.class.path"));
        return String.join(File.pathSeparator, parts);
    }

    static String source(Path file) throws IOException {
        return Files.readString(ROOT.resolve(file));
    }

    /** Whether a module has a test by this name: a class, or {@code class#method}. */
    static boolean hasTest(String name) {
        int method = name.indexOf('#');
        String type = method < 0 ? name : name.substring(0, method);
        String file = type.replace('.', '/') + ".class";
        return TESTED.stream()
                .anyMatch(module -> Files.exists(testClasses(module).resolve(file)));
    }

    private static Path testClasses(String module) {
        return ROOT.resolve(module).resolve("target/test-classes");
    }

    /** Puts a bug into a copy of its file; returns a folder that belongs before all others on the class path. */
    static Path plant(PlantedBug bug, Path folder) throws IOException {
        Path file = ROOT.resolve(bug.file());
        String source = bug.plantInto(source(bug.file()));
        Path module = ROOT.resolve(module(bug.file()));
        if (!bug.isJava()) {
            write(folder.resolve(module.resolve(RESOURCES).relativize(file).toString()), source);
            return folder;
        }
        Path copy = folder.resolveSibling(folder.getFileName() + "-source")
                .resolve(module.resolve("src/main/java").relativize(file).toString());
        write(copy, source);
        compile(bug.name(), copy, Files.createDirectories(folder));
        return folder;
    }

    /** The folder of the module of a file: the first one, or the first two where several modules lie in one folder. */
    private static Path module(Path file) {
        return Files.exists(ROOT.resolve(file.getName(0)).resolve("pom.xml")) ? file.getName(0) : file.subpath(0, 2);
    }

    private static void write(Path path, String text) throws IOException {
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }

    private static void compile(String name, Path source, Path classes) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            StringWriter messages = new StringWriter();
            boolean isCompiled = compiler.getTask(
                            messages,
                            files,
                            null,
                            List.of("-proc:none", "-nowarn", "-cp", classPath(), "-d", classes.toString()),
                            null,
                            files.getJavaFileObjects(source))
                    .call();
            if (!isCompiled) {
                throw new IllegalStateException("planted bug " + name + " does not compile:\n" + messages);
            }
        }
    }
}
