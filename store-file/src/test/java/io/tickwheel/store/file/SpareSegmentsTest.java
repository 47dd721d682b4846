package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.testkit.CrashKind;
import io.tickwheel.testkit.SimulatedCrash;
import io.tickwheel.testkit.SimulatedDisk;
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

    private final SimulatedDisk disk = new SimulatedDisk(1);
    private final ArrayDeque<Runnable> background = new ArrayDeque<>();

    private SpareSegments open(DataDirectory directory) throws IOException {
        return SpareSegments.open(directory, background::addLast, () -> {}, SEGMENT_BYTES);
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
        return spares.begin(7, lsn, segment -> {
            segment.write(Frame.empty(1, lsn, lsn, LogSegment.identity(7, lsn)));
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
            assertThat(names(disk)).containsExactly("spare-1");
            assertThat(disk.durableBytes(directory.spare(1))).hasSize(SEGMENT_BYTES);
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
            assertThat(names(disk)).containsExactly("0000000000000200.log", "0000000000000400.log");
            assertThat(disk.durableBytes(directory.segment(512))).hasSize(SEGMENT_BYTES);
            assertThat(disk.durableBytes(directory.segment(1_024))).hasSize(2 * 512);
        }
    }

    @Test
    void spareThatSomebodyDeletedIsNotMissed() throws IOException {
        try (DataDirectory directory = DataDirectory.open(disk.path("/data"))) {
            SpareSegments spares = open(directory);
            spares.prepare();
            runBackground();
            Files.delete(directory.spare(1));
            begin(spares, 512).close();
            assertThat(names(disk)).containsExactly("0000000000000200.log");
        }
    }

    @Test
    void sparesOutliveARestartUnlessTheyHaveAnotherSize() throws IOException {
        try (DataDirectory directory = DataDirectory.open(disk.path("/data"))) {
            SpareSegments spares = open(directory);
            spares.prepare();
            runBackground();
            Files.write(directory.spare(2), new byte[SEGMENT_BYTES - 1]);
        }
        disk.crash(CrashKind.POWER_LOSS_MINIMAL);
        Files.write(disk.path("/data/commitlog/spare-2"), new byte[SEGMENT_BYTES - 1]);
        try (DataDirectory directory = DataDirectory.open(disk.path("/data"))) {
            SpareSegments spares = open(directory);
            assertThat(spares.ready()).isEqualTo(1);
            begin(spares, 512).close();
            assertThat(spares.ready()).isZero();
            Files.write(directory.spare(1), new byte[1]);
            spares.prepare();
            runBackground();
            assertThat(disk.durableBytes(directory.spare(1))).hasSize(SEGMENT_BYTES);
        }
    }

    @Test
    void trimmedSegmentsOfTheRightSizeBecomeSpares() throws IOException {
        try (DataDirectory directory = DataDirectory.open(disk.path("/data"))) {
            for (long lsn : new long[] {0, 4_096, 8_192, 12_288, 16_384}) {
                try (LogSegment segment = LogSegment.create(directory.segment(lsn), 7, lsn)) {
                    segment.write(ByteBuffer.allocate(lsn == 0 ? 512 : SEGMENT_BYTES - 512));
                    segment.sync();
                }
            }
            SpareSegments spares = open(directory);
            spares.recycle(12_288);
            assertThat(spares.ready()).isEqualTo(2);
            // The first is too small, the third is needed, and what was taken is gone.
            assertThat(names(disk))
                    .containsExactly(
                            "0000000000000000.log",
                            "0000000000003000.log",
                            "0000000000004000.log",
                            "spare-1",
                            "spare-2");
        }
    }

    @Test
    void diskWithLittleRoomHasNoSpares() throws IOException {
        try (DataDirectory directory = DataDirectory.open(disk.path("/data"))) {
            disk.capacityBytes(4 * SEGMENT_BYTES - 1);
            SpareSegments spares = open(directory);
            spares.prepare();
            runBackground();
            assertThat(names(disk)).isEmpty();
            spares.prepare();
            assertThat(background).as("tried again for the same segment").isEmpty();
            disk.capacityBytes(4 * SEGMENT_BYTES);
            begin(spares, 0).close();
            disk.capacityBytes(8 * SEGMENT_BYTES);
            spares.prepare();
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
        Path spare = crashing.path("/data/commitlog/spare-1");
        if (!Files.exists(spare)) {
            return 0;
        }
        assertThat(crashing.durableBytes(spare)).hasSize(SEGMENT_BYTES);
        return open(DataDirectory.open(crashing.path("/data"))).ready();
    }
}
