package io.tickwheel.store.file.loading;

import io.tickwheel.store.file.memory.DueHeap;
import io.tickwheel.store.file.table.Memtable;
import io.tickwheel.store.file.table.StoreLane;

/**
 * The waiting timers of one lane in a memtable, in the order of their attempts: those before some time are gathered once, later
 * ones are offered. Owned by the loop.
 */
final class LaneSlots {

    final Memtable memtable;
    private final long toMs;
    private final DueHeap heap;
    private int next;

    /** @param toMs those with an attempt before this are gathered */
    LaneSlots(Memtable memtable, StoreLane lane, long toMs) {
        this.memtable = memtable;
        this.toMs = toMs;
        this.heap = new DueHeap(memtable.pool());
        this.next = memtable.lastOf(lane);
    }

    /** Goes on with the gathering; returns how many slots it looked at. */
    int prepare(int budget) {
        int looked = 0;
        while (next >= 0 && looked < budget) {
            long attemptAtMs = memtable.attemptAtMs(next);
            if (attemptAtMs < toMs && memtable.isWaiting(next)) {
                heap.add(attemptAtMs, next);
            }
            next = memtable.before(next);
            looked++;
        }
        return looked;
    }

    /** Whether all were gathered; only then the rest may be asked. */
    boolean isPrepared() {
        return next < 0;
    }

    void offer(long attemptAtMs, int ordinal) {
        heap.add(attemptAtMs, ordinal);
    }

    /** The time of the first one that waits; {@link Long#MAX_VALUE} when none does. */
    long nextMs() {
        while (!heap.isEmpty() && !memtable.isWaiting(heap.firstOrdinal())) {
            heap.poll();
        }
        return heap.isEmpty() ? Long.MAX_VALUE : heap.firstDueMs();
    }

    int ordinal() {
        return heap.firstOrdinal();
    }

    void pass() {
        heap.poll();
    }
}
