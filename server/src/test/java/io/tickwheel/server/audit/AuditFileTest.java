package io.tickwheel.server.audit;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When an audit file is full, and what becomes of it then. */
final class AuditFileTest {

    @TempDir
    private Path directory;

    /** Why a file was not turned over, each time; empty when it was. */
    private final List<String> turns = new ArrayList<>();

    private boolean fails;

    private Path file(String name) {
        return directory.resolve(name);
    }

    private AuditFile open(int files) {
        return new AuditFile(config(files), failure -> turns.add(failure == null ? "" : failure.getMessage()));
    }

    private AuditConfig config(int files) {
        return new AuditConfig(file("a"), true, 10, files);
    }

    /** Of which renames to one name fail as long as the test has it so. */
    private AuditFile openWithout(String name, int files) {
        return new AuditFile(
                config(files),
                (from, to) -> {
                    if (fails && to.equals(file(name))) {
                        throw new IOException("no room");
                    }
                    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
                },
                failure -> turns.add(failure == null ? "" : failure.getMessage()));
    }

    private static void write(AuditFile file, String... lines) throws IOException {
        for (String line : lines) {
            file.write(line.getBytes(US_ASCII));
        }
    }

    @Test
    void fileHoldsAsManyBytesAsItMay() throws IOException {
        try (AuditFile file = open(3)) {
            write(file, "1234\n", "678\n", "\n");
            assertThat(file("a")).hasContent("1234\n678\n\n");
            assertThat(file("a.1")).doesNotExist();
            write(file, "next\n");
            assertThat(file("a.1")).hasContent("1234\n678\n\n");
            assertThat(file("a")).hasContent("next\n");
        }
    }

    @Test
    void lineThatIsLongerThanAFileHasOneOfItsOwn() throws IOException {
        try (AuditFile file = open(3)) {
            write(file, "longer than ten\n", "next\n");
            assertThat(file("a.1")).hasContent("longer than ten\n");
            assertThat(file("a")).hasContent("next\n");
        }
    }

    @Test
    void oldestFileIsDropped() throws IOException {
        try (AuditFile file = open(2)) {
            write(file, "1 345678\n", "2 345678\n", "3 345678\n");
        }
        assertThat(Files.readString(file("a"))).isEqualTo("3 345678\n");
        assertThat(Files.readString(file("a.1"))).isEqualTo("2 345678\n");
        assertThat(file("a.2")).doesNotExist();
        try (AuditFile file = open(1)) {
            write(file, "4 345678\n");
        }
        assertThat(Files.readString(file("a"))).isEqualTo("4 345678\n");
    }

    private String all() throws IOException {
        StringBuilder text = new StringBuilder();
        for (String name : List.of("a.3", "a.2", "a.1", "a")) {
            text.append(Files.exists(file(name)) ? Files.readString(file(name)) : "");
        }
        return text.toString();
    }

    @Test
    void fileThatCannotBeTurnedOverGrowsOnAndNoneIsLost() throws IOException {
        try (AuditFile file = openWithout("a.1", 4)) {
            write(file, "1 345678\n", "2 345678\n", "3 345678\n");
            assertThat(file("a.2")).hasContent("1 345678\n");
            fails = true;
            write(file, "4 345678\n", "5 345678\n", "6 345678\n", "7 345678\n");
            assertThat(file("a")).hasContent("3 345678\n4 345678\n5 345678\n6 345678\n7 345678\n");
            assertThat(all()).hasLineCount(7);
            fails = false;
            write(file, "8 345678\n");
        }
        assertThat(file("a")).hasContent("8 345678\n");
        assertThat(all().lines().map(line -> line.substring(0, 1)))
                .containsExactly("1", "2", "3", "4", "5", "6", "7", "8");
        assertThat(turns).containsExactly("", "", "no room", "no room", "no room", "no room", "");
    }

    @Test
    void fileThatCannotMakePlaceKeepsItsNumber() throws IOException {
        try (AuditFile file = openWithout("a.2", 3)) {
            write(file, "1 345678\n", "2 345678\n");
            fails = true;
            write(file, "3 345678\n", "4 345678\n");
            assertThat(file("a.1")).hasContent("1 345678\n");
            assertThat(file("a")).hasContent("2 345678\n3 345678\n4 345678\n");
            fails = false;
            write(file, "5 345678\n");
            assertThat(all()).hasLineCount(5);
        }
    }

    @Test
    void onlyFileBeginsAnew() throws IOException {
        try (AuditFile file = open(1)) {
            write(file, "1 345678\n", "2 345678\n");
            assertThat(file("a")).hasContent("2 345678\n");
            assertThat(turns).containsExactly("");
        }
    }
}
