package io.tickwheel.store.file.loading;

import io.tickwheel.store.file.memory.DueHeap;
import io.tickwheel.store.file.table.Memtable;

/**
 * The way through the waiting timers of a memtable in the order of their attempts. Those of the next minutes stand in a heap, the
 * others are looked through when their time comes near. Owned by the loop.
 */
final class MemtableCursor {

    /** How much further than asked is looked each time. */
    private static final long AHEAD_MS = 5 * 60_000;

    final Memtable memtable;
    private final DueHeap heap;
    private long heapToMs;

    /** Nothing that waits is due before this and not in the heap; from {@link #heapToMs} on. */
    private long beyondMs;

    MemtableCursor(Memtable memtable, long fromMs) {
        this.memtable = memtable;
        this.heap = new DueHeap(memtable.pool());
        this.heapToMs = fromMs;
        this.beyondMs = fromMs;
    }

    /** The due time of the next waiting timer, or one before it. */
    long nextDueMs() {
        while (!heap.isEmpty() && !memtable.isWaiting(heap.firstOrdinal())) {
            heap.poll();
        }
        return heap.isEmpty() ? beyondMs : heap.firstDueMs();
    }

    /** Takes note of a timer that waits; does nothing when its time is far. */
    void offer(long dueAtMs, int ordinal) {
        if (dueAtMs < heapToMs) {
            heap.add(dueAtMs, ordinal);
        } else {
            beyondMs = Math.min(beyondMs, dueAtMs);
        }
    }

    /** Makes sure that what is due before {@code toMs} stands in the heap. */
    void reach(long toMs) {
        if (toMs <= heapToMs) {
            return;
        }
        long newToMs = toMs > Long.MAX_VALUE - AHEAD_MS ? Long.MAX_VALUE : toMs + AHEAD_MS;
        beyondMs = Long.MAX_VALUE;
        for (int ordinal = 0; ordinal < memtable.size(); ordinal++) {
            long dueAtMs = memtable.attemptAtMs(ordinal);
            if (dueAtMs >= heapToMs && memtable.isWaiting(ordinal)) {
                if (dueAtMs < newToMs) {
                    heap.add(dueAtMs, ordinal);
                } else {
                    beyondMs = Math.min(beyondMs, dueAtMs);
                }
            }
        }
        heapToMs = newToMs;
    }

    /** The first in the heap, which waits and is due at {@link #nextDueMs}; there must be one. */
    int ordinal() {
        return heap.firstOrdinal();
    }

    boolean hasFirst() {
        return !heap.isEmpty();
    }

    void pass() {
        heap.poll();
    }
}
