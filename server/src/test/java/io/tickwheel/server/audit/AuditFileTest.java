package io.tickwheel.server.audit;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When an audit file is full, and what becomes of it then. */
final class AuditFileTest {

    @TempDir
    private Path directory;

    private Path file(String name) {
        return directory.resolve(name);
    }

    private AuditFile open(int files) {
        return new AuditFile(new AuditConfig(file("a"), true, 10, files));
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
}
