package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.store.StoreCorruptedException;
import io.tickwheel.store.StoreFormatException;
import io.tickwheel.testkit.DiskFault;
import io.tickwheel.testkit.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ManifestTest {

    private final SimulatedDisk disk = new SimulatedDisk(1);
    private final Manifest first = Manifest.first(77);
    private final Manifest second = first.reopened(1, 10, 5, 2);
    private DataDirectory directory;

    @BeforeEach
    void open() throws IOException {
        directory = DataDirectory.open(disk.path("/data"));
    }

    @AfterEach
    void close() throws IOException {
        directory.close();
    }

    private void writeBoth() throws IOException {
        first.write(directory);
        second.write(directory);
    }

    @Test
    void newStoreHasNone() throws IOException {
        assertThat(Manifest.read(directory)).isNull();
    }

    @Test
    void everyFieldIsReadBack() throws IOException {
        Manifest written = new Manifest(1, 2, 3, 4, 5, 6, 7, 8, 9);
        written.write(directory);
        assertThat(Manifest.read(directory)).isEqualTo(written);
    }

    @Test
    void newerOfTheTwoCounts() throws IOException {
        writeBoth();
        assertThat(Manifest.read(directory)).isEqualTo(second);
        Manifest third = second.checkpointed(100, 110, 9, 3);
        third.write(directory);
        assertThat(Manifest.read(directory)).isEqualTo(third);
        assertThat(third.progress()).isEqualTo(third.generation());
    }

    @Test
    void tornSlotFallsBackToTheOneBefore() throws IOException {
        writeBoth();
        byte[] whole = disk.visibleBytes(directory.manifest('B'));
        for (int length = 0; length < whole.length; length++) {
            disk.damage(directory.manifest('B'), Arrays.copyOf(whole, length));
            assertThat(Manifest.read(directory)).as("cut at %d", length).isEqualTo(first);
        }
    }

    @Test
    void logWithoutAManifestIsRefused() throws IOException {
        writeBoth();
        LogSegment.create(directory.segment(0), 77, 0).close();
        disk.truncate(directory.manifest('A'), 3);
        disk.truncate(directory.manifest('B'), 3);
        assertThatThrownBy(() -> Manifest.read(directory))
                .isInstanceOf(StoreCorruptedException.class)
                .hasMessageContaining("MANIFEST-A");
    }

    @Test
    void otherFormatIsRefusedAlsoWhenTheSlotBeforeIsReadable() throws IOException {
        writeBoth();
        ByteBuffer other = ByteBuffer.wrap(disk.visibleBytes(directory.manifest('B')))
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(8, Manifest.FORMAT + 1);
        CRC32C crc = new CRC32C();
        crc.update(other.array(), 0, 80);
        other.putInt(80, (int) crc.getValue());
        disk.damage(directory.manifest('B'), other.array());
        assertThatThrownBy(() -> Manifest.read(directory))
                .isInstanceOf(StoreFormatException.class)
                .hasMessage("MANIFEST-B has format 3, this version reads format 2");
    }

    @Test
    void slotThatCannotBeReadIsNotTakenForMissing() throws IOException {
        writeBoth();
        for (int operation = 0; operation < 4; operation++) {
            disk.failAfter(operation, DiskFault.READ_ERROR);
            assertThatThrownBy(() -> Manifest.read(directory)).isInstanceOf(IOException.class);
        }
    }
}
