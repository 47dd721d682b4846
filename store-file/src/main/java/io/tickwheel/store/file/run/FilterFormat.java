package io.tickwheel.store.file.run;

/**
 * Where the filter of a run has its bits: a Bloom filter (Bloom 1970) of which each hash has one line of 64 bytes (Putze, Sanders and Singler 2007).
 * {@link RunFormat} says how its blocks lie in the file.
 */
public final class FilterFormat {

    static final int LINE_BYTES = 64;

    /** As many as fit before the checksum. */
    static final int LINES_A_BLOCK = RunFormat.BLOCK_COUNT_AT / LINE_BYTES;

    /** How many bits of the line of a hash are set. */
    static final int BITS_A_HASH = 6;

    private static final int BITS_A_LINE = LINE_BYTES * Byte.SIZE;
    private static final int BITS_AN_ENTRY = 12;

    /** 2^64 divided by the golden ratio: every bit of a product with it depends on those below. */
    private static final long GOLDEN = 0x9e3779b97f4a7c15L;

    private static final int BIT_WIDTH = 9;
    private static final int FIRST_BIT = Long.SIZE - BITS_A_HASH * BIT_WIDTH;

    private FilterFormat() {}

    /** How many blocks the filter of a run of so many entries has. */
    public static int blocks(int entries) {
        long lines = ((long) entries * BITS_AN_ENTRY + BITS_A_LINE - 1) / BITS_A_LINE;
        return (int) ((lines + LINES_A_BLOCK - 1) / LINES_A_BLOCK);
    }

    /** The line of a hash, of all lines of so many blocks; it rises with the hash, unsigned. */
    static long line(long hash, int blocks) {
        return ((hash >>> Integer.SIZE) * blocks * LINES_A_BLOCK) >>> Integer.SIZE;
    }

    /** One of the bits of a hash in its line. */
    static int bit(long hash, int i) {
        return (int) ((hash * GOLDEN) >>> (FIRST_BIT + i * BIT_WIDTH)) & (BITS_A_LINE - 1);
    }

    /** Where a line begins in its block. */
    static int offset(long line) {
        return (int) (line % LINES_A_BLOCK) * LINE_BYTES;
    }
}
