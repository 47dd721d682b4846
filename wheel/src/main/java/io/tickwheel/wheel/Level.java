package io.tickwheel.wheel;

/**
 * One level of a {@link HierarchicalWheel}: 256 slots, and a bit for each that tells whether it is occupied. Finding
 * the first occupied slot looks at four words at most, whatever the distance in ticks.
 */
final class Level {
    /** The binary digits of a tick that one level looks at. */
    static final int BITS = 8;

    private static final int SLOTS = 1 << BITS;

    private final Slot[] slots = new Slot[SLOTS];
    private final long[] occupied = new long[SLOTS / Long.SIZE];

    Level(HierarchicalWheel<?> wheel, int number) {
        for (int index = 0; index < SLOTS; index++) {
            slots[index] = new Slot(wheel, number, index);
        }
    }

    /** Returns which slot of level {@code number} a tick belongs to. */
    static int slotIndex(long tick, int number) {
        return (int) (tick >>> (number * BITS)) & (SLOTS - 1);
    }

    Slot slot(int index) {
        return slots[index];
    }

    /** Takes a slot out, with all its nodes, and puts an empty one in its place. */
    Slot exchange(int index, Slot empty) {
        assert empty.isEmpty();
        Slot taken = slots[index];
        slots[index] = empty;
        empty.level = taken.level;
        empty.index = taken.index;
        vacate(index);
        return taken;
    }

    void occupy(int index) {
        occupied[index / Long.SIZE] |= 1L << index;
    }

    void vacate(int index) {
        assert slots[index].isEmpty();
        occupied[index / Long.SIZE] &= ~(1L << index);
    }

    boolean isOccupied(int index) {
        return (occupied[index / Long.SIZE] & (1L << index)) != 0;
    }

    boolean isEmpty() {
        return (occupied[0] | occupied[1] | occupied[2] | occupied[3]) == 0;
    }

    /** Returns the lowest occupied slot of a level that is not empty. */
    int firstOccupied() {
        assert !isEmpty();
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
            vacate(index);
        }
    }
}
