package io.tickwheel.store.file.query;

import io.tickwheel.store.file.table.Run;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * How far a {@link OrderedScan} has come in a run: at an entry that has not ended, or at the end. An entry that the scan has not
 * passed is never left behind, also when it only arrives later. Owned by the loop; reads blocks of 4 KiB.
 */
final class RunPosition {

    private static final int FIRST_STRIDE = 64;

    final Run run;
    private final Wanted wanted;
    private final boolean takenOnly;
    private int ordinal;
    private long dueAtMs;
    private long seq;

    /**
     * Which entries of a run are wanted: those of a queue, on all of its lanes.
     *
     * @param lanes by their position in the names; null when all are
     */
    record Wanted(@Nullable BitSet lanes) {

        private static final Wanted ALL = new Wanted(null);

        /** @param queue null for all */
        static Wanted of(Run run, @Nullable String queue) {
            if (queue == null) {
                return ALL;
            }
            BitSet ofQueue = new BitSet();
            for (int i = 0; i < run.names().size(); i++) {
                ofQueue.set(i, run.names().get(i).lane().queue().equals(queue));
            }
            return ofQueue.cardinality() == run.names().size() ? ALL : new Wanted(ofQueue);
        }

        boolean isNothing() {
            return lanes != null && lanes.isEmpty();
        }

        boolean isAll() {
            return lanes == null;
        }

        boolean has(int lanePosition) {
            return lanes == null || lanes.get(lanePosition);
        }
    }

    /** @param takenOnly whether only what is told to the listener is wanted */
    RunPosition(Run run, Wanted wanted, boolean takenOnly, long fromMs, long fromSeq) {
        this.run = run;
        this.wanted = wanted;
        this.takenOnly = takenOnly;
        if (fromMs >= run.firstDueMs()) {
            moveTo(lowerBound(fromMs, fromSeq));
        } else {
            moveTo(0);
        }
    }

    boolean isAtEnd() {
        return ordinal >= run.count();
    }

    int ordinal() {
        return ordinal;
    }

    long dueAtMs() {
        return dueAtMs;
    }

    long seq() {
        return seq;
    }

    boolean isAt(long wantedMs, long wantedSeq) {
        return dueAtMs == wantedMs && seq == wantedSeq;
    }

    /** Whether all entries are of the wanted queue. */
    boolean isPure() {
        return wanted.isAll();
    }

    /** Whether a timer of the wanted queue stands there, now. */
    boolean isTimer() {
        return ordinal < run.arrived() && !run.isEnded(ordinal) && (isPure() || wanted.has(run.lanePosition(ordinal)));
    }

    void pass() {
        moveTo(ordinal + 1);
    }

    /** Goes to the first entry from there on that may be a wanted timer. */
    void moveTo(int from) {
        // Before it has arrived, an entry is not taken either.
        ordinal = takenOnly && run.arrived() == run.count()
                ? nextTaken(from)
                : run.ended().nextClearBit(from);
        if (ordinal < run.count()) {
            dueAtMs = run.attemptAtMs(ordinal);
            seq = run.seq(ordinal);
        } else {
            ordinal = run.count();
        }
    }

    private int nextTaken(int from) {
        BitSet ended = run.ended();
        int next = from;
        while (true) {
            int notEnded = ended.nextClearBit(next);
            next = run.taken().nextSetBit(notEnded);
            if (next < 0) {
                return run.count();
            }
            if (next == notEnded) {
                return next;
            }
        }
    }

    /** The first entry, from the present one on, at that place in the order or behind it. O(log of how far it is). */
    int lowerBound(long wantedMs, long wantedSeq) {
        int count = run.count();
        int low = ordinal;
        int high = ordinal;
        int stride = FIRST_STRIDE;
        while (high < count && isBefore(high, wantedMs, wantedSeq)) {
            low = high + 1;
            high = stride > count - low ? count : low + stride;
            stride *= 2;
        }
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (isBefore(middle, wantedMs, wantedSeq)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private boolean isBefore(int at, long wantedMs, long wantedSeq) {
        return ScanRange.compare(run.attemptAtMs(at), run.seq(at), wantedMs, wantedSeq) < 0;
    }

    /** How many timers of the wanted queue stand between the present entry and {@code to}; a look at each unless pure. */
    int countTo(int to) {
        int end = Math.min(to, run.arrived());
        if (ordinal >= end) {
            return 0;
        }
        if (isPure()) {
            return end - ordinal - run.ended().get(ordinal, end).cardinality();
        }
        int counted = 0;
        for (int at = ordinal; at < end; at = run.ended().nextClearBit(at + 1)) {
            if (!run.isEnded(at) && wanted.has(run.lanePosition(at))) {
                counted++;
            }
        }
        return counted;
    }
}
