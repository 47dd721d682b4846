package io.tickwheel.store.file.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.store.StoreCorruptedException;
import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.testkit.SimulatedDisk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The list of a backup, as it is written and as others may have written it. */
class BackupListTest {

    private static final String SOUND =
            "tickwheel-backup 1 4096\n0000002a 7 MANIFEST-A\nfffffff9 123 a file/of two words\n";

    private final SimulatedDisk disk = new SimulatedDisk(1);
    private final Path copy = disk.path("/copy");

    @BeforeEach
    void makeDirectory() throws IOException {
        Files.createDirectory(copy);
    }

    /** Puts lines there as a list, behind them their checksum. */
    private void put(String lines) throws IOException {
        CRC32C crc = new CRC32C();
        crc.update(lines.getBytes(StandardCharsets.UTF_8));
        Files.writeString(copy.resolve(DataDirectory.BACKUP), lines + String.format("%08x\n", crc.getValue()));
    }

    @Test
    void listIsReadAsItIsWritten() throws IOException {
        BackupList list = new BackupList(
                4_096,
                new TreeMap<>(Map.of(
                        "MANIFEST-A",
                        new BackupList.Entry(42, 7),
                        "a file/of two words",
                        new BackupList.Entry(-7, 123))));
        list.write(copy);
        assertThat(BackupList.read(copy)).isEqualTo(list);
        assertThat(Files.readString(copy.resolve(DataDirectory.BACKUP))).startsWith(SOUND);
        put(SOUND);
        assertThat(BackupList.read(copy)).isEqualTo(list);
    }

    @Test
    void listOfAnotherVersionIsRefused() throws IOException {
        for (String lines : new String[] {
            SOUND.replace("tickwheel-backup 1 ", "tickwheel-backup 2 "), SOUND.replace("tickwheel-backup 1 ", ""), ""
        }) {
            put(lines);
            assertThatThrownBy(() -> BackupList.read(copy))
                    .as(lines)
                    .isInstanceOf(StoreCorruptedException.class)
                    .hasMessageContaining("the list of the backup is damaged");
        }
    }
}
