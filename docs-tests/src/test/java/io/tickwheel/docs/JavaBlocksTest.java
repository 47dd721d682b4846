package io.tickwheel.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.tools.JavaFileObject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Java blocks compile, with what {@link Given} has; those of {@code java run} are programs, and print what the next block of {@code text printed} says. Code
 * for libraries that the build does not have is {@code java other}, and is only parsed.
 */
final class JavaBlocksTest {

    @TempDir
    Path folder;

    @Test
    void everyBlockCompiles() throws IOException {
        List<JavaFileObject> sources = blocks("").stream().map(Snippets::source).toList();
        List<JavaFileObject> members =
                blocks("members").stream().map(Snippets::source).toList();
        List<JavaFileObject> all = new ArrayList<>(sources);
        all.addAll(members);

        assertThat(all).hasSizeGreaterThan(9);
        assertThat(Snippets.compile(all, folder)).isEmpty();
    }

    @Test
    void codeOfOthersParses() throws IOException {
        for (Block block : blocks("other")) {
            assertThat(Snippets.parse(block)).as(block.where()).isEmpty();
        }
    }

    @Test
    void nonsenseDoesNotPass() throws IOException {
        Block wrongName = new Block("a.md", 1, List.of("java"), "timers.scheduleOnce(\"queue\", \"key\");\n");
        Block noJava = new Block("a.md", 2, List.of("java", "other"), "timers schedule;;(\n");

        assertThat(Snippets.compile(List.of(Snippets.source(wrongName)), folder))
                .singleElement()
                .asString()
                .contains("a.md:1")
                .contains("scheduleOnce");
        assertThat(Snippets.parse(noJava)).isNotEmpty();
    }

    /** The programs of a page run in one folder, in their order: a later one finds what an earlier one has left. */
    @Test
    void programsPrintWhatThePagesSay() throws IOException, InterruptedException {
        Map<String, Path> folders = new LinkedHashMap<>();
        List<Block> blocks = Page.allBlocks();
        for (int i = 0; i < blocks.size(); i++) {
            Block block = blocks.get(i);
            if (!block.is("java", "run")) {
                continue;
            }
            Path classes = folder.resolve("classes" + i);
            assertThat(Snippets.compile(List.of(Snippets.file(block)), classes)).isEmpty();
            Path work = folder.resolve("work-" + block.page().replaceAll("\\W", "-"));
            folders.putIfAbsent(block.page(), Files.createDirectories(work));
            Block printed = blocks.get(i + 1);
            assertThat(printed.form()).as("the block behind %s", block.where()).isEqualTo("printed");
            assertThat(run(Snippets.typeOf(block), classes, work))
                    .as(block.where())
                    .isEqualTo(printed.text());
        }
        assertThat(folders).isNotEmpty();
    }

    private String run(String type, Path classes, Path work) throws IOException, InterruptedException {
        Path printed = folder.resolve(type + ".txt");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        classes + File.pathSeparator + System.getProperty("java.class.path"),
                        type)
                .directory(work.toFile())
                .redirectError(folder.resolve(type + ".err").toFile()) // where a JVM has its warnings
                .redirectOutput(printed.toFile())
                .start();
        try {
            assertThat(process.waitFor(60, TimeUnit.SECONDS))
                    .as("%s ends", type)
                    .isTrue();
        } finally {
            process.destroyForcibly();
        }
        return Files.readString(printed);
    }

    private static List<Block> blocks(String form) throws IOException {
        return Page.allBlocks().stream().filter(block -> block.is("java", form)).toList();
    }
}
