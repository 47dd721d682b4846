package io.tickwheel.store.file.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.OnConflict;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.StoreContext;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.file.disk.FileStoreOptions;
import io.tickwheel.store.file.log.OpenStore;
import io.tickwheel.store.file.log.SpareSegments;
import io.tickwheel.store.file.record.EndRecord;
import io.tickwheel.store.file.record.FinishedRecord;
import io.tickwheel.store.file.record.History;
import io.tickwheel.store.file.record.TimerRecord;
import io.tickwheel.store.file.recovery.Replay;
import io.tickwheel.store.file.run.RunFormat;
import io.tickwheel.store.file.run.WrittenRuns;
import io.tickwheel.store.file.table.Run;
import io.tickwheel.store.file.timers.TimerTables;
import io.tickwheel.store.testkit.DiskFault;
import io.tickwheel.store.testkit.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When schedules are refused for want of room, to the byte, and when it is looked again, to the nanosecond. */
final class DiskRoomTest {

    private static final long SECOND = 1_000_000_000L;
    private static final int MIB = 1 << 20;

    /** Two segments for the log, one for each of two spares that are missing, and one as a margin. */
    private static final long RESERVE_BYTES = 5 * MIB;

    private final SimulatedDisk disk = new SimulatedDisk(1);
    private final ArrayDeque<Runnable> background = new ArrayDeque<>();
    private long nowNanos = Long.MAX_VALUE - SECOND;
    private long lsn = 512;
    private DataDirectory directory;
    private SpareSegments spares;
    private TimerTables tables;
    private DiskRoom room;

    @BeforeEach
    void openDirectory() throws IOException {
        directory = DataDirectory.open(disk.path("/data"));
    }

    @AfterEach
    void close() throws IOException {
        tables.close();
        directory.close();
    }

    private void open(int segmentBytes) {
        spares = new SpareSegments(directory, 1, background::addLast, () -> {}, segmentBytes);
        tables = TimerTables.toLookAt(1, 1, 10);
        room = roomNow(segmentBytes);
    }

    private DiskRoom roomNow(int segmentBytes) {
        StoreContext context =
                new StoreContext(Runnable::run, background::addLast, () -> {}, () -> 1, () -> nowNanos, nanos -> {});
        FileStoreOptions options = FileStoreOptions.in(disk.path("/data")).withSegmentBytes(segmentBytes);
        return new DiskRoom(new OpenStore(context, options, directory, null, null, 1, spares), tables, lsn);
    }

    private void openWith(long usableBytes) {
        leave(usableBytes);
        open(MIB);
    }

    private void leave(long bytes) {
        disk.capacityBytes(disk.usedBytes() + bytes);
    }

    private int runBackground() {
        int tasks = 0;
        for (Runnable task = background.poll(); task != null; task = background.poll()) {
            task.run();
            tasks++;
        }
        return tasks;
    }

    /** A second passes, in which it is looked once, and what was seen is taken note of. */
    private void look() {
        nowNanos += SECOND;
        room.work(lsn);
        assertThat(runBackground()).isEqualTo(1);
        room.work(lsn);
    }

    @Test
    void scheduleIsRefusedFromTheFirstByteThatIsLackingOn() {
        openWith(RESERVE_BYTES);
        assertThat(room.isFull()).isFalse();
        leave(RESERVE_BYTES - 1);
        look();
        assertThat(room.isFull()).isTrue();
        assertThat(room.refusal())
                .hasMessage("no timer is taken for want of room: " + (RESERVE_BYTES - 1)
                        + " bytes are left on the disk, " + RESERVE_BYTES + " are kept for the timers that there are");
    }

    @Test
    void schedulesAreTakenAgainWithAQuarterMore() {
        openWith(RESERVE_BYTES - 1);
        assertThat(room.isFull()).isTrue();
        leave(RESERVE_BYTES + RESERVE_BYTES / 4 - 1);
        look();
        assertThat(room.isFull()).isTrue();
        leave(RESERVE_BYTES + RESERVE_BYTES / 4);
        look();
        assertThat(room.isFull()).isFalse();
    }

    @Test
    void marginOfLargeSegmentsIs16MiB() {
        leave((4 * 64 + 16L) * MIB);
        open(64 * MIB);
        assertThat(room.isFull()).isFalse();
        leave((4 * 64 + 16L) * MIB - 1);
        look();
        assertThat(room.isFull()).isTrue();
    }

    @Test
    void spareThatIsThereNeedsNoSegmentMore() {
        leave(100L * MIB);
        open(MIB);
        spares.tryAgain();
        assertThat(runBackground()).isEqualTo(1);
        assertThat(spares.missing()).isEqualTo(1);
        leave(RESERVE_BYTES - MIB);
        look();
        assertThat(room.isFull()).isFalse();
        leave(RESERVE_BYTES - MIB - 1);
        look();
        assertThat(room.isFull()).isTrue();
    }

    @Test
    void itIsLookedOnceInASecond() {
        openWith(RESERVE_BYTES);
        nowNanos += SECOND - 1;
        room.work(lsn);
        assertThat(background).isEmpty();
        assertThat(room.isIdle()).isTrue();
        nowNanos++;
        room.work(lsn);
        assertThat(background).hasSize(1);
        assertThat(room.isIdle()).isFalse();
        nowNanos += SECOND;
        room.work(lsn);
        assertThat(background).as("while it is looked").hasSize(1);
        runBackground();
        assertThat(room.isIdle()).isTrue();
    }

    @Test
    void itIsLookedAfterAQuarterOfASegmentButAfter4MiBAtTheLatest() throws IOException {
        for (int[] sizes : new int[][] {{MIB, MIB / 4}, {8 * MIB, 2 * MIB}, {64 * MIB, 4 * MIB}}) {
            lsn = 512;
            open(sizes[0]);
            room.work(lsn + sizes[1] - 1);
            assertThat(background).isEmpty();
            lsn += sizes[1];
            room.work(lsn);
            assertThat(runBackground()).isEqualTo(1);
            room.work(lsn + sizes[1] - 1);
            assertThat(background).as("counted from the last look").isEmpty();
            tables.close();
        }
        open(MIB);
    }

    @Test
    void lookThatWaitsBehindALongWriteCountsTheLogAndAsMuchForARun() {
        openWith(RESERVE_BYTES + 2_000);
        nowNanos += SECOND;
        room.work(lsn);
        room.work(lsn + 1_000);
        assertThat(room.isFull()).isFalse();
        room.work(lsn + 1_001);
        assertThat(room.isFull()).isTrue();
    }

    @Test
    void checkpointThatRanOutWaitsASecondAndThenTwo() {
        openWith(100L * MIB);
        assertThat(room.mayWrite()).isTrue();
        room.ranOut(false);
        assertThat(room.mayWrite()).isFalse();
        assertThat(room.isFull()).as("the log can be trimmed without it").isFalse();
        look();
        assertThat(room.mayWrite()).isTrue();
        room.ranOut(true);
        assertThat(room.isFull()).isTrue();
        room.ranOut(false);
        assertThat(room.isFull()).as("still").isTrue();
        look();
        assertThat(room.mayWrite()).isFalse();
        room.wrote();
        assertThat(room.mayWrite()).isTrue();
        assertThat(room.isFull()).isFalse();
    }

    @Test
    void spareForWhichThereWasNoRoomIsTriedAgainMoreAndMoreSeldom() {
        openWith(100L * MIB);
        disk.failFrom(0, DiskFault.NO_SPACE);
        spares.tryAgain();
        runBackground();
        assertThat(spares.ranOut()).isTrue();
        assertThat(room.isFull()).isTrue();
        assertThat(room.refusal())
                .hasMessageEndingWith(
                        "; a file could not be written all the same, as by a quota, or as there are too many files, or too many open");
        List<Integer> tried = new ArrayList<>();
        for (int second = 1; second <= 20; second++) {
            look();
            if (runBackground() > 0) {
                tried.add(second);
            }
        }
        assertThat(tried).containsExactly(1, 2, 4, 8, 16);
        disk.heal();
        spares.tryAgain();
        runBackground();
        assertThat(room.isFull()).isFalse();
    }

    @Test
    void spareIsMadeWhenThereIsRoomAgain() {
        openWith(MIB);
        spares.tryAgain();
        runBackground();
        assertThat(spares.missing()).isEqualTo(2);
        look();
        assertThat(background).as("still full").isEmpty();
        leave(100L * MIB);
        look();
        assertThat(background).hasSize(1);
        runBackground();
        assertThat(spares.missing()).isEqualTo(1);
        look();
        assertThat(background).as("full no more, as before").isEmpty();
    }

    @Test
    void whatTheTimersTakeInARunIsKeptForThem() {
        openWith(100L * MIB);
        Replay replay = new Replay(tables, 1);
        int recordBytes = 0;
        for (int seq = 1; seq <= 10; seq++) {
            recordBytes = add(replay, seq);
        }
        assertKept(10L * recordBytes + 10L * RunFormat.Entries.CURRENT.entryBytes() + 3 * RunFormat.BLOCK_BYTES);
        for (int seq = 1; seq <= 6; seq++) {
            replay.accept(new EndRecord(seq, TimerState.CANCELLED, 0, History.NONE));
        }
        assertKept(4L * recordBytes + 4L * RunFormat.Entries.CURRENT.entryBytes() + 3 * RunFormat.BLOCK_BYTES);
        tables.freeze();
        int other = add(replay, 11);
        assertKept(4L * recordBytes + other + 5L * RunFormat.Entries.CURRENT.entryBytes() + 6 * RunFormat.BLOCK_BYTES);
    }

    /** Each checkpoint writes it again. */
    @Test
    void whatIsRememberedOfTheFinishedIsKeptForTheProgress() {
        openWith(100L * MIB);
        long bytes = 0;
        for (int id = 1; id <= 3; id++) {
            FinishedRecord finished = new FinishedRecord(
                    TimerState.COMPLETED, id, 1, 0, 0, 1, 0, new byte[] {'q'}, new byte[1_000 * id], History.NONE);
            tables.remember(id, finished);
            bytes += finished.length();
        }
        assertKept(bytes);
    }

    /** A bit for each of its timers. */
    @Test
    void whatHasEndedOfEachRunIsKeptForTheProgress() throws IOException {
        openWith(100L * MIB);
        WrittenRuns runs = new WrittenRuns();
        for (int run = 0; run < 2; run++) {
            tables.add(new Run(runs.open(runs.write(new long[800])), tables.queues));
        }
        assertKept(2 * 100);
    }

    private void assertKept(long bytes) {
        leave(RESERVE_BYTES + bytes);
        assertThat(roomNow(MIB).isFull()).isFalse();
        leave(RESERVE_BYTES + bytes - 1);
        assertThat(roomNow(MIB).isFull()).isTrue();
    }

    /** Returns how long its record is, with its length before it. */
    private static int add(Replay replay, long seq) {
        TimerRecord record = TimerRecord.scheduled(
                seq,
                0,
                1,
                new ScheduleCommand(new TimerKey("q", "k" + seq % 10), 5_000, new byte[1_000], OnConflict.REPLACE, 0),
                "q".getBytes(StandardCharsets.UTF_8),
                ("k" + seq % 10).getBytes(StandardCharsets.UTF_8));
        ByteBuffer bytes = ByteBuffer.allocate(record.length()).order(ByteOrder.LITTLE_ENDIAN);
        record.write(bytes);
        replay.accept(TimerRecord.read(bytes, 0, record.length(), false), bytes, 0, record.length());
        return Integer.BYTES + record.length();
    }
}
