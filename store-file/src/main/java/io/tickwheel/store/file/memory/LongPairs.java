package io.tickwheel.store.file.memory;

/**
 * Pairs of a key and a value outside the heap, to be sorted by the key. Used by one thread at a time.
 *
 * <p>Sorts from the lowest byte of the keys to the highest, stably (LSD radix sort: Knuth, TAOCP vol. 3, 5.2.5), and passes
 * over the bytes that are the same in all keys: due times that lie within a year take five passes. O(n) each; 16 bytes a pair,
 * and as much again while they are sorted.
 */
public final class LongPairs {

    private static final int DIGITS = Long.BYTES;
    private static final int VALUES = 1 << Byte.SIZE;

    private final ChunkPool pool;

    /** Key and value in turns. */
    private OffHeapLongs pairs;

    public LongPairs(ChunkPool pool) {
        this.pool = pool;
        this.pairs = new OffHeapLongs(pool);
    }

    public long size() {
        return pairs.size() / 2;
    }

    public void add(long key, long value) {
        pairs.add(key);
        pairs.add(value);
    }

    public long key(long index) {
        return pairs.get(2 * index);
    }

    public long value(long index) {
        return pairs.get(2 * index + 1);
    }

    /** Brings the pairs into the order of their keys, and those of one key into that in which they were added. */
    public void sort() {
        long[][] counts = countDigits();
        OffHeapLongs other = new OffHeapLongs(pool);
        other.resize(pairs.size());
        for (int digit = 0; digit < DIGITS; digit++) {
            if (size() > 0 && counts[digit][digit(key(0), digit)] < size()) {
                scatter(digit, starts(counts[digit]), other);
                OffHeapLongs sorted = other;
                other = pairs;
                pairs = sorted;
            }
        }
        other.free();
    }

    private long[][] countDigits() {
        long[][] counts = new long[DIGITS][VALUES];
        for (long i = 0; i < size(); i++) {
            long key = key(i);
            for (int digit = 0; digit < DIGITS; digit++) {
                counts[digit][digit(key, digit)]++;
            }
        }
        return counts;
    }

    private static long[] starts(long[] counts) {
        long[] starts = new long[VALUES];
        for (int value = 1; value < VALUES; value++) {
            starts[value] = starts[value - 1] + counts[value - 1];
        }
        return starts;
    }

    private void scatter(int digit, long[] next, OffHeapLongs to) {
        long size = size();
        for (long i = 0; i < size; i++) {
            long key = key(i);
            long at = next[digit(key, digit)]++;
            to.set(2 * at, key);
            to.set(2 * at + 1, value(i));
        }
    }

    /** With the sign turned, negative keys come first. */
    private static int digit(long key, int digit) {
        return (int) ((key ^ Long.MIN_VALUE) >>> (digit * Byte.SIZE)) & (VALUES - 1);
    }

    /** Gives the memory back; it is empty then. */
    public void free() {
        pairs.free();
    }
}
