package io.tickwheel.store.file;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Fills the key index and the counts after an opening, a piece at a time, while timers are delivered already: from the keys
 * that were saved at a clean close, or by looking through all runs. Also marks what ended since the last checkpoint. Until it
 * is done, what needs the index waits. Owned by the loop.
 *
 * <p>The index and the counts hold exactly the timers that were visited, or scheduled since, and have not ended: so what ends
 * before its visit is never counted.
 */
final class IndexBuild {

    private final Shelves shelves;
    private final ArrayDeque<Replay.FinishedLater> finished;
    private final int finishedRemembered;
    private final Memtable recovered;
    private final int recoveredSlots;
    private final ArrayDeque<Run> runs;
    private @Nullable KeysReader keys;
    private final long liveAtStart;
    private int nextSlot;
    private @Nullable RunScan scan;

    /** @param keys the saved keys of all runs, to be closed here; null when there are none */
    IndexBuild(Shelves shelves, Replay replay, int finishedRemembered, @Nullable KeysReader keys) {
        this.shelves = shelves;
        this.finished = replay.finished();
        this.finishedRemembered = finishedRemembered;
        this.recovered = shelves.active();
        this.recoveredSlots = recovered.size();
        this.runs = new ArrayDeque<>(shelves.runs());
        this.keys = keys;
        this.liveAtStart = countLive();
        shelves.index.expect(liveAtStart);
    }

    private long countLive() {
        long live = 0;
        for (int ordinal = 0; ordinal < recoveredSlots; ordinal++) {
            if (!recovered.isEnded(ordinal) && !recovered.isDead(ordinal)) {
                live++;
            }
        }
        for (Run run : runs) {
            live += run.tier() == RunFormat.Tier.DEAD ? 0 : run.present();
        }
        return live;
    }

    /** Live timers as far as was known at the start: no fewer than there were. */
    long liveAtStart() {
        return liveAtStart;
    }

    /** Does everything now when there is no run to look through; returns whether all is done. */
    boolean isDoneAtOnce() throws IOException {
        return runs.isEmpty() && work(Integer.MAX_VALUE);
    }

    /**
     * Goes on.
     *
     * @param budget how many timers to visit
     * @return whether all is done
     */
    boolean work(int budget) throws IOException {
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
                    complete();
                    return true;
                }
                scan = new RunScan(run, run.ended());
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
        int taken = reader.work(budget, shelves);
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
            shelves.index.add(recovered.hash(ordinal), recovered.number(), ordinal);
            shelves.queues.count(recovered.lane(ordinal).queue, recovered.isDead(ordinal), 1);
        }
    }

    private void visit(RunScan at) {
        Run run = at.run;
        EndedElsewhere.End end = shelves.endedElsewhere.isEmpty() ? null : shelves.endedElsewhere.get(at.seq());
        if (end == null) {
            shelves.index.add(at.hash(), run.number(), at.ordinal());
            shelves.queues.count(run.laneAt(at.lanePosition()).queue, run.tier() == RunFormat.Tier.DEAD, 1);
            return;
        }
        run.end(at.ordinal());
        if (end.state() != null) {
            TimerRecord record = read(at);
            finished.add(new Replay.FinishedLater(end.order(), record.timerKey(), record, end.state(), end.attempts()));
        }
    }

    private static TimerRecord read(RunScan at) {
        int where = at.readRecord();
        try {
            return TimerRecord.read(at.window(), where, at.length(), false);
        } catch (IllegalArgumentException e) {
            throw at.run.corrupt(0, "the record of entry " + at.ordinal() + " is none: " + e.getMessage());
        }
    }

    private void complete() {
        List<Replay.FinishedLater> inOrder = new ArrayList<>(finished);
        inOrder.sort(Comparator.comparingInt(Replay.FinishedLater::order));
        int first = Math.max(0, inOrder.size() - finishedRemembered);
        for (Replay.FinishedLater later : inOrder.subList(first, inOrder.size())) {
            TimerRecord record = later.record();
            FinishedTable.Finished known = shelves.finished.get(later.key());
            boolean isLast = known == null || known.version() < record.version();
            if (isLast && !shelves.find(shelves.hash(record.queue(), record.key()), record.queue(), record.key())) {
                shelves.finished.add(later.key(), record, later.state(), later.attempts());
            }
        }
        finished.clear();
        shelves.index.expect(0);
        shelves.endedElsewhere.clear();
        shelves.queues.completed();
    }

    /** Closes the files. */
    void close() throws IOException {
        if (keys != null) {
            keys.close();
        }
    }
}
