package io.tickwheel.store.file.timers;

import io.tickwheel.store.LoadRoom;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.file.log.RecordLog;
import io.tickwheel.store.file.memory.ReadAhead;
import io.tickwheel.store.file.record.EndRecord;
import io.tickwheel.store.file.record.FinishedRecord;
import io.tickwheel.store.file.record.History;
import io.tickwheel.store.file.record.OutcomeRecord;
import io.tickwheel.store.file.record.TimerRecord;
import io.tickwheel.store.file.table.Memtable;
import io.tickwheel.store.file.table.QueueTable;
import io.tickwheel.store.file.table.Run;
import io.tickwheel.store.file.table.StoreLane;
import io.tickwheel.store.file.table.TimerTable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Everything that can happen to a timer, one method for each. A transition changes the key index, the counts, the state of the
 * entry in its table, the table of loaded timers and the log together, and leaves them in agreement about the timer; assertions
 * look. It does no I/O but reads of a run, answers nobody and tells no listener. Owned by the loop.
 *
 * <pre>
 *   create, replace ---> pending --load--> loaded --claim--> claimed --finish--> finished, remembered
 *                         ^   '--cancel-->   |                 | | '--bury-----> dead --purge--> forgotten
 *                         '---- unload ------'---- release ----' '--retry, reroute: pending, in the active memtable
 *
 *   replace also: the same timer with another due time, or no longer dead
 *
 *   move: from table to table, and nothing else changes
 * </pre>
 *
 * While the key index is being filled after an opening, an entry that was not visited is neither in the index nor counted: so
 * what ends or is put again is taken out only when it is there, and the filling passes by what has ended.
 */
public final class Transitions {

    private final TimerTables tables;
    private final RecordLog log;
    private final Consumer<FinishedRecord> finishedWhileFilling;

    /** Where the ends of claimed timers will change the key index. */
    private final ReadAhead ends;

    private long nextSeq;

    /**
     * @param nextSeq the seq of the next record
     * @param finishedWhileFilling takes what has finished for as long as the key index is being filled
     */
    public Transitions(TimerTables tables, RecordLog log, long nextSeq, Consumer<FinishedRecord> finishedWhileFilling) {
        this.tables = tables;
        this.log = log;
        this.nextSeq = nextSeq;
        this.finishedWhileFilling = finishedWhileFilling;
        this.ends = new ReadAhead(tables.index);
    }

    /** The tables that these transitions change. */
    public TimerTables tables() {
        return tables;
    }

    /** The seq for a record that is about to be written. */
    public long newSeq() {
        return nextSeq++;
    }

    /** Higher than every seq there was. */
    public long nextSeq() {
        return nextSeq;
    }

    /**
     * Adds the timer of a key that has none in a table; one that has finished is forgotten.
     *
     * @return the ordinal in the active memtable
     */
    public int create(TimerRecord record, long hash, StoreLane lane) {
        Memtable active = tables.active();
        int ordinal = active.add(record, hash, lane);
        tables.enter(hash, active, ordinal, lane.queue, record.dead());
        log.append(record);
        tables.lastAttempts.forget(record.timerKey());
        // Not before: its queue would be forgotten when this was all that is known of it.
        tables.finished.remove(hash, record.queue(), record.key());
        assert stands(active, ordinal, record, lane.queue);
        return ordinal;
    }

    /**
     * Puts a new timer of a key, or the same one as it is from now on, in the place of the one that stands there. When that was loaded it is
     * gone, and a place of a timer that was not claimed is the caller's to give back.
     *
     * @return the ordinal in the active memtable
     */
    public int replace(KeyState.Standing old, TimerRecord record, long hash, StoreLane lane) {
        QueueTable.Queue queue = lane.queue;
        if (old.record().dead()) {
            tables.queues.count(queue, false, 1);
            tables.queues.count(queue, true, -1);
        }
        old.table().end(old.ordinal());
        withdraw(old.loaded());
        Memtable active = tables.active();
        int ordinal = active.add(record, hash, lane);
        boolean moved = tables.index.move(hash, old.table().number(), old.ordinal(), active.number(), ordinal);
        assert moved : "not in the index";
        log.append(record);
        // One that was evicted before a crash may be remembered again by the checkpoint that had taken it in.
        tables.finished.remove(hash, record.queue(), record.key());
        assert hasEnded(old.table(), old.ordinal(), old.record(), hash);
        assert stands(active, ordinal, record, queue);
        return ordinal;
    }

    /** Ends a timer whose attempt runs, which is its last one: only {@link #endLast} is still to be said of it. */
    public void cancelLast(KeyState.Standing claimed) {
        LoadedTimer timer = claimed.loaded();
        assert timer != null && timer.claimed();
        FinishedRecord cancelled =
                FinishedRecord.of(timer.record(), TimerState.CANCELLED, timer.attempts(), History.NONE);
        finish(timer, TimerState.CANCELLED, History.NONE);
        tables.lastAttempts.add(timer, cancelled);
    }

    /** Whether {@link #endLast} is still to be said of a claimed timer: it was cancelled, and not replaced since. */
    public boolean isLast(LoadedTimer claimed) {
        return tables.lastAttempts.contains(claimed);
    }

    /**
     * Ends the last attempt of a timer that was cancelled meanwhile.
     *
     * @param completed whether it succeeded
     * @param counted whether it was an attempt at all
     * @param attempt the attempt; none when it is not to be remembered
     * @return whether the timer was cancelled, and not replaced since, and the attempt succeeded
     */
    public boolean endLast(LoadedTimer timer, boolean completed, boolean counted, History attempt) {
        FinishedRecord cancelled = tables.lastAttempts.remove(timer);
        if (cancelled == null) {
            return false;
        }
        if (completed || !counted || !attempt.isEmpty()) {
            FinishedRecord ended = cancelled.with(
                    completed ? TimerState.COMPLETED : TimerState.CANCELLED,
                    counted ? cancelled.attempts() : cancelled.attempts() - 1,
                    attempt);
            log.append(new OutcomeRecord(ended));
            tables.finished.amend(tables.hash(ended.queue(), ended.key()), ended);
        }
        return completed;
    }

    /** Ends a timer that is pending, loaded or not, because its owner says so; for its place see {@link #replace}. */
    public void cancel(KeyState.Standing pending, QueueTable.Queue queue) {
        end(pending, queue, TimerState.CANCELLED, pending.record().attempts(), History.NONE);
    }

    /** Ends a timer that is pending, loaded or not, because an attempt of before has succeeded; for its place see {@link #replace}. */
    public void complete(KeyState.Standing pending, QueueTable.Queue queue, int attempts, History attempt) {
        end(pending, queue, TimerState.COMPLETED, attempts, attempt);
    }

    private void end(
            KeyState.Standing pending, QueueTable.Queue queue, TimerState outcome, int attempts, History attempt) {
        withdraw(pending.loaded());
        TimerRecord record = pending.record();
        EndRecord end = new EndRecord(record.seq(), outcome, attempts, attempt);
        end(pending.table(), pending.ordinal(), queue, record, end);
    }

    /** Forgets a dead timer, and with it all that is known of its key. */
    public void purge(KeyState.Standing dead, QueueTable.Queue queue) {
        TimerRecord record = dead.record();
        assert record.dead();
        log.append(new EndRecord(record.seq(), TimerState.DEAD, record.attempts(), History.NONE));
        dead.table().end(dead.ordinal());
        long hash = tables.hash(record.queue(), record.key());
        // One that was evicted before a crash may be remembered again by the checkpoint that had taken it in.
        tables.finished.remove(hash, record.queue(), record.key());
        tables.leave(hash, dead.table(), dead.ordinal(), queue, true);
        assert hasEnded(dead.table(), dead.ordinal(), record, hash);
        assert countsAgree(queue);
    }

    /** Takes a timer out of the loaded ones that was cancelled or replaced. */
    private void withdraw(@Nullable LoadedTimer loaded) {
        if (loaded != null) {
            forget(loaded);
            if (loaded.claimed()) {
                tables.queues.countClaimed(loaded.queue(), -1);
            }
        }
    }

    private void forget(LoadedTimer timer) {
        timer.leave();
        tables.loaded.remove(timer);
    }

    /**
     * Takes note that a timer is loaded, whose entry was taken.
     *
     * @param length of the record
     * @param lsn how far the log must be accepted for all that is true of the timer
     */
    public LoadedTimer load(
            TimerTable table,
            int ordinal,
            long seq,
            long attemptAtMs,
            StoreLane lane,
            LoadRoom.Age age,
            int length,
            long lsn) {
        LoadedTimer timer = new LoadedTimer(table, ordinal, seq, attemptAtMs, lane, age, length, lsn);
        tables.loaded.add(timer);
        assert isLoaded(timer);
        return timer;
    }

    /** Takes a loaded timer back that is not claimed: it waits again. */
    public void unload(LoadedTimer timer) {
        assert isLoaded(timer) && !timer.claimed();
        forget(timer);
        timer.table().untake(timer.ordinal());
        assert timer.table().isWaiting(timer.ordinal()) && tables.loaded.get(timer.seq()) == null;
    }

    /** Gives a loaded timer to who delivers it. */
    public void claim(LoadedTimer timer, TimerRecord record) {
        timer.claim(record);
        tables.queues.countClaimed(timer.queue(), 1);
        ends.add(tables.hash(record.queue(), record.key()));
        assert isLoaded(timer) && stands(timer.table(), timer.ordinal(), record, timer.queue());
    }

    /** Takes a claim back: the timer is loaded as before. */
    public void release(LoadedTimer timer) {
        TimerRecord record = timer.record();
        timer.release();
        tables.queues.countClaimed(timer.queue(), -1);
        assert isLoaded(timer) && stands(timer.table(), timer.ordinal(), record, timer.queue());
    }

    /** Puts a claimed timer into the active memtable, to be tried again; returns its ordinal there. */
    public int retry(LoadedTimer claimed, TimerRecord again) {
        assert !again.dead();
        return putAgain(claimed, again, claimed.storeLane);
    }

    /** Puts a claimed timer into the active memtable, on another lane of its queue; returns its ordinal there. */
    public int reroute(LoadedTimer claimed, TimerRecord again, StoreLane lane) {
        assert !again.dead() && lane.queue == claimed.queue();
        return putAgain(claimed, again, lane);
    }

    /** Gives a claimed timer up: it is dead from now on, and kept. */
    public void bury(LoadedTimer claimed, TimerRecord dead) {
        assert dead.dead();
        putAgain(claimed, dead, claimed.storeLane);
    }

    private int putAgain(LoadedTimer timer, TimerRecord again, StoreLane lane) {
        assert timer.claimed();
        forget(timer);
        Memtable active = tables.active();
        TimerTable before = timer.table();
        long hash = tables.hash(again.queue(), again.key());
        int ordinal = active.add(again, hash, lane);
        QueueTable.Queue queue = lane.queue;
        if (!tables.index.move(hash, before.number(), timer.ordinal(), active.number(), ordinal)) {
            // The index is being filled, and has not come to the old entry, which it will pass over.
            tables.enter(hash, active, ordinal, queue, false);
        }
        if (again.dead()) {
            tables.queues.count(queue, true, 1);
            tables.queues.count(queue, false, -1);
        }
        tables.queues.countClaimed(queue, -1);
        before.end(timer.ordinal());
        log.append(again);
        assert hasEnded(before, timer.ordinal(), timer.record(), hash);
        assert stands(active, ordinal, again, queue);
        return ordinal;
    }

    /**
     * Ends a claimed timer for good: completed, cancelled or expired.
     *
     * @param attempt the one that ended it; none when it is not to be remembered
     */
    public void finish(LoadedTimer claimed, TimerState outcome, History attempt) {
        TimerRecord record = claimed.record();
        forget(claimed);
        EndRecord end = new EndRecord(record.seq(), outcome, claimed.attempts(), attempt);
        end(claimed.table(), claimed.ordinal(), claimed.queue(), record, end);
        tables.queues.countClaimed(claimed.queue(), -1);
        assert countsAgree(claimed.queue());
    }

    private void end(TimerTable table, int ordinal, QueueTable.Queue queue, TimerRecord record, EndRecord end) {
        log.append(end);
        table.end(ordinal);
        long hash = tables.hash(record.queue(), record.key());
        FinishedRecord finished = FinishedRecord.of(record, end.state(), end.attempts(), end.ended());
        if (tables.isIndexed()) {
            tables.finished.add(hash, queue, finished);
        } else {
            finishedWhileFilling.accept(finished);
        }
        tables.leave(hash, table, ordinal, queue, false);
        assert hasEnded(table, ordinal, record, hash);
    }

    /** Moves what has not ended from its table to the place in a run where it was written; has what has ended end there too. */
    public void move(TimerTable from, int fromOrdinal, Run to, int toOrdinal) {
        if (from.isEnded(fromOrdinal)) {
            to.end(toOrdinal);
            return;
        }
        boolean moved = tables.index.move(from.hash(fromOrdinal), from.number(), fromOrdinal, to.number(), toOrdinal);
        assert moved : "not in the index";
        if (!from.isWaiting(fromOrdinal) && !to.isDead()) {
            LoadedTimer loaded = tables.loaded.get(from.seq(fromOrdinal));
            assert loaded != null : "taken and not loaded";
            loaded.moveTo(to, toOrdinal);
            to.take(toOrdinal);
            assert isLoaded(loaded);
        }
        from.end(fromOrdinal);
    }

    // ---- what the assertions look at

    /** Whether table, index, loaded timers and counts say that this record stands there. */
    private boolean stands(TimerTable table, int ordinal, TimerRecord record, QueueTable.Queue queue) {
        LoadedTimer loaded = tables.loaded.get(record.seq());
        boolean isTaken = !record.dead() && !table.isWaiting(ordinal);
        assert !table.isEnded(ordinal) : "has ended: " + record;
        assert (loaded != null) == isTaken : "loaded or taken: " + record;
        assert loaded == null || (loaded.table() == table && loaded.ordinal() == ordinal) : "elsewhere: " + record;
        assert !tables.isIndexed() || isInIndex(table, ordinal, tables.hash(record.queue(), record.key()))
                : "not in the index: " + record;
        return countsAgree(queue);
    }

    /** Whether table, index and loaded timers say that the record that stood there does so no more. */
    private boolean hasEnded(TimerTable table, int ordinal, TimerRecord record, long hash) {
        assert table.isEnded(ordinal) : "has not ended: " + record;
        assert !isInIndex(table, ordinal, hash) : "in the index: " + record;
        assert tables.loaded.get(record.seq()) == null : "loaded: " + record;
        return true;
    }

    private boolean isInIndex(TimerTable table, int ordinal, long hash) {
        for (boolean found = tables.index.find(hash); found; found = tables.index.findNext()) {
            if (tables.index.place() == table.number() && tables.index.ordinal() == ordinal) {
                return true;
            }
        }
        return false;
    }

    private boolean isLoaded(LoadedTimer timer) {
        TimerTable table = timer.table();
        return !timer.isGone()
                && tables.loaded.get(timer.seq()) == timer
                && !table.isEnded(timer.ordinal())
                && !table.isWaiting(timer.ordinal());
    }

    /** Whether as many timers are counted as are in the index, as soon as that is complete. */
    private boolean countsAgree(QueueTable.Queue queue) {
        if (tables.isIndexed()) {
            assert tables.index.size() == tables.queues.live() + tables.queues.dead()
                    : tables.index.size() + " in the index, " + tables.queues.live() + " live, " + tables.queues.dead()
                            + " dead";
            assert queue.claimed() >= 0 && queue.claimed() <= queue.live() : queue.counts();
        }
        return true;
    }
}
