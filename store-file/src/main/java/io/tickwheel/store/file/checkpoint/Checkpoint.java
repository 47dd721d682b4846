package io.tickwheel.store.file.checkpoint;

import io.tickwheel.store.Lane;
import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.file.disk.DurableFiles;
import io.tickwheel.store.file.disk.Manifest;
import io.tickwheel.store.file.disk.NoSpace;
import io.tickwheel.store.file.disk.OwnerMark;
import io.tickwheel.store.file.disk.TakenOverException;
import io.tickwheel.store.file.log.OpenStore;
import io.tickwheel.store.file.memory.RecordQueue;
import io.tickwheel.store.file.run.Progress;
import io.tickwheel.store.file.run.RunFile;
import io.tickwheel.store.file.run.RunWriter;
import io.tickwheel.store.file.table.Memtable;
import io.tickwheel.store.file.table.Run;
import io.tickwheel.store.file.table.RunsWriter;
import io.tickwheel.store.file.table.TimerTable;
import io.tickwheel.store.file.timers.TimerTables;
import io.tickwheel.store.file.timers.Transitions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Moves timers to new runs and makes that count, a piece at a time and beside the work of the loop: those of a full memtable,
 * so that the commit log before it can be dropped, or what is left of some runs. With neither, it lets go of runs that have
 * ended.
 *
 * <pre>
 *   WRITE    background: new runs of what has not ended, synced, and their names
 *   MOVE     loop: the index and the loaded timers point to the new runs, one timer after the other; what has ended since is
 *            marked there
 *   CAPTURE  loop: which runs count, what has ended of each, what is remembered of the finished
 *   PUBLISH  background, when the log is synced beyond all that was captured: the progress, the manifest; only then anything
 *            is deleted
 * </pre>
 *
 * Out of room: WRITE deletes what it wrote, and the checkpoint is as if it had not begun. From MOVE on the timers stand in the
 * new runs, and there is no way back; PUBLISH is tried again later, with the same bytes under the same names, so it does not
 * matter how far it came.
 *
 * <p>A crash before the manifest is synced leaves the old runs and the old log, and new files that nothing names. Replaying the
 * log from the checkpoint's LSN over what was captured gives the right state although that is newer: an end is a set member.
 */
public final class Checkpoint {

    private static final int TOUCHED_AT_ONCE = 64;

    private final OpenStore store;
    private final DataDirectory directory;
    private final OwnerMark owner;
    private final Executor executor;
    private final Transitions transitions;
    private final TimerTables tables;
    private final Manifest before;
    private final long lsn;
    private final @Nullable Memtable memtable;
    private final List<Run> sources;
    private Step step = Step.WRITE;
    private @Nullable Task running;

    /** What the background task wrote, and its runs, opened. */
    private List<RunWriter.Written> written = List.of();

    private final List<Run> opened = new ArrayList<>();
    private final long[] touchedHashes = new long[TOUCHED_AT_ONCE];

    private int movingRun;
    private int movingOrdinal;
    private List<Progress.RunProgress> runs = List.of();
    private final RecordQueue finished;
    private boolean capturing;
    private long nextFinished;
    private long capturedLsn;
    private long nextSeq;

    /** The manifest that counts once the checkpoint is done; written by the executor, read when its task has ended. */
    private @Nullable Manifest after;

    private enum Step {
        WRITE,
        MOVE,
        CAPTURE,
        PUBLISH,
        DONE
    }

    /** There was no room on the disk for the last step; all before it is as it was. */
    static final class OutOfRoomException extends IOException {
        private static final long serialVersionUID = 1L;

        OutOfRoomException(Throwable cause) {
            super("no room for a checkpoint: " + cause, cause);
        }
    }

    private interface Work {
        void run() throws IOException;
    }

    /**
     * @param lsn where the replay starts once this is done
     * @param memtable the frozen one, with what was scheduled before {@code lsn}; null when that is the one before
     * @param sources runs to be written anew
     * @param nowMs the time, for the tiers
     */
    Checkpoint(
            OpenStore store,
            Transitions transitions,
            Manifest before,
            long lsn,
            @Nullable Memtable memtable,
            List<Run> sources,
            long nowMs) {
        this.store = store;
        this.directory = store.directory();
        this.owner = store.owner();
        this.executor = store.context().background();
        this.transitions = transitions;
        this.tables = transitions.tables();
        this.before = before;
        this.lsn = lsn;
        this.memtable = memtable;
        this.sources = sources;
        this.finished = new RecordQueue(tables.pool);
        List<Lane> lanes = memtable == null ? List.of() : tables.queues.laneNames();
        List<BitSet> ended = new ArrayList<>();
        sources.forEach(run -> ended.add((BitSet) run.ended().clone()));
        start(() -> write(lanes, ended, nowMs));
    }

    private void write(List<Lane> lanes, List<BitSet> ended, long nowMs) throws IOException {
        try (RunsWriter writer =
                new RunsWriter(directory, before.storeId(), owner.epoch(), tables::newNumber, nowMs, tables.pool)) {
            try {
                if (memtable != null) {
                    writer.write(memtable, lanes);
                }
                writer.write(sources, ended);
                written = writer.finish();
                openRuns();
            } catch (IOException e) {
                if (isOutOfRoom(e)) {
                    closeRuns();
                    writer.discard();
                    throw new OutOfRoomException(e);
                }
                throw e;
            }
        }
    }

    private void openRuns() throws IOException {
        for (RunWriter.Written run : written) {
            opened.add(new Run(RunFile.open(directory, before.storeId(), run.fileNumber()), tables.queues));
        }
    }

    private void closeRuns() throws IOException {
        for (Run run : opened) {
            run.close();
        }
        opened.clear();
    }

    /**
     * Takes the next step when the one before has ended.
     *
     * @param syncedLsn how far the log is synced
     * @param recordedLsn how far it must be synced for all that the tables show now
     * @param lastSeq the seq of the last record
     * @param mayPublish whether the last step may be taken
     * @return the manifest that counts from now on, or null while the checkpoint goes on
     * @throws OutOfRoomException once for each time a step met that; when {@link #isWritten} says so, call this again later,
     *     else forget this checkpoint
     */
    @Nullable
    Manifest work(long syncedLsn, long recordedLsn, long lastSeq, boolean mayPublish) throws IOException {
        Task task = running;
        if (task != null) {
            if (!task.ended) {
                return null;
            }
            running = null;
            checkSucceeded(task);
        }
        switch (step) {
            case WRITE -> {
                for (Run run : opened) {
                    run.setArrived(0);
                    tables.add(run);
                }
                tables.loading.beginMove();
                step = Step.MOVE;
            }
            case MOVE -> {
                if (move()) {
                    letGoOfSources();
                    step = Step.CAPTURE;
                }
            }
            case CAPTURE -> {
                if (capture()) {
                    capturedLsn = Math.max(lsn, recordedLsn);
                    nextSeq = lastSeq + 1;
                    step = Step.PUBLISH;
                }
            }
            case PUBLISH -> {
                if (mayPublish && syncedLsn >= capturedLsn) {
                    start(() -> publish(syncedLsn));
                    step = Step.DONE;
                }
            }
            case DONE -> {
                finished.free();
                return after;
            }
        }
        return null;
    }

    /** Whether the timers have moved to their new runs, or do so. */
    boolean isWritten() {
        return step != Step.WRITE;
    }

    /** How far the log must be synced for the next step. */
    long awaitedLsn() {
        return step == Step.PUBLISH ? capturedLsn : 0;
    }

    /** Whether another step can be taken at once. */
    boolean isBusyOnLoop() {
        return running == null && (step == Step.MOVE || step == Step.CAPTURE);
    }

    /** Whether timers are on their way to new runs: what happens to them meanwhile must be brought there too. */
    boolean isMoving() {
        return step == Step.WRITE || step == Step.MOVE;
    }

    /** Whether what is left of some runs is written anew. */
    boolean rewritesRuns() {
        return !sources.isEmpty();
    }

    private boolean move() {
        for (int left = store.options().turnTimers(); left > 0; left--) {
            if (movingRun == written.size()) {
                return true;
            }
            if (movingOrdinal % TOUCHED_AT_ONCE == 0) {
                touch();
            }
            RunWriter.Written to = written.get(movingRun);
            TimerTable from = tables.table(to.fromTable(movingOrdinal));
            transitions.move(from, to.fromOrdinal(movingOrdinal), opened.get(movingRun), movingOrdinal);
            movingOrdinal++;
            opened.get(movingRun).setArrived(movingOrdinal);
            if (movingOrdinal == to.count()) {
                to.origins().free();
                movingOrdinal = 0;
                movingRun++;
            }
        }
        return false;
    }

    /** Reads what the next moves need, so that they do not wait for memory one after the other. */
    private void touch() {
        RunWriter.Written to = written.get(movingRun);
        int count = Math.min(TOUCHED_AT_ONCE, to.count() - movingOrdinal);
        for (int i = 0; i < count; i++) {
            int ordinal = movingOrdinal + i;
            touchedHashes[i] = tables.table(to.fromTable(ordinal)).hash(to.fromOrdinal(ordinal));
        }
        for (int i = 0; i < count; i++) {
            tables.index.touch(touchedHashes[i]);
        }
    }

    private void letGoOfSources() throws IOException {
        for (Run run : opened) {
            tables.loading.add(run);
        }
        if (memtable != null) {
            tables.dropFrozen();
        }
        for (Run run : sources) {
            tables.drop(run);
        }
    }

    private boolean capture() throws IOException {
        if (!capturing) {
            capturing = true;
            nextFinished = tables.finished.firstPosition();
            runs = captureRuns();
        }
        for (int left = store.options().turnTimers(); left > 0; left--) {
            if (tables.finished.isEnd(nextFinished)) {
                return true;
            }
            nextFinished = tables.finished.copy(nextFinished, finished);
        }
        return false;
    }

    private List<Progress.RunProgress> captureRuns() throws IOException {
        for (Run run : List.copyOf(tables.runs())) {
            if (run.present() == 0) {
                tables.drop(run);
            }
        }
        return progressOf(tables);
    }

    /** What a checkpoint must know of the runs. */
    public static List<Progress.RunProgress> progressOf(TimerTables tables) {
        return tables.runs().stream()
                .map(run -> new Progress.RunProgress(
                        run.fileNumber(), run.count(), (BitSet) run.ended().clone()))
                .toList();
    }

    private void publish(long syncedLsn) throws IOException {
        try {
            tryToPublish(syncedLsn);
        } catch (IOException e) {
            if (isOutOfRoom(e)) {
                DurableFiles.discard(DataDirectory.unfinished(directory.progress(before.generation() + 1)));
                throw new OutOfRoomException(e);
            }
            throw e;
        }
    }

    private void tryToPublish(long syncedLsn) throws IOException {
        Manifest manifest = after;
        if (manifest == null) {
            manifest = before.checkpointed(lsn, syncedLsn, nextSeq, tables.nextNumber());
            new Progress(runs, finished).write(directory, manifest.storeId(), manifest.progress());
            directory.syncScheduleLog();
            owner.check();
            manifest.write(directory);
            after = manifest;
        }
        store.disposal()
                .dropAllBut(
                        manifest,
                        runs.stream().map(Progress.RunProgress::fileNumber).toList(),
                        0);
    }

    /** Whether the executor has nothing of this under way. */
    boolean isIdle() {
        Task task = running;
        return task == null || task.ended;
    }

    /**
     * Ends it: gives an unfinished checkpoint up; the log before it stays, and the next opening drops its files.
     *
     * @return the manifest that counts when the checkpoint got that far, else null
     * @throws IOException when its last step failed: which manifest counts on the disk is then not known
     */
    @Nullable
    Manifest close() throws IOException {
        assert isIdle();
        abandon();
        if (running != null) {
            try {
                checkSucceeded(running);
            } catch (OutOfRoomException e) {
                // Should the manifest be on the disk all the same: the old one, written anew, takes its place.
                return after;
            }
        }
        return after;
    }

    /** Ends it when the store has failed. */
    void abandon() throws IOException {
        // While a task is under way the files are not ours.
        if (isIdle() && step == Step.WRITE) {
            closeRuns();
        }
    }

    private boolean isOutOfRoom(IOException failure) {
        return NoSpace.isCauseOf(failure, directory.usableBytes());
    }

    private void checkSucceeded(Task task) throws IOException {
        if (task.failure instanceof OutOfRoomException outOfRoom) {
            // A step that cannot be taken back is taken again.
            step = step == Step.DONE ? Step.PUBLISH : step;
            throw outOfRoom;
        }
        if (task.failure instanceof TakenOverException takenOver) {
            throw takenOver;
        }
        if (task.failure != null) {
            throw new IOException("writing a checkpoint failed: " + task.failure, task.failure);
        }
    }

    private void start(Work work) {
        Task task = new Task(work);
        running = task;
        executor.execute(task);
    }

    private final class Task implements Runnable {

        private final Work work;
        private @Nullable Throwable failure;
        private volatile boolean ended;

        Task(Work work) {
            this.work = work;
        }

        @Override
        public void run() {
            try {
                work.run();
            } catch (IOException | RuntimeException | Error e) {
                failure = e;
            } finally {
                ended = true;
                store.context().waker().run();
            }
        }
    }
}
