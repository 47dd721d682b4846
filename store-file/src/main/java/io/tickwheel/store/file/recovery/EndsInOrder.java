package io.tickwheel.store.file.recovery;

import io.tickwheel.store.TimerState;
import io.tickwheel.store.file.memory.KeyIndex;
import io.tickwheel.store.file.memory.OffHeapLongs;
import io.tickwheel.store.file.memory.RecordQueue;
import io.tickwheel.store.file.record.FinishedRecord;
import io.tickwheel.store.file.record.History;
import io.tickwheel.store.file.record.TimerRecord;
import io.tickwheel.store.file.table.Run;
import io.tickwheel.store.file.timers.PendingEnds;
import io.tickwheel.store.file.timers.TimerTables;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Gathers what is to be remembered of the timers of which the commit log says that they have ended. It is found in the order of the
 * tables. Places bring it into the order of the ends, and what ends meanwhile comes behind it:
 *
 * <pre>
 *   ends   | in the log: as many as are remembered     | since the opening: as many |
 *          | places: 0, or 1 + the position in "found" | "since"                    |
 * </pre>
 *
 * Owned by the loop.
 */
final class EndsInOrder {

    private final TimerTables tables;
    private final int finishedRemembered;
    private final RecordQueue found;

    /** The dead timers that were forgotten, in no particular order. */
    private final RecordQueue forgotten;

    private final OffHeapLongs places;

    /** The order of the first place: the ends before are not remembered any more. */
    private final long firstOrder;

    private long nextPlace;
    private final RecordQueue since;

    /** The hashes of the keys of which something may be remembered in the end that is not now. */
    private final KeyIndex open = new KeyIndex();

    EndsInOrder(TimerTables tables, int finishedRemembered) {
        this.tables = tables;
        this.finishedRemembered = finishedRemembered;
        this.found = new RecordQueue(tables.pool);
        this.forgotten = new RecordQueue(tables.pool);
        this.places = new OffHeapLongs(tables.pool);
        this.since = new RecordQueue(tables.pool);
        this.firstOrder = Math.max(1, (long) tables.pendingEnds.lastOrder() + 1 - finishedRemembered);
        for (long order = firstOrder; order <= tables.pendingEnds.lastOrder(); order++) {
            places.add(0);
        }
        RecordQueue outcomes = tables.outcomes;
        for (long at = outcomes.first(); at < outcomes.end(); at = outcomes.next(at)) {
            FinishedRecord outcome = FinishedRecord.read(outcomes.chunk(at), outcomes.offset(at));
            setOpen(tables.hash(outcome.queue(), outcome.key()));
        }
    }

    /** Whether something may be remembered of a key in the end that is not yet, as far as was noted. */
    boolean isOpen(long hash) {
        return open.find(hash);
    }

    private void setOpen(long hash) {
        open.addUnlessThere(hash, 1, 0);
    }

    /** What the log says of the end of a timer; null when it says nothing. */
    PendingEnds.@Nullable End of(long seq) {
        return tables.pendingEnds.get(seq);
    }

    /** Has the timer of an entry end in its run, and notes it. */
    void end(Run run, int ordinal, PendingEnds.End end, Supplier<TimerRecord> record) {
        run.end(ordinal);
        note(end, record);
    }

    /** Notes which timer it was that ended, when the end says more than that it stands there no longer. */
    void note(PendingEnds.End end, Supplier<TimerRecord> record) {
        if (end.state() != TimerState.DEAD && end.order() < firstOrder) {
            return;
        }
        TimerRecord timer = record.get();
        assert end.state() != null;
        setOpen(tables.hash(timer.queue(), timer.key()));
        if (end.state() == TimerState.DEAD) {
            add(FinishedRecord.of(timer, TimerState.CANCELLED, end.attempts(), History.NONE), forgotten);
            return;
        }
        long position = add(FinishedRecord.of(timer, end.state(), end.attempts(), end.ended()), found);
        places.set(end.order() - firstOrder, position + 1);
    }

    /** Takes note of a timer that has just finished, to be remembered after those of which the log said so. */
    void noteNow(FinishedRecord finished) {
        setOpen(tables.hash(finished.queue(), finished.key()));
        if (finishedRemembered > 0) {
            if (since.size() == finishedRemembered) {
                since.removeFirst();
            }
            add(finished, since);
        }
    }

    private static long add(FinishedRecord finished, RecordQueue to) {
        long position = to.add(finished.length());
        finished.write(to.chunk(position), to.offset(position));
        return position;
    }

    /**
     * Goes on to have them remembered, once all are noted and the key index is complete.
     *
     * @param budget how many to remember
     * @return whether all are
     */
    boolean remember(int budget) {
        for (int left = budget; left > 0; left--) {
            if (nextPlace < places.size()) {
                long place = places.get(nextPlace++);
                if (place != 0) {
                    rememberIfLast(found, place - 1);
                }
            } else if (since.size() > 0) {
                rememberIfLast(since, since.first());
                since.removeFirst();
            } else {
                complete();
                return true;
            }
        }
        return false;
    }

    private void rememberIfLast(RecordQueue records, long position) {
        FinishedRecord record = FinishedRecord.read(records.chunk(position), records.offset(position));
        long hash = tables.hash(record.queue(), record.key());
        FinishedRecord known = tables.finished.get(hash, record.queue(), record.key());
        boolean isLast = known == null || known.id() < record.id();
        if (isLast && !tables.find(hash, record.queue(), record.key())) {
            tables.remember(hash, record);
        }
    }

    private void complete() {
        forget();
        amendOutcomes();
        found.free();
        places.free();
        since.free();
        open.clear();
    }

    /** What is remembered under the key of a timer that was forgotten had ended before it, unless it has a higher id. */
    private void forget() {
        for (long at = forgotten.first(); at < forgotten.end(); at = forgotten.next(at)) {
            FinishedRecord last = FinishedRecord.read(forgotten.chunk(at), forgotten.offset(at));
            tables.finished.removeUpTo(tables.hash(last.queue(), last.key()), last);
        }
        forgotten.free();
    }

    /** What became of last attempts, once all timers that they may be of are remembered. */
    private void amendOutcomes() {
        RecordQueue outcomes = tables.outcomes;
        for (long at = outcomes.first(); at < outcomes.end(); at = outcomes.next(at)) {
            FinishedRecord outcome = FinishedRecord.read(outcomes.chunk(at), outcomes.offset(at));
            tables.finished.amend(tables.hash(outcome.queue(), outcome.key()), outcome);
        }
        outcomes.free();
    }
}
