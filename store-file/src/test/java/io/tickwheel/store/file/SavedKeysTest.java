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
import io.tickwheel.store.testkit.RoomyListener;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * After a clean close the key index comes from the saved keys, however many pieces these have: nobody looks at the entries of the runs,
 * where there is damage here that such a look would meet.
 */
final class SavedKeysTest {

    /** Of three pieces of 4,096, or more. */
    private static final int TIMERS = 14_000;

    private static final int GROUP = 200;
    private static final int BLOCK_BYTES = 4_096;

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

    @BeforeEach
    void closeAStoreOfManyTimers() throws IOException {
        store.open(new RoomyListener() {});
        for (int i = 0; i < TIMERS; i++) {
            TimerKey key = new TimerKey("q" + i % 3, "k" + i);
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
        damageEntries();
        store.crash(store.anyKind());
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

    @Test
    void indexIsFilledWithoutALookAtTheRuns() {
        store.open(new RoomyListener() {});
        store.awaitIndex();
        assertThat(timers()).isEqualTo(TIMERS);
        assertThat(store.calendar().liveCount()).isEqualTo(TIMERS);
        assertThat(store.failure()).isNull();
    }

    /** As the damage must be met when there are no keys, or this shows nothing. */
    @Test
    void runsAreLookedThroughWhenTheKeysAreGone() throws IOException {
        try (var keys = Files.list(store.directory().resolve("keys"))) {
            for (Path file : keys.toList()) {
                Files.delete(file);
            }
        }
        store.open(new RoomyListener() {});
        assertThatThrownBy(store::awaitIndex).isInstanceOf(StoreFailedException.class);
    }
}
