package io.tickwheel.wheel;

import java.util.Arrays;

/**
 * The timers of a {@link LongWheel}, 20 bytes each and none of them an object: an entry is five ints in a row, known by
 * its index. Allocate and free are O(1); the entry freed last is used first, as it is likely in the cache. Memory grows
 * by a segment of 4096 entries at a time, nothing is copied, and does not shrink. Not thread-safe.
 */
final class Entries {
    /*
     *     int of a segment    0    1     2      3      4           5 ..
     *                         deadline   next   prev   generation  deadline ..
     *                         low  high
     *                        '-- entry 0 ----------------------' '-- entry 1 ..
     *
     *     index    31 |     30 .. 12     |    11 .. 0    |
     *               0 |     segment      |    entry      |
     *
     *     handle   63 |     62 .. 32     |    31 .. 0    |
     *               0 | generation, 1 .. |    index      |
     *
     * The generation counts the uses of an entry, from 1; while the entry is free it is kept negated, so that a live
     * handle, which is positive, is found out by one comparison. An entry that has had the last generation is not used
     * again. No two timers ever have the same handle, whatever the age of it; the price is 20 bytes for every 2^31 - 1
     * timers.
     */
    static final int NONE = -1;

    static final int SEGMENT_ENTRIES = 1 << 12;

    /** The most entries whose number is an int. */
    static final int MAX_ENTRIES = Integer.MAX_VALUE - SEGMENT_ENTRIES + 1;

    private static final int SEGMENT_BITS = 12;
    private static final int OFFSET_MASK = SEGMENT_ENTRIES - 1;

    private static final int DEADLINE_LOW = 0;
    private static final int DEADLINE_HIGH = 1;
    private static final int NEXT = 2;
    private static final int PREV = 3;
    private static final int GENERATION = 4;
    private static final int INTS = 5;

    private final int maxEntries;
    private final int lastGeneration;

    private int[][] segments = {};
    private int capacity;
    // Entries at this index and above were never used.
    private int fresh;
    // The first entry of the free list, which goes on through the next of each.
    private int free = NONE;

    Entries() {
        this(MAX_ENTRIES, Integer.MAX_VALUE);
    }

    /** As above with limits of one's own; {@code maxEntries} is a multiple of {@link #SEGMENT_ENTRIES}. */
    Entries(int maxEntries, int lastGeneration) {
        assert maxEntries > 0 && maxEntries % SEGMENT_ENTRIES == 0 && lastGeneration > 0;
        this.maxEntries = maxEntries;
        this.lastGeneration = lastGeneration;
    }

    int capacity() {
        return capacity;
    }

    /** Returns an entry that is not in use. Its deadline and links are whatever they were. */
    int allocate() {
        int entry = free;
        if (entry != NONE) {
            free = next(entry);
        } else {
            if (fresh == capacity) {
                addSegment();
            }
            entry = fresh++;
        }
        int[] segment = segment(entry);
        int at = offset(entry) + GENERATION;
        assert segment[at] <= 0;
        segment[at] = 1 - segment[at];
        return entry;
    }

    void free(int entry) {
        int[] segment = segment(entry);
        int at = offset(entry);
        int generation = segment[at + GENERATION];
        assert generation > 0;
        segment[at + GENERATION] = -generation;
        if (generation < lastGeneration) {
            segment[at + NEXT] = free;
            free = entry;
        }
    }

    /** Returns the handle of an entry in use, greater than 0. */
    long handle(int entry) {
        return (long) segment(entry)[offset(entry) + GENERATION] << Integer.SIZE | entry;
    }

    /** Returns whether the entry of this handle, which may be any number, is in use for the timer of this handle. */
    boolean isLive(long handle) {
        int entry = (int) handle;
        return handle > 0
                && entry >= 0
                && entry < capacity
                && segment(entry)[offset(entry) + GENERATION] == (int) (handle >>> Integer.SIZE);
    }

    long deadline(int entry) {
        int[] segment = segment(entry);
        int at = offset(entry);
        return (long) segment[at + DEADLINE_HIGH] << Integer.SIZE | Integer.toUnsignedLong(segment[at + DEADLINE_LOW]);
    }

    void setDeadline(int entry, long tick) {
        int[] segment = segment(entry);
        int at = offset(entry);
        segment[at + DEADLINE_LOW] = (int) tick;
        segment[at + DEADLINE_HIGH] = (int) (tick >>> Integer.SIZE);
    }

    int next(int entry) {
        return segment(entry)[offset(entry) + NEXT];
    }

    int prev(int entry) {
        return segment(entry)[offset(entry) + PREV];
    }

    void setNext(int entry, int next) {
        segment(entry)[offset(entry) + NEXT] = next;
    }

    void setPrev(int entry, int prev) {
        segment(entry)[offset(entry) + PREV] = prev;
    }

    private void addSegment() {
        if (capacity == maxEntries) {
            throw new IllegalStateException("all " + maxEntries + " places for timers are taken");
        }
        int count = capacity / SEGMENT_ENTRIES;
        int[] segment = new int[SEGMENT_ENTRIES * INTS];
        if (count == segments.length) {
            // Only the references: doubled, so that this is rare.
            segments = Arrays.copyOf(segments, Math.max(4, 2 * count));
        }
        segments[count] = segment;
        capacity += SEGMENT_ENTRIES;
    }

    private int[] segment(int entry) {
        return segments[entry >>> SEGMENT_BITS];
    }

    private static int offset(int entry) {
        return (entry & OFFSET_MASK) * INTS;
    }
}
