package io.tickwheel.store.file.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.OnConflict;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.StoreCorruptedException;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.file.memory.ChunkPool;
import io.tickwheel.store.file.record.TimerRecord;
import io.tickwheel.store.file.run.RunFile;
import io.tickwheel.store.file.run.RunFormat;
import io.tickwheel.store.file.run.RunScan;
import io.tickwheel.store.file.run.RunWriter;
import io.tickwheel.store.testkit.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is read of a run of four blocks of entries, the last one not full, when nothing around the entries can be read. */
class RunRescueTest {

    private static final long STORE = 7;
    private static final long RUN = RunFormat.fileNumber(2, 3);
    private static final int PER_BLOCK = RunFormat.Entries.CURRENT.perBlock();
    private static final int TIMERS = 3 * PER_BLOCK + 10;

    private final SimulatedDisk disk = new SimulatedDisk(1);
    private DataDirectory directory;

    @BeforeEach
    void makeDirectory() throws IOException {
        directory = DataDirectory.make(disk.path("/data"));
    }

    @AfterEach
    void nothingIsLeftOpen() {
        assertThat(disk.openChannels()).isEmpty();
    }

    /** Each timer is due 10 ms after the one before it; the queue of the last 20 is met by none before them. */
    private static long dueAt(int ordinal) {
        return 1_000 + 10L * ordinal;
    }

    private static String queue(int ordinal) {
        return ordinal >= TIMERS - 20 ? "late" : "q" + ordinal % 3;
    }

    private void write(RunFormat.Tier tier) throws IOException {
        RunWriter writer = new RunWriter(directory, STORE, RUN, tier, new ChunkPool());
        for (int i = 0; i < TIMERS; i++) {
            byte[] queue = queue(i).getBytes(StandardCharsets.UTF_8);
            byte[] key = ("k" + i).getBytes(StandardCharsets.UTF_8);
            ScheduleCommand command = new ScheduleCommand(
                    new TimerKey(queue(i), "k" + i),
                    dueAt(i),
                    ("content of " + i).getBytes(StandardCharsets.UTF_8),
                    OnConflict.REPLACE,
                    0);
            TimerRecord timer = TimerRecord.scheduled(i + 1, 0, 1, command, queue, key);
            if (tier == RunFormat.Tier.DEAD) {
                timer = timer.again(i + 1, dueAt(i), 3, true);
            }
            ByteBuffer record = ByteBuffer.allocate(timer.length()).order(ByteOrder.LITTLE_ENDIAN);
            timer.write(record);
            writer.add(dueAt(i), i + 1, i, timer.lane(), record, 0, timer.length(), 0, i);
        }
        writer.finish().origins().free();
    }

    /** Zeroes header and end. */
    private void hideEnds() throws IOException {
        byte[] bytes = Files.readAllBytes(directory.run(RUN));
        Arrays.fill(bytes, 0, RunFormat.HEADER_BYTES, (byte) 0);
        Arrays.fill(bytes, bytes.length - RunFormat.TRAILER_BYTES, bytes.length, (byte) 0);
        Files.write(directory.run(RUN), bytes);
    }

    private void damageBlock(int position) throws IOException {
        long at;
        try (RunFile sound = RunRescue.open(directory, STORE, RUN)) {
            at = sound.blockOffset(position);
        }
        disk.flipBit(directory.run(RUN), 8 * (at + 100));
    }

    /** The ordinals whose record is read, each with the seq, time, queue and lane that it was written with. */
    private static List<Integer> read(RunFile run) {
        BitSet unread = new BitSet();
        for (int position = 0; position < run.entries().blocks(run.count()); position++) {
            try {
                run.readBlock(position, RunFile.newBlock());
            } catch (StoreCorruptedException e) {
                unread.set(position * PER_BLOCK, (position + 1) * PER_BLOCK);
            }
        }
        List<Integer> ordinals = new ArrayList<>();
        RunScan scan = new RunScan(run, unread);
        while (scan.next()) {
            int at = scan.readRecord();
            TimerRecord record = TimerRecord.read(scan.window(), at, scan.length(), true);
            int ordinal = scan.ordinal();
            assertThat(record.seq()).isEqualTo(ordinal + 1);
            assertThat(scan.attemptAtMs()).isEqualTo(dueAt(ordinal));
            assertThat(new String(record.content(), StandardCharsets.UTF_8)).isEqualTo("content of " + ordinal);
            assertThat(scan.lane()).isEqualTo(record.lane());
            assertThat(record.lane().queue()).isEqualTo(queue(ordinal));
            ordinals.add(ordinal);
        }
        return ordinals;
    }

    private static Integer[] ordinals(int from, int to) {
        return IntStream.range(from, to).boxed().toArray(Integer[]::new);
    }

    @Test
    void runOfSeveralBlocksIsReadAsIfItWereWhole() throws IOException {
        for (RunFormat.Tier tier : RunFormat.Tier.values()) {
            write(tier);
            try (RunFile whole = RunFile.open(directory, STORE, RUN)) {
                hideEnds();
                try (RunFile rescued = RunRescue.open(directory, STORE, RUN)) {
                    assertThat(rescued.count()).isEqualTo(TIMERS).isEqualTo(whole.count());
                    assertThat(rescued.firstDueMs()).isEqualTo(dueAt(0)).isEqualTo(whole.firstDueMs());
                    assertThat(rescued.lastDueMs()).isEqualTo(dueAt(TIMERS - 1)).isEqualTo(whole.lastDueMs());
                    assertThat(rescued.entries()).isEqualTo(whole.entries());
                    assertThat(rescued.blockOffset(0)).isEqualTo(whole.blockOffset(0));
                    assertThat(rescued.isDead()).isEqualTo(tier == RunFormat.Tier.DEAD);
                    assertThat(rescued.names())
                            .extracting(RunFormat.LaneName::lane)
                            .containsExactlyElementsOf(whole.names().stream()
                                    .map(RunFormat.LaneName::lane)
                                    .toList());
                    assertThat(read(rescued)).containsExactly(ordinals(0, TIMERS));
                }
            }
            Files.delete(directory.run(RUN));
        }
    }

    @Test
    void damagedBlocksAtTheBeginningLoseTheirTimersOnly() throws IOException {
        write(RunFormat.Tier.NEAR);
        hideEnds();
        damageBlock(0);
        check(PER_BLOCK, TIMERS, dueAt(PER_BLOCK), dueAt(TIMERS - 1));
        damageBlock(1);
        check(2 * PER_BLOCK, TIMERS, dueAt(2 * PER_BLOCK), dueAt(TIMERS - 1));
    }

    private void check(int from, int to, long firstDueMs, long lastDueMs) throws IOException {
        try (RunFile rescued = RunRescue.open(directory, STORE, RUN)) {
            assertThat(rescued.count()).isEqualTo(to);
            assertThat(rescued.firstDueMs()).isEqualTo(firstDueMs);
            assertThat(rescued.lastDueMs()).isEqualTo(lastDueMs);
            assertThat(read(rescued)).containsExactly(ordinals(from, to));
        }
    }

    @Test
    void lastBlockThatIsDamagedIsNotCounted() throws IOException {
        write(RunFormat.Tier.NEAR);
        hideEnds();
        damageBlock(3);
        check(0, 3 * PER_BLOCK, dueAt(0), dueAt(3 * PER_BLOCK - 1));
    }

    @Test
    void withoutABlockNearTheBeginningThereIsNoRun() throws IOException {
        write(RunFormat.Tier.NEAR);
        hideEnds();
        for (int position = 3; position >= 0; position--) {
            assertThat(disk.openChannels()).isEmpty();
            damageBlock(position);
        }
        assertThat(RunRescue.open(directory, STORE, RUN)).isNull();
        Files.delete(directory.run(RUN));
        assertThat(RunRescue.open(directory, STORE, RUN)).isNull();
    }
}
