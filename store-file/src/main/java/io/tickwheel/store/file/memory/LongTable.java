package io.tickwheel.store.file.memory;

import java.nio.ByteBuffer;

/**
 * From a long to a long, outside the heap; there may be any number of entries with the same key. Open addressing with linear
 * probing (Knuth, TAOCP vol. 3, 6.4), at most half full, 16 bytes a slot: 32 to 64 bytes an entry. Owned by one thread; O(1),
 * but for the entry that makes it grow.
 *
 * <pre>
 *   slot   key i64 | value i64     value 0: empty
 * </pre>
 */
public final class LongTable {

    /** 2^64 divided by the golden ratio: keys that follow on each other are spread (Fibonacci hashing, TAOCP 6.4). */
    public static final long SPREAD = 0x9e3779b97f4a7c15L;

    private static final int FIRST_BITS = 10;
    private static final int MOST_BITS = 26;
    private static final int SLOT_BITS = 4;
    private static final int VALUE_AT = 8;
    private static final long EMPTY = 0;

    private ByteBuffer slots = ByteBuffer.allocate(0);

    /** The slots are 2^bits, once there are some. */
    private int bits = FIRST_BITS - 1;

    /** One less than the slots there are. */
    private int mask;

    private int size;

    /** Where the last find has ended. */
    private int found;

    public int size() {
        return size;
    }

    /** Goes to the first entry with the key, in no particular order among those; false when there is none. */
    public boolean find(long key) {
        if (size == 0) {
            return false;
        }
        found = home(key);
        return isFoundFrom(key);
    }

    /** Goes on to the next entry with the key, which must be that of the find before; false when there is none. */
    public boolean findNext(long key) {
        found = next(found);
        return isFoundFrom(key);
    }

    private boolean isFoundFrom(long key) {
        int at = found;
        while (valueAt(at) != EMPTY) {
            if (keyAt(at) == key) {
                found = at;
                return true;
            }
            at = next(at);
        }
        return false;
    }

    /** Of the entry that was found; until the table is changed. */
    public long value() {
        return valueAt(found);
    }

    /** Changes the entry that was found; not to 0. */
    public void setValue(long value) {
        assert value != EMPTY : "0 means empty";
        slots.putLong((found << SLOT_BITS) + VALUE_AT, value);
    }

    /** Adds an entry; its value is not 0. */
    public void add(long key, long value) {
        assert value != EMPTY : "0 means empty";
        if (2 * size >= mask) {
            grow();
        }
        insert(key, value);
        size++;
    }

    private void insert(long key, long value) {
        int at = home(key);
        while (valueAt(at) != EMPTY) {
            at = next(at);
        }
        put(at, key, value);
    }

    /** Removes the entry that was found, and moves back what the gap cuts off from its home. */
    public void remove() {
        int hole = found;
        for (int at = next(hole); valueAt(at) != EMPTY; at = next(at)) {
            if (distance(home(keyAt(at)), at) >= distance(hole, at)) {
                put(hole, keyAt(at), valueAt(at));
                hole = at;
            }
        }
        put(hole, 0, EMPTY);
        size--;
    }

    private void grow() {
        if (bits == MOST_BITS) {
            throw new OutOfMemoryError("More than " + size + " entries in one table");
        }
        ByteBuffer old = slots;
        bits++;
        slots = OffHeap.allocate(1 << (bits + SLOT_BITS));
        mask = (1 << bits) - 1;
        for (int at = 0; at < old.capacity(); at += 1 << SLOT_BITS) {
            long value = old.getLong(at + VALUE_AT);
            if (value != EMPTY) {
                insert(old.getLong(at), value);
            }
        }
    }

    /** Drops all entries and their memory. */
    public void clear() {
        slots = ByteBuffer.allocate(0);
        bits = FIRST_BITS - 1;
        mask = 0;
        size = 0;
    }

    private long keyAt(int slot) {
        return slots.getLong(slot << SLOT_BITS);
    }

    private long valueAt(int slot) {
        return slots.getLong((slot << SLOT_BITS) + VALUE_AT);
    }

    private void put(int slot, long key, long value) {
        slots.putLong(slot << SLOT_BITS, key).putLong((slot << SLOT_BITS) + VALUE_AT, value);
    }

    private int home(long key) {
        return (int) ((key * SPREAD) >>> (Long.SIZE - bits));
    }

    private int next(int slot) {
        return (slot + 1) & mask;
    }

    private int distance(int from, int to) {
        return (to - from) & mask;
    }
}
