package io.tickwheel.store.file.timers;

import io.tickwheel.store.file.memory.ChunkPool;
import io.tickwheel.store.file.memory.KeyIndex;
import io.tickwheel.store.file.memory.RecordQueue;
import io.tickwheel.store.file.record.FinishedRecord;
import io.tickwheel.store.file.table.QueueTable;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The last timers that were completed, cancelled or expired, by key and in the order in which they were, outside the heap: keys
 * may be long. Owned by the loop; O(1).
 *
 * <pre>
 *   entry   0 queue number u32, all ones when forgotten | 4 hash u64 | 12 {@link FinishedRecord}
 * </pre>
 *
 * Memory: an entry, its length and what it takes in a {@link KeyIndex}, which also has up to a quarter more that are gone, or {@value #LEAST_STALE}.
 *
 * <p>The index is larger than what a processor keeps at hand. So the last {@value #FRESH} entries wait to be put in together, where they wait for memory once, until
 * then or until somebody asks for anything; and one that is forgotten because it is the first stays in the index, as a position before the first one says enough,
 * until its segment is gone through.
 */
public final class FinishedTable {

    private static final int HASH_AT = 4;
    private static final int RECORD_AT = 12;
    private static final int FRESH = 32;
    private static final int LEAST_STALE = 4_096;

    /** How many of the lower bits of a position are the ordinal in the index; the others, plus 1 so that it is not 0, are the place. */
    private static final int ORDINAL_BITS = 31;

    /** In place of a queue: the key has a new timer, or another one that has finished. */
    private static final int FORGOTTEN = -1;

    private final QueueTable queues;
    private final int remembered;

    /** The entries, of which some are forgotten, and leave early. */
    private final RecordQueue entries;

    /** From the hash of a key to the position of its entry. */
    private final KeyIndex index = new KeyIndex();

    /** The last entries, in their order, which the index does not have yet; those of their keys that it has are to be forgotten. */
    private final FinishedRecord[] fresh = new FinishedRecord[FRESH];

    private final long[] freshPositions = new long[FRESH];
    private final long[] freshHashes = new long[FRESH];
    private int freshCount;

    /** Entries of the index that are gone, how many there may be, and which of its segments is gone through next. */
    private int stale;

    private final int mostStale;
    private int nextSegment;

    private long recordBytes;

    FinishedTable(QueueTable queues, int remembered, ChunkPool pool) {
        this.queues = queues;
        this.remembered = remembered;
        this.mostStale = Math.max(remembered / 4, LEAST_STALE);
        this.entries = new RecordQueue(pool);
    }

    /** How many entries of the index are gone. */
    int stale() {
        return stale;
    }

    public @Nullable FinishedRecord get(long hash, byte[] queue, byte[] key) {
        settle();
        if (!find(hash, queue, key)) {
            return null;
        }
        long at = foundPosition();
        return FinishedRecord.read(entries.chunk(at), entries.offset(at) + RECORD_AT);
    }

    private boolean find(long hash, byte[] queue, byte[] key) {
        for (boolean found = index.find(hash); found; found = index.findNext()) {
            long at = foundPosition();
            if (isHere(at) && FinishedRecord.isOf(entries.chunk(at), entries.offset(at) + RECORD_AT, queue, key)) {
                return true;
            }
        }
        return false;
    }

    /** Of the entry that the index has found. */
    private long foundPosition() {
        return position(index.place(), index.ordinal());
    }

    private static long position(int place, int ordinal) {
        return ((place - 1L) << ORDINAL_BITS) | ordinal;
    }

    /** Whether the entry at that position has not been dropped from the beginning of the queue. */
    private boolean isHere(long position) {
        return position >= entries.first();
    }

    private static int place(long position) {
        return (int) (position >>> ORDINAL_BITS) + 1;
    }

    private static int ordinal(long position) {
        return (int) position & Integer.MAX_VALUE;
    }

    int size() {
        settle();
        return (int) index.size() - stale;
    }

    /** What the records take in a {@code Progress}. */
    public long recordBytes() {
        settle();
        return recordBytes;
    }

    /** Remembers a timer as the last one, and forgets the first one when there are too many. */
    void add(long hash, QueueTable.Queue queue, FinishedRecord record) {
        if (remembered == 0) {
            return;
        }
        queues.countFinished(queue, 1);
        int length = record.length();
        long position = entries.add(RECORD_AT + length);
        ByteBuffer chunk = entries.chunk(position);
        int at = entries.offset(position);
        chunk.putInt(at, queue.number).putLong(at + HASH_AT, hash);
        record.write(chunk, at + RECORD_AT);
        recordBytes += length;
        fresh[freshCount] = record;
        freshPositions[freshCount] = position;
        freshHashes[freshCount] = hash;
        freshCount++;
        if (freshCount == FRESH) {
            settle();
        }
    }

    /** Has the index know all entries, and none too many be there. */
    private void settle() {
        if (freshCount == 0) {
            return;
        }
        for (int i = 0; i < freshCount; i++) {
            index.touch(freshHashes[i]);
        }
        for (int i = 0; i < freshCount; i++) {
            FinishedRecord record = fresh[i];
            forgetKey(freshHashes[i], record.queue(), record.key());
            index.add(freshHashes[i], place(freshPositions[i]), ordinal(freshPositions[i]));
        }
        Arrays.fill(fresh, 0, freshCount, null);
        freshCount = 0;
        while (entries.size() > remembered) {
            removeFirst();
        }
        while (stale > mostStale) {
            stale -= index.keepIn(nextSegment, (place, ordinal) -> isHere(position(place, ordinal)));
            nextSegment = (nextSegment + 1) % index.segments();
        }
    }

    private void removeFirst() {
        long first = entries.first();
        if (entries.chunk(first).getInt(entries.offset(first)) != FORGOTTEN) {
            uncount(first);
            stale++;
        }
        entries.removeFirst();
    }

    /**
     * Changes how a timer ended that is remembered, as the last one when that takes other room; does nothing when it is not remembered, or
     * its key has another one.
     */
    public void amend(long hash, FinishedRecord record) {
        settle();
        if (find(hash, record.queue(), record.key())) {
            long position = foundPosition();
            ByteBuffer chunk = entries.chunk(position);
            int at = entries.offset(position) + RECORD_AT;
            if (FinishedRecord.id(chunk, at) != record.id()) {
                return;
            }
            if (entries.length(position) == RECORD_AT + record.length()) {
                record.write(chunk, at);
            } else {
                add(hash, queues.queue(chunk.getInt(at - RECORD_AT)), record);
            }
        }
    }

    /** Forgets the timer of a key, when it has that id or had it before: it is known of another one that it has come and gone since. */
    public void removeUpTo(long hash, FinishedRecord last) {
        settle();
        if (find(hash, last.queue(), last.key())) {
            long position = foundPosition();
            if (FinishedRecord.id(entries.chunk(position), entries.offset(position) + RECORD_AT) <= last.id()) {
                forget(position);
            }
        }
    }

    /** Forgets a key that has a new timer, or of which nothing is to be known. */
    public void remove(long hash, byte[] queue, byte[] key) {
        settle();
        forgetKey(hash, queue, key);
    }

    private void forgetKey(long hash, byte[] queue, byte[] key) {
        if (find(hash, queue, key)) {
            forget(foundPosition());
        }
    }

    private void forget(long position) {
        ByteBuffer chunk = entries.chunk(position);
        int at = entries.offset(position);
        boolean was = index.remove(chunk.getLong(at + HASH_AT), place(position), ordinal(position));
        assert was : "not in the index";
        uncount(position);
        chunk.putInt(at, FORGOTTEN);
    }

    private void uncount(long position) {
        QueueTable.Queue queue = queues.queue(entries.chunk(position).getInt(entries.offset(position)));
        recordBytes -= entries.length(position) - RECORD_AT;
        queues.countFinished(queue, -1);
    }

    /** Where the first record stands, or would stand, for {@link #copy}. */
    public long firstPosition() {
        settle();
        return entries.first();
    }

    /** Whether no record stands at that position or behind it. */
    public boolean isEnd(long position) {
        settle();
        return entries.from(position) == entries.end();
    }

    /**
     * Copies the record at a position, which {@link #isEnd} has just said is not the end, or that took its place when it was forgotten, to the end of {@code to}.
     *
     * @return where to go on
     */
    public long copy(long position, RecordQueue to) {
        long from = entries.from(position);
        ByteBuffer chunk = entries.chunk(from);
        int at = entries.offset(from);
        if (chunk.getInt(at) != FORGOTTEN) {
            int length = entries.length(from) - RECORD_AT;
            long copied = to.add(length);
            to.chunk(copied).put(to.offset(copied), chunk, at + RECORD_AT, length);
        }
        return entries.next(from);
    }

    /** A copy of all records in their order. */
    public RecordQueue copy(ChunkPool pool) {
        RecordQueue records = new RecordQueue(pool);
        for (long at = firstPosition(); !isEnd(at); ) {
            at = copy(at, records);
        }
        return records;
    }
}
