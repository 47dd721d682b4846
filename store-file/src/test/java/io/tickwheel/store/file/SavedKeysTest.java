package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.store.Answer;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.QueueCounts;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreFailedException;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.file.run.RunFormat;
import io.tickwheel.store.testkit.DiskFault;
import io.tickwheel.store.testkit.RoomyListener;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * After a clean close the key index comes from the saved keys, however many pieces these have: nobody looks at the entries of the runs,
 * where there is damage here that such a look would meet.
 */
final class SavedKeysTest {

    private static final String QUEUE = "the queue of number ";

    /** Of three pieces of 4,096, or more. */
    private static final int TIMERS = 14_000;

    private static final int GROUP = 200;
    private static final int BLOCK_BYTES = 4_096;

    /** Where the entries begin in the file of a store with one queue: behind the header, its name and counts, and their checksum. */
    private static final int PIECES_AT = 40 + 2 + 21 + 16 + 4;

    private static final int PIECE_BYTES = 8 + 4_096 * 16;

    private final SimulatedStore store = new SimulatedStore(1, UnaryOperator.identity(), 1 << 17);
    private final List<List<QueueCounts>> counts = new ArrayList<>();

    private static <T> Answer<T> into(List<T> results) {
        return new Answer<>() {
            @Override
            public void accept(T result) {
                results.add(result);
            }

            @Override
            public void fail(StoreException failure) {
                throw failure;
            }
        };
    }

    private void closeAStoreOfManyTimers(int queues) throws IOException {
        fillAndClose(queues);
        damageEntries();
        store.crash(store.anyKind());
    }

    private void fillAndClose(int queues) {
        store.open(new RoomyListener() {});
        for (int i = 0; i < TIMERS; i++) {
            TimerKey key = new TimerKey(QUEUE + i % queues, "k" + i);
            store.calendar()
                    .schedule(
                            new ScheduleCommand(key, 1_000_000 + i, new byte[10], OnConflict.REPLACE, i),
                            into(new ArrayList<>()));
            if (i % GROUP == GROUP - 1) {
                store.settle();
            }
        }
        store.rest();
        store.close();
    }

    /** In the middle of those of each run, but the first block, which each opening checks. */
    private void damageEntries() throws IOException {
        int damaged = 0;
        try (var runs = Files.list(store.directory().resolve("schedulelog"))) {
            for (Path run : runs.filter(file -> file.toString().endsWith(DataDirectory.RUN_SUFFIX))
                    .toList()) {
                ByteBuffer bytes = ByteBuffer.wrap(store.disk.visibleBytes(run)).order(ByteOrder.LITTLE_ENDIAN);
                int trailer = bytes.limit() - RunFormat.TRAILER_BYTES;
                long entriesAt = bytes.getLong(trailer + 16);
                long blocks = (bytes.getLong(trailer + 24) - entriesAt) / BLOCK_BYTES;
                if (blocks > 1) {
                    store.disk.flipBit(run, 8 * (entriesAt + blocks / 2 * BLOCK_BYTES + 100));
                    damaged++;
                }
            }
        }
        assertThat(damaged).as("runs that are damaged").isPositive();
    }

    private long timers() {
        store.calendar().queues(into(counts));
        store.work();
        return counts.get(0).stream().mapToLong(QueueCounts::pending).sum();
    }

    /** The names of many queues are longer than what is read of them at first. */
    @ParameterizedTest
    @ValueSource(ints = {3, 4_000})
    void indexIsFilledWithoutALookAtTheRuns(int queues) throws IOException {
        closeAStoreOfManyTimers(queues);
        store.open(new RoomyListener() {});
        store.awaitIndex();
        assertThat(timers()).isEqualTo(TIMERS);
        assertThat(counts.get(0)).hasSize(queues);
        assertThat(store.calendar().liveCount()).isEqualTo(TIMERS);
        assertThat(store.failure()).isNull();
    }

    /** As the damage must be met when there are no keys, or this shows nothing. */
    @Test
    void runsAreLookedThroughWhenTheKeysAreGone() throws IOException {
        closeAStoreOfManyTimers(3);
        try (var keys = Files.list(store.directory().resolve("keys"))) {
            for (Path file : keys.toList()) {
                Files.delete(file);
            }
        }
        store.open(new RoomyListener() {});
        assertThatThrownBy(store::awaitIndex).isInstanceOf(StoreFailedException.class);
    }

    /** Each of these must be noticed, and with it nothing of the file is used: the runs are looked through, as above. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "magic 0",
                "format 8",
                "queues 12",
                "store 16",
                "generation 24",
                "entries 32",
                "length of a name 40",
                "name 45",
                "count of a piece " + PIECES_AT,
                "checksum " + (PIECES_AT + 4),
                "entry " + (PIECES_AT + 100)
            })
    void damagedKeysAreNotUsed(String place) throws IOException {
        closeAStoreOfManyTimers(1);
        store.disk.flipBit(keys(), 8L * Integer.parseInt(place.substring(place.lastIndexOf(' ') + 1)));
        store.open(new RoomyListener() {});
        assertThatThrownBy(store::awaitIndex).isInstanceOf(StoreFailedException.class);
    }

    @ParameterizedTest
    @ValueSource(
            ints = {PIECES_AT - 1, PIECES_AT, PIECES_AT + 7, PIECES_AT + PIECE_BYTES, PIECES_AT + PIECE_BYTES + 30})
    void keysThatAreCutAreNotUsed(int size) throws IOException {
        closeAStoreOfManyTimers(1);
        store.disk.truncate(keys(), size);
        store.open(new RoomyListener() {});
        assertThatThrownBy(store::awaitIndex).isInstanceOf(StoreFailedException.class);
    }

    /** A bad sector: for as long as nothing of the keys is used, the runs say the same. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 5})
    void keysThatCannotBeReadAreNotMissed(int reads) throws IOException {
        fillAndClose(3);
        store.open(new RoomyListener() {});
        store.disk.failAfter(reads, DiskFault.READ_ERROR);
        store.awaitIndex();
        assertThat(timers()).isEqualTo(TIMERS);
        assertThat(store.failure()).isNull();
    }

    /** The next opening would take what is there for all, however much of it has come to its place. */
    @Test
    void keysOfAnIndexThatIsNotCompleteAreNotSaved() throws IOException {
        fillAndClose(3);
        Files.delete(keys());
        store.open(new RoomyListener() {});
        for (int turn = 0; turn < 2_000; turn++) {
            store.work();
        }
        store.close();
        assertThat(store.disk.visibleNames(store.directory().resolve("keys"))).isEmpty();
        store.open(new RoomyListener() {});
        store.awaitIndex();
        assertThat(timers()).isEqualTo(TIMERS);
    }

    private Path keys() throws IOException {
        try (var keys = Files.list(store.directory().resolve("keys"))) {
            return keys.findFirst().orElseThrow();
        }
    }

    @Test
    void storeThatIsClosedBeforeItsKeysAreReadLeavesNothingOpen() throws IOException {
        closeAStoreOfManyTimers(1);
        store.open(new RoomyListener() {});
        assertThat(store.disk.openChannels())
                .anyMatch(open -> open.path().toString().endsWith(DataDirectory.KEYS_SUFFIX));
        store.closeNow();
        assertThat(store.disk.openChannels()).isEmpty();
    }
}
