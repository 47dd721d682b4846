package io.tickwheel.store.file.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.Lane;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.file.memory.ChunkPool;
import io.tickwheel.store.file.record.TimerRecord;
import io.tickwheel.store.file.run.RunFile;
import io.tickwheel.store.file.run.RunWriter;
import io.tickwheel.store.testkit.DiskFault;
import io.tickwheel.store.testkit.SimulatedDisk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Runs that are written of memtables and of other runs, and what an open one knows of its lanes. */
final class RunsWriterTest {

    private static final long STORE_ID = 1;
    private static final Lane LANE = new Lane("q", Lane.QUEUE_ROUTE);
    private static final int TIMERS = 50;
    private static final long DUE_MS = 1_000;

    private final QueueTable queues = new QueueTable();
    private final ChunkPool pool = new ChunkPool();
    private final SimulatedDisk disk = new SimulatedDisk(1);
    private final DataDirectory directory = DataDirectory.make(disk.path("/data"));
    private int numbers = 1;

    RunsWriterTest() throws IOException {}

    private interface Source {
        void writeTo(RunsWriter writer) throws IOException;
    }

    private Run written(Source source) throws IOException {
        try (RunsWriter writer = new RunsWriter(directory, STORE_ID, 1, () -> ++numbers, 0, pool)) {
            source.writeTo(writer);
            List<RunWriter.Written> all = writer.finish();
            assertThat(all).hasSize(1);
            return new Run(RunFile.open(directory, STORE_ID, all.get(0).fileNumber()), queues);
        }
    }

    private void add(Memtable memtable, long seq, long dueAtMs) {
        ScheduleCommand command =
                new ScheduleCommand(new TimerKey("q", "k" + seq), dueAtMs, new byte[0], OnConflict.REPLACE, 0);
        byte[] key = ("k" + seq).getBytes(StandardCharsets.UTF_8);
        TimerRecord record = TimerRecord.scheduled(seq, 0, 1, command, new byte[] {'q'}, key);
        memtable.add(record, seq, queues.get(LANE));
    }

    /** Timers of which all are due at once. */
    private Run ofMemtable(long firstSeq) throws IOException {
        Memtable memtable = new Memtable(++numbers, pool, queues);
        for (long seq = firstSeq; seq < firstSeq + TIMERS; seq++) {
            add(memtable, seq, DUE_MS);
        }
        return written(writer -> writer.write(memtable, queues.laneNames()));
    }

    /** Lists go on from a due time and a seq, and look for both in a run. */
    @Test
    void timersThatAreDueAtOnceStandInTheOrderOfTheirSeqs() throws IOException {
        try (Run earlier = ofMemtable(1);
                Run later = ofMemtable(1 + TIMERS);
                Run merged =
                        written(writer -> writer.write(List.of(later, earlier), List.of(new BitSet(), new BitSet())))) {
            assertThat(merged.count()).isEqualTo(2 * TIMERS);
            for (int ordinal = 0; ordinal < merged.count(); ordinal++) {
                assertThat(merged.seq(ordinal)).isEqualTo(ordinal + 1L);
            }
        }
    }

    /** The room is wanted by others, whether a run was complete or not. */
    @Test
    void runsForWhichThereIsNoRoomLeaveNothing() throws IOException {
        Memtable memtable = new Memtable(++numbers, pool, queues);
        for (long seq = 1; seq <= TIMERS; seq++) {
            add(memtable, seq, seq % 2 == 0 ? DUE_MS : Long.MAX_VALUE / 2_000_000);
        }
        int failures = 0;
        boolean isWritten = false;
        while (!isWritten) {
            try (RunsWriter writer = new RunsWriter(directory, STORE_ID, 1, () -> ++numbers, 0, pool)) {
                disk.failAfter(failures, DiskFault.NO_SPACE);
                try {
                    writer.write(memtable, queues.laneNames());
                    isWritten = writer.finish().size() == 2;
                } catch (IOException noRoom) {
                    failures++;
                    writer.discard();
                    assertThat(directory.runs())
                            .as("after %d failures", failures)
                            .isEmpty();
                    assertThat(disk.visibleNames(disk.path("/data/schedulelog")))
                            .isEmpty();
                }
            }
        }
        assertThat(failures).isGreaterThan(3);
        assertThat(directory.runs()).hasSize(2);
    }

    /** The number of a lane that was forgotten is that of another one by then. */
    @Test
    void laneThatWasForgottenIsMadeKnownAgain() throws IOException {
        try (Run run = ofMemtable(1)) {
            StoreLane before = run.laneAt(0);
            queues.completed();
            assertThat(before.isForgotten()).isTrue();
            StoreLane other = queues.get(new Lane("other", Lane.QUEUE_ROUTE));
            assertThat(other.number).isEqualTo(before.number);
            StoreLane again = run.laneAt(0);
            assertThat(again.isForgotten()).isFalse();
            assertThat(again.lane).isEqualTo(LANE);
            assertThat(again).isSameAs(queues.find(LANE)).isNotSameAs(before);
        }
    }
}
