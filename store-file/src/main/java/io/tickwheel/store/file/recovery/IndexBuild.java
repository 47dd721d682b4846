package io.tickwheel.store.file.recovery;

import io.tickwheel.store.file.record.FinishedRecord;
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
 * is done, what needs all of the index waits. Owned by the loop.
 *
 * <pre>
 *   slots of the memtable -> saved keys, or entries of the runs -> ends, in their order
 *              '-------------------------'-----> {@link Intake} -> KeyIndex
 *              what commands ask for, once all slots were visited: {@link Ahead}
 * </pre>
 *
 * <p>The index and the counts hold exactly the timers that were visited, or scheduled since, and have not ended: so what ends
 * before its visit is never counted.
 */
public final class IndexBuild {

    /** Who goes through all entries reads 64 KiB at a time. */
    private static final int BLOCKS_A_READ = 16;

    private final TimerTables tables;
    private final Intake intake;
    private final EndsInOrder ends;
    private final Ahead ahead;
    private final Memtable recovered;
    private final int recoveredSlots;
    private final ArrayDeque<Run> runs;
    private @Nullable KeysReader keys;
    private final long liveAtStart;
    private int nextSlot;
    private boolean slotsAreVisited;

    /** So much is to be visited before keys are searched for again: that takes half of the time then. */
    private long owed;

    private @Nullable Run scanned;
    private @Nullable RunScan scan;

    /**
     * @param turnTimers how many timers to look at in a turn, about
     * @param keys the saved keys of all runs, to be closed here; null when there are none
     */
    public IndexBuild(TimerTables tables, int finishedRemembered, int turnTimers, @Nullable KeysReader keys) {
        this.tables = tables;
        this.ends = new EndsInOrder(tables, finishedRemembered);
        this.ahead = new Ahead(tables, ends, turnTimers, BLOCKS_A_READ);
        this.recovered = tables.active();
        this.recoveredSlots = recovered.size();
        this.runs = new ArrayDeque<>(tables.runs());
        this.keys = keys;
        this.liveAtStart = countLive();
        this.intake = new Intake(tables, liveAtStart, turnTimers);
        tables.index.expect(recoveredSlots);
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
        while (left > 0) {
            if (!slotsAreVisited) {
                left -= visitSlots(left);
            } else if (ahead.isUnderWay()) {
                int cost = ahead.work(left);
                left -= cost;
                owed += cost;
            } else if (owed <= 0 && ahead.wantsToSearch()) {
                ahead.beginToSearch();
            } else {
                int cost = fill(left);
                if (cost == 0) {
                    return isRemembered(left);
                }
                left -= cost;
                owed -= cost;
            }
        }
        return false;
    }

    /** Visits the slots, of which some may still be on their way into the index when all were visited; returns what it cost. */
    private int visitSlots(int budget) {
        int cost = 1;
        if (intake.isPuttingAway()) {
            cost = intake.work(budget);
        } else if (nextSlot < recoveredSlots) {
            visitSlot(nextSlot++);
        } else {
            slotsAreVisited = true;
            tables.index.expect(liveAtStart);
        }
        return cost;
    }

    /** Visits more of the runs; returns what it cost, 0 when the index is complete. */
    private int fill(int budget) throws IOException {
        if (intake.isPuttingAway()) {
            return 1 + intake.work(budget);
        }
        if (keys != null) {
            return fillFrom(keys, budget);
        }
        if (isAtEntry()) {
            return 1;
        }
        if (!intake.isEmpty()) {
            intake.putAway();
            return 1;
        }
        return 0;
    }

    private boolean isRemembered(int budget) {
        boolean remembered = ends.remember(budget);
        if (remembered) {
            complete();
        }
        return remembered;
    }

    // ---- what commands ask for meanwhile

    /** Has the key of a command looked for ahead of the rest. */
    public void want(String queue, long hash) {
        ahead.want(queue, hash);
    }

    /** Has all timers of a queue looked for ahead of the rest, if they are few. */
    public void want(String queue) {
        ahead.want(queue);
    }

    /** Whether the index, and what is remembered, say all that can be said of a key. */
    public boolean isKnown(String queue, long hash) {
        return ahead.isKnown(queue, hash);
    }

    /** Whether all timers of a queue that stand in tables are known, and those that have ended are marked. */
    public boolean isKnown(String queue) {
        return ahead.isKnown(queue);
    }

    /** Rises when more is known. */
    public long changes() {
        return ahead.changes();
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

    /** Visits the next entry of the runs; false when there is none. */
    private boolean isAtEntry() {
        while (scan == null || !scan.next()) {
            Run run = runs.poll();
            if (run == null) {
                return false;
            }
            scanned = run;
            scan = new RunScan(run.file(), run.ended(), BLOCKS_A_READ);
        }
        visit(scan);
        return true;
    }

    private void visitSlot(int ordinal) {
        if (!recovered.isEnded(ordinal)) {
            intake.add(
                    recovered.hash(ordinal),
                    recovered.number(),
                    ordinal,
                    recovered.lane(ordinal).queue,
                    recovered.isDead(ordinal));
            return;
        }
        PendingEnds.End end = ends.of(recovered.seq(ordinal));
        if (end != null) {
            ends.note(end, () -> recovered.record(ordinal, false));
        }
    }

    private void visit(RunScan at) {
        Run run = scanned;
        assert run != null;
        PendingEnds.End end = ends.of(at.seq());
        if (end == null) {
            intake.add(at.hash(), run.number(), at.ordinal(), run.laneAt(at.lanePosition()).queue, run.isDead());
        } else {
            ends.end(run, at.ordinal(), end, () -> read(at));
        }
    }

    /** Takes note of a timer that has just finished, to be remembered after those of which the log said so. */
    public void remember(FinishedRecord finished) {
        ends.noteNow(finished);
    }

    private static TimerRecord read(RunScan at) {
        int where = at.readRecord();
        try {
            return TimerRecord.read(at.window(), where, at.length(), false);
        } catch (IllegalArgumentException e) {
            throw at.file.corrupt(0, "the record of entry " + at.ordinal() + " is none: " + e.getMessage());
        }
    }

    private void complete() {
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
