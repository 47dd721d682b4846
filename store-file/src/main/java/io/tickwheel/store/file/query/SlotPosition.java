package io.tickwheel.store.file.query;

import io.tickwheel.store.file.memory.DueHeap;
import io.tickwheel.store.file.table.Memtable;
import io.tickwheel.store.file.table.QueueTable;
import org.jspecify.annotations.Nullable;

/**
 * How far a {@link OrderedScan} has come in a memtable, which has no order: the slots are looked through once, and the first of the
 * wanted ones are kept in a heap. When there are more than may be kept, they end at a <i>bound</i>; who comes there looks
 * through the slots once more. Owned by the loop.
 */
final class SlotPosition {

    final Memtable memtable;
    private final ScanRange range;
    private final int kept;
    private int looked;

    /** While the slots are looked through for the first time: the last of those that are kept comes first. */
    private @Nullable DueHeap lastFirst;

    private DueHeap heap;
    private boolean bounded;
    private long boundMs;
    private int boundOrdinal;

    /** @param kept how many slots to keep at most, beside those that come later */
    SlotPosition(Memtable memtable, ScanRange range, int kept) {
        this.memtable = memtable;
        this.lastFirst = new DueHeap(memtable.pool());
        this.heap = new DueHeap(memtable.pool());
        this.range = range;
        this.kept = kept;
    }

    /** Whether all slots that there are by now were looked at; only then the rest may be asked. */
    boolean isCaughtUp() {
        return looked == memtable.size() && lastFirst == null;
    }

    /**
     * Looks at further slots.
     *
     * @param queue the wanted queue, when there is one
     * @param fromMs with {@code fromSeq} the place of the scan, before which nothing counts
     * @return how many were looked at
     */
    int look(int budget, QueueTable.@Nullable Queue queue, long fromMs, long fromSeq) {
        int end = (int) Math.min(memtable.size(), (long) looked + budget);
        int before = looked;
        for (; looked < end; looked++) {
            if (isWanted(looked, queue)) {
                long dueAtMs = memtable.attemptAtMs(looked);
                boolean isAhead = range.isBeforeEnd(dueAtMs)
                        && (dueAtMs > fromMs || (dueAtMs == fromMs && memtable.seq(looked) >= fromSeq));
                if (isAhead) {
                    keep(dueAtMs, looked);
                }
            }
        }
        if (lastFirst != null && looked == memtable.size()) {
            heap = lastFirst.reversed();
            lastFirst = null;
        }
        return end - before;
    }

    private boolean isWanted(int ordinal, QueueTable.@Nullable Queue queue) {
        if (memtable.isEnded(ordinal)) {
            return false;
        }
        boolean ofKind = switch (range.kind()) {
            case STANDING -> true;
            case LIVE -> !memtable.isDead(ordinal);
            case CLAIMED -> !memtable.isDead(ordinal) && !memtable.isWaiting(ordinal);
            case DEAD -> memtable.isDead(ordinal);
        };
        return ofKind && (range.queue() == null || (queue != null && memtable.lane(ordinal).queue == queue));
    }

    private void keep(long dueAtMs, int ordinal) {
        if (bounded && (dueAtMs > boundMs || (dueAtMs == boundMs && ordinal >= boundOrdinal))) {
            return;
        }
        DueHeap first = lastFirst;
        if (first == null) {
            heap.add(dueAtMs, ordinal);
            return;
        }
        first.add(~dueAtMs, ~ordinal);
        if (first.size() > kept) {
            bounded = true;
            boundMs = ~first.firstDueMs();
            boundOrdinal = ~first.firstOrdinal();
            first.poll();
        }
    }

    boolean isAtEnd() {
        return heap.isEmpty() && !bounded;
    }

    /** Whether what comes next was not kept. */
    boolean isAtBound() {
        return heap.isEmpty() && bounded;
    }

    int ordinal() {
        return heap.isEmpty() ? boundOrdinal : heap.firstOrdinal();
    }

    long dueAtMs() {
        return heap.isEmpty() ? boundMs : heap.firstDueMs();
    }

    long seq() {
        return memtable.seq(ordinal());
    }

    /** Whether a timer stands there, now. */
    boolean isTimer() {
        return !memtable.isEnded(ordinal());
    }

    void pass() {
        heap.poll();
    }
}
