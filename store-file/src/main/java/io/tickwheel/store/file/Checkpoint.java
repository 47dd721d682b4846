package io.tickwheel.store.file;

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
 * A crash before the manifest is synced leaves the old runs and the old log, and new files that nothing names. Replaying the
 * log from the checkpoint's LSN over what was captured gives the right state although that is newer: an end is a set member.
 */
final class Checkpoint {

    private final FileCalendar.Surroundings surroundings;
    private final DataDirectory directory;
    private final SpareSegments spares;
    private final Executor executor;
    private final Shelves shelves;
    private final Manifest before;
    private final long lsn;
    private final @Nullable Memtable memtable;
    private final List<Run> sources;
    private Step step = Step.WRITE;
    private @Nullable Task running;

    /** What the background task wrote, and its runs, opened. */
    private List<RunWriter.Written> written = List.of();

    private List<Run> opened = List.of();
    private int movingRun;
    private int movingOrdinal;
    private List<Progress.RunProgress> runs = List.of();
    private final List<FinishedTable.Finished> finished = new ArrayList<>();
    private long nextFinished = -1;
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
            FileCalendar.Surroundings surroundings,
            DataDirectory directory,
            Shelves shelves,
            Manifest before,
            long lsn,
            @Nullable Memtable memtable,
            List<Run> sources,
            long nowMs) {
        this.surroundings = surroundings;
        this.directory = directory;
        this.spares = surroundings.spares();
        this.executor = surroundings.context().background();
        this.shelves = shelves;
        this.before = before;
        this.lsn = lsn;
        this.memtable = memtable;
        this.sources = sources;
        List<String> names = memtable == null ? List.of() : shelves.queueNames();
        List<BitSet> ended = new ArrayList<>();
        sources.forEach(run -> ended.add((BitSet) run.ended().clone()));
        start(() -> write(names, ended, nowMs));
    }

    private void write(List<String> names, List<BitSet> ended, long nowMs) throws IOException {
        try (RunsWriter writer = new RunsWriter(directory, before.storeId(), shelves::newNumber, nowMs)) {
            if (memtable != null) {
                writer.write(memtable, names);
            }
            writer.write(sources, ended);
            written = writer.finish();
        }
        List<Run> runsOpened = new ArrayList<>();
        opened = runsOpened;
        for (RunWriter.Written run : written) {
            runsOpened.add(Run.open(directory, before.storeId(), run.number(), shelves.queues));
        }
    }

    /**
     * Takes the next step when the one before has ended.
     *
     * @param syncedLsn how far the log is synced
     * @param recordedLsn how far it must be synced for all that the shelves show now
     * @param lastSeq the seq of the last record
     * @return the manifest that counts from now on, or null while the checkpoint goes on
     */
    @Nullable
    Manifest work(long syncedLsn, long recordedLsn, long lastSeq) throws IOException {
        Task task = running;
        if (task != null) {
            if (!task.ended) {
                return null;
            }
            checkSucceeded(task);
            running = null;
        }
        switch (step) {
            case WRITE -> {
                opened.forEach(shelves::add);
                shelves.loading.beginMove();
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
                if (syncedLsn >= capturedLsn) {
                    start(() -> publish(syncedLsn));
                    step = Step.DONE;
                }
            }
            case DONE -> {
                return after;
            }
        }
        return null;
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
        for (int left = surroundings.turnTimers(); left > 0; left--) {
            if (movingRun == written.size()) {
                return true;
            }
            RunWriter.Written to = written.get(movingRun);
            int from = to.fromShelves()[movingOrdinal];
            int fromOrdinal = to.fromOrdinals()[movingOrdinal];
            move(shelves.shelf(from), fromOrdinal, opened.get(movingRun), movingOrdinal);
            movingOrdinal++;
            if (movingOrdinal == to.fromOrdinals().length) {
                movingOrdinal = 0;
                movingRun++;
            }
        }
        return false;
    }

    private void move(Shelf from, int fromOrdinal, Run to, int toOrdinal) {
        if (from.isEnded(fromOrdinal)) {
            to.end(toOrdinal);
            return;
        }
        boolean moved = shelves.index.move(from.hash(fromOrdinal), from.number(), fromOrdinal, to.number(), toOrdinal);
        assert moved : "not in the index";
        if (!from.isWaiting(fromOrdinal) && to.tier() != RunFormat.Tier.DEAD) {
            LoadedTimer loaded = shelves.loaded.get(from.seq(fromOrdinal));
            assert loaded != null : "taken and not loaded";
            loaded.shelf = to;
            loaded.ordinal = toOrdinal;
            to.take(toOrdinal);
        }
        from.end(fromOrdinal);
    }

    private void letGoOfSources() throws IOException {
        for (Run run : opened) {
            shelves.loading.add(run);
        }
        shelves.loading.endMove();
        if (memtable != null) {
            shelves.dropFrozen();
        }
        for (Run run : sources) {
            shelves.drop(run);
        }
    }

    private boolean capture() throws IOException {
        if (nextFinished < 0) {
            nextFinished = shelves.finished.firstOrder();
            runs = captureRuns();
        }
        for (int left = surroundings.turnTimers(); left > 0; left--) {
            if (nextFinished >= shelves.finished.nextOrder()) {
                return true;
            }
            FinishedTable.Finished one = shelves.finished.at(nextFinished++);
            if (one != null) {
                finished.add(one);
            }
        }
        return false;
    }

    private List<Progress.RunProgress> captureRuns() throws IOException {
        for (Run run : List.copyOf(shelves.runs())) {
            if (run.present() == 0) {
                shelves.drop(run);
            }
        }
        return progressOf(shelves);
    }

    /** What a checkpoint must know of the runs. */
    static List<Progress.RunProgress> progressOf(Shelves shelves) {
        return shelves.runs().stream()
                .map(run -> new Progress.RunProgress(
                        run.number(), run.count(), (BitSet) run.ended().clone()))
                .toList();
    }

    private void publish(long syncedLsn) throws IOException {
        Manifest manifest = before.checkpointed(lsn, syncedLsn, nextSeq, shelves.nextNumber());
        new Progress(runs, finished).write(directory, manifest.storeId(), manifest.progress());
        directory.syncScheduleLog();
        manifest.write(directory);
        spares.recycle(lsn);
        directory.dropAllBut(
                manifest, runs.stream().map(Progress.RunProgress::number).toList());
        after = manifest;
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
            checkSucceeded(running);
        }
        return after;
    }

    /** Ends it when the store has failed. */
    void abandon() throws IOException {
        // While a task is under way the files are not ours.
        if (isIdle() && step == Step.WRITE) {
            for (Run run : opened) {
                run.close();
            }
        }
    }

    private static void checkSucceeded(Task task) throws IOException {
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
                surroundings.context().waker().run();
            }
        }
    }
}
