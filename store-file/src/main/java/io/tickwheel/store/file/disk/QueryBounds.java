package io.tickwheel.store.file.disk;

/**
 * How much lists and counts look at.
 *
 * @param entriesATurn by all of them together, in a turn of the loop
 * @param entriesACall by one list
 * @param slotsKept of a memtable at once
 */
public record QueryBounds(int entriesATurn, int entriesACall, int slotsKept) {

    public static final QueryBounds DEFAULT = new QueryBounds(16_384, 1 << 20, 1 << 15);
}
