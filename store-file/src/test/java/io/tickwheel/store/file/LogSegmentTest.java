package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.testkit.DiskFault;
import io.tickwheel.testkit.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class LogSegmentTest {

    private final SimulatedDisk disk = new SimulatedDisk(1);
    private final Path file = disk.path("/segment");

    @Test
    void headerNamesTheStoreAndTheFirstLsn() throws IOException {
        try (LogSegment segment = LogSegment.create(file, 7, 4_096)) {
            assertThat(segment.bytes()).isEqualTo(LogSegment.HEADER_BYTES);
        }
        try (SegmentReader reader = new SegmentReader()) {
            reader.open(file);
            assertThat(LogSegment.isHeader(reader, 7, 4_096)).isTrue();
            assertThat(LogSegment.isHeader(reader, 8, 4_096)).isFalse();
            assertThat(LogSegment.isHeader(reader, 7, 4_104)).isFalse();
        }
    }

    @Test
    void damagedOrCutHeaderIsNone() throws IOException {
        LogSegment.create(file, 7, 4_096).close();
        byte[] header = disk.visibleBytes(file);
        for (int i = 0; i < header.length; i++) {
            byte[] damaged = header.clone();
            damaged[i] ^= 4;
            assertThat(LogSegment.isHeader(ByteBuffer.wrap(damaged), 7, 4_096))
                    .as("byte %d", i)
                    .isFalse();
            assertThat(LogSegment.isHeader(ByteBuffer.wrap(Arrays.copyOf(header, i)), 7, 4_096))
                    .as("cut at %d", i)
                    .isFalse();
        }
    }

    @Test
    void segmentThatIsThereIsNotMadeAgain() throws IOException {
        LogSegment.create(file, 7, 0).close();
        assertThatThrownBy(() -> LogSegment.create(file, 7, 0)).isInstanceOf(FileAlreadyExistsException.class);
    }

    @Test
    void segmentThatCannotBeWrittenIsNotLeftOpen() {
        disk.failNext(DiskFault.WRITE_ERROR);
        assertThatThrownBy(() -> LogSegment.create(file, 7, 0)).isInstanceOf(IOException.class);
        assertThat(disk.openChannels()).isEmpty();
    }
}
