package io.tickwheel.store.file.memory;

/**
 * Hashes whose places in an index will be changed later: {@value #TOGETHER} at a time they are touched, so that they wait for memory together, and what changes them
 * then does not. Owned by one thread.
 */
public final class ReadAhead {

    private static final int TOGETHER = 32;

    private final KeyIndex index;
    private final long[] hashes = new long[TOGETHER];
    private int count;

    public ReadAhead(KeyIndex index) {
        this.index = index;
    }

    public void add(long hash) {
        hashes[count++] = hash;
        if (count == TOGETHER) {
            count = 0;
            for (long next : hashes) {
                index.touch(next);
            }
        }
    }
}
