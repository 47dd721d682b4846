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

    private final Slot[] slots = new Slot[SLOTS];
    private final Occupancy occupied = new Occupancy(SLOTS);

    Level(Object wheel, int number) {
        for (int index = 0; index < SLOTS; index++) {
            slots[index] = new Slot(wheel, number, index);
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
        occupied.occupy(index);
    }

    void vacate(int index) {
        assert slots[index].isEmpty();
        occupied.vacate(index);
    }

    boolean isOccupied(int index) {
        return occupied.isOccupied(index);
    }

    boolean isEmpty() {
        return occupied.isEmpty();
    }

    /** Returns the lowest occupied slot of a level that is not empty. */
    int firstOccupied() {
        return occupied.first();
    }

    void clear() {
        while (!isEmpty()) {
            int index = firstOccupied();
            slots[index].clear();
            vacate(index);
        }
    }
}
