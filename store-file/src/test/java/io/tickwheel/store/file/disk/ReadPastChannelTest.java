package io.tickwheel.store.file.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.store.testkit.DiskFault;
import io.tickwheel.store.testkit.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.NonWritableChannelException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A file of three pages and a bit, of which the disk cannot read all. */
class ReadPastChannelTest {

    private static final int PAGE = BadSectors.PAGE_BYTES;
    private static final int BYTES = 3 * PAGE + 100;

    private final SimulatedDisk disk = new SimulatedDisk(1);
    private final Path file = disk.path("/file");
    private final DataDirectory directory = DataDirectory.view(disk.root());
    private final DataDirectory past = directory.pastBadSectors();

    @BeforeEach
    void writeFile() throws IOException {
        Files.write(file, content());
    }

    private static byte[] content() {
        byte[] content = new byte[BYTES];
        for (int i = 0; i < BYTES; i++) {
            content[i] = (byte) (i % 251 + 1);
        }
        return content;
    }

    private static byte[] zeroed(int from, int to) {
        byte[] content = content();
        Arrays.fill(content, from, to, (byte) 0);
        return content;
    }

    private byte[] read(DataDirectory from, int offset, int length) throws IOException {
        try (FileChannel channel = from.openFile(file)) {
            ByteBuffer read = DurableFiles.read(channel, offset, length);
            byte[] bytes = new byte[read.remaining()];
            read.get(bytes);
            return bytes;
        }
    }

    @Test
    void zerosStandForThePagesThatCannotBeReadOnly() throws IOException {
        disk.spoil(file, PAGE, PAGE + 10);
        disk.spoil(file, BYTES - 5, BYTES);
        byte[] seen = zeroed(PAGE, 2 * PAGE);
        Arrays.fill(seen, BYTES - 5, BYTES, (byte) 0);
        assertThat(read(past, 0, BYTES + 7)).isEqualTo(seen);
        assertThat(past.badSectors())
                .containsExactly(new BadPart(file, PAGE, 2 * PAGE), new BadPart(file, 3 * PAGE, BYTES));
    }

    @Test
    void pagesSideBySideAreOnePart() throws IOException {
        disk.spoil(file, PAGE, 3 * PAGE);
        assertThat(read(past, 0, BYTES)).isEqualTo(zeroed(PAGE, 3 * PAGE));
        assertThat(past.badSectors()).containsExactly(new BadPart(file, PAGE, 3 * PAGE));
        assertThat(past.badSectors().get(0).text()).isEqualTo("the disk cannot read bytes 4096 to 12288");
    }

    @Test
    void readWithinABadPageGivesAsMuchAsIsWanted() throws IOException {
        disk.spoil(file, PAGE, 2 * PAGE);
        byte[] seen = zeroed(PAGE, 2 * PAGE);
        assertThat(read(past, PAGE + 50, 100)).isEqualTo(Arrays.copyOfRange(seen, PAGE + 50, PAGE + 150));
        assertThat(read(past, 2 * PAGE - 3, 10)).isEqualTo(Arrays.copyOfRange(seen, 2 * PAGE - 3, 2 * PAGE + 7));
        assertThat(read(past, PAGE - 3, 10)).isEqualTo(Arrays.copyOfRange(seen, PAGE - 3, PAGE + 7));
    }

    @Test
    void readThatFailsOnceIsTriedAgain() throws IOException {
        try (FileChannel channel = past.openFile(file)) {
            disk.failNext(DiskFault.READ_ERROR);
            assertThat(DurableFiles.read(channel, 0, BYTES).array()).isEqualTo(content());
        }
        assertThat(past.badSectors()).isEmpty();
    }

    /** Otherwise what was checked and what is copied afterwards could be two things. */
    @Test
    void pageThatWasBadStaysBadUntilSomebodyLooksAnew() throws IOException {
        disk.spoil(file, PAGE, 2 * PAGE);
        assertThat(read(past, 0, BYTES)).isEqualTo(zeroed(PAGE, 2 * PAGE));
        Files.write(file, content());
        assertThat(read(past, 0, BYTES)).isEqualTo(zeroed(PAGE, 2 * PAGE));
        assertThat(read(past.pastBadSectors(), 0, BYTES)).isEqualTo(content());
    }

    @Test
    void directoryThatIsNotReadPastThemFails() {
        disk.spoil(file, PAGE, 2 * PAGE);
        assertThatIOException().isThrownBy(() -> read(directory, 0, BYTES));
        assertThat(directory.badSectors()).isEmpty();
    }

    @Test
    void closedChannelIsNotTakenForABadSector() throws IOException {
        FileChannel channel = past.openFile(file);
        channel.close();
        assertThat(disk.openChannels()).isEmpty();
        assertThatThrownBy(() -> channel.read(ByteBuffer.allocate(10), 0)).isInstanceOf(ClosedChannelException.class);
        assertThat(past.badSectors()).isEmpty();
    }

    @Test
    void nothingCanBeWritten() throws IOException {
        try (FileChannel channel = past.openFile(file)) {
            assertThatThrownBy(() -> channel.write(ByteBuffer.allocate(1), 0))
                    .isInstanceOf(NonWritableChannelException.class);
            assertThatThrownBy(() -> channel.read(ByteBuffer.allocate(1)))
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining("/file is open to be read at given positions only");
        }
    }
}
