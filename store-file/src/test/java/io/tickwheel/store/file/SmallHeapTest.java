package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import io.tickwheel.store.file.record.TimerRecord;
import java.io.IOException;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a store holds is no matter of the heap: one that grew in a large heap opens in one of 64 MiB, delivers, makes its
 * checkpoint and closes, in a process of its own that ends at the first {@link OutOfMemoryError}.
 *
 * <pre>
 *   progress    100,000 cancelled timers with the longest keys
 *   runs        timers 0, 1, 2, ... in the order of due time
 *   log         cancels of the first of them, of which the last 100,000 have the longest keys; then the memtable
 *   child       delivers what is due first, while the index is filled: a thousandth of the memtable, then of the runs
 * </pre>
 *
 * {@code -Dtickwheel.smallHeap=long} takes 5 million timers in runs, 2 million ends and 1 million timers in the memtable.
 */
class SmallHeapTest {

    private static final long HOUR_MS = 3_600_000;
    private static final int REMEMBERED = 100_000;
    private static final int DELIVERED = 5_000;
    private static final int LARGE_BYTES = 1 << 20;
    private static final int LARGE_RUNS = 64;

    /** As long as an engine lets keys and names of queues be. */
    private static final String LONG_KEY = "k".repeat(504);

    private static final String QUEUE = "q".repeat(128);

    /**
     * @param inRuns of which as many are cancelled as {@code ends} says
     * @param large how many timers of the memtable have 1 MiB to deliver
     */
    private record Size(int inRuns, int ends, int inMemtable, int large) {

        static final Size TESTED = "long".equals(System.getProperty("tickwheel.smallHeap"))
                ? new Size(5_000_000, 2_000_000, 1_000_000, 64)
                : new Size(220_000, 200_000, 200_000, 8);
    }

    @TempDir
    Path directory;

    private static TimerKey forgotten(int i) {
        return longKey("f", i);
    }

    private static TimerKey inRun(int i) {
        int firstLong = Size.TESTED.ends - REMEMBERED;
        return i >= firstLong && i < Size.TESTED.ends ? longKey("r", i) : new TimerKey(QUEUE, "r" + i);
    }

    private static TimerKey inMemtable(int i) {
        return new TimerKey(QUEUE, "m" + i);
    }

    private static TimerKey longKey(String kind, int i) {
        return new TimerKey(
                QUEUE,
                kind
                        + LONG_KEY.substring(
                                0, LONG_KEY.length() - String.valueOf(i).length())
                        + i);
    }

    private static boolean isDueFirst(int inMemtable) {
        return inMemtable % 1_000 == 0;
    }

    /** Half of them are due first. */
    private static boolean isLarge(int inMemtable) {
        int distance = Size.TESTED.inMemtable / Size.TESTED.large;
        return inMemtable % distance == inMemtable / distance % 2;
    }

    @Test
    void storeOpensDeliversAndMakesCheckpointsInASmallHeap() throws Exception {
        fill();
        long checkpointLsn = StoreDirectory.at(directory).inspect().checkpointLsn();
        List<String> printed = inSmallHeap(Deliverer.class);
        assertThat(printed).hasSize(DELIVERED + 1).endsWith("closed").doesNotHaveDuplicates();
        assertThat(StoreDirectory.at(directory).inspect().checkpointLsn())
                .as("the last checkpoint")
                .isGreaterThan(checkpointLsn);
        Timers delivered = new Timers();
        printed.subList(0, DELIVERED).forEach(delivered::add);
        checkAll(delivered);
    }

    /** Some of the timers that were not cancelled. */
    private static final class Timers {

        private final BitSet ofRuns = new BitSet();
        private final BitSet ofMemtable = new BitSet();

        void add(String key) {
            (key.charAt(0) == 'r' ? ofRuns : ofMemtable).set(Integer.parseInt(key.substring(1)));
        }

        void add(Timers others) {
            ofRuns.or(others.ofRuns);
            ofMemtable.or(others.ofMemtable);
        }
    }

    private void fill() {
        Size size = Size.TESTED;
        RealStore store = RealStore.open(directory, Long.MAX_VALUE / 8);
        for (int i = 0; i < REMEMBERED; i++) {
            store.schedule(forgotten(i), HOUR_MS, TimerRecord.NO_CONTENT);
            store.cancel(forgotten(i));
        }
        for (int i = 0; i < size.inRuns; i++) {
            store.schedule(inRun(i), i, TimerRecord.NO_CONTENT);
        }
        assertThat(store.commands()).isEqualTo(2 * REMEMBERED + size.inRuns);
        store.close();
        // Whatever is in the log goes to runs.
        store = RealStore.open(directory, 4_096);
        store.close();
        store = RealStore.open(directory, Long.MAX_VALUE / 8);
        for (int i = 0; i < size.ends; i++) {
            store.cancel(inRun(i));
        }
        byte[] small = new byte[8];
        byte[] large = new byte[LARGE_BYTES];
        for (int i = 0; i < size.inMemtable; i++) {
            long dueAtMs = isDueFirst(i) ? -1 : HOUR_MS + i % 1_000 * 200L;
            store.schedule(inMemtable(i), dueAtMs, isLarge(i) ? large : small);
        }
        assertThat(store.commands()).isEqualTo(size.ends + size.inMemtable);
        store.kill();
    }

    private List<String> inSmallHeap(Class<?> main) throws IOException, InterruptedException {
        return ChildJvm.run(main, List.of("-Xmx64m", "-XX:+ExitOnOutOfMemoryError"), directory.toString())
                .lines()
                .toList();
    }

    /** What was not delivered is there, once, and nothing else; what has finished last is remembered. */
    private void checkAll(Timers delivered) {
        Size size = Size.TESTED;
        assertThat(delivered.ofMemtable.stream())
                .hasSize(size.inMemtable / 1_000)
                .allMatch(SmallHeapTest::isDueFirst);
        Timers large = new Timers();
        Timers all = new Timers();
        long exported = StoreDirectory.at(directory).export(timer -> {
            String key = timer.view().key().key();
            all.add(key);
            if (timer.content().length == LARGE_BYTES) {
                large.add(key);
            }
        });
        assertThat(exported).isEqualTo(size.inRuns - size.ends + size.inMemtable - DELIVERED);
        all.add(delivered);
        assertThat(all.ofRuns.nextSetBit(0)).isEqualTo(size.ends);
        assertThat(all.ofRuns.cardinality()).as("in runs").isEqualTo(size.inRuns - size.ends);
        assertThat(all.ofMemtable.cardinality()).as("in the memtable").isEqualTo(size.inMemtable);
        assertThat(large.ofMemtable.stream())
                .hasSizeBetween(size.large / 2, size.large)
                .allMatch(SmallHeapTest::isLarge);
        RealStore store = RealStore.open(directory, 64 << 20);
        store.settle();
        assertThat(store.calendar().liveCount()).isEqualTo(exported);
        checkState(store, inRun(0), List.of());
        checkState(store, inRun(size.ends - REMEMBERED + DELIVERED - 1), List.of());
        checkState(store, inRun(size.ends - REMEMBERED + DELIVERED), List.of(TimerState.CANCELLED));
        checkState(store, inRun(size.ends - 1), List.of(TimerState.CANCELLED));
        checkState(store, forgotten(REMEMBERED - 1), List.of());
        for (int i = size.ends; i < size.inRuns; i += 1_001) {
            checkState(store, inRun(i), List.of(state(delivered.ofRuns.get(i))));
        }
        for (int i = 0; i < size.inMemtable; i += 5_001) {
            checkState(store, inMemtable(i), List.of(state(delivered.ofMemtable.get(i))));
        }
        store.close();
    }

    private static TimerState state(boolean isDelivered) {
        return isDelivered ? TimerState.COMPLETED : TimerState.PENDING;
    }

    private static void checkState(RealStore store, TimerKey key, List<TimerState> states) {
        assertThat(store.find(key)).as(key.key()).extracting(TimerView::state).isEqualTo(states);
    }

    /** Delivers, and prints the keys. */
    static final class Deliverer {

        private Deliverer() {}

        public static void main(String[] arguments) {
            RealStore store = RealStore.open(Path.of(arguments[0]), 4_096);
            for (int left = DELIVERED; left > 0; ) {
                List<String> keys = store.deliver(HOUR_MS - 1, left);
                keys.forEach(System.out::println);
                left -= keys.size();
            }
            store.close();
            System.out.println("closed");
        }
    }

    @Test
    void largeTimerOfEachRunIsFoundInASmallHeap() throws Exception {
        RealStore store = RealStore.open(directory, 4_096);
        for (int i = 0; i < LARGE_RUNS; i++) {
            store.schedule(inMemtable(i), i, new byte[LARGE_BYTES]);
            store.settle();
        }
        store.close();
        assertThat(StoreDirectory.at(directory).inspect().runs()).hasSize(LARGE_RUNS);
        assertThat(inSmallHeap(Finder.class)).containsExactly("found " + LARGE_RUNS);
    }

    /** Finds each of the large timers, and all of them again. */
    static final class Finder {

        private Finder() {}

        public static void main(String[] arguments) {
            RealStore store = RealStore.open(Path.of(arguments[0]), Long.MAX_VALUE / 8);
            int found = 0;
            for (int i = 0; i < 2 * LARGE_RUNS; i++) {
                found += store.find(inMemtable(i % LARGE_RUNS)).size();
            }
            store.close();
            System.out.println("found " + found / 2);
        }
    }
}
