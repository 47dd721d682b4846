package io.tickwheel.store.file;

import java.util.Arrays;

/** A binary heap of ordinals by due time, the lower ordinal first among equal ones, in arrays. Owned by the loop; add and poll cost O(log n), add usually O(1). */
final class DueHeap {

    private static final int FIRST_SIZE = 64;

    private long[] dues = new long[FIRST_SIZE];
    private int[] ordinals = new int[FIRST_SIZE];
    private int size;

    boolean isEmpty() {
        return size == 0;
    }

    int size() {
        return size;
    }

    long firstDueMs() {
        return dues[0];
    }

    int firstOrdinal() {
        return ordinals[0];
    }

    void add(long dueAtMs, int ordinal) {
        if (size == dues.length) {
            dues = Arrays.copyOf(dues, 2 * size);
            ordinals = Arrays.copyOf(ordinals, 2 * size);
        }
        int hole = size++;
        while (hole > 0) {
            int parent = (hole - 1) >>> 1;
            if (!isLess(dueAtMs, ordinal, parent)) {
                break;
            }
            dues[hole] = dues[parent];
            ordinals[hole] = ordinals[parent];
            hole = parent;
        }
        dues[hole] = dueAtMs;
        ordinals[hole] = ordinal;
    }

    /** Drops the first one. */
    void poll() {
        size--;
        long due = dues[size];
        int ordinal = ordinals[size];
        int hole = 0;
        while (true) {
            int child = 2 * hole + 1;
            if (child >= size) {
                break;
            }
            if (child + 1 < size && isLess(dues[child + 1], ordinals[child + 1], child)) {
                child++;
            }
            if (isLess(due, ordinal, child)) {
                break;
            }
            dues[hole] = dues[child];
            ordinals[hole] = ordinals[child];
            hole = child;
        }
        dues[hole] = due;
        ordinals[hole] = ordinal;
    }

    private boolean isLess(long due, int ordinal, int than) {
        return due < dues[than] || (due == dues[than] && ordinal < ordinals[than]);
    }

    /** The same entries the other way round: a heap of the complements of their due times and ordinals. */
    DueHeap reversed() {
        DueHeap reversed = new DueHeap();
        for (int i = size - 1; i >= 0; i--) {
            reversed.add(~dues[i], ~ordinals[i]);
        }
        return reversed;
    }

    void clear() {
        size = 0;
        if (dues.length > 1 << 16) {
            dues = new long[FIRST_SIZE];
            ordinals = new int[FIRST_SIZE];
        }
    }
}
