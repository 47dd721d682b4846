package io.tickwheel.wheel;

import java.util.Arrays;

/**
 * One level of a {@link HierarchicalWheel}: a ring of slots, for a block of 256 and the one after it, and which of them are occupied; and
 * what all levels of all wheels share.
 */
final class Level {
    /** The binary digits of a tick that one level looks at. */
    static final int BITS = 8;

    /** The slots of a block. */
    static final int BLOCK = 1 << BITS;

    /** The slots of a ring. */
    static final int SLOTS = 2 * BLOCK;

    /** So many timers that come down from one slot stay in the cache until they expire. */
    static final int CACHED = 512;

    /** More timers than this come down from a slot ahead of its time. */
    static final int CROWD = 64;

    /** How many levels all ticks need. */
    static final int COUNT = Long.SIZE / BITS;

    final int number;

    /** Its bit in the set of occupied levels. */
    final int bit;

    final Slot[] slots = new Slot[SLOTS];
    // A bit for each slot, set if it is not empty, and how many are set.
    final long[] occupied = new long[SLOTS / Long.SIZE];
    int occupiedSlots;

    Level(int number) {
        this.number = number;
        bit = 1 << number;
        for (int index = 0; index < SLOTS; index++) {
            slots[index] = new Slot(this, index);
        }
    }

    /** Returns the level of the highest digit in which a tick, which is not before the current tick, differs from it. */
    static int numberOf(long tick, long currentTick) {
        assert tick >= currentTick;
        int highestBit = Long.SIZE - 1 - Long.numberOfLeadingZeros((tick ^ currentTick) | 1);
        return highestBit / BITS;
    }

    /** Returns the digit of a tick that level {@code number} looks at. */
    static int slotIndex(long tick, int number) {
        return (int) (tick >>> (number * BITS)) & (BLOCK - 1);
    }

    /** Returns which slot of the ring of level {@code number} a tick belongs to. */
    static int ringIndex(long tick, int number) {
        return (int) (tick >>> (number * BITS)) & (SLOTS - 1);
    }

    Slot slot(int index) {
        return slots[index];
    }

    boolean isOccupied(int index) {
        return (occupied[index / Long.SIZE] & (1L << index)) != 0;
    }

    /** Returns the first occupied slot of the ring, which is not empty, from an index on. */
    Slot firstFrom(int index) {
        int word = index / Long.SIZE;
        long bits = occupied[word] & (-1L << index);
        while (bits == 0) {
            word = (word + 1) % occupied.length;
            bits = occupied[word];
        }
        return slots[word * Long.SIZE + Long.numberOfTrailingZeros(bits)];
    }

    void clear() {
        for (int index = 0; index < SLOTS; index++) {
            slots[index].clear();
        }
        Arrays.fill(occupied, 0);
        occupiedSlots = 0;
    }
}
