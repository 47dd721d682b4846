package io.tickwheel.store.file.recovery;

import io.tickwheel.store.TimerState;
import io.tickwheel.store.file.memory.OffHeapLongs;
import io.tickwheel.store.file.memory.RecordQueue;
import io.tickwheel.store.file.record.FinishedRecord;
import io.tickwheel.store.file.record.History;
import io.tickwheel.store.file.record.TimerRecord;
import io.tickwheel.store.file.run.RunScan;
import io.tickwheel.store.file.table.Memtable;
import io.tickwheel.store.file.table.Run;
import io.tickwheel.store.file.timers.PendingEnds;
import io.tickwheel.store.file.timers.TimerTables;
import java.io.IOException;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Fills the key index and the counts after an opening, a piece at a time, while timers are delivered already: from the keys
 * that were saved at a clean close, or by looking through all runs. Also marks what ended since the last checkpoint. Until it
 * is done, what needs the index waits. Owned by the loop.
 *
 * <p>The index and the counts hold exactly the timers that were visited, or scheduled since, and have not ended: so what ends
 * before its visit is never counted.
 *
 * <p>What is to be remembered of the timers that have ended is found in the order of the tables. Places bring it into the order
 * of the ends, and what ends meanwhile comes behind it:
 *
 * <pre>
 *   ends   | in the log: as many as are remembered     | since the opening: as many |
 *          | places: 0, or 1 + the position in "found" | "since"                    |
 * </pre>
 */
public final class IndexBuild {

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
    private final Memtable recovered;
    private final int recoveredSlots;
    private final ArrayDeque<Run> runs;
    private @Nullable KeysReader keys;
    private final long liveAtStart;
    private int nextSlot;
    private @Nullable Run scanned;
    private @Nullable RunScan scan;

    /** @param keys the saved keys of all runs, to be closed here; null when there are none */
    public IndexBuild(TimerTables tables, int finishedRemembered, @Nullable KeysReader keys) {
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
        this.recovered = tables.active();
        this.recoveredSlots = recovered.size();
        this.runs = new ArrayDeque<>(tables.runs());
        this.keys = keys;
        this.liveAtStart = countLive();
        tables.index.expect(liveAtStart);
    }

    private long countLive() {
        long live = 0;
        for (int ordinal = 0; ordinal < recoveredSlots; ordinal++) {
            if (!recovered.isEnded(ordinal) && !recovered.isDead(ordinal)) {
                live++;
            }
        }
        for (Run run : runs) {
            live += run.isDead() ? 0 : run.present();
        }
        return live;
    }

    /** Live timers as far as was known at the start: no fewer than there were. */
    public long liveAtStart() {
        return liveAtStart;
    }

    /** Does everything now when there is no run to look through; returns whether all is done. */
    public boolean isDoneAtOnce() throws IOException {
        return runs.isEmpty() && work(Integer.MAX_VALUE);
    }

    /**
     * Goes on.
     *
     * @param budget how many timers to visit
     * @return whether all is done
     */
    public boolean work(int budget) throws IOException {
        int left = budget;
        while (left > 0 && nextSlot < recoveredSlots) {
            visitSlot(nextSlot++);
            left--;
        }
        KeysReader reader = keys;
        if (reader != null && left > 0) {
            left -= fillFrom(reader, left);
        }
        while (left > 0) {
            if (scan == null) {
                Run run = runs.poll();
                if (run == null) {
                    return isAllRemembered(left);
                }
                scanned = run;
                scan = new RunScan(run.file(), run.ended());
            }
            if (scan.next()) {
                visit(scan);
            } else {
                scan = null;
            }
            left--;
        }
        return false;
    }

    /** Returns how much of the budget it took: all of it, for as long as there are keys to be read. */
    private int fillFrom(KeysReader reader, int budget) throws IOException {
        int taken = reader.work(budget, tables);
        KeysReader.Outcome outcome = reader.outcome();
        if (outcome == null) {
            return budget;
        }
        if (outcome == KeysReader.Outcome.FILLED) {
            runs.clear();
        }
        reader.close();
        keys = null;
        return taken;
    }

    private void visitSlot(int ordinal) {
        if (!recovered.isEnded(ordinal)) {
            tables.enter(
                    recovered.hash(ordinal),
                    recovered,
                    ordinal,
                    recovered.lane(ordinal).queue,
                    recovered.isDead(ordinal));
            return;
        }
        PendingEnds.End end = tables.pendingEnds.get(recovered.seq(ordinal));
        if (end != null && isLookedAt(end)) {
            noteEnd(end, recovered.record(ordinal, false));
        }
    }

    private void visit(RunScan at) {
        Run run = scanned;
        assert run != null;
        PendingEnds.End end = tables.pendingEnds.get(at.seq());
        if (end == null) {
            tables.enter(at.hash(), run, at.ordinal(), run.laneAt(at.lanePosition()).queue, run.isDead());
            return;
        }
        run.end(at.ordinal());
        if (isLookedAt(end)) {
            noteEnd(end, read(at));
        }
    }

    /** Whether the end says more than that the timer stands there no longer. */
    private boolean isLookedAt(PendingEnds.End end) {
        return end.state() == TimerState.DEAD || end.order() >= firstOrder;
    }

    private void noteEnd(PendingEnds.End end, TimerRecord timer) {
        assert end.state() != null;
        if (end.state() == TimerState.DEAD) {
            add(FinishedRecord.of(timer, TimerState.CANCELLED, end.attempts(), History.NONE), forgotten);
            return;
        }
        long position = add(FinishedRecord.of(timer, end.state(), end.attempts(), end.ended()), found);
        places.set(end.order() - firstOrder, position + 1);
    }

    /** Takes note of a timer that has just finished, to be remembered after those of which the log said so. */
    public void remember(FinishedRecord finished) {
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

    private static TimerRecord read(RunScan at) {
        int where = at.readRecord();
        try {
            return TimerRecord.read(at.window(), where, at.length(), false);
        } catch (IllegalArgumentException e) {
            throw at.file.corrupt(0, "the record of entry " + at.ordinal() + " is none: " + e.getMessage());
        }
    }

    private boolean isAllRemembered(int budget) {
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

    /** What became of last attempts, once all timers that they may be of are remembered. */
    private void amendOutcomes() {
        RecordQueue outcomes = tables.outcomes;
        for (long at = outcomes.first(); at < outcomes.end(); at = outcomes.next(at)) {
            FinishedRecord outcome = FinishedRecord.read(outcomes.chunk(at), outcomes.offset(at));
            tables.finished.amend(tables.hash(outcome.queue(), outcome.key()), outcome);
        }
        outcomes.free();
    }

    /** What is remembered under the key of a timer that was forgotten had ended before it, unless it has a higher id. */
    private void forget() {
        for (long at = forgotten.first(); at < forgotten.end(); at = forgotten.next(at)) {
            FinishedRecord last = FinishedRecord.read(forgotten.chunk(at), forgotten.offset(at));
            tables.finished.removeUpTo(tables.hash(last.queue(), last.key()), last);
        }
        forgotten.free();
    }

    private void complete() {
        forget();
        amendOutcomes();
        found.free();
        places.free();
        since.free();
        tables.index.expect(0);
        tables.pendingEnds.clear();
        tables.queues.completed();
    }

    /** Closes the files. */
    public void close() throws IOException {
        if (keys != null) {
            keys.close();
        }
    }
}
