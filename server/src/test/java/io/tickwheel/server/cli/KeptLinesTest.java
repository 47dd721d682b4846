package io.tickwheel.server.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tickwheel.store.OnConflict;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Lines that an import keeps for its end come back as they were, and nothing is left of them. */
final class KeptLinesTest {

    /** In no file but the one of this test. */
    private final String mark = UUID.randomUUID().toString();

    @Test
    void linesComeBackInTheirOrderFromAFileThatHasNoName() throws IOException {
        List<String> lines = new ArrayList<>();
        try (KeptLines plans = new KeptLines()) {
            plans.add(3, "shop", null, bytes("{\"key\":\"" + mark + "\t\u00fc\"}"));
            plans.add(7, "bills", OnConflict.KEEP, bytes("{}"));
            plans.forEach((number, queue, own, timer) ->
                    lines.add(number + " " + queue + " " + own + " " + new String(timer, StandardCharsets.UTF_8)));
            // A process that is ended here leaves nothing: payloads and secrets are in it.
            assertThat(files()).isEmpty();
            List<String> again = new ArrayList<>();
            plans.forEach((number, queue, own, timer) -> again.add(queue));
            assertThat(again).containsExactly("shop", "bills");
        }
        assertThat(lines).containsExactly("3 shop null {\"key\":\"" + mark + "\t\u00fc\"}", "7 bills KEEP {}");
        assertThat(files()).isEmpty();
    }

    /** It would fill the disk for good. */
    @Test
    void fileOnAFullDiskGoesToo(@TempDir Path folder) throws IOException {
        Path full = Path.of("/dev/full");
        assumeTrue(Files.exists(full), "there is no device that is full");
        Path file = folder.resolve("kept");
        KeptLines plans = new KeptLines(() -> Files.createSymbolicLink(file, full));
        plans.add(3, "shop", null, bytes("{}"));
        assertThatThrownBy(plans::close).isInstanceOf(IOException.class);
        assertThat(Files.exists(file, LinkOption.NOFOLLOW_LINKS)).isFalse();
    }

    @Test
    void withoutLinesThereIsNoFile() throws IOException {
        try (KeptLines plans = new KeptLines()) {
            plans.forEach((number, queue, own, timer) -> {
                throw new AssertionError("a line that nobody has added: " + number);
            });
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private List<Path> files() throws IOException {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> all =
                Files.newDirectoryStream(Path.of(System.getProperty("java.io.tmpdir")), "tickwheel-import*")) {
            for (Path file : all) {
                if (hasMark(file)) {
                    found.add(file);
                }
            }
        }
        return found;
    }

    private boolean hasMark(Path file) throws IOException {
        try {
            return Files.readString(file).contains(mark);
        } catch (NoSuchFileException e) {
            // It was of an import that has ended meanwhile.
            return false;
        }
    }
}
