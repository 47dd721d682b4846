package io.tickwheel.store.file.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.OnConflict;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.file.StoreDamage;
import io.tickwheel.store.file.disk.BadPart;
import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.file.memory.ChunkPool;
import io.tickwheel.store.file.record.TimerRecord;
import io.tickwheel.store.file.run.RunFile;
import io.tickwheel.store.file.run.RunFormat;
import io.tickwheel.store.file.run.RunWriter;
import io.tickwheel.store.testkit.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A run with more records that have ended, in a row, than are read at once. */
class RunCheckTest {

    private static final long STORE = 7;
    private static final long RUN = RunFormat.fileNumber(2, 3);
    private static final int TIMERS = 160;
    private static final int CONTENT_BYTES = 4_000;

    private final SimulatedDisk disk = new SimulatedDisk(1);
    private final List<StoreDamage> damages = new ArrayList<>();
    private DataDirectory directory;

    @BeforeEach
    void write() throws IOException {
        directory = DataDirectory.make(disk.path("/data"));
        byte[] queue = "q".getBytes(StandardCharsets.UTF_8);
        RunWriter writer = new RunWriter(directory, STORE, RUN, RunFormat.Tier.NEAR, new ChunkPool());
        for (int i = 0; i < TIMERS; i++) {
            ScheduleCommand command = new ScheduleCommand(
                    new TimerKey("q", "k" + i), 1_000L + i, new byte[CONTENT_BYTES], OnConflict.REPLACE, 0);
            byte[] key = ("k" + i).getBytes(StandardCharsets.UTF_8);
            TimerRecord timer = TimerRecord.scheduled(i + 1, 0, 1, command, queue, key);
            ByteBuffer record = ByteBuffer.allocate(timer.length()).order(ByteOrder.LITTLE_ENDIAN);
            timer.write(record);
            writer.add(1_000L + i, i + 1, i, timer.lane(), record, 0, timer.length(), 0, i);
        }
        writer.finish().origins().free();
    }

    private List<BadPart> check(BitSet ended) throws IOException {
        DataDirectory past = directory.pastBadSectors();
        try (RunFile run = RunFile.open(past, STORE, RUN)) {
            RunCheck check =
                    new RunCheck(past, run, ended, new ChunkPool(), damages::add, new Work((done, total) -> {}));
            check.check();
            assertThat(check.timers()).isEqualTo(TIMERS - ended.cardinality());
        }
        return past.badSectors();
    }

    private void assertFoundIn(BitSet ended, int offset) throws IOException {
        disk.spoil(directory.run(RUN), offset, offset + 4_096);
        assertThat(check(ended)).containsExactly(new BadPart(directory.run(RUN), offset, offset + 4_096));
        assertThat(damages).isEmpty();
    }

    private static BitSet ended(int from, int to) {
        BitSet ended = new BitSet();
        ended.set(from, to);
        return ended;
    }

    @Test
    void badSectorBetweenRecordsThatHaveNotEndedIsFound() throws IOException {
        assertFoundIn(ended(2, TIMERS - 2), 72 * 4_096);
    }

    @Test
    void badSectorBehindTheLastRecordThatHasNotEndedIsFound() throws IOException {
        assertFoundIn(ended(2, TIMERS), 150 * 4_096);
    }

    @Test
    void badSectorBeforeTheFirstRecordThatHasNotEndedIsFound() throws IOException {
        assertFoundIn(ended(0, TIMERS - 2), 4_096);
    }

    @Test
    void wholeRunHasNone() throws IOException {
        assertThat(check(ended(2, 70))).isEmpty();
        assertThat(damages).isEmpty();
    }
}
