package io.tickwheel.store.file.memory;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * From the 64-bit hash of a key to where its timer is: entries of hash, place and ordinal, any number of them with the same
 * hash. To find costs a few adjacent slots, to add or remove a few more, and now and then the copy of one segment: 1/2,048 of
 * the index. At most 32 bytes an entry outside the heap, from a hundred thousand entries on. Owned by one thread.
 *
 * <p>The top 11 bits of the hash choose a segment; each segment is an open-addressing table with linear probing (Knuth, TAOCP
 * vol. 3, 6.4) over pages of its own, which are all of one size and need not be adjacent:
 *
 * <pre>
 *   hash      | segment: 11 bits | rest: 53 bits, of which 32 choose the home |
 *
 *   slot      0                       8             12            16
 *             +-----------------------+-------------+-------------+
 *             | hash                  | place       | ordinal     |     place 0: empty
 *             +-----------------------+-------------+-------------+
 *
 *   segment   [ page ][ page ] … [ page ]     {@value Slots#A_PAGE} slots a page
 * </pre>
 *
 * <p>Worked example: hash {@code 0x00280000_00000000} is in segment 1 (the top 11 bits are 00000000001), and the 32 bits after
 * those are {@code 0x40000000}, a quarter of 2^32. With 3 pages a segment has 96 slots, and the home is
 * {@code 0x40000000 * 96 >>> 32} = 24. With 5 pages it is 40: any number of pages will do, and a larger hash never has a lower
 * home.
 *
 * <p>A cluster is kept in the order of the rest (Amble and Knuth, "Ordered hash tables", 1974). So a search ends at the first
 * entry that should come after, entries of equal hash are neighbours, and to grow or shrink is to stream one table into
 * another. Entries that run over the end of a table go on at its beginning. A segment grows by three eighths at
 * load 0.84 and shrinks to load 0.6 below 0.34: an entry takes 19 to 26 bytes of a large table, and what lies fallow in the
 * pages and in {@link PageMemory} comes on top.
 */
public final class KeyIndex {

    /** Receives entries; must not change the index. */
    public interface Visitor {
        void visit(long hash, int place, int ordinal);
    }

    /** Says which entries are still wanted; must not change the index. */
    public interface Keep {
        boolean test(int place, int ordinal);
    }

    private static final Keep ALL = (place, ordinal) -> true;

    static final int SEGMENTS = 1 << Slots.SEGMENT_BITS;

    private static final int SLOTS_A_CACHE_LINE = 4;

    /** Entries a page: full is load 0.84, sparse 0.34, and a table that was sparse gets load 0.6. */
    private static final int FULL = 27;

    private static final int SPARSE = 11;
    private static final int EXPECTED = 24;
    private static final int SHRUNK = 19;

    private static final int[] NO_PAGES = {};

    /** The pages of each segment in order. */
    private final int[][] tables = new int[SEGMENTS][];

    private final int[] counts = new int[SEGMENTS];
    private Slots slots = new Slots();
    private long size;
    private int firstPages = 1;

    /** Means nothing; keeps what {@link #touch} reads from being left out. */
    long touched;

    /** What {@link #find} is at; no pages: at nothing. */
    private int[] foundTable = NO_PAGES;

    private int foundSlot;
    private long foundHash;
    private long foundEntry;

    public KeyIndex() {
        clear();
    }

    /**
     * Says how many entries there will be, so that each segment begins with room for its part, or gets it when it grows; 0: not known. Without this, entries
     * that come in the order of their hashes make long clusters in small tables.
     */
    public void expect(long entries) {
        firstPages = (int) Math.max(1, entries / SEGMENTS / EXPECTED + 1);
    }

    /** Adds an entry that is not there; {@code place} is not 0. */
    public void add(long hash, int place, int ordinal) {
        boolean added = addUnlessThere(hash, place, ordinal);
        assert added : "is there: " + hash + " " + place + " " + ordinal;
    }

    /** Adds an entry; {@code place} is not 0. False: it is there. */
    public boolean addUnlessThere(long hash, int place, int ordinal) {
        assert place != 0 : "place 0 means empty";
        foundTable = NO_PAGES;
        int segment = segment(hash);
        if (counts[segment] >= tables[segment].length * FULL) {
            int pages = tables[segment].length;
            resize(segment, Math.max(firstPages, pages + Math.max(1, 3 * pages / 8)));
        }
        boolean added = insert(tables[segment], hash, Slots.entry(place, ordinal));
        if (added) {
            counts[segment]++;
            size++;
        }
        return added;
    }

    /** Whether there is such an entry. */
    public boolean contains(long hash, int place, int ordinal) {
        boolean there = seek(hash, place, ordinal);
        foundTable = NO_PAGES;
        return there;
    }

    /** Replaces an entry by one with the same hash; {@code newPlace} is not 0. False: there is no such entry. */
    public boolean move(long hash, int place, int ordinal, int newPlace, int newOrdinal) {
        assert newPlace != 0 : "place 0 means empty";
        boolean there = seek(hash, place, ordinal);
        if (there) {
            slots.put(foundTable, foundSlot, hash, Slots.entry(newPlace, newOrdinal));
        }
        foundTable = NO_PAGES;
        return there;
    }

    /** False: there is no such entry. */
    public boolean remove(long hash, int place, int ordinal) {
        boolean there = seek(hash, place, ordinal);
        if (there) {
            closeUp(foundTable, foundSlot);
            int segment = segment(hash);
            counts[segment]--;
            size--;
            shrink(segment);
        }
        foundTable = NO_PAGES;
        return there;
    }

    /**
     * Goes to the first entry with the hash, in no particular order among those. {@link #place}, {@link #ordinal} and
     * {@link #findNext} work until the index is changed.
     *
     * @return false if there is none
     */
    public boolean find(long hash) {
        int[] table = tables[segment(hash)];
        foundTable = NO_PAGES;
        int capacity = Slots.capacity(table);
        if (capacity == 0) {
            return false;
        }
        int slot = Slots.home(hash, capacity);
        for (int distance = 0; ; distance++) {
            ByteBuffer chunk = slots.chunk(table, slot);
            int at = slots.at(table, slot);
            long entry = chunk.getLong(at + Slots.ENTRY);
            if (entry == Slots.EMPTY) {
                return false;
            }
            long there = chunk.getLong(at);
            if (there == hash) {
                foundTable = table;
                foundSlot = slot;
                foundHash = hash;
                foundEntry = entry;
                return true;
            }
            if (!Slots.isBefore(there, slot, hash, distance, capacity)) {
                return false;
            }
            slot = Slots.next(slot, capacity);
        }
    }

    /**
     * Reads where a search for the hash begins. Several of these wait for memory together, where searches wait one after the
     * other.
     */
    public void touch(long hash) {
        int[] table = tables[segment(hash)];
        if (table.length > 0) {
            touched += slots.entryAt(table, Slots.home(hash, Slots.capacity(table)));
        }
    }

    /** Reads all of a segment, one part after the other, so that what is done there next does not wait for memory. */
    public void touchSegment(int segment) {
        int[] table = tables[segment];
        for (int slot = 0; slot < Slots.capacity(table); slot += SLOTS_A_CACHE_LINE) {
            touched += slots.entryAt(table, slot);
        }
    }

    /** Goes on to the next entry with the hash. False: there is none, and the search is over. */
    public boolean findNext() {
        assert foundTable.length > 0 : "nothing was found, or the index has changed since";
        int slot = Slots.next(foundSlot, Slots.capacity(foundTable));
        long entry = slots.entryAt(foundTable, slot);
        if (entry == Slots.EMPTY || slots.hashAt(foundTable, slot) != foundHash) {
            foundTable = NO_PAGES;
            return false;
        }
        foundSlot = slot;
        foundEntry = entry;
        return true;
    }

    /** Of the entry that was found. */
    public int place() {
        assert foundTable.length > 0 : "nothing was found, or the index has changed since";
        return Slots.place(foundEntry);
    }

    /** Of the entry that was found. */
    public int ordinal() {
        assert foundTable.length > 0 : "nothing was found, or the index has changed since";
        return Slots.ordinal(foundEntry);
    }

    /** Number of entries. */
    public long size() {
        return size;
    }

    /** Bytes of memory outside the heap. */
    long bytes() {
        return slots.bytes();
    }

    /** Number of segments; does not change. */
    public int segments() {
        return SEGMENTS;
    }

    /**
     * Visits the entries of one segment, for one who goes through the index in steps. An entry stays in its segment for life,
     * whatever else is added and removed between the steps.
     *
     * @param segment 0 to {@link #segments} - 1
     * @return how many there were
     */
    public int visitSegment(int segment, Visitor visitor) {
        int[] table = tables[segment];
        for (int slot = 0; slot < Slots.capacity(table); slot++) {
            long entry = slots.entryAt(table, slot);
            if (entry != Slots.EMPTY) {
                visitor.visit(slots.hashAt(table, slot), Slots.place(entry), Slots.ordinal(entry));
            }
        }
        return counts[segment];
    }

    /**
     * Drops the entries of one segment that are not wanted any more, in one pass over it: for many of them that is less than to
     * {@link #remove} each, which waits for memory.
     *
     * @param segment 0 to {@link #segments} - 1
     * @return how many it dropped
     */
    public int keepIn(int segment, Keep keep) {
        int before = counts[segment];
        if (before == 0) {
            return 0;
        }
        foundTable = NO_PAGES;
        int[] old = tables[segment];
        int[] fresh = slots.allocate(old.length);
        int kept = copy(old, fresh, keep);
        tables[segment] = fresh;
        slots.free(old);
        counts[segment] = kept;
        size -= before - kept;
        shrink(segment);
        return before - kept;
    }

    /** Drops all entries and their memory. */
    public void clear() {
        Arrays.fill(tables, NO_PAGES);
        Arrays.fill(counts, 0);
        foundTable = NO_PAGES;
        slots = new Slots();
        size = 0;
    }

    private boolean seek(long hash, int place, int ordinal) {
        long entry = Slots.entry(place, ordinal);
        for (boolean more = find(hash); more; more = findNext()) {
            if (foundEntry == entry) {
                return true;
            }
        }
        return false;
    }

    /** Puts the entry before the first that does not belong before it, and moves the rest of the cluster up by one. False: it is there. */
    private boolean insert(int[] table, long hash, long entry) {
        int capacity = Slots.capacity(table);
        int slot = Slots.home(hash, capacity);
        int distance = 0;
        while (slots.entryAt(table, slot) != Slots.EMPTY
                && Slots.isBefore(slots.hashAt(table, slot), slot, hash, distance, capacity)) {
            slot = Slots.next(slot, capacity);
            distance++;
        }
        for (int same = slot; slots.entryAt(table, same) != Slots.EMPTY && slots.hashAt(table, same) == hash; ) {
            if (slots.entryAt(table, same) == entry) {
                return false;
            }
            same = Slots.next(same, capacity);
        }
        long movedHash = hash;
        long movedEntry = entry;
        while (movedEntry != Slots.EMPTY) {
            ByteBuffer chunk = slots.chunk(table, slot);
            int at = slots.at(table, slot);
            long nextHash = chunk.getLong(at);
            long nextEntry = chunk.getLong(at + Slots.ENTRY);
            chunk.putLong(at, movedHash);
            chunk.putLong(at + Slots.ENTRY, movedEntry);
            movedHash = nextHash;
            movedEntry = nextEntry;
            slot = Slots.next(slot, capacity);
        }
        return true;
    }

    /** Empties a slot: what follows in the cluster and is not at home moves down by one. */
    private void closeUp(int[] table, int slot) {
        int capacity = Slots.capacity(table);
        int hole = slot;
        while (true) {
            int after = Slots.next(hole, capacity);
            long entry = slots.entryAt(table, after);
            long hash = slots.hashAt(table, after);
            if (entry == Slots.EMPTY || Slots.home(hash, capacity) == after) {
                slots.putEmpty(table, hole);
                return;
            }
            slots.put(table, hole, hash, entry);
            hole = after;
        }
    }

    private void shrink(int segment) {
        int count = counts[segment];
        int pages = tables[segment].length;
        if (count == 0) {
            slots.free(tables[segment]);
            tables[segment] = NO_PAGES;
        } else if (count < pages * SPARSE) {
            int fewer = (count + SHRUNK - 1) / SHRUNK;
            if (fewer < pages) {
                resize(segment, fewer);
            }
        }
    }

    private void resize(int segment, int pages) {
        int[] old = tables[segment];
        int[] fresh = slots.allocate(pages);
        copy(old, fresh, ALL);
        tables[segment] = fresh;
        slots.free(old);
    }

    /**
     * Streams what is wanted of a table into another one, of any capacity. Both are in the order of the hashes, but for what runs over the end.
     *
     * @return how many entries that were
     */
    private int copy(int[] from, int[] to, Keep keep) {
        int fromCapacity = Slots.capacity(from);
        int toCapacity = Slots.capacity(to);
        int first = 0;
        while (first < fromCapacity
                && slots.entryAt(from, first) != Slots.EMPTY
                && Slots.home(slots.hashAt(from, first), fromCapacity) > first) {
            first++; // has run over the end: comes last
        }
        int kept = 0;
        int written = 0;
        for (int i = 0; i < fromCapacity; i++) {
            int slot = first + i < fromCapacity ? first + i : first + i - fromCapacity;
            ByteBuffer chunk = slots.chunk(from, slot);
            int at = slots.at(from, slot);
            long entry = chunk.getLong(at + Slots.ENTRY);
            if (entry == Slots.EMPTY || !keep.test(Slots.place(entry), Slots.ordinal(entry))) {
                continue;
            }
            kept++;
            long hash = chunk.getLong(at);
            int home = Slots.home(hash, toCapacity);
            while (written < home) {
                slots.putEmpty(to, written++);
            }
            if (written < toCapacity) {
                slots.put(to, written++, hash, entry);
            } else {
                insert(to, hash, entry);
            }
        }
        while (written < toCapacity) {
            slots.putEmpty(to, written++);
        }
        return kept;
    }

    static int segment(long hash) {
        return (int) (hash >>> (Long.SIZE - Slots.SEGMENT_BITS));
    }
}
