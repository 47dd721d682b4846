package io.tickwheel.store.file.table;

import io.tickwheel.store.file.memory.ChunkPool;
import io.tickwheel.store.file.record.TimerRecord;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The timers whose record is in the commit log behind the last trim: their bytes, and a slot of fixed size for each, in memory
 * outside the heap. Slots are given in the order of the seqs. Owned by the loop; a background task may read what does not
 * change any more (all but the state of a slot, of which it may see an older one).
 *
 * <pre>
 *   slot: 0 attempt i64 | 8 where the record is u64 | 16 hash u64 | 24 seq u64 | 32 lane number u32 | 36 state u8
 *         40 the slot before of the lane u32, plus 1; 0 for none                                              44 bytes
 *   where: chunk (high 32 bits), offset (low 32 bits); there: length u32, record
 * </pre>
 *
 * So the slots of a lane can be gone through without a look at those of others. Worst case of memory: the bytes of the log since the
 * trim, and 44 bytes a timer.
 */
public final class Memtable implements TimerTable {

    private static final int SLOT_BYTES = 44;
    private static final int SLOTS_PER_CHUNK = ChunkPool.CHUNK_BYTES / SLOT_BYTES;
    private static final int STATE_AT = 36;
    private static final int BEFORE_AT = 40;
    private static final int[] NO_LANES = {};

    private static final byte WAITING = 0;
    private static final byte TAKEN = 1;
    private static final byte ENDED = 2;
    private static final byte DEAD = 3;

    private final int number;
    private final ChunkPool pool;
    private final QueueTable queues;
    private final List<ByteBuffer> slots = new ArrayList<>();
    private final List<ByteBuffer> records = new ArrayList<>();

    /** By the number of the lane: its last slot plus 1; 0 for none. */
    private int[] lastOfLane = NO_LANES;

    private int size;
    private int current;
    private int present;
    private long recordBytes;

    public Memtable(int number, ChunkPool pool, QueueTable queues) {
        this.number = number;
        this.pool = pool;
        this.queues = queues;
        this.current = -1;
    }

    @Override
    public int number() {
        return number;
    }

    /** The memory that it is in. */
    public ChunkPool pool() {
        return pool;
    }

    /** Slots, of which some have ended. */
    public int size() {
        return size;
    }

    /** Slots that have not ended. */
    public int present() {
        return present;
    }

    /** What the records take. */
    public long recordBytes() {
        return recordBytes;
    }

    /** Adds a record, and returns its ordinal. */
    public int add(TimerRecord record, long hash, StoreLane lane) {
        int length = record.length();
        long where = reserve(length);
        ByteBuffer chunk = records.get((int) (where >>> 32));
        chunk.position((int) where).putInt(length);
        record.write(chunk);
        return addSlot(record, where, hash, lane.number);
    }

    /** Adds a record that was read from {@code bytes}, and returns its ordinal. */
    public int add(TimerRecord record, ByteBuffer bytes, int offset, int length, long hash, StoreLane lane) {
        long where = reserve(length);
        ByteBuffer chunk = records.get((int) (where >>> 32));
        int at = (int) where;
        chunk.putInt(at, length).put(at + Integer.BYTES, bytes, offset, length).position(at + Integer.BYTES + length);
        return addSlot(record, where, hash, lane.number);
    }

    private long reserve(int length) {
        int needed = Integer.BYTES + length;
        recordBytes += needed;
        if (needed > ChunkPool.CHUNK_BYTES / 4) {
            records.add(ChunkPool.takeLarge(needed));
            return (long) (records.size() - 1) << 32;
        }
        if (current < 0 || records.get(current).position() + needed > ChunkPool.CHUNK_BYTES) {
            records.add(pool.take());
            current = records.size() - 1;
        }
        return ((long) current << 32) | records.get(current).position();
    }

    private int addSlot(TimerRecord record, long where, long hash, int lane) {
        if (size == slots.size() * SLOTS_PER_CHUNK) {
            slots.add(pool.take());
        }
        int ordinal = size++;
        ByteBuffer chunk = slotChunk(ordinal);
        int at = slotOffset(ordinal);
        chunk.putLong(at, record.attemptAtMs())
                .putLong(at + 8, where)
                .putLong(at + 16, hash)
                .putLong(at + 24, record.seq())
                .putInt(at + 32, lane)
                .put(at + STATE_AT, record.dead() ? DEAD : WAITING);
        if (lane >= lastOfLane.length) {
            lastOfLane = Arrays.copyOf(lastOfLane, Math.max(lane + 1, 2 * lastOfLane.length));
        }
        chunk.putInt(at + BEFORE_AT, lastOfLane[lane]);
        lastOfLane[lane] = ordinal + 1;
        present++;
        return ordinal;
    }

    /** The last slot that a lane has here; -1 when it has none. Another lane may have had the number before: its slots have ended. */
    public int lastOf(StoreLane lane) {
        return lane.number < lastOfLane.length ? lastOfLane[lane.number] - 1 : -1;
    }

    /** The slot of the same lane before that one; -1 when there is none. */
    public int before(int ordinal) {
        return slotChunk(ordinal).getInt(slotOffset(ordinal) + BEFORE_AT) - 1;
    }

    /** The ordinal of a seq, or a negative number when it is not here. O(log n). */
    public int find(long seq) {
        int low = 0;
        int high = size - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            long found = seq(middle);
            if (found == seq) {
                return middle;
            }
            if (found < seq) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return -1;
    }

    @Override
    public long seq(int ordinal) {
        return slotChunk(ordinal).getLong(slotOffset(ordinal) + 24);
    }

    @Override
    public long hash(int ordinal) {
        return slotChunk(ordinal).getLong(slotOffset(ordinal) + 16);
    }

    @Override
    public long attemptAtMs(int ordinal) {
        return slotChunk(ordinal).getLong(slotOffset(ordinal));
    }

    @Override
    public StoreLane lane(int ordinal) {
        return queues.lane(laneNumber(ordinal));
    }

    int laneNumber(int ordinal) {
        return slotChunk(ordinal).getInt(slotOffset(ordinal) + 32);
    }

    @Override
    public TimerRecord record(int ordinal, boolean withContent) {
        long where = where(ordinal);
        ByteBuffer chunk = recordChunk(where);
        return TimerRecord.read(chunk, recordOffset(where), recordLength(where), withContent);
    }

    @Override
    public boolean isOf(int ordinal, byte[] queue, byte[] key) {
        long where = where(ordinal);
        return TimerRecord.isOf(recordChunk(where), recordOffset(where), queue, key);
    }

    /** How long the record is. */
    public int length(int ordinal) {
        return recordLength(where(ordinal));
    }

    long where(int ordinal) {
        return slotChunk(ordinal).getLong(slotOffset(ordinal) + 8);
    }

    ByteBuffer recordChunk(long where) {
        return records.get((int) (where >>> 32));
    }

    static int recordOffset(long where) {
        return (int) where + Integer.BYTES;
    }

    int recordLength(long where) {
        return recordChunk(where).getInt((int) where);
    }

    @Override
    public boolean isWaiting(int ordinal) {
        return state(ordinal) == WAITING;
    }

    @Override
    public boolean isEnded(int ordinal) {
        return state(ordinal) == ENDED;
    }

    public boolean isDead(int ordinal) {
        return state(ordinal) == DEAD;
    }

    @Override
    public void take(int ordinal) {
        assert state(ordinal) == WAITING;
        setState(ordinal, TAKEN);
    }

    @Override
    public void untake(int ordinal) {
        assert state(ordinal) == TAKEN;
        setState(ordinal, WAITING);
    }

    @Override
    public void end(int ordinal) {
        if (state(ordinal) != ENDED) {
            setState(ordinal, ENDED);
            present--;
        }
    }

    private byte state(int ordinal) {
        return slotChunk(ordinal).get(slotOffset(ordinal) + STATE_AT);
    }

    private void setState(int ordinal, byte state) {
        slotChunk(ordinal).put(slotOffset(ordinal) + STATE_AT, state);
    }

    private ByteBuffer slotChunk(int ordinal) {
        return slots.get(ordinal / SLOTS_PER_CHUNK);
    }

    private static int slotOffset(int ordinal) {
        return ordinal % SLOTS_PER_CHUNK * SLOT_BYTES;
    }

    /** Gives the memory back. Nothing of this may be used any more. */
    public void free() {
        slots.forEach(pool::giveBack);
        records.forEach(pool::giveBack);
        slots.clear();
        records.clear();
        lastOfLane = NO_LANES;
        size = 0;
        present = 0;
    }
}
