package io.tickwheel.store.file.memory;

import java.nio.ByteBuffer;

/** The slots of the tables of a {@link KeyIndex}: where they lie, what stands in them and in which order. A table is the numbers of its pages. Owned by one thread. */
final class Slots {

    static final int SEGMENT_BITS = 11;

    private static final int SLOT_BITS = 4;
    private static final int SLOTS_BITS = 5;

    /** Slots a page. */
    static final int A_PAGE = 1 << SLOTS_BITS;

    private static final int PAGE_BYTES = A_PAGE << SLOT_BITS;

    /** Where the entry stands in a slot, behind the hash. */
    static final int ENTRY = 8;

    static final long EMPTY = 0;

    private final PageMemory memory = new PageMemory(PAGE_BYTES);

    int[] allocate(int pages) {
        int[] table = new int[pages];
        for (int i = 0; i < pages; i++) {
            table[i] = memory.allocate();
        }
        return table;
    }

    void free(int[] table) {
        for (int page : table) {
            memory.free(page);
        }
    }

    /** Bytes of memory outside the heap. */
    long bytes() {
        return memory.bytes();
    }

    /** The buffer that a slot is in. */
    ByteBuffer chunk(int[] table, int slot) {
        return memory.chunk(table[slot >>> SLOTS_BITS]);
    }

    /** Where in {@link #chunk} the slot begins. */
    int at(int[] table, int slot) {
        return memory.offset(table[slot >>> SLOTS_BITS]) + ((slot & (A_PAGE - 1)) << SLOT_BITS);
    }

    long hashAt(int[] table, int slot) {
        return chunk(table, slot).getLong(at(table, slot));
    }

    long entryAt(int[] table, int slot) {
        return chunk(table, slot).getLong(at(table, slot) + ENTRY);
    }

    void put(int[] table, int slot, long hash, long entry) {
        ByteBuffer chunk = chunk(table, slot);
        int at = at(table, slot);
        chunk.putLong(at, hash);
        chunk.putLong(at + ENTRY, entry);
    }

    void putEmpty(int[] table, int slot) {
        chunk(table, slot).putLong(at(table, slot) + ENTRY, EMPTY);
    }

    static int capacity(int[] table) {
        return table.length << SLOTS_BITS;
    }

    static int next(int slot, int capacity) {
        return slot + 1 == capacity ? 0 : slot + 1;
    }

    static int home(long hash, int capacity) {
        return (int) ((((hash << SEGMENT_BITS) >>> Integer.SIZE) * capacity) >>> Integer.SIZE);
    }

    /** Whether the entry in a slot comes before a hash whose home is {@code distance} slots back. */
    static boolean isBefore(long there, int slot, long hash, int distance, int capacity) {
        int back = slot - home(there, capacity);
        int itsDistance = back < 0 ? back + capacity : back;
        return itsDistance > distance
                || (itsDistance == distance && Long.compareUnsigned(there << SEGMENT_BITS, hash << SEGMENT_BITS) < 0);
    }

    static long entry(int place, int ordinal) {
        return ((long) ordinal << Integer.SIZE) | Integer.toUnsignedLong(place);
    }

    static int place(long entry) {
        return (int) entry;
    }

    static int ordinal(long entry) {
        return (int) (entry >>> Integer.SIZE);
    }
}
