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
import io.tickwheel.store.testkit.SimulatedDisk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Records at the very end of a chunk of memory. */
final class MemtableTest {

    private static final long STORE_ID = 1;
    private static final Lane LANE = new Lane("q", Lane.QUEUE_ROUTE);
    private static final int FILLERS = 4;
    private static final int FILLER_BYTES = ChunkPool.CHUNK_BYTES / 5;

    private final QueueTable queues = new QueueTable();
    private final ChunkPool pool = new ChunkPool();

    private static TimerRecord record(long seq, int contentBytes) {
        byte[] content = new byte[contentBytes];
        Arrays.fill(content, (byte) seq);
        ScheduleCommand command =
                new ScheduleCommand(new TimerKey("q", "k" + seq), seq, content, OnConflict.REPLACE, 0);
        return TimerRecord.scheduled(seq, 0, 1, command, utf8("q"), utf8("k" + seq));
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private void add(Memtable memtable, long seq, int contentBytes) {
        memtable.add(record(seq, contentBytes), seq, queues.get(LANE));
    }

    /** A memtable of which the first chunk has so many bytes left. */
    private Memtable filled(int left) {
        int overhead = Integer.BYTES + record(1, 0).length();
        Memtable memtable = new Memtable(1, pool, queues);
        for (int seq = 1; seq < FILLERS; seq++) {
            add(memtable, seq, FILLER_BYTES - overhead);
        }
        int used = (FILLERS - 1) * FILLER_BYTES;
        add(memtable, FILLERS, FILLER_BYTES - overhead);
        used += FILLER_BYTES;
        add(memtable, FILLERS + 1, ChunkPool.CHUNK_BYTES - used - left - overhead);
        return memtable;
    }

    @Test
    void recordThatAllButFitsIntoAChunkIsReadBack() {
        int smallest = Integer.BYTES + record(1, 0).length();
        for (int missing = -6; missing <= 6; missing++) {
            Memtable memtable = filled(1_000);
            add(memtable, 6, 1_000 - smallest + missing);
            add(memtable, 7, 10);
            for (int ordinal = 0; ordinal < memtable.size(); ordinal++) {
                TimerRecord read = memtable.record(ordinal, true);
                assertThat(read.seq()).isEqualTo(ordinal + 1L);
                assertThat(read.content()).containsOnly((byte) (ordinal + 1));
            }
            assertThat(memtable.record(5, true).content()).hasSize(1_000 - smallest + missing);
            memtable.free();
        }
    }

    @Test
    void recordsAtTheEndOfAChunkAreWrittenToARun() throws IOException {
        DataDirectory directory = DataDirectory.make(new SimulatedDisk(1).path("/data"));
        int smallest = Integer.BYTES + record(1, 0).length();
        int number = 2;
        for (int left = smallest; left < smallest + 70; left++) {
            Memtable memtable = filled(left);
            add(memtable, 6, 0);
            int runNumber = number++;
            RunWriter.Written written;
            try (RunsWriter writer = new RunsWriter(directory, STORE_ID, 1, () -> runNumber, 0, pool)) {
                writer.write(memtable, queues.laneNames());
                List<RunWriter.Written> all = writer.finish();
                assertThat(all).hasSize(1);
                written = all.get(0);
            }
            try (Run run = new Run(RunFile.open(directory, STORE_ID, written.fileNumber()), queues)) {
                assertThat(run.count()).isEqualTo(6);
                for (int ordinal = 0; ordinal < run.count(); ordinal++) {
                    assertThat(run.record(ordinal, true).content())
                            .isEqualTo(memtable.record(ordinal, true).content());
                }
            }
            written.origins().free();
            memtable.free();
        }
    }
}
