package io.tickwheel.store.file.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.file.disk.SegmentName;
import io.tickwheel.store.testkit.CrashKind;
import io.tickwheel.store.testkit.DiskFault;
import io.tickwheel.store.testkit.SimulatedCrash;
import io.tickwheel.store.testkit.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SpareSegmentsTest {

    private static final int SEGMENT_BYTES = 4_096;

    /** Longer, for what an opening writes beside. */
    private static final int SPARE_BYTES = SEGMENT_BYTES + SEGMENT_BYTES / 8;

    private static final int EPOCH = 4;

    private final SimulatedDisk disk = new SimulatedDisk(1);
    private final ArrayDeque<Runnable> background = new ArrayDeque<>();

    private SpareSegments open(DataDirectory directory) {
        return new SpareSegments(directory, EPOCH, background::addLast, () -> {}, SEGMENT_BYTES);
    }

    private static Path spare(DataDirectory directory, int number) {
        return directory.spare(new DataDirectory.SpareName(EPOCH, number));
    }

    private static SegmentName segment(long lsn) {
        return new SegmentName(lsn, EPOCH);
    }

    private void runBackground() {
        for (Runnable task = background.poll(); task != null; task = background.poll()) {
            task.run();
        }
    }

    private List<String> names(SimulatedDisk on) throws IOException {
        try (Stream<Path> files = Files.list(on.path("/data/commitlog"))) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    private static LogSegment begin(SpareSegments spares, long lsn) throws IOException {
        return spares.begin(7, lsn, segment(0), segment -> {
            segment.write(Frame.empty(EPOCH, lsn, lsn, LogSegment.identity(7, segment(lsn))));
            segment.sync();
        });
    }

    @Test
    void spareIsMadeInTheBackgroundWhenThereIsNone() throws IOException {
        try (DataDirectory directory = DataDirectory.open(disk.path("/data"))) {
            SpareSegments spares = open(directory);
            spares.prepare();
            spares.prepare();
            assertThat(names(disk)).isEmpty();
            assertThat(spares.isIdle()).isFalse();
            assertThat(background).hasSize(1);
            runBackground();
            assertThat(spares.isIdle()).isTrue();
            assertThat(names(disk)).containsExactly("spare-00000004-1");
            assertThat(disk.durableBytes(spare(directory, 1))).hasSize(SPARE_BYTES);
            spares.prepare();
            assertThat(background).isEmpty();
        }
    }

    @Test
    void segmentBeginsInASpareAndElseInAFileThatGrows() throws IOException {
        try (DataDirectory directory = DataDirectory.open(disk.path("/data"))) {
            SpareSegments spares = open(directory);
            spares.prepare();
            runBackground();
            try (LogSegment inSpare = begin(spares, 512);
                    LogSegment growing = begin(spares, 1_024)) {
                assertThat(inSpare.isPreallocated()).isTrue();
                assertThat(growing.isPreallocated()).isFalse();
            }
            assertThat(names(disk)).containsExactly("0000000000000200-00000004.log", "0000000000000400-00000004.log");
            assertThat(disk.durableBytes(directory.segment(segment(512)))).hasSize(SPARE_BYTES);
            assertThat(disk.durableBytes(directory.segment(segment(1_024)))).hasSize(2 * 512);
        }
    }

    @Test
    void segmentThatNoFileCouldBeOpenedForIsBegunLaterInTheSameSpare() throws IOException {
        try (DataDirectory directory = DataDirectory.open(disk.path("/data"))) {
            SpareSegments spares = open(directory);
            spares.prepare();
            runBackground();
            for (int opening = 0; opening < 2; opening++) {
                disk.failAfter(opening, DiskFault.NO_DESCRIPTOR);
                assertThatThrownBy(() -> begin(spares, 512)).isInstanceOf(NoDescriptorException.class);
                assertThat(spares.ranOut()).isTrue();
                assertThat(disk.openChannels()).hasSize(1);
            }
            try (LogSegment begun = begin(spares, 512)) {
                assertThat(begun.isPreallocated()).isTrue();
            }
            assertThat(spares.missing()).isEqualTo(SpareSegments.MOST);
        }
    }

    @Test
    void spareThatSomebodyDeletedIsNotMissed() throws IOException {
        try (DataDirectory directory = DataDirectory.open(disk.path("/data"))) {
            SpareSegments spares = open(directory);
            spares.prepare();
            runBackground();
            Files.delete(spare(directory, 1));
            begin(spares, 512).close();
            assertThat(names(disk)).containsExactly("0000000000000200-00000004.log");
        }
    }

    @Test
    void placeOfASpareThatSomebodyDeletedIsFreeAgain() throws IOException {
        try (DataDirectory directory = DataDirectory.open(disk.path("/data"))) {
            SpareSegments spares = open(directory);
            for (long lsn = 512; lsn <= 512 * (SpareSegments.MOST + 1); lsn += 512) {
                spares.prepare();
                runBackground();
                assertThat(spares.ready()).isEqualTo(1);
                Files.delete(spare(directory, 1));
                begin(spares, lsn).close();
                assertThat(spares.missing()).isEqualTo(SpareSegments.MOST);
            }
        }
    }

    /** It could not be renamed, for want of room or otherwise. */
    @Test
    void placeOfASegmentThatCouldNotBeKeptIsFreeAgain() throws IOException {
        try (DataDirectory directory = DataDirectory.open(disk.path("/data"))) {
            SpareSegments spares = open(directory);
            write(directory, segment(512), SEGMENT_BYTES);
            for (int i = 0; i < SpareSegments.MOST; i++) {
                disk.failNext(DiskFault.METADATA_ERROR);
                assertThatThrownBy(() -> spares.keep(directory.segment(segment(512))))
                        .isInstanceOf(IOException.class);
            }
            assertThat(spares.missing()).isEqualTo(SpareSegments.MOST);
            assertThat(spares.keep(directory.segment(segment(512)))).isTrue();
        }
    }

    @Test
    void spareThatRanOutOfRoomLeavesNothing() throws IOException {
        for (int write = 0; write <= SPARE_BYTES / SEGMENT_BYTES; write++) {
            SimulatedDisk full = new SimulatedDisk(write);
            try (DataDirectory directory = DataDirectory.open(full.path("/data"))) {
                SpareSegments spares = open(directory);
                full.failAfter(write, DiskFault.NO_SPACE);
                spares.prepare();
                runBackground();
                assertThat(names(full)).as("after %d writes", write).isEmpty();
                assertThat(spares.ranOut()).isTrue();
                spares.tryAgain();
                runBackground();
                assertThat(spares.ready()).isEqualTo(1);
            }
        }
    }

    /** Else schedules would be refused from each segment on until its next spare is made. */
    @Test
    void roomThatWasFoundIsFoundWhenTheSpareIsUsed() throws IOException {
        try (DataDirectory directory = DataDirectory.open(disk.path("/data"))) {
            SpareSegments spares = open(directory);
            disk.failNext(DiskFault.NO_SPACE);
            spares.prepare();
            runBackground();
            assertThat(spares.ranOut()).isTrue();
            spares.tryAgain();
            runBackground();
            assertThat(spares.ranOut()).isFalse();
            begin(spares, 512).close();
            assertThat(spares.ready()).isZero();
            assertThat(spares.ranOut()).isFalse();
        }
    }

    @Test
    void sparesOfAnOwnerThatEndedInOrderAreTakenOverUnlessTheyHaveAnotherSize() throws IOException {
        try (DataDirectory directory = DataDirectory.open(disk.path("/data"))) {
            SpareSegments spares = open(directory);
            spares.prepare();
            runBackground();
            Files.write(spare(directory, 2), new byte[SEGMENT_BYTES - 1]);
        }
        try (DataDirectory directory = DataDirectory.open(disk.path("/data"))) {
            SpareSegments spares = new SpareSegments(directory, 9, background::addLast, () -> {}, SEGMENT_BYTES);
            assertThat(spares.ready()).isZero();
            spares.takeOver(EPOCH);
            assertThat(spares.ready()).isEqualTo(1);
            assertThat(names(disk)).containsExactly("spare-00000009-1");
            begin(spares, 512).close();
            assertThat(spares.ready()).isZero();
            Path made = directory.spare(new DataDirectory.SpareName(9, 1));
            Files.write(made, new byte[1]);
            spares.prepare();
            runBackground();
            assertThat(disk.durableBytes(made)).hasSize(SPARE_BYTES);
        }
    }

    @Test
    void sparesOfOthersAreDeletedUnlessTheyCameLater() throws IOException {
        try (DataDirectory directory = DataDirectory.open(disk.path("/data"))) {
            for (String name : List.of("spare-1", "spare-00000002-1", "spare-00000003-2", "spare-00000005-1")) {
                Files.write(directory.commitLog().resolve(name), new byte[SPARE_BYTES]);
            }
            Files.write(directory.commitLog().resolve("spare-3"), new byte[SPARE_BYTES]);
            SpareSegments spares = open(directory);
            spares.takeOver(-1);
            assertThat(spares.ready()).isZero();
            assertThat(names(disk)).containsExactly("spare-00000005-1", "spare-3");
        }
    }

    @Test
    void spareIsGivenUpForItsRoom() throws IOException {
        try (DataDirectory directory = DataDirectory.open(disk.path("/data"))) {
            SpareSegments spares = open(directory);
            assertThat(spares.giveUpOne()).isFalse();
            spares.prepare();
            runBackground();
            assertThat(spares.giveUpOne()).isTrue();
            assertThat(names(disk)).isEmpty();
            assertThat(spares.ready()).isZero();
        }
    }

    @Test
    void segmentsOfTheRightSizeAreKeptAsManyAsAreMissing() throws IOException {
        try (DataDirectory directory = DataDirectory.open(disk.path("/data"))) {
            SpareSegments spares = open(directory);
            List<Boolean> kept = new ArrayList<>();
            for (long lsn : new long[] {0, 4_096, 8_192, 12_288}) {
                write(directory, segment(lsn), lsn == 0 ? 1_024 : SEGMENT_BYTES);
                kept.add(spares.keep(directory.segment(segment(lsn))));
            }
            assertThat(kept).containsExactly(false, true, true, false);
            assertThat(spares.ready()).isEqualTo(2);
            assertThat(names(disk))
                    .containsExactly(
                            "0000000000000000-00000004.log",
                            "0000000000003000-00000004.log",
                            "spare-00000004-1",
                            "spare-00000004-2");
        }
    }

    /** It would take its place on the disk for as long as the store lives. */
    @Test
    void segmentThatOneLargeRecordHasBlownUpIsNotKept() throws IOException {
        try (DataDirectory directory = DataDirectory.open(disk.path("/data"))) {
            SpareSegments spares = open(directory);
            write(directory, segment(0), 2 * SEGMENT_BYTES);
            write(directory, segment(4_096), 2 * SEGMENT_BYTES + 1);
            assertThat(spares.keep(directory.segment(segment(4_096)))).isFalse();
            assertThat(spares.keep(directory.segment(segment(0)))).isTrue();
        }
    }

    private static void write(DataDirectory directory, SegmentName name, int bytes) throws IOException {
        try (LogSegment segment = LogSegment.create(directory.segment(name), 7, name, null)) {
            segment.write(ByteBuffer.allocate(bytes - LogSegment.HEADER_BYTES));
            segment.sync();
        }
    }

    @Test
    void diskWithLittleRoomHasNoSpares() throws IOException {
        try (DataDirectory directory = DataDirectory.open(disk.path("/data"))) {
            disk.capacityBytes(4 * SPARE_BYTES - 1);
            SpareSegments spares = open(directory);
            spares.prepare();
            runBackground();
            assertThat(names(disk)).isEmpty();
            spares.prepare();
            assertThat(background).as("tried again for the same segment").isEmpty();
            disk.capacityBytes(4 * SPARE_BYTES);
            begin(spares, 0).close();
            disk.capacityBytes(8 * SPARE_BYTES);
            spares.prepare();
            runBackground();
            assertThat(spares.ready()).isEqualTo(1);
        }
    }

    /** Without a further segment, for which there may be no room either. */
    @Test
    void spareThatFoundNoRoomIsTriedAgainWhenItIsAskedFor() throws IOException {
        try (DataDirectory directory = DataDirectory.open(disk.path("/data"))) {
            disk.capacityBytes(4 * SPARE_BYTES - 1);
            SpareSegments spares = open(directory);
            spares.prepare();
            runBackground();
            assertThat(spares.ready()).isZero();
            spares.tryAgain();
            runBackground();
            assertThat(spares.ready()).isZero();
            disk.capacityBytes(8 * SPARE_BYTES);
            spares.tryAgain();
            assertThat(background).hasSize(1);
            runBackground();
            assertThat(spares.ready()).isEqualTo(1);
        }
    }

    @Test
    void crashWhileASpareIsMadeLeavesAWholeOneOrNone() throws IOException {
        List<Integer> ready = new ArrayList<>();
        for (CrashKind kind : CrashKind.values()) {
            for (int seed = 0; seed < 20; seed++) {
                for (int operation = 0; operation < 7; operation++) {
                    ready.add(crashWhileMade(new SimulatedDisk(seed), kind, operation));
                }
            }
        }
        assertThat(ready).contains(0, 1);
    }

    private int crashWhileMade(SimulatedDisk crashing, CrashKind kind, int operation) throws IOException {
        SpareSegments spares = open(DataDirectory.open(crashing.path("/data")));
        crashing.crashAfter(operation, kind);
        try {
            spares.prepare();
            runBackground();
        } catch (SimulatedCrash crash) {
            // As planned.
        }
        if (crashing.crashed()) {
            crashing.restart();
        } else {
            crashing.crash(kind);
        }
        Path spare = crashing.path("/data/commitlog/spare-00000004-1");
        if (!Files.exists(spare)) {
            return 0;
        }
        assertThat(crashing.durableBytes(spare)).hasSize(SPARE_BYTES);
        return 1;
    }
}
