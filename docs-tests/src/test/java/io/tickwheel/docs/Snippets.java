package io.tickwheel.docs;

import com.sun.source.util.JavacTask;
import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Makes classes of Java blocks, and has them compiled together. */
final class Snippets {

    private static final Pattern IMPORT = Pattern.compile("(?m)^import (?:static )?[\\w.*]+;\\n");
    private static final Pattern TYPE =
            Pattern.compile("(?m)^(?:public |final |abstract )*(?:class|interface|record|enum) (\\w+)");

    /** What readers are spared: their editor adds these. An import of the block goes over them. */
    private static final String IMPORTS = """
            import io.netty.util.*;
            import io.netty.util.Timer;
            import io.tickwheel.engine.*;
            import io.tickwheel.engine.Clock;
            import io.tickwheel.micrometer.*;
            import io.tickwheel.opentelemetry.*;
            import io.tickwheel.recurrence.*;
            import io.tickwheel.store.*;
            import io.tickwheel.store.file.*;
            import io.tickwheel.store.redis.*;
            import io.tickwheel.testkit.*;
            import io.tickwheel.wheel.*;
            import io.tickwheel.wheel.Timeout;
            import io.tickwheel.wheel.netty.*;
            import java.io.*;
            import java.net.*;
            import java.nio.charset.*;
            import java.nio.file.Path;
            import java.time.*;
            import java.util.*;
            import java.util.concurrent.*;
            """;

    private Snippets() {}

    /** Returns a class of the package {@code page} that has the block in it. */
    static JavaFileObject source(Block block) {
        String imports = IMPORT.matcher(block.text())
                .results()
                .map(match -> match.group())
                .collect(Collectors.joining());
        String code = IMPORT.matcher(block.text()).replaceAll("");
        String name = "B" + block.where().replaceAll("\\W", "_");
        boolean members = block.info().contains("members") || TYPE.matcher(code).find();
        String body = members ? code : "void block() throws Exception {\n" + code + "}\n";
        return source(
                name,
                "package page;\n" + spared(imports) + imports + "abstract class " + name
                        + " extends io.tickwheel.docs.Given" + implemented(block) + " {\n"
                        + body + "}\n",
                block.where());
    }

    /** Returns a file as a reader would write it: the block, and nothing else. */
    static JavaFileObject file(Block block) {
        return source(typeOf(block), block.text(), block.where());
    }

    /** Returns the name of the only type at the top of a block. */
    static String typeOf(Block block) {
        Matcher type = TYPE.matcher(block.text());
        if (!type.find()) {
            throw new IllegalArgumentException(block.where() + " declares no type");
        }
        return type.group(1);
    }

    /** Compiles with all warnings that users see by default, and returns what the compiler says. */
    static List<String> compile(List<JavaFileObject> sources, Path classes) throws IOException {
        Files.createDirectories(classes);
        DiagnosticCollector<JavaFileObject> said = new DiagnosticCollector<>();
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(said, Locale.ROOT, null)) {
            List<String> options = List.of(
                    "-d",
                    classes.toString(),
                    "-cp",
                    System.getProperty("java.class.path"),
                    "-proc:none",
                    "--release",
                    "17",
                    "-Xlint:deprecation,unchecked");
            compiler.getTask(new StringWriter(), files, said, options, null, sources)
                    .call();
        }
        return messages(said);
    }

    /** Reads a block as Java without asking what its names mean, and returns what is wrong with it. */
    static List<String> parse(Block block) throws IOException {
        DiagnosticCollector<JavaFileObject> said = new DiagnosticCollector<>();
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(said, Locale.ROOT, null)) {
            JavacTask task = (JavacTask) compiler.getTask(
                    new StringWriter(), files, said, List.of("-proc:none"), null, List.of(source(block)));
            task.parse();
        }
        return messages(said);
    }

    /** Members say behind the word of what type they are. */
    private static String implemented(Block block) {
        int members = block.info().indexOf("members");
        return members < 0 || members == block.info().size() - 1
                ? ""
                : " implements " + block.info().get(members + 1);
    }

    private static String spared(String imports) {
        List<String> given = IMPORT.matcher(imports)
                .results()
                .map(match -> simpleName(match.group()))
                .toList();
        return IMPORTS.lines()
                .filter(line -> line.endsWith("*;") || !given.contains(simpleName(line)))
                .collect(Collectors.joining("\n", "", "\n"));
    }

    private static String simpleName(String line) {
        return line.strip().replaceAll(".*\\.|;", "");
    }

    private static List<String> messages(DiagnosticCollector<JavaFileObject> said) {
        return said.getDiagnostics().stream()
                .filter(one -> one.getKind() != Diagnostic.Kind.NOTE)
                .map(one -> (one.getSource() == null ? "" : ((Source) one.getSource()).where + ": ")
                        + one.getMessage(Locale.ROOT))
                .toList();
    }

    private static JavaFileObject source(String name, String text, String where) {
        return new Source(name, text, where);
    }

    private static final class Source extends SimpleJavaFileObject {

        private final String text;
        private final String where;

        Source(String name, String text, String where) {
            super(URI.create("string:///" + name + ".java"), Kind.SOURCE);
            this.text = text;
            this.where = where;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }
}
