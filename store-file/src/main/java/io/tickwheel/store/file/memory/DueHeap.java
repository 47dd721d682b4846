package io.tickwheel.store.file.memory;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Ordinals by due time, the lower ordinal first among equal ones. Owned by the loop; add costs O(1) usually, poll O(log n).
 *
 * <p>A binary heap in arrays. When there are too many for small arrays, it is drained, in order, to a chunk outside the Java
 * heap, and begun anew; so what comes first is at the top of the arrays or the next of a chunk:
 *
 * <pre>
 *   arrays   binary heap, at most as many as fit into a chunk
 *   chunk    passed | next, ...      sorted: due i64 | ordinal i64     65,536 entries
 *   chunk    passed | next, ...
 * </pre>
 *
 * Each chunk is looked at by each poll. One large heap would not be faster: its upper half is all that fits into a cache.
 */
public final class DueHeap {

    private static final int FIRST_SIZE = 64;
    private static final int ENTRY_BYTES = 16;

    private final ChunkPool pool;
    private final int mostInArrays;
    private long[] dues;
    private int[] ordinals;
    private int inArrays;
    private final List<Drained> drained = new ArrayList<>();

    /** Where the first one is; null: in the arrays. */
    private @Nullable Drained first;

    private int size;

    /** A sorted chunk and how far it was passed; there is always a next one. */
    private static final class Drained {

        private final ByteBuffer entries;
        private int next;

        Drained(ByteBuffer entries) {
            this.entries = entries;
        }

        long dueMs() {
            return entries.getLong(next);
        }

        int ordinal() {
            return (int) entries.getLong(next + Long.BYTES);
        }
    }

    public DueHeap(ChunkPool pool) {
        this.pool = pool;
        this.mostInArrays = pool.chunkBytes() / ENTRY_BYTES;
        this.dues = new long[Math.min(FIRST_SIZE, mostInArrays)];
        this.ordinals = new int[dues.length];
    }

    public boolean isEmpty() {
        return size == 0;
    }

    public int size() {
        return size;
    }

    public long firstDueMs() {
        Drained chunk = first;
        return chunk == null ? dues[0] : chunk.dueMs();
    }

    public int firstOrdinal() {
        Drained chunk = first;
        return chunk == null ? ordinals[0] : chunk.ordinal();
    }

    public void add(long dueAtMs, int ordinal) {
        if (inArrays == dues.length) {
            if (inArrays == mostInArrays) {
                drain();
            } else {
                dues = Arrays.copyOf(dues, 2 * inArrays);
                ordinals = Arrays.copyOf(ordinals, 2 * inArrays);
            }
        }
        addToArrays(dueAtMs, ordinal);
        size++;
        if (first != null && !isLess(first.dueMs(), first.ordinal(), 0)) {
            first = null;
        }
    }

    /** Drops the first one. */
    public void poll() {
        Drained chunk = first;
        if (chunk == null) {
            pollArrays();
        } else {
            chunk.next += ENTRY_BYTES;
            if (chunk.next == chunk.entries.position()) {
                drained.remove(chunk);
                pool.giveBack(chunk.entries);
            }
        }
        size--;
        if (!drained.isEmpty()) {
            findFirst();
        } else if (chunk != null) {
            first = null;
        }
    }

    private void findFirst() {
        Drained best = drained.get(0);
        long bestMs = best.dueMs();
        for (int i = 1; i < drained.size(); i++) {
            Drained other = drained.get(i);
            long otherMs = other.dueMs();
            if (otherMs < bestMs || (otherMs == bestMs && other.ordinal() < best.ordinal())) {
                best = other;
                bestMs = otherMs;
            }
        }
        first = inArrays == 0 || isLess(bestMs, best.ordinal(), 0) ? best : null;
    }

    private void drain() {
        ByteBuffer entries = pool.take();
        while (inArrays > 0) {
            entries.putLong(dues[0]).putLong(ordinals[0]);
            pollArrays();
        }
        drained.add(new Drained(entries));
        findFirst();
    }

    private void addToArrays(long dueAtMs, int ordinal) {
        int hole = inArrays++;
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

    private void pollArrays() {
        inArrays--;
        long due = dues[inArrays];
        int ordinal = ordinals[inArrays];
        int hole = 0;
        while (true) {
            int child = 2 * hole + 1;
            if (child >= inArrays) {
                break;
            }
            if (child + 1 < inArrays && isLess(dues[child + 1], ordinals[child + 1], child)) {
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

    /** The same entries the other way round: the complements of their due times and ordinals. This one is empty then. */
    public DueHeap reversed() {
        DueHeap reversed = new DueHeap(pool);
        for (int i = inArrays - 1; i >= 0; i--) {
            reversed.add(~dues[i], ~ordinals[i]);
        }
        size -= inArrays;
        inArrays = 0;
        while (!drained.isEmpty()) {
            findFirst();
            reversed.add(~firstDueMs(), ~firstOrdinal());
            poll();
        }
        return reversed;
    }
}
