package io.tickwheel.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Tickwheel;
import io.tickwheel.server.SmallSegments;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Imports of which nothing is taken, and what they say. */
final class RefusedImportTest {

    private static final String LINE =
            "{\"queue\":\"q\",\"timer\":{\"key\":\"k\",\"dueAt\":\"2100-01-01T00:00:00Z\"}}\n";

    @TempDir
    private Path temp;

    private Path write(byte[] bytes) throws IOException {
        return Files.write(temp.resolve("timers.ndjson"), bytes);
    }

    private static byte[] compressed(String text) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return bytes.toByteArray();
    }

    /** Neither where there is no directory, nor in one that is empty. */
    private Ended runAndFindNothing(Path file) throws IOException {
        Ended ended = StoreCommands.run("import", temp.resolve("new/data"), "--from", file);
        assertThat(temp.resolve("new")).doesNotExist();
        Path empty = Files.createDirectories(temp.resolve("empty"));
        assertThat(StoreCommands.run("import", empty, "--from", file)).isEqualTo(ended);
        assertThat(empty).isEmptyDirectory();
        return ended;
    }

    private static String refusal(Path file, String reason) {
        return "tickwheel: cannot import: " + file + ": " + reason + "\n";
    }

    @Test
    void fileThatIsNotThereLeavesNothing() throws IOException {
        Path file = temp.resolve("none");
        assertThat(runAndFindNothing(file)).isEqualTo(new Ended(74, "", refusal(file, "there is no such file")));
    }

    @Test
    void textOfAnotherKindIsNamed() throws IOException {
        Path file = write("\u00e9".getBytes(StandardCharsets.ISO_8859_1));
        assertThat(runAndFindNothing(file)).isEqualTo(new Ended(74, "", refusal(file, "it is not UTF-8")));
    }

    @Test
    void compressedFileIsToldAsOne() throws IOException {
        Path file = write(compressed(LINE));
        String reason = "it seems to be compressed with gzip, must be text in UTF-8";
        assertThat(runAndFindNothing(file)).isEqualTo(new Ended(74, "", refusal(file, reason)));
        assertThat(StoreCommands.run("import", "--server", "http://127.0.0.1:1", "--from", file))
                .isEqualTo(new Ended(74, "", refusal(file, reason)));
    }

    @Test
    void fileInUtf16IsToldAsOne() throws IOException {
        byte[] big = LINE.getBytes(StandardCharsets.UTF_16);
        byte[] little = ("\ufeff" + LINE).getBytes(StandardCharsets.UTF_16LE);
        assertThat(big).startsWith(0xFE, 0xFF);
        assertThat(little).startsWith(0xFF, 0xFE);
        for (byte[] bytes : List.of(big, little)) {
            Path file = write(bytes);
            assertThat(runAndFindNothing(file))
                    .isEqualTo(new Ended(74, "", refusal(file, "it seems to be UTF-16, must be text in UTF-8")));
        }
    }

    @Test
    void standardInputIsCalledSo() throws IOException {
        InputStream before = System.in;
        System.setIn(new ByteArrayInputStream(compressed(LINE)));
        try {
            assertThat(StoreCommands.run("import", temp.resolve("data")).error())
                    .isEqualTo("tickwheel: cannot import: the standard input: it seems to be compressed with gzip,"
                            + " must be text in UTF-8\n");
        } finally {
            System.setIn(before);
        }
        assertThat(temp.resolve("data")).doesNotExist();
    }

    /** Each for another reason, some of which are looked for in the end. */
    @Test
    void linesThatAreAllRefusedLeaveNothing() throws IOException {
        Path file = Files.write(
                temp.resolve("lines.ndjson"),
                List.of(
                        "no JSON",
                        LINE.strip().replace("\"k\"", "\"" + "k".repeat(513) + "\""),
                        LINE.strip().replace("\"q\"", "\"a b\""),
                        LINE.strip().replace("\"dueAt\":\"2100-01-01T00:00:00Z\"", "\"dueAt\":\"never\""),
                        "{\"queue\":\"q\",\"settings\":{\"maxPending\":-1}}",
                        "{\"queue\":\"a b\",\"settings\":{\"maxPending\":5}}"));
        Ended ended = runAndFindNothing(file);
        assertThat(ended.code()).isEqualTo(65);
        assertThat(ended.output())
                .startsWith("scheduled 0, ")
                .contains("refused 6")
                .doesNotContain("set ");
    }

    @Test
    void lineThatIsTakenBehindOneThatIsRefusedMakesTheStore() throws IOException {
        Path file = write(("no JSON\n" + LINE).getBytes(StandardCharsets.UTF_8));
        Path data = temp.resolve("new/data");
        Ended ended = StoreCommands.run("import", data, "--from", file);
        assertThat(ended.code()).isEqualTo(65);
        assertThat(ended.output()).startsWith("scheduled 1, ").contains("refused 1");
        try (Tickwheel timers = Tickwheel.open(SmallSegments.store(data))) {
            assertThat(timers.liveCount()).isEqualTo(1);
        }
    }

    /** An export of a store without timers is imported as such a store. */
    @Test
    void fileWithoutLinesMakesAStore() throws IOException {
        Path data = temp.resolve("data");
        Ended ended = StoreCommands.run("import", data, "--from", write(new byte[0]));
        assertThat(ended.code()).isZero();
        assertThat(ended.output()).startsWith("scheduled 0, ");
        assertThat(StoreCommands.run("verify", data).code()).isZero();
    }
}
