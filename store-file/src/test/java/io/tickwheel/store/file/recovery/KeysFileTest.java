package io.tickwheel.store.file.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.QueueCounts;
import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.file.timers.TimerTables;
import io.tickwheel.store.testkit.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is saved of the index stands in pieces, each of which is full but the last; none is empty, as a reader takes that for damage. */
final class KeysFileTest {

    private static final int RUN = 77;
    private static final int NO_QUEUES_BYTES = KeysFile.HEADER_BYTES + Integer.BYTES;

    private final SimulatedDisk disk = new SimulatedDisk(1);

    /** Spread, as hashes are. */
    private static long hash(int ordinal) {
        return ordinal * 0x9E3779B97F4A7C15L;
    }

    private static TimerTables tables(int inRuns) {
        TimerTables tables = TimerTables.toLookAt(1, 1, 10);
        for (int ordinal = 0; ordinal < inRuns; ordinal++) {
            tables.index.add(hash(ordinal), RUN, ordinal);
            if (ordinal % 3 == 0) {
                tables.index.add(hash(ordinal), tables.active().number(), ordinal);
            }
        }
        return tables;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4_095, 4_096, 4_097, 8_192, 20_000})
    void eachTimerInARunIsInOnePiece(int inRuns) throws IOException {
        TimerTables tables = tables(inRuns);
        ByteBuffer file;
        try (DataDirectory directory = DataDirectory.open(disk.path("/data"))) {
            KeysFile.write(directory, 1, 2, tables, List.of(), inRuns);
            file = ByteBuffer.wrap(disk.visibleBytes(directory.keys(2))).order(ByteOrder.LITTLE_ENDIAN);
        }
        tables.close();
        List<Integer> counts = new ArrayList<>();
        Set<Integer> ordinals = new HashSet<>();
        file.position(NO_QUEUES_BYTES);
        while (file.hasRemaining()) {
            int count = file.getInt();
            int crc = file.getInt();
            ByteBuffer piece =
                    file.slice(file.position(), count * KeysFile.ENTRY_BYTES).order(ByteOrder.LITTLE_ENDIAN);
            assertThat(crc).isEqualTo(KeysFile.crc(counts.size(), piece));
            file.position(file.position() + piece.limit());
            counts.add(count);
            for (int at = 0; at < piece.limit(); at += KeysFile.ENTRY_BYTES) {
                int ordinal = piece.getInt(at + 12);
                assertThat(ordinals.add(ordinal)).isTrue();
                assertThat(piece.getLong(at)).isEqualTo(hash(ordinal));
                assertThat(piece.getInt(at + 8)).isEqualTo(RUN);
            }
        }
        assertThat(ordinals).hasSize(inRuns);
        for (int piece = 0; piece < counts.size(); piece++) {
            int left = inRuns - piece * KeysFile.ENTRIES_PER_PIECE;
            assertThat(counts.get(piece))
                    .isEqualTo(Math.min(left, KeysFile.ENTRIES_PER_PIECE))
                    .isPositive();
        }
    }

    /** Sound, but not what the manifest means: a file of somewhere or some time else, put there under that name. */
    @Test
    void keysOfAnotherStoreOrCloseAreNotSound() throws IOException {
        TimerTables tables = tables(10);
        try (DataDirectory directory = DataDirectory.open(disk.path("/data"))) {
            KeysFile.write(directory, 1, 2, tables, List.of(), 10);
            assertThat(isSound(directory, 1, 2)).isTrue();
            assertThat(isSound(directory, 7, 2)).isFalse();
            Files.move(directory.keys(2), directory.keys(3));
            assertThat(isSound(directory, 1, 3)).isFalse();
        }
        tables.close();
    }

    private static boolean isSound(DataDirectory directory, long storeId, long generation) throws IOException {
        try (KeysReader keys = KeysReader.open(directory, storeId, generation)) {
            return keys.isSound(run -> run == RUN ? Integer.MAX_VALUE : -1);
        }
    }

    @Test
    void countsOfLiveAndDeadTimersAreReadAsTheyWereWritten() throws IOException {
        TimerTables none = TimerTables.toLookAt(1, 1, 10);
        TimerTables read = TimerTables.toLookAt(1, 1, 10);
        try (DataDirectory directory = DataDirectory.open(disk.path("/data"))) {
            KeysFile.write(directory, 1, 2, none, List.of(new KeysFile.QueueKeys("q", 5, 3)), 0);
            try (KeysReader keys = KeysReader.open(directory, 1, 2)) {
                keys.work(100, read);
                assertThat(keys.outcome()).isEqualTo(KeysReader.Outcome.FILLED);
            }
        }
        assertThat(read.queues.counts()).containsExactly(new QueueCounts("q", 5, 0, 3));
        none.close();
        read.close();
    }
}
