package io.tickwheel.store.file.loading;

import io.tickwheel.store.file.table.Memtable;
import io.tickwheel.store.file.table.Run;
import io.tickwheel.store.file.table.StoreLane;
import io.tickwheel.store.file.table.TimerTable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * The way through the timers of one lane that were passed by, in the order of their attempts: a streaming merge of the runs and
 * memtables in which the lane has timers. Owned by the loop. A step costs a few looks at entries of the lane, whatever there is of
 * others.
 */
final class LaneCursor {

    private final StoreLane lane;
    private final PriorityQueue<LaneRun> runs = new PriorityQueue<>(Comparator.comparingLong(LaneRun::nextMs));
    private final List<LaneSlots> memtables = new ArrayList<>(2);

    /** The time of the first timer; {@link Long#MAX_VALUE} when none is left. Only when it is known. */
    private long headMs;

    private boolean known;
    private @Nullable LaneRun headRun;
    private @Nullable LaneSlots headSlots;

    /**
     * Begins at a time before which no timer waits that was passed by.
     *
     * @param toMs timers of memtables with a later attempt are offered when they are passed by
     */
    LaneCursor(StoreLane lane, Collection<Run> runs, Collection<Memtable> memtables, long fromMs, long toMs) {
        this.lane = lane;
        runs.forEach(run -> add(run, fromMs));
        memtables.forEach(memtable -> this.memtables.add(new LaneSlots(memtable, lane, toMs)));
    }

    void add(Run run, long fromMs) {
        known = false;
        int position = run.isDead() ? -1 : run.positionOf(lane.lane);
        if (position >= 0) {
            LaneRun at = new LaneRun(run, position, fromMs);
            if (!at.isAtEnd()) {
                runs.add(at);
            }
        }
    }

    /** Takes in a memtable that is empty. */
    void add(Memtable memtable) {
        memtables.add(new LaneSlots(memtable, lane, Long.MIN_VALUE));
    }

    void remove(TimerTable table) {
        known = false;
        runs.removeIf(at -> at.run == table);
        memtables.removeIf(at -> at.memtable == table);
    }

    /** Takes note of a timer that waits and was passed by. */
    void offer(Memtable memtable, long attemptAtMs, int ordinal) {
        known = false;
        for (LaneSlots slots : memtables) {
            if (slots.memtable == memtable) {
                slots.offer(attemptAtMs, ordinal);
            }
        }
    }

    /**
     * Looks for the first timer with an attempt before {@code toMs}; takes a step at least, however small the budget is.
     *
     * @return about how many entries were looked at; when {@link #isKnown} is false then, the budget was too small
     */
    int find(long toMs, int budget) {
        int used = 0;
        known = false;
        headRun = null;
        headSlots = null;
        long slotsMs = Long.MAX_VALUE;
        for (LaneSlots slots : memtables) {
            used += slots.prepare(Math.max(1, budget - used));
            if (!slots.isPrepared()) {
                return used;
            }
            if (slots.nextMs() < slotsMs) {
                slotsMs = slots.nextMs();
                headSlots = slots;
            }
        }
        LaneRun first = runs.peek();
        while (first != null && first.nextMs() < Math.min(toMs, slotsMs) && !first.isFront()) {
            if (used > 0 && used >= budget) {
                return used;
            }
            runs.remove();
            used += first.seek(budget - used);
            if (!first.isAtEnd()) {
                runs.add(first);
            }
            first = runs.peek();
        }
        long runMs = first == null ? Long.MAX_VALUE : first.nextMs();
        if (runMs < slotsMs) {
            headRun = first;
            headSlots = null;
        }
        headMs = Math.min(runMs, slotsMs);
        known = true;
        return Math.max(1, used);
    }

    /** Whether it is known which timer is the first, or that there is none before the time that was asked for. */
    boolean isKnown() {
        return known;
    }

    /** The time of the first timer, or one that is not before the time that was asked for. */
    long headMs() {
        assert known;
        return headMs;
    }

    TimerTable table() {
        LaneRun run = headRun;
        return run != null ? run.run : slots().memtable;
    }

    int ordinal() {
        LaneRun run = headRun;
        return run != null ? run.ordinal() : slots().ordinal();
    }

    long seq() {
        LaneRun run = headRun;
        return run != null ? run.seq() : slots().memtable.seq(slots().ordinal());
    }

    /** How long the record is. */
    int length() {
        LaneRun run = headRun;
        return run != null ? run.length() : slots().memtable.length(slots().ordinal());
    }

    private LaneSlots slots() {
        LaneSlots slots = headSlots;
        assert slots != null : "there is no first timer";
        return slots;
    }

    /** Goes on behind the first timer. */
    void pass() {
        known = false;
        LaneRun run = headRun;
        if (run == null) {
            slots().pass();
            return;
        }
        runs.remove();
        run.pass();
        if (!run.isAtEnd()) {
            runs.add(run);
        }
    }
}
