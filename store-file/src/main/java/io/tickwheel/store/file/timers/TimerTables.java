package io.tickwheel.store.file.timers;

import io.tickwheel.store.Lane;
import io.tickwheel.store.LoadRoom;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.file.loading.Loading;
import io.tickwheel.store.file.memory.ChunkPool;
import io.tickwheel.store.file.memory.KeyIndex;
import io.tickwheel.store.file.memory.RecordQueue;
import io.tickwheel.store.file.record.FinishedRecord;
import io.tickwheel.store.file.record.KeyHash;
import io.tickwheel.store.file.record.TimerRecord;
import io.tickwheel.store.file.table.Memtable;
import io.tickwheel.store.file.table.QueueTable;
import io.tickwheel.store.file.table.Run;
import io.tickwheel.store.file.table.StoreLane;
import io.tickwheel.store.file.table.TimerTable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Every timer there is: the tables where the live and the dead ones stand, the index by key, which of them are loaded, the
 * counts, and the finished ones that are remembered. Owned by the loop.
 *
 * <pre>
 *   commit log ---> Memtable (active) ---> Memtable (frozen) ---> Runs ---> Runs (fewer, finer)
 *                        '----------------- KeyIndex: hash of the key -> table, ordinal -------'
 * </pre>
 */
public final class TimerTables {

    /** The memory of the memtables, and of what the tables' owners keep of many timers at once. */
    public final ChunkPool pool = new ChunkPool();

    public final KeyIndex index = new KeyIndex();
    public final QueueTable queues = new QueueTable();
    public final FinishedTable finished;
    public final LoadedTable loaded = new LoadedTable();

    public final PendingEnds pendingEnds = new PendingEnds(pool);

    /** What the log says of last attempts, until all that is remembered is known; see {@code OutcomeRecord}. */
    public final RecordQueue outcomes = new RecordQueue(pool);

    final LastAttempts lastAttempts = new LastAttempts();
    public final Loading loading;
    private final KeyHash hash;
    private final AtomicInteger nextNumber;
    private final Map<Integer, Run> runs = new HashMap<>();
    private Memtable active;
    private @Nullable Memtable frozen;

    /**
     * @param nextNumber higher than that of every table there was
     * @param turnTimers how many timers to look at in a turn, about
     */
    public TimerTables(long storeId, int nextNumber, int finishedRemembered, int turnTimers, Loading.Target target) {
        this.hash = new KeyHash(storeId);
        this.nextNumber = new AtomicInteger(nextNumber);
        this.finished = new FinishedTable(queues, finishedRemembered, pool);
        this.loading = new Loading(target, pendingEnds::contains, 2 * turnTimers);
        this.active = newMemtable();
    }

    /** For those who only look: nothing is loaded. */
    public static TimerTables toLookAt(long storeId, int nextNumber, int finishedRemembered) {
        return new TimerTables(storeId, nextNumber, finishedRemembered, 1, new LoadsNothing());
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
                TimerTable table,
                int ordinal,
                long seq,
                long attemptAtMs,
                StoreLane lane,
                LoadRoom.Age age,
                int length) {
            throw new IllegalStateException("nothing is loaded");
        }
    }

    private Memtable newMemtable() {
        Memtable memtable = new Memtable(newNumber(), pool, queues);
        loading.add(memtable);
        return memtable;
    }

    /** A number that no table had; any thread. */
    public int newNumber() {
        return nextNumber.getAndIncrement();
    }

    public int nextNumber() {
        return nextNumber.get();
    }

    public Memtable active() {
        return active;
    }

    public @Nullable Memtable frozen() {
        return frozen;
    }

    public Collection<Run> runs() {
        return runs.values();
    }

    public TimerTable table(int number) {
        if (number == active.number()) {
            return active;
        }
        Memtable old = frozen;
        if (old != null && number == old.number()) {
            return old;
        }
        Run run = runs.get(number);
        assert run != null : "no table " + number;
        return run;
    }

    /** The run of that number, or null. */
    public @Nullable Run run(int number) {
        return runs.get(number);
    }

    /** Whether it is in use. */
    public boolean has(TimerTable table) {
        return table == active || table == frozen || table == runs.get(table.number());
    }

    /** Begins a new memtable; the one before gets no more timers. */
    public Memtable freeze() {
        assert frozen == null;
        Memtable full = active;
        frozen = full;
        active = newMemtable();
        return full;
    }

    /** Lets go of a memtable all timers of which have moved. */
    public void dropFrozen() {
        Memtable old = frozen;
        assert old != null && old.present() == 0;
        loading.remove(old);
        old.free();
        frozen = null;
    }

    /** Takes a run into use, but for loading. */
    public void add(Run run) {
        runs.put(run.number(), run);
    }

    /** Lets go of a run of which no timer is left. */
    public void drop(Run run) throws IOException {
        assert run.present() == 0;
        loading.remove(run);
        runs.remove(run.number());
        run.close();
    }

    public long hash(byte[] queue, byte[] key) {
        return hash.of(queue, key);
    }

    public long hash(TimerKey key) {
        return hash.of(key.queue().getBytes(StandardCharsets.UTF_8), key.key().getBytes(StandardCharsets.UTF_8));
    }

    /** Brings {@link KeyIndex#place} and {@link KeyIndex#ordinal} to the timer of a key; false when there is none. */
    public boolean find(long keyHash, byte[] queue, byte[] key) {
        for (boolean found = index.find(keyHash); found; found = index.findNext()) {
            if (table(index.place()).isOf(index.ordinal(), queue, key)) {
                return true;
            }
        }
        return false;
    }

    /** Has a timer that has just come to the active memtable loaded, when it is its turn, or later. */
    public void offer(int ordinal, TimerRecord record, StoreLane lane) {
        loading.offer(active, ordinal, record.seq(), record.attemptAtMs(), lane, record.length());
    }

    /** How the timer of a key stands; null when there is none. */
    public @Nullable KeyState state(long keyHash, byte[] queue, byte[] key) {
        if (!find(keyHash, queue, key)) {
            FinishedRecord last = lastAttempts.get(queue, key);
            if (last != null) {
                return new KeyState.Ending(last);
            }
            FinishedRecord record = finished.get(keyHash, queue, key);
            return record == null ? null : new KeyState.Finished(record);
        }
        TimerTable table = table(index.place());
        int ordinal = index.ordinal();
        TimerRecord record = table.record(ordinal, false);
        return new KeyState.Standing(table, ordinal, record, record.dead() ? null : loaded.get(record.seq()));
    }

    /** Whether the index is complete: when it is not, it is being filled. */
    public boolean isIndexed() {
        return queues.isComplete();
    }

    /** Takes a timer that stands in a table into the index and the counts. */
    public void enter(long keyHash, TimerTable table, int ordinal, QueueTable.Queue queue, boolean dead) {
        index.add(keyHash, table.number(), ordinal);
        queues.count(queue, dead, 1);
    }

    /** Takes a timer into the index that is counted already; out of the counts, when it has ended since, or was entered and counted before. */
    public void enterCounted(long keyHash, int number, int ordinal) {
        TimerTable table = table(number);
        if (table.isEnded(ordinal) || !index.addUnlessThere(keyHash, number, ordinal)) {
            queues.count(table.lane(ordinal).queue, wasDead(table, ordinal), -1);
        }
    }

    /** Whether a timer was dead when it came to its table: a slot does not say that any more when it has ended. */
    private static boolean wasDead(TimerTable table, int ordinal) {
        return table instanceof Run run
                ? run.isDead()
                : table.record(ordinal, false).dead();
    }

    /** Takes a timer out of the index and the counts, if it is there. */
    void leave(long keyHash, TimerTable table, int ordinal, QueueTable.Queue queue, boolean dead) {
        if (index.remove(keyHash, table.number(), ordinal)) {
            queues.count(queue, dead, -1);
        }
    }

    /** Remembers finished timers, in their order, behind those that are. */
    public void remember(RecordQueue records) {
        for (long at = records.first(); at < records.end(); at = records.next(at)) {
            FinishedRecord record = FinishedRecord.read(records.chunk(at), records.offset(at));
            remember(hash(record.queue(), record.key()), record);
        }
    }

    /** Remembers a finished timer as the last one. */
    public void remember(long keyHash, FinishedRecord record) {
        finished.add(keyHash, queues.get(new String(record.queue(), StandardCharsets.UTF_8)), record);
    }

    /** Closes the files. */
    public void close() throws IOException {
        for (Run run : new ArrayList<>(runs.values())) {
            run.close();
        }
    }
}
