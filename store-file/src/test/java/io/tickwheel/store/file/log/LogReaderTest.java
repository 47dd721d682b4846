package io.tickwheel.store.file.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.TimerState;
import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.file.disk.Manifest;
import io.tickwheel.store.file.disk.SegmentName;
import io.tickwheel.store.file.record.EndRecord;
import io.tickwheel.store.file.record.History;
import io.tickwheel.store.file.record.OutcomeRecord;
import io.tickwheel.store.file.record.TimerRecord;
import io.tickwheel.store.testkit.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Which end of a log is torn off and which is damage, byte by byte: each frame here has {@value #FRAME_BYTES} bytes and one record,
 * whose seq is the number of the frame.
 */
final class LogReaderTest {

    private static final long STORE_ID = 77;
    private static final int EPOCH = 3;
    private static final int FRAME_BYTES = Frame.ALIGNMENT;

    /** A frame that is not there, or not whole. */
    private static final int NOTHING = -1;

    private final SimulatedDisk disk = new SimulatedDisk(1);
    private final List<Long> seqs = new ArrayList<>();
    private final List<LogReader.Damage> damages = new ArrayList<>();
    private final List<String> whole = new ArrayList<>();
    private long checkpointLsn;
    private long syncedLsn;
    private DataDirectory directory;

    @BeforeEach
    void open() throws IOException {
        directory = DataDirectory.open(disk.path("/data"));
    }

    @AfterEach
    void close() throws IOException {
        directory.close();
    }

    private static SegmentName name(int firstFrame) {
        return new SegmentName(lsn(firstFrame), EPOCH);
    }

    private static long lsn(int frame) {
        return (long) frame * FRAME_BYTES;
    }

    private static int offset(int frame) {
        return LogSegment.HEADER_BYTES + frame * FRAME_BYTES;
    }

    private static ByteBuffer frame(SegmentName segment, int number, long durableLsn) {
        return frame(segment, segment.epoch(), number, durableLsn);
    }

    private static ByteBuffer frame(SegmentName segment, int epoch, int number, long durableLsn) {
        FrameBuffer frame = new FrameBuffer();
        EndRecord record = new EndRecord(number, TimerState.COMPLETED, 1, History.NONE);
        record.write(frame.record(record.length()));
        return frame.seal(epoch, lsn(number), durableLsn, LogSegment.identity(STORE_ID, segment));
    }

    /**
     * A segment of that many frames from one on, none of which says that anything was synced before.
     *
     * @param before the first frame of the segment before
     */
    private Path segment(int before, int firstFrame, int frames) throws IOException {
        SegmentName name = name(firstFrame);
        Path file = directory.segment(name);
        try (LogSegment segment = LogSegment.create(file, STORE_ID, name, before == NOTHING ? null : name(before))) {
            for (int frame = firstFrame; frame < firstFrame + frames; frame++) {
                segment.write(frame(name, frame, 0));
            }
        }
        return file;
    }

    /** Puts a frame at its place into the segment that begins with the first. */
    private void put(int number, long durableLsn) throws IOException {
        try (var channel = Files.newByteChannel(directory.segment(name(1)), StandardOpenOption.WRITE)) {
            channel.position(offset(number - 1)).write(frame(name(1), number, durableLsn));
        }
    }

    private void damageFrame(Path file, int place) {
        disk.flipBit(file, 8L * (offset(place) + Frame.HEADER_BYTES + 3));
    }

    private Manifest manifest() {
        return new Manifest(3, EPOCH, ((long) EPOCH << 32) + 2, STORE_ID, checkpointLsn, syncedLsn, 99, 1, 0, 0, false);
    }

    private LogReader.Tail read() throws IOException {
        try (SegmentReader segment = new SegmentReader()) {
            return new LogReader(directory, manifest(), segment, new Seen(), damages::add).read();
        }
    }

    private final class Seen implements LogReader.Sink {

        @Override
        public void accept(TimerRecord record, ByteBuffer bytes, int offset, int length) {
            throw new AssertionError(record);
        }

        @Override
        public void accept(EndRecord end) {
            seqs.add(end.seq());
        }

        @Override
        public void accept(OutcomeRecord outcome) {
            throw new AssertionError(outcome);
        }

        @Override
        public void segment(SegmentName name, SegmentReader file, long soundBytes) {
            whole.add(name.baseLsn() / FRAME_BYTES + ":" + soundBytes);
        }
    }

    private LogReader.Damage damage() {
        assertThat(damages).hasSize(1);
        return damages.get(0);
    }

    private void assertDamaged(Path file, int place, int fromFrame, int toFrame) {
        LogReader.Damage damage = damage();
        assertThat(damage.file()).isEqualTo(file);
        assertThat(damage.offset()).isEqualTo(offset(place));
        assertThat(damage.fromLsn()).isEqualTo(lsn(fromFrame));
        assertThat(damage.toLsn()).isEqualTo(lsn(toFrame));
    }

    @Test
    void segmentsAreReadInTheirOrder() throws IOException {
        checkpointLsn = lsn(1);
        segment(NOTHING, 1, 3);
        segment(1, 4, 2);
        segment(4, 6, 1);
        LogReader.Tail tail = read();
        assertThat(seqs).containsExactly(1L, 2L, 3L, 4L, 5L, 6L);
        assertThat(tail.chain()).containsExactly(name(1), name(4), name(6));
        assertThat(tail.endLsn()).isEqualTo(lsn(7));
        assertThat(damages).isEmpty();
        assertThat(whole).containsExactly("1:" + offset(3), "4:" + offset(2), "6:" + offset(1));
    }

    @Test
    void nothingBeforeTheCheckpointIsRead() throws IOException {
        segment(NOTHING, 1, 3);
        segment(1, 4, 3);
        checkpointLsn = lsn(5);
        assertThat(read().chain()).containsExactly(name(4));
        assertThat(seqs).containsExactly(5L, 6L);
        seqs.clear();
        checkpointLsn = lsn(4);
        assertThat(read().chain()).containsExactly(name(4));
        assertThat(seqs).containsExactly(4L, 5L, 6L);
        seqs.clear();
        checkpointLsn = lsn(3);
        assertThat(read().chain()).containsExactly(name(1), name(4));
        assertThat(seqs).containsExactly(3L, 4L, 5L, 6L);
        assertThat(damages).isEmpty();
    }

    @Test
    void checkpointAtTheVeryEndLeavesNothingToRead() throws IOException {
        segment(NOTHING, 1, 3);
        checkpointLsn = lsn(4);
        syncedLsn = lsn(4);
        assertThat(read().endLsn()).isEqualTo(lsn(4));
        assertThat(seqs).isEmpty();
        assertThat(damages).isEmpty();
        assertThat(whole).containsExactly("1:" + offset(3));
    }

    @Test
    void lastFrameIsTornWhenNothingProvesThatItWasSynced() throws IOException {
        checkpointLsn = lsn(1);
        Path file = segment(NOTHING, 1, 3);
        damageFrame(file, 2);
        syncedLsn = lsn(3);
        assertThat(read().endLsn()).isEqualTo(lsn(3));
        assertThat(seqs).containsExactly(1L, 2L);
        assertThat(damages).isEmpty();
        assertThat(whole).containsExactly("1:" + offset(2));
    }

    @Test
    void manifestProvesOneByteMore() throws IOException {
        checkpointLsn = lsn(1);
        Path file = segment(NOTHING, 1, 3);
        damageFrame(file, 2);
        syncedLsn = lsn(4);
        assertThat(read().endLsn()).isEqualTo(lsn(3));
        assertDamaged(file, 2, 3, 4);
        assertThat(damage().what())
                .isEqualTo("the log was synced up to " + lsn(4) + " and can be read up to " + lsn(3));
        assertThat(whole).isEmpty();
    }

    @Test
    void frameBehindATornOneIsTornTooWhenNothingWasSyncedBetweenThem() throws IOException {
        checkpointLsn = lsn(1);
        Path file = segment(NOTHING, 1, 2);
        put(3, 0);
        put(4, lsn(3));
        damageFrame(file, 2);
        assertThat(read().endLsn()).isEqualTo(lsn(3));
        assertThat(seqs).containsExactly(1L, 2L);
        assertThat(damages).isEmpty();
    }

    @Test
    void frameBehindADamagedOneProvesThatItWasSyncedAndIsReadToo() throws IOException {
        checkpointLsn = lsn(1);
        Path file = segment(NOTHING, 1, 2);
        put(3, 0);
        put(4, lsn(4));
        put(5, lsn(4));
        damageFrame(file, 2);
        assertThat(read().endLsn()).isEqualTo(lsn(6));
        assertThat(seqs).containsExactly(1L, 2L, 4L, 5L);
        assertDamaged(file, 2, 3, 4);
        assertThat(damage().what())
                .isEqualTo("other frames prove that the log was synced up to " + lsn(4) + ", it ends at " + lsn(3));
        assertThat(whole).isEmpty();
    }

    @Test
    void eachDamagedPlaceIsToldAndAllBetweenThemIsRead() throws IOException {
        checkpointLsn = lsn(1);
        Path file = segment(NOTHING, 1, 7);
        syncedLsn = lsn(8);
        damageFrame(file, 0);
        damageFrame(file, 3);
        damageFrame(file, 4);
        assertThat(read().endLsn()).isEqualTo(lsn(8));
        assertThat(seqs).containsExactly(2L, 3L, 6L, 7L);
        assertThat(damages).extracting(LogReader.Damage::fromLsn).containsExactly(lsn(1), lsn(4));
        assertThat(damages).extracting(LogReader.Damage::toLsn).containsExactly(lsn(2), lsn(6));
    }

    @Test
    void frameOfWhichMoreWasSyncedThanIsBeforeItIsNoPartOfTheLog() throws IOException {
        checkpointLsn = lsn(1);
        segment(NOTHING, 1, 2);
        put(3, lsn(3));
        assertThat(read().endLsn()).isEqualTo(lsn(4));
        assertThat(damages).isEmpty();
        put(3, lsn(3) + 1);
        assertThat(read().endLsn()).isEqualTo(lsn(3));
        assertThat(damage().toLsn()).isEqualTo(lsn(3) + 1);
    }

    /** In format 2 each owner goes on in the segment of the one before, over what was torn there. */
    @Test
    void frameOfAnOwnerBeforeIsNoPartOfTheLogBehindThoseOfALaterOne() throws IOException {
        SegmentName name = new SegmentName(lsn(1), 0);
        int[] epochs = {2, 2, 5, 3};
        try (LogSegment segment = LogSegment.create(directory.segment(name), STORE_ID, name, null)) {
            for (int i = 0; i < epochs.length; i++) {
                segment.write(frame(name, epochs[i], i + 1, 0));
            }
        }
        Manifest manifest = new Manifest(2, 5, 7, STORE_ID, lsn(1), 0, 99, 1, 0, 0, false);
        try (SegmentReader segment = new SegmentReader()) {
            LogReader.Tail tail = new LogReader(directory, manifest, segment, new Seen(), damages::add).read();
            assertThat(tail.endLsn()).isEqualTo(lsn(4));
        }
        assertThat(seqs).containsExactly(1L, 2L, 3L);
        assertThat(damages).isEmpty();
    }

    @Test
    void segmentBeforeTheLastMustBeReadUpToWhereTheNextOneBegins() throws IOException {
        checkpointLsn = lsn(1);
        Path file = segment(NOTHING, 1, 3);
        segment(1, 4, 1);
        damageFrame(file, 2);
        assertThat(read().endLsn()).isEqualTo(lsn(5));
        assertThat(seqs).containsExactly(1L, 2L, 4L);
        assertDamaged(file, 2, 3, 4);
        assertThat(whole).containsExactly("4:" + offset(1));
    }

    @Test
    void restOfASegmentBeforeTheLastIsReadBehindItsDamage() throws IOException {
        checkpointLsn = lsn(1);
        Path file = segment(NOTHING, 1, 4);
        segment(1, 5, 1);
        damageFrame(file, 1);
        read();
        assertThat(seqs).containsExactly(1L, 3L, 4L, 5L);
        assertDamaged(file, 1, 2, 3);
    }

    @Test
    void segmentThatGoesOnBehindTheBeginOfTheNextOneIsDamaged() throws IOException {
        checkpointLsn = lsn(1);
        Path file = segment(NOTHING, 1, 4);
        segment(1, 4, 1);
        assertThat(read().endLsn()).isEqualTo(lsn(5));
        assertThat(damage().file()).isEqualTo(file);
        assertThat(damage().offset()).isEqualTo(offset(4));
    }

    @Test
    void framesOfASegmentBeforeProveWhatTheLastOneLacks() throws IOException {
        checkpointLsn = lsn(1);
        segment(NOTHING, 1, 2);
        put(3, lsn(6));
        Path last = segment(1, 3, 2);
        assertThat(read().endLsn()).isEqualTo(lsn(5));
        assertDamaged(last, 2, 5, 6);
    }

    @Test
    void headerThatIsDamagedIsToldAndTheFramesAreReadAllTheSame() throws IOException {
        checkpointLsn = lsn(1);
        Path file = segment(NOTHING, 1, 2);
        Path last = segment(1, 3, 2);
        disk.flipBit(file, 8 * 20);
        disk.flipBit(last, 8 * 20);
        read();
        assertThat(seqs).containsExactly(1L, 2L, 3L, 4L);
        assertThat(damages).extracting(LogReader.Damage::file).contains(file, last);
        assertThat(damages).extracting(LogReader.Damage::what).contains("the header of the segment is damaged");
        assertThat(whole).isEmpty();
    }

    @Test
    void segmentThatIsMissingIsToldWithWhatItHeld() throws IOException {
        checkpointLsn = lsn(1);
        segment(NOTHING, 1, 2);
        Path missing = segment(1, 3, 2);
        segment(3, 5, 1);
        Files.delete(missing);
        read();
        assertThat(seqs).containsExactly(1L, 2L, 5L);
        assertThat(damages).anySatisfy(damage -> {
            assertThat(damage.file()).isEqualTo(missing);
            assertThat(damage.fromLsn()).isEqualTo(lsn(3));
            assertThat(damage.toLsn()).isEqualTo(lsn(5));
        });
    }

    @Test
    void logThatBeginsBehindTheCheckpointHasLostItsBegin() throws IOException {
        checkpointLsn = lsn(1);
        segment(NOTHING, 3, 2);
        read();
        assertThat(damage().what()).isEqualTo("the log begins at " + lsn(3) + ", must begin at or before " + lsn(1));
        assertThat(damage().fromLsn()).isEqualTo(lsn(1));
        assertThat(damage().toLsn()).isEqualTo(lsn(3));
    }

    @Test
    void logThatIsGoneIsMissedFromTheCheckpointOn() throws IOException {
        checkpointLsn = lsn(2);
        syncedLsn = lsn(6);
        assertThat(read()).isNull();
        assertThat(damage().fromLsn()).isEqualTo(lsn(2));
        assertThat(damage().toLsn()).isEqualTo(lsn(6));
    }

    @Test
    void recordThatCannotBeReadTakesTheRestOfItsFrame() throws IOException {
        checkpointLsn = lsn(1);
        SegmentName name = name(1);
        Path file = directory.segment(name);
        try (LogSegment segment = LogSegment.create(file, STORE_ID, name, null)) {
            FrameBuffer frame = new FrameBuffer();
            EndRecord sound = new EndRecord(5, TimerState.COMPLETED, 1, History.NONE);
            sound.write(frame.record(sound.length()));
            frame.record(1).put((byte) 99);
            sound.write(frame.record(sound.length()));
            segment.write(frame.seal(EPOCH, lsn(1), 0, LogSegment.identity(STORE_ID, name)));
            segment.write(frame(name, 2, 0));
        }
        assertThat(read().endLsn()).isEqualTo(lsn(3));
        assertThat(seqs).containsExactly(5L, 2L);
        int behindTheFirst = Frame.HEADER_BYTES + Integer.BYTES + EndRecord.FIXED_BYTES;
        LogReader.Damage damage = damage();
        assertThat(damage.what()).isEqualTo("a record cannot be read: unknown type 99");
        assertThat(damage.offset()).isEqualTo(LogSegment.HEADER_BYTES + behindTheFirst);
        assertThat(damage.fromLsn()).isEqualTo(lsn(1) + behindTheFirst);
        assertThat(damage.toLsn()).isEqualTo(lsn(2));
    }

    /** Nothing proves that something was there, nor that nothing was. */
    @Test
    void whatTheDiskCannotReadAtTheEndIsDamageAndNotTorn() throws IOException {
        checkpointLsn = lsn(1);
        Path file = segment(NOTHING, 1, 20);
        disk.spoil(file, 8_192, offset(20));
        directory = directory.pastBadSectors();
        read();
        assertThat(seqs).hasSize(15);
        LogReader.Damage damage = damage();
        assertThat(damage.what())
                .isEqualTo("the disk cannot read bytes 8192 to " + offset(20) + ", where the log may go on, it ends at "
                        + lsn(16));
        assertThat(damage.offset()).isEqualTo(8_192);
        assertThat(damage.fromLsn()).isEqualTo(lsn(16));
        assertThat(damage.toLsn()).isEqualTo(lsn(21));
        assertThat(whole).isEmpty();
    }

    @Test
    void framesBehindWhatTheDiskCannotReadAreRead() throws IOException {
        checkpointLsn = lsn(1);
        Path file = segment(NOTHING, 1, 40);
        disk.spoil(file, 8_192, 12_288);
        directory = directory.pastBadSectors();
        read();
        assertThat(seqs).hasSize(32).contains(15L, 24L, 40L).doesNotContain(16L, 23L);
        assertThat(damages).singleElement().satisfies(damage -> {
            assertThat(damage.fromLsn()).isEqualTo(lsn(16));
            assertThat(damage.toLsn()).isEqualTo(lsn(24));
        });
    }

    private long segmentsBeforeTheCopy(long mostBytes) throws IOException {
        try (SegmentReader segment = new SegmentReader()) {
            LogReader.Tail tail = new LogReader(directory, manifest(), segment, new Seen(), damages::add).read();
            TailCopy.Written written =
                    new TailCopy(directory, STORE_ID, tail, checkpointLsn, EPOCH + 1, segment).write(mostBytes);
            try (LogSegment copy = written.segment()) {
                Path file = directory.segment(copy.name());
                assertThat(disk.durableBytes(file))
                        .as("synced")
                        .isEqualTo(disk.visibleBytes(file))
                        .hasSize((int) (LogSegment.HEADER_BYTES
                                + tail.endLsn()
                                - copy.name().baseLsn()));
                segment.open(directory, copy.name());
                List<SegmentName> before = written.before();
                assertThat(before).isEqualTo(tail.chain().subList(0, before.size()));
                assertThat(LogSegment.header(segment, STORE_ID, copy.name()))
                        .isEqualTo(new LogSegment.Header(before.isEmpty() ? null : before.get(before.size() - 1)));
                for (long lsn = copy.name().baseLsn(); lsn < tail.endLsn(); lsn += FRAME_BYTES) {
                    long offset = LogSegment.HEADER_BYTES + lsn - copy.name().baseLsn();
                    Frame.Header frame = segment.frame(offset, LogSegment.identity(STORE_ID, copy.name()));
                    assertThat(frame).isEqualTo(new Frame.Header(EPOCH + 1, lsn, 0, FRAME_BYTES, 1));
                }
                Files.delete(file);
            }
            return written.before().size();
        }
    }

    @Test
    void nextOwnerCopiesTheSegmentsAtTheEndThatFitIntoOne() throws IOException {
        checkpointLsn = lsn(2);
        segment(NOTHING, 1, 3);
        segment(1, 4, 2);
        segment(4, 6, 1);
        assertThat(segmentsBeforeTheCopy(0)).as("before the copy").isEqualTo(2);
        assertThat(segmentsBeforeTheCopy(offset(3) - 1)).isEqualTo(2);
        assertThat(segmentsBeforeTheCopy(offset(3))).isEqualTo(1);
        assertThat(segmentsBeforeTheCopy(offset(5) - 1)).isEqualTo(1);
        assertThat(segmentsBeforeTheCopy(offset(5)))
                .as("from the checkpoint on")
                .isZero();
        assertThat(damages).isEmpty();
    }
}
