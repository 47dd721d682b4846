package io.tickwheel.wheel;

/**
 * A bit for each slot of a ring that tells whether the slot is occupied. All operations look at one word for each factor
 * of 64 in the number of slots, whatever the distance to the next occupied one: two words for 256 slots, five for 2^30.
 */
final class Occupancy {
    /*
     * Row 0 has a bit for each slot; each row above it has a bit for each word of the row below, set if that word is not
     * 0; the top row is one word. With slots 3, 70 and 71 of 256 occupied:
     *
     *     row 1   0000..0011
     *                     |'------------.
     *                     '---.         |
     *     row 0   0 .. | 0 .. | 1100 0000 | 0000 1000
     */
    private static final int WORD_BITS = 6;
    private static final int WORD_BITS_MASK = (1 << WORD_BITS) - 1;

    private final long[][] rows;

    /** Makes the bits of slots that are all empty; there is one or more. */
    Occupancy(int slots) {
        int indexBits = Integer.SIZE - Integer.numberOfLeadingZeros(slots - 1);
        rows = new long[Math.max(1, (indexBits + WORD_BITS - 1) / WORD_BITS)][];
        int words = slots;
        for (int row = 0; row < rows.length; row++) {
            words = (words + WORD_BITS_MASK) >>> WORD_BITS;
            rows[row] = new long[words];
        }
    }

    boolean isEmpty() {
        return rows[rows.length - 1][0] == 0;
    }

    boolean isOccupied(int slot) {
        return (rows[0][slot >>> WORD_BITS] & (1L << slot)) != 0;
    }

    void occupy(int slot) {
        int index = slot;
        for (long[] row : rows) {
            long word = row[index >>> WORD_BITS];
            row[index >>> WORD_BITS] = word | (1L << index);
            if (word != 0) {
                return;
            }
            index >>>= WORD_BITS;
        }
    }

    void vacate(int slot) {
        int index = slot;
        for (long[] row : rows) {
            long word = row[index >>> WORD_BITS] & ~(1L << index);
            row[index >>> WORD_BITS] = word;
            if (word != 0) {
                return;
            }
            index >>>= WORD_BITS;
        }
    }

    /** Returns the lowest occupied slot; there is one. */
    int first() {
        return lowest(rows.length - 1, 0);
    }

    /** Returns the first occupied slot at or after this one, going on from slot 0 behind the last; there is one. */
    int firstFrom(int slot) {
        assert !isEmpty();
        int index = slot;
        for (int row = 0; row < rows.length; row++) {
            int word = index >>> WORD_BITS;
            if (word < rows[row].length) {
                long ahead = rows[row][word] & (-1L << index);
                if (ahead != 0) {
                    return lowest(row - 1, (word << WORD_BITS) + Long.numberOfTrailingZeros(ahead));
                }
            }
            index = word + 1;
        }
        return first();
    }

    /** Returns the lowest occupied slot below a word of a row; {@code row} -1 has the slots themselves. */
    private int lowest(int row, int word) {
        int index = word;
        for (int below = row; below >= 0; below--) {
            index = (index << WORD_BITS) + Long.numberOfTrailingZeros(rows[below][index]);
        }
        return index;
    }
}
