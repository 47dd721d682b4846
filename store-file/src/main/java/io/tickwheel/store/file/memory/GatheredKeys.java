package io.tickwheel.store.file.memory;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.BitSet;

/**
 * Entries that are to come into a {@link KeyIndex}, outside the heap and by the segment of the index that they belong to. A large
 * index does not fit into any cache of the processor, one segment of it does: so entries that come in any order cost least
 * when those of a segment are added together. Owned by one thread; O(1) to add and to take one out, 16 bytes each.
 *
 * <pre>
 *   segment   [ page ][ page ] … [ page ]     {@value #SLOTS} entries a page, the last one perhaps fewer
 *   entry     0 hash u64 | 8 place u32 | 12 ordinal u32
 * </pre>
 */
public final class GatheredKeys {

    private static final int ENTRY_BYTES = 16;
    private static final int SLOTS = 32;
    private static final int[] NO_PAGES = {};

    private final PageMemory memory = new PageMemory(SLOTS * ENTRY_BYTES);

    /** The pages of each segment in order; those behind the last are nothing. */
    private final int[][] pages = new int[KeyIndex.SEGMENTS][];

    private final int[] counts = new int[KeyIndex.SEGMENTS];
    private final BitSet withEntries = new BitSet(KeyIndex.SEGMENTS);
    private long size;

    public GatheredKeys() {
        Arrays.fill(pages, NO_PAGES);
    }

    public void add(long hash, int place, int ordinal) {
        int segment = KeyIndex.segment(hash);
        int count = counts[segment]++;
        int slot = count % SLOTS;
        if (slot == 0) {
            addPage(segment, count / SLOTS);
            withEntries.set(segment);
        }
        int page = pages[segment][count / SLOTS];
        int at = memory.offset(page) + slot * ENTRY_BYTES;
        memory.chunk(page).putLong(at, hash).putInt(at + 8, place).putInt(at + 12, ordinal);
        size++;
    }

    private void addPage(int segment, int position) {
        if (position == pages[segment].length) {
            pages[segment] = Arrays.copyOf(pages[segment], Math.max(4, 2 * position));
        }
        pages[segment][position] = memory.allocate();
    }

    /** Number of entries. */
    public long size() {
        return size;
    }

    /** The first segment from that one on that has entries; -1 when there is none. */
    public int next(int segment) {
        return withEntries.nextSetBit(segment);
    }

    /** Takes all entries of a segment out, and gives their memory back; returns how many there were. */
    public int take(int segment, KeyIndex.Visitor visitor) {
        int count = counts[segment];
        for (int first = 0; first < count; first += SLOTS) {
            int page = pages[segment][first / SLOTS];
            ByteBuffer chunk = memory.chunk(page);
            for (int i = 0; i < Math.min(SLOTS, count - first); i++) {
                int at = memory.offset(page) + i * ENTRY_BYTES;
                visitor.visit(chunk.getLong(at), chunk.getInt(at + 8), chunk.getInt(at + 12));
            }
            memory.free(page);
        }
        counts[segment] = 0;
        withEntries.clear(segment);
        size -= count;
        return count;
    }
}
