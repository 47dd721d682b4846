package io.tickwheel.store.file.query;

import io.tickwheel.store.file.table.Memtable;
import io.tickwheel.store.file.table.QueueTable;
import io.tickwheel.store.file.table.Run;
import io.tickwheel.store.file.table.TimerTable;
import io.tickwheel.store.file.timers.TimerTables;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A way through the timers of all tables in the order of due time and seq, over many turns, for those who only look: lists
 * and counts. Owned by the loop.
 *
 * <p>Between two turns a checkpoint may move timers from table to table. A timer keeps its due time and seq then, and at each
 * moment stands in exactly one table, not ended and arrived there. So whoever looks at one place of the order in all tables
 * within one turn sees each timer exactly once: {@link #step} does so with one place, {@link #countTo} with a stretch.
 *
 * <pre>
 *   turn:   prepare (tables come and go; slots that are new) -> step, step, ...   or   countTo, ...
 *   order:  passed | place | ahead            a table that comes is entered at the place
 * </pre>
 */
final class OrderedScan {

    /** What looking up a place in a run costs, in entries. */
    private static final int LOOKUP = 32;

    /** How many slots cost as much as an entry. */
    private static final int SLOTS_AN_ENTRY = 4;

    enum Step {
        /** There is a timer: {@link #table}, {@link #ordinal}. */
        FOUND,
        /** There was none at that place. */
        PASSED,
        /** To go on, {@link #prepare} must be called again. */
        UNPREPARED,
        END
    }

    private final TimerTables tables;
    private final ScanRange range;
    private final int slotsKept;
    private final Set<Run> known = new HashSet<>();
    private final List<RunPosition> runs = new ArrayList<>();
    private final List<SlotPosition> slots = new ArrayList<>();

    /** The runs in order; made when it is needed in a turn. */
    private @Nullable PriorityQueue<RunPosition> ordered;

    /** The place: what comes before was passed. */
    private long dueAtMs;

    private long seq;
    private boolean prepared;
    private @Nullable TimerTable table;
    private int ordinal;

    OrderedScan(TimerTables tables, ScanRange range, long fromMs, long fromSeq, int slotsKept) {
        this.tables = tables;
        this.range = range;
        this.dueAtMs = fromMs;
        this.seq = fromSeq;
        this.slotsKept = slotsKept;
    }

    long dueAtMs() {
        return dueAtMs;
    }

    long seq() {
        return seq;
    }

    boolean isPrepared() {
        return prepared;
    }

    /**
     * Takes note of what has changed since the turn before; to be called first in each turn.
     *
     * @param budget how many entries may be looked at, about
     * @return how many were
     */
    int prepare(int budget) {
        prepared = false;
        ordered = null;
        known.removeIf(run -> !tables.has(run));
        runs.removeIf(at -> at.isAtEnd() || !tables.has(at.run));
        slots.removeIf(at -> !tables.has(at.memtable));
        int used = 0;
        for (Run run : tables.runs()) {
            if (used >= budget) {
                return used;
            }
            if (known.add(run)) {
                used += enter(run);
            }
        }
        Memtable frozen = tables.frozen();
        if (frozen != null) {
            used += enter(frozen, budget - used);
        }
        used += enter(tables.active(), budget - used);
        prepared = slots.stream().allMatch(SlotPosition::isCaughtUp) && slots.size() == (frozen == null ? 1 : 2);
        return used;
    }

    private int enter(Run run) {
        boolean dead = run.isDead();
        boolean ofKind = switch (range.kind()) {
            case STANDING -> true;
            case LIVE, CLAIMED -> !dead;
            case DEAD -> dead;
        };
        RunPosition.Wanted wanted = RunPosition.Wanted.of(run, range.queue());
        if (ofKind && !wanted.isNothing() && run.lastDueMs() >= dueAtMs && range.isBeforeEnd(run.firstDueMs())) {
            runs.add(new RunPosition(run, wanted, range.kind() == ScanRange.Kind.CLAIMED, dueAtMs, seq));
            return LOOKUP;
        }
        return 0;
    }

    private int enter(Memtable memtable, int budget) {
        SlotPosition at = null;
        for (SlotPosition one : slots) {
            at = one.memtable == memtable ? one : at;
        }
        if (at == null) {
            at = new SlotPosition(memtable, range, slotsKept);
            slots.add(at);
        }
        QueueTable.Queue queue = range.queue() == null ? null : tables.queues.find(range.queue());
        int most = (int) Math.min(Integer.MAX_VALUE, (long) SLOTS_AN_ENTRY * Math.max(0, budget));
        int looked = at.look(most, queue, dueAtMs, seq);
        return (looked + SLOTS_AN_ENTRY - 1) / SLOTS_AN_ENTRY;
    }

    /** Looks at the next place and passes it. */
    Step step() {
        PriorityQueue<RunPosition> inOrder = inOrder();
        RunPosition run = inOrder.peek();
        SlotPosition slot = firstSlot();
        boolean inMemtable = slot != null
                && (run == null || ScanRange.compare(slot.dueAtMs(), slot.seq(), run.dueAtMs(), run.seq()) <= 0);
        long atMs;
        long atSeq;
        if (slot != null && inMemtable) {
            atMs = slot.dueAtMs();
            atSeq = slot.seq();
        } else if (run != null) {
            atMs = run.dueAtMs();
            atSeq = run.seq();
        } else {
            return Step.END;
        }
        if (!range.isBeforeEnd(atMs)) {
            return Step.END;
        }
        table = null;
        if (slot != null && inMemtable) {
            if (slot.isAtBound()) {
                lookAgain(slot);
                return Step.UNPREPARED;
            }
            note(slot.isTimer(), slot.memtable, slot.ordinal());
            slot.pass();
        }
        // The same timer may stand in two tables, between which it is being moved.
        while (run != null && run.isAt(atMs, atSeq)) {
            inOrder.remove();
            note(run.isTimer(), run.run, run.ordinal());
            run.pass();
            if (!run.isAtEnd()) {
                inOrder.add(run);
            }
            run = inOrder.peek();
        }
        dueAtMs = atMs;
        seq = atSeq + 1;
        return table != null ? Step.FOUND : Step.PASSED;
    }

    private void note(boolean isTimer, TimerTable on, int at) {
        if (isTimer) {
            assert table == null : "in two tables";
            table = on;
            ordinal = at;
        }
    }

    private PriorityQueue<RunPosition> inOrder() {
        PriorityQueue<RunPosition> made = ordered;
        if (made == null) {
            made = new PriorityQueue<>(
                    Comparator.comparingLong(RunPosition::dueAtMs).thenComparingLong(RunPosition::seq));
            for (RunPosition run : runs) {
                if (!run.isAtEnd()) {
                    made.add(run);
                }
            }
            ordered = made;
        }
        return made;
    }

    private @Nullable SlotPosition firstSlot() {
        SlotPosition first = null;
        for (SlotPosition slot : slots) {
            boolean isFirst = !slot.isAtEnd()
                    && (first == null
                            || ScanRange.compare(slot.dueAtMs(), slot.seq(), first.dueAtMs(), first.seq()) < 0);
            first = isFirst ? slot : first;
        }
        return first;
    }

    private void lookAgain(SlotPosition slot) {
        slots.remove(slot);
        prepared = false;
    }

    /** What the last step has found. */
    TimerTable table() {
        TimerTable found = table;
        assert found != null : "nothing found";
        return found;
    }

    int ordinal() {
        return ordinal;
    }

    /** How many timers there are in a stretch, and what it cost to know that. */
    record Counted(long timers, int used) {}

    /**
     * Counts the timers from the place on, up to those due at {@code toMs} or as far as the budget goes, and passes them: the
     * place is at {@code toMs} then, or before it. Runs in which all timers are wanted cost O(log n), whatever there is in
     * them. Afterwards the scan may have to be prepared again.
     */
    Counted countTo(long toMs, int budget) {
        long endMs = toMs;
        long endSeq = 0;
        long mixed = runs.stream().filter(run -> !run.isPure()).count();
        int share = (int) Math.max(1, budget / Math.max(1, mixed));
        for (RunPosition run : runs) {
            int last = run.ordinal() + share;
            if (!run.isPure() && last > 0 && last < run.run.count()) {
                long lastMs = run.run.attemptAtMs(last);
                long lastSeq = run.run.seq(last);
                if (ScanRange.compare(lastMs, lastSeq, endMs, endSeq) < 0) {
                    endMs = lastMs;
                    endSeq = lastSeq;
                }
            }
        }
        long timers = 0;
        int used = 0;
        for (SlotPosition slot = firstSlot();
                slot != null && ScanRange.compare(slot.dueAtMs(), slot.seq(), endMs, endSeq) < 0;
                slot = firstSlot()) {
            if (slot.isAtBound() || used >= budget) {
                endMs = slot.dueAtMs();
                endSeq = slot.seq();
                if (slot.isAtBound()) {
                    dueAtMs = endMs;
                    seq = endSeq;
                    lookAgain(slot);
                }
                break;
            }
            timers += slot.isTimer() ? 1 : 0;
            slot.pass();
            used++;
        }
        for (RunPosition run : runs) {
            used++;
            if (!run.isAtEnd() && ScanRange.compare(run.dueAtMs(), run.seq(), endMs, endSeq) < 0) {
                int to = run.lowerBound(endMs, endSeq);
                timers += run.countTo(to);
                used += run.isPure() ? LOOKUP : LOOKUP + to - run.ordinal();
                run.moveTo(to);
            }
        }
        dueAtMs = endMs;
        seq = endSeq;
        ordered = null;
        return new Counted(timers, used);
    }
}
