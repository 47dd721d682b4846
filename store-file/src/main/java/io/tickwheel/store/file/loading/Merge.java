package io.tickwheel.store.file.loading;

import io.tickwheel.store.file.table.Memtable;
import io.tickwheel.store.file.table.Run;
import io.tickwheel.store.file.table.StoreLane;
import io.tickwheel.store.file.table.TimerTable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * The waiting timers of all tables in the order of their attempts: a streaming merge with one position in each table, so that its
 * memory does not depend on how many timers there are. Owned by the loop.
 *
 * <p>Cost of a step: O(log runs), and a read of 4 KiB for each 102 entries of a run.
 */
final class Merge {

    private final PriorityQueue<RunCursor> runs = new PriorityQueue<>(Comparator.comparingLong(RunCursor::nextDueMs));
    private final List<MemtableCursor> memtables = new ArrayList<>();
    private long positionMs;

    /** Where this stood when timers began to move to new runs: it may have passed some on their way since. */
    private long markMs;

    /** The run that comes next, which is not in the queue of the others; null when there is none, or it is not known. */
    private @Nullable RunCursor current;

    /** What stands at the front after {@link #find}: one of the two. */
    private @Nullable RunCursor frontRun;

    private @Nullable MemtableCursor frontMemtable;

    Merge(long fromMs) {
        this.positionMs = fromMs;
        this.markMs = fromMs;
    }

    /** Takes note that timers begin to move to runs that will be added. */
    void mark() {
        markMs = positionMs;
    }

    void add(Run run) {
        positionMs = Math.min(positionMs, markMs);
        if (!run.isDead()) {
            RunCursor cursor = new RunCursor(run, positionMs);
            if (!cursor.isAtEnd()) {
                runs.add(cursor);
            }
        }
        forgetFront();
    }

    void add(Memtable memtable) {
        memtables.add(new MemtableCursor(memtable, positionMs));
    }

    void remove(TimerTable table) {
        forgetFront();
        runs.removeIf(cursor -> cursor.run == table);
        memtables.removeIf(cursor -> cursor.memtable == table);
    }

    private void forgetFront() {
        if (current != null) {
            runs.add(current);
            current = null;
        }
        frontRun = null;
        frontMemtable = null;
    }

    void offer(Memtable memtable, long dueAtMs, int ordinal) {
        for (MemtableCursor cursor : memtables) {
            if (cursor.memtable == memtable) {
                cursor.offer(dueAtMs, ordinal);
            }
        }
        positionMs = Math.min(positionMs, dueAtMs);
    }

    /** Everything due before this has been passed. */
    long positionMs() {
        return positionMs;
    }

    /** Everything that waits and was not passed is due at this time or later; nothing does when it is {@link Long#MAX_VALUE}. */
    long nextMs() {
        long nextMs = Long.MAX_VALUE;
        for (MemtableCursor cursor : memtables) {
            nextMs = Math.min(nextMs, cursor.nextDueMs());
        }
        RunCursor run = firstRun();
        return Math.max(positionMs, Math.min(nextMs, run == null ? Long.MAX_VALUE : run.nextDueMs()));
    }

    /**
     * Looks for the first waiting timer due before {@code toMs}.
     *
     * @return whether there is one, at the front now; when not, all before {@link #positionMs} has been passed
     */
    boolean find(long toMs) {
        frontRun = null;
        frontMemtable = null;
        long memtableDueMs = Long.MAX_VALUE;
        for (MemtableCursor cursor : memtables) {
            cursor.reach(toMs);
            long dueAtMs = cursor.nextDueMs();
            if (cursor.hasFirst() && dueAtMs < memtableDueMs) {
                memtableDueMs = dueAtMs;
                frontMemtable = cursor;
            }
        }
        RunCursor run = firstRun();
        while (run != null && run.nextDueMs() < Math.min(toMs, memtableDueMs) && !isFront(run)) {
            if (run.isExact()) {
                run.pass();
            }
            run.seek();
            run = firstRun();
        }
        long dueAtMs = run == null ? Long.MAX_VALUE : run.nextDueMs();
        if (dueAtMs < memtableDueMs) {
            frontRun = run;
            frontMemtable = null;
        }
        dueAtMs = Math.min(dueAtMs, memtableDueMs);
        positionMs = Math.max(positionMs, Math.min(toMs, dueAtMs));
        return dueAtMs < toMs;
    }

    private static boolean isFront(RunCursor run) {
        return run.isExact() && run.run.isWaiting(run.ordinal());
    }

    /** The run with the least next due time, exact or not. */
    private @Nullable RunCursor firstRun() {
        RunCursor first = current;
        RunCursor other = runs.peek();
        if (first != null && first.isAtEnd()) {
            first = null;
        }
        if (first == null || (other != null && other.nextDueMs() < first.nextDueMs())) {
            runs.poll();
            if (first != null) {
                runs.add(first);
            }
            first = other;
        }
        current = first;
        return first;
    }

    // ---- what stands at the front, after find said that there is something

    TimerTable table() {
        RunCursor run = frontRun;
        return run != null ? run.run : memtable().memtable;
    }

    int ordinal() {
        RunCursor run = frontRun;
        return run != null ? run.ordinal() : memtable().ordinal();
    }

    long dueAtMs() {
        RunCursor run = frontRun;
        return run != null ? run.nextDueMs() : memtable().nextDueMs();
    }

    long seq() {
        RunCursor run = frontRun;
        return run != null ? run.seq() : memtable().memtable.seq(memtable().ordinal());
    }

    StoreLane lane() {
        RunCursor run = frontRun;
        return run != null ? run.lane() : memtable().memtable.lane(memtable().ordinal());
    }

    /** How long the record is. */
    int length() {
        RunCursor run = frontRun;
        return run != null
                ? run.length()
                : memtable().memtable.length(memtable().ordinal());
    }

    private MemtableCursor memtable() {
        MemtableCursor cursor = frontMemtable;
        assert cursor != null : "nothing at the front";
        return cursor;
    }

    /** Goes on behind the front. */
    void pass() {
        RunCursor run = frontRun;
        if (run == null) {
            memtable().pass();
            frontMemtable = null;
            return;
        }
        frontRun = null;
        run.pass();
    }
}
