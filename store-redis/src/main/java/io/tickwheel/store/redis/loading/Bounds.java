package io.tickwheel.store.redis.loading;

import java.util.Arrays;

/**
 * A lower bound of due times for each of some partitions. In arrays, because a thousand lanes that cannot start have one in each
 * partition: 12 bytes each. Used by the loop only.
 */
public final class Bounds {

    /** Where there is no bound. */
    public static final long NONE = Long.MAX_VALUE;

    private static final int FIRST_ROOM = 4;

    private int[] partitions = {};
    private long[] boundsMs = {};
    private int size;
    private long firstMs = NONE;
    private boolean firstIsKnown = true;

    /** The bound of a partition; {@link #NONE} when it has none. */
    public long get(int partition) {
        int at = Arrays.binarySearch(partitions, 0, size, partition);
        return at < 0 ? NONE : boundsMs[at];
    }

    /** Sets or, with {@link #NONE}, removes the bound of a partition. */
    void set(int partition, long boundMs) {
        int at = Arrays.binarySearch(partitions, 0, size, partition);
        if (boundMs == NONE) {
            remove(at);
            return;
        }
        if (at < 0) {
            at = -at - 1;
            insert(at, partition);
        } else if (boundsMs[at] == firstMs && boundMs > firstMs) {
            firstIsKnown = false;
        }
        boundsMs[at] = boundMs;
        firstMs = Math.min(firstMs, boundMs);
    }

    private void insert(int at, int partition) {
        if (size == partitions.length) {
            int room = Math.max(FIRST_ROOM, size * 3 / 2);
            partitions = Arrays.copyOf(partitions, room);
            boundsMs = Arrays.copyOf(boundsMs, room);
        }
        System.arraycopy(partitions, at, partitions, at + 1, size - at);
        System.arraycopy(boundsMs, at, boundsMs, at + 1, size - at);
        partitions[at] = partition;
        size++;
    }

    private void remove(int at) {
        if (at < 0) {
            return;
        }
        firstIsKnown &= boundsMs[at] != firstMs;
        size--;
        System.arraycopy(partitions, at + 1, partitions, at, size - at);
        System.arraycopy(boundsMs, at + 1, boundsMs, at, size - at);
    }

    void clear() {
        size = 0;
        firstMs = NONE;
        firstIsKnown = true;
    }

    boolean isEmpty() {
        return size == 0;
    }

    /** The lowest bound; {@link #NONE} without one. */
    long firstMs() {
        if (!firstIsKnown) {
            firstMs = NONE;
            for (int i = 0; i < size; i++) {
                firstMs = Math.min(firstMs, boundsMs[i]);
            }
            firstIsKnown = true;
        }
        return firstMs;
    }

    /** The partitions that have a bound, in a copy. */
    int[] partitions() {
        return Arrays.copyOf(partitions, size);
    }

    int size() {
        return size;
    }

    /** The partition with that number among those that have a bound. */
    int partition(int number) {
        return partitions[number];
    }

    /** Its bound. */
    long boundMs(int number) {
        return boundsMs[number];
    }
}
