package io.tickwheel.store.file.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.store.file.disk.SegmentName;
import io.tickwheel.store.testkit.DiskFault;
import io.tickwheel.store.testkit.SimulatedDisk;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LogSegmentTest {

    private static final SegmentName BEFORE = new SegmentName(512, 2);

    private final SimulatedDisk disk = new SimulatedDisk(1);
    private final Path file = disk.path("/segment");

    private LogSegment.Header header(long storeId, SegmentName name) throws IOException {
        try (SegmentReader reader = new SegmentReader()) {
            reader.open(file, FileChannel.open(file, StandardOpenOption.READ));
            return LogSegment.header(reader, storeId, name);
        }
    }

    @Test
    void headerNamesTheStoreTheSegmentAndTheOneBefore() throws IOException {
        SegmentName name = new SegmentName(4_096, 3);
        try (LogSegment segment = LogSegment.create(file, 7, name, BEFORE)) {
            assertThat(segment.bytes()).isEqualTo(LogSegment.HEADER_BYTES);
        }
        assertThat(header(7, name)).isEqualTo(new LogSegment.Header(BEFORE));
        assertThat(header(8, name)).isNull();
        assertThat(header(7, new SegmentName(4_104, 3))).isNull();
        assertThat(header(7, new SegmentName(4_096, 4))).isNull();
        assertThat(header(7, new SegmentName(4_096, 0))).isNull();
    }

    @Test
    void firstSegmentAndThoseOfFormat2NameNone() throws IOException {
        LogSegment.create(file, 7, new SegmentName(0, 1), null).close();
        assertThat(header(7, new SegmentName(0, 1))).isEqualTo(new LogSegment.Header(null));
        disk.damage(file, format2Header());
        assertThat(header(7, new SegmentName(4_096, 0))).isEqualTo(new LogSegment.Header(null));
        assertThat(header(7, new SegmentName(4_096, 1))).isNull();
    }

    private byte[] format2Header() throws IOException {
        Path old = disk.path("/old");
        LogSegment.create(old, 7, new SegmentName(4_096, 0), null).close();
        byte[] header = disk.visibleBytes(old);
        assertThat(Arrays.copyOfRange(header, 32, header.length)).containsOnly(0);
        assertThat(header[8]).isEqualTo((byte) 2);
        return header;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 3})
    void damagedOrCutHeaderIsNone(int epoch) throws IOException {
        SegmentName name = new SegmentName(4_096, epoch);
        LogSegment.create(file, 7, name, BEFORE).close();
        assertThat(storeId(name)).isEqualTo(7);
        byte[] header = disk.visibleBytes(file);
        for (int i = 0; i < header.length; i++) {
            byte[] damaged = header.clone();
            damaged[i] ^= 4;
            disk.damage(file, damaged);
            assertThat(header(7, name)).as("byte %d", i).isNull();
            assertThat(storeId(name)).as("byte %d", i).isZero();
            disk.damage(file, Arrays.copyOf(header, i));
            assertThat(header(7, name)).as("cut at %d", i).isNull();
        }
    }

    private long storeId(SegmentName name) throws IOException {
        try (SegmentReader reader = new SegmentReader()) {
            reader.open(file, FileChannel.open(file, StandardOpenOption.READ));
            return LogSegment.storeId(reader, name);
        }
    }

    @Test
    void segmentThatIsThereIsNotMadeAgain() throws IOException {
        SegmentName name = new SegmentName(0, 1);
        LogSegment.create(file, 7, name, null).close();
        assertThatThrownBy(() -> LogSegment.create(file, 7, name, null)).isInstanceOf(FileAlreadyExistsException.class);
    }

    @Test
    void segmentThatCannotBeWrittenIsNotLeftOpen() {
        disk.failNext(DiskFault.WRITE_ERROR);
        assertThatThrownBy(() -> LogSegment.create(file, 7, new SegmentName(0, 1), null))
                .isInstanceOf(IOException.class);
        assertThat(disk.openChannels()).isEmpty();
    }

    @Test
    void namesAreReadBackAndNothingElseIsOne() {
        for (SegmentName name : new SegmentName[] {
            new SegmentName(0, 0), new SegmentName(4_096, 1), new SegmentName(Long.MAX_VALUE, Integer.MAX_VALUE)
        }) {
            assertThat(SegmentName.of(name.fileName())).isEqualTo(name);
        }
        assertThat(new SegmentName(4_096, 11).fileName()).isEqualTo("0000000000001000-0000000b.log");
        assertThat(new SegmentName(4_096, 0).fileName()).isEqualTo("0000000000001000.log");
        for (String other : new String[] {
            "+000000000000000.log",
            "ffffffffffffffff.log",
            "0000000000001000-ffffffff.log",
            "0000000000001000-00000000.log",
            "0000000000001000-b.log",
            "000000000000100A.log",
            "0000000000001000.log.tmp",
            "spare-1"
        }) {
            assertThat(SegmentName.of(other)).as(other).isNull();
        }
    }

    @Test
    void noTwoSegmentsHaveOneIdentity() {
        Set<Long> identities = new HashSet<>();
        int segments = 0;
        for (int epoch = 0; epoch < 64; epoch++) {
            for (long lsn = 0; lsn < 64; lsn++) {
                identities.add(LogSegment.identity(7, new SegmentName(lsn * Frame.ALIGNMENT, epoch)));
                identities.add(LogSegment.identity(7, new SegmentName(lsn << 34, epoch)));
                identities.add(LogSegment.identity(7, new SegmentName(lsn << 34, (1 + epoch) << 24)));
                segments += lsn == 0 ? 2 : 3;
            }
        }
        assertThat(identities).hasSize(segments);
        assertThat(LogSegment.identity(7, new SegmentName(4_096, 0)))
                .as("as in format 2")
                .isEqualTo(7 ^ 4_096);
    }
}
