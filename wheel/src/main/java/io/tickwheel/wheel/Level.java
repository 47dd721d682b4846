package io.tickwheel.wheel;

/** One level of a {@link HierarchicalWheel}: 256 slots and which of them are occupied; and what all levels share. */
final class Level {
    /** The binary digits of a tick that one level looks at. */
    static final int BITS = 8;

    static final int SLOTS = 1 << BITS;

    /** So many timers that come down from one slot stay in the cache until they expire. */
    static final int CACHED = 512;

    /** How many levels all ticks need. */
    static final int COUNT = Long.SIZE / BITS;

    /** Its bit in the set of occupied levels. */
    final int bit;

    final Slot[] slots = new Slot[SLOTS];
    // A bit for each slot, set if it is not empty.
    final long[] occupied = new long[SLOTS / Long.SIZE];

    Level(Object wheel, int number) {
        bit = 1 << number;
        for (int index = 0; index < SLOTS; index++) {
            slots[index] = new Slot(wheel, this, index);
        }
    }

    /** Returns the level that a tick, which is not before the current tick, belongs to. */
    static int numberOf(long tick, long currentTick) {
        assert tick >= currentTick;
        int highestBit = Long.SIZE - 1 - Long.numberOfLeadingZeros((tick ^ currentTick) | 1);
        return highestBit / BITS;
    }

    /** Returns which slot of level {@code number} a tick belongs to. */
    static int slotIndex(long tick, int number) {
        return (int) (tick >>> (number * BITS)) & (SLOTS - 1);
    }

    Slot slot(int index) {
        return slots[index];
    }

    boolean isOccupied(int index) {
        return (occupied[index / Long.SIZE] & (1L << index)) != 0;
    }

    boolean isEmpty() {
        return (occupied[0] | occupied[1] | occupied[2] | occupied[3]) == 0;
    }

    /** Returns the lowest occupied slot of a level that is not empty. */
    int firstOccupied() {
        int word = 0;
        while (occupied[word] == 0) {
            word++;
        }
        return word * Long.SIZE + Long.numberOfTrailingZeros(occupied[word]);
    }

    void clear() {
        while (!isEmpty()) {
            int index = firstOccupied();
            slots[index].clear();
            occupied[index / Long.SIZE] &= ~(1L << index);
        }
    }
}
