package io.tickwheel.store.file;

import io.tickwheel.store.Lane;
import io.tickwheel.store.LoadRoom;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Every timer there is: the shelves where the live and the dead ones stand, the index by key, which of them are loaded, the
 * counts, and the finished ones that are remembered. Owned by the loop.
 *
 * <pre>
 *   commit log ---> Memtable (active) ---> Memtable (frozen) ---> Runs ---> Runs (fewer, finer)
 *                        '----------------- KeyIndex: hash of the key -> shelf, ordinal -------'
 * </pre>
 */
final class Shelves {

    /** The memory of the memtables, and of what the shelves' owners keep of many timers at once. */
    final ChunkPool pool = new ChunkPool();

    final KeyIndex index = new KeyIndex();
    final QueueTable queues = new QueueTable();
    final FinishedTable finished;
    final LoadedTable loaded = new LoadedTable();

    final EndedElsewhere endedElsewhere = new EndedElsewhere();
    final Loading loading;
    private final KeyHash hash;
    private final AtomicInteger nextNumber;
    private final Map<Integer, Run> runs = new HashMap<>();
    private Memtable active;
    private @Nullable Memtable frozen;

    /**
     * @param nextNumber higher than that of every shelf there was
     * @param turnTimers how many timers to look at in a turn, about
     */
    Shelves(long storeId, int nextNumber, int finishedRemembered, int turnTimers, Loading.Target target) {
        this.hash = new KeyHash(storeId);
        this.nextNumber = new AtomicInteger(nextNumber);
        this.finished = new FinishedTable(queues, finishedRemembered, pool);
        this.loading = new Loading(target, endedElsewhere::contains, 2 * turnTimers);
        this.active = newMemtable();
    }

    /** For those who only look: nothing is loaded. */
    static Shelves toLookAt(long storeId, int nextNumber, int finishedRemembered) {
        return new Shelves(storeId, nextNumber, finishedRemembered, 1, new LoadsNothing());
    }

    private static final class LoadsNothing implements Loading.Target {

        @Override
        public boolean mayStart(Lane lane) {
            return false;
        }

        @Override
        public LoadRoom room() {
            throw new IllegalStateException("nothing is loaded");
        }

        @Override
        public void load(
                Shelf shelf, int ordinal, long seq, long attemptAtMs, StoreLane lane, LoadRoom.Age age, int length) {
            throw new IllegalStateException("nothing is loaded");
        }
    }

    private Memtable newMemtable() {
        Memtable memtable = new Memtable(newNumber(), pool, queues);
        loading.add(memtable);
        return memtable;
    }

    /** A number that no shelf had; any thread. */
    int newNumber() {
        return nextNumber.getAndIncrement();
    }

    int nextNumber() {
        return nextNumber.get();
    }

    Memtable active() {
        return active;
    }

    @Nullable
    Memtable frozen() {
        return frozen;
    }

    Collection<Run> runs() {
        return runs.values();
    }

    Shelf shelf(int number) {
        if (number == active.number()) {
            return active;
        }
        Memtable old = frozen;
        if (old != null && number == old.number()) {
            return old;
        }
        Run run = runs.get(number);
        assert run != null : "no shelf " + number;
        return run;
    }

    /** The run of that number, or null. */
    @Nullable
    Run run(int number) {
        return runs.get(number);
    }

    /** Whether it is in use. */
    boolean has(Shelf shelf) {
        return shelf == active || shelf == frozen || shelf == runs.get(shelf.number());
    }

    /** Begins a new memtable; the one before gets no more timers. */
    Memtable freeze() {
        assert frozen == null;
        Memtable full = active;
        frozen = full;
        active = newMemtable();
        return full;
    }

    /** Lets go of a memtable all timers of which have moved. */
    void dropFrozen() {
        Memtable old = frozen;
        assert old != null && old.present() == 0;
        loading.remove(old);
        old.free();
        frozen = null;
    }

    /** Takes a run into use, but for loading. */
    void add(Run run) {
        runs.put(run.number(), run);
    }

    /** Lets go of a run of which no timer is left. */
    void drop(Run run) throws IOException {
        assert run.present() == 0;
        loading.remove(run);
        runs.remove(run.number());
        run.close();
    }

    long hash(byte[] queue, byte[] key) {
        return hash.of(queue, key);
    }

    /** Brings {@link KeyIndex#place} and {@link KeyIndex#ordinal} to the timer of a key; false when there is none. */
    boolean find(long keyHash, byte[] queue, byte[] key) {
        for (boolean found = index.find(keyHash); found; found = index.findNext()) {
            if (shelf(index.place()).isOf(index.ordinal(), queue, key)) {
                return true;
            }
        }
        return false;
    }

    /** Remembers finished timers, in their order, behind those that are. */
    void remember(RecordQueue records) {
        for (long at = records.first(); at < records.end(); at = records.next(at)) {
            FinishedRecord record = FinishedRecord.read(records.chunk(at), records.offset(at));
            remember(hash(record.queue(), record.key()), record);
        }
    }

    /** Remembers a finished timer as the last one. */
    void remember(long keyHash, FinishedRecord record) {
        finished.add(keyHash, queues.get(new String(record.queue(), StandardCharsets.UTF_8)), record);
    }

    /** Closes the files. */
    void close() throws IOException {
        for (Run run : new ArrayList<>(runs.values())) {
            run.close();
        }
    }
}
