package io.tickwheel.store.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Writes every timer to a snapshot and then drops the log before it, a piece at a time and beside the work of the loop.
 *
 * <p>The snapshot is fuzzy: it starts when the log stands at its LSN and picks up each timer as it is when its turn comes.
 * Replaying the log from that LSN over it gives the right state, because each record sets a state (see {@link LogRecord}).
 * Order of what becomes durable: the snapshot, its name, and all records that it may show; the manifest; only then is
 * anything deleted.
 *
 * <p>The loop encodes pieces, the background executor writes them; one piece is under way at a time.
 */
final class Checkpoint {

    private static final int PIECE_BYTES = 256 << 10;

    /** Synced now and then, so that one large sync at the end does not hold up the log. */
    private static final int SYNC_EVERY_PIECES = 16;

    private final DataDirectory directory;
    private final SpareSegments spares;
    private final Executor executor;
    private final Runnable waker;
    private final TimerTable table;
    private final Manifest before;
    private final long lsn;
    private final long lastId;
    private final FrameBuffer piece = new FrameBuffer();
    private @Nullable Iterator<StoredTimer> finished;
    private long shownLsn;
    private long fileLsn;
    private int pieces;
    private @Nullable Task running;
    private Step step = Step.LIVE;

    /** Owned by the executor. */
    private @Nullable LogSegment file;

    /** The manifest that counts once the checkpoint is done; written by the executor, read when its task has ended. */
    private @Nullable Manifest after;

    private enum Step {
        LIVE,
        FINISHED,
        PUBLISH,
        DONE
    }

    private interface Work {
        void run() throws IOException;
    }

    Checkpoint(
            FileCalendar.Surroundings surroundings,
            DataDirectory directory,
            TimerTable table,
            Manifest before,
            long lsn,
            long lastId) {
        this.directory = directory;
        this.spares = surroundings.spares();
        this.executor = surroundings.context().background();
        this.waker = surroundings.context().waker();
        this.table = table;
        this.before = before;
        this.lsn = lsn;
        this.lastId = lastId;
        this.fileLsn = lsn;
        table.startWalk();
    }

    /**
     * Takes the next step when the one before has ended.
     *
     * @param syncedLsn how far the log is synced
     * @param recordedLsn how far it must be synced for all that the table shows now
     * @return the manifest that counts from now on, or null while the checkpoint goes on
     */
    @Nullable
    Manifest work(long syncedLsn, long recordedLsn) throws IOException {
        Task task = running;
        if (task != null) {
            if (!task.ended) {
                return null;
            }
            checkSucceeded(task);
            running = null;
        }
        switch (step) {
            case LIVE, FINISHED -> {
                fillPiece();
                shownLsn = recordedLsn;
                startPiece();
            }
            case PUBLISH -> {
                if (syncedLsn >= Math.max(shownLsn, lsn)) {
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
        return step == Step.PUBLISH ? Math.max(shownLsn, lsn) : 0;
    }

    private void fillPiece() {
        while (piece.size() < PIECE_BYTES) {
            StoredTimer timer = nextTimer();
            if (timer == null) {
                return;
            }
            timer.toRecord().write(piece);
        }
    }

    private @Nullable StoredTimer nextTimer() {
        if (step == Step.LIVE) {
            StoredTimer timer = table.next();
            // They stand in the order of their ids, and the later ones are in the log.
            if (timer != null && timer.id <= lastId) {
                return timer;
            }
            step = Step.FINISHED;
            finished = table.finished().iterator();
        }
        if (finished != null && finished.hasNext()) {
            return finished.next();
        }
        step = Step.PUBLISH;
        return null;
    }

    private void startPiece() {
        long pieceLsn = fileLsn;
        fileLsn += Frame.alignedBytes(piece.size());
        boolean sync = ++pieces % SYNC_EVERY_PIECES == 0;
        start(() -> writePiece(pieceLsn, sync));
    }

    private void writePiece(long pieceLsn, boolean sync) throws IOException {
        LogSegment snapshot = file;
        if (snapshot == null) {
            Path unfinished = DataDirectory.unfinished(directory.snapshot(lsn));
            Files.deleteIfExists(unfinished);
            snapshot = LogSegment.create(unfinished, before.storeId(), lsn);
            file = snapshot;
        }
        snapshot.write(piece.seal(before.epoch(), pieceLsn, pieceLsn, before.storeId()));
        piece.clear();
        if (sync) {
            snapshot.sync();
        }
    }

    private void publish(long syncedLsn) throws IOException {
        LogSegment snapshot = file;
        assert snapshot != null;
        snapshot.sync();
        snapshot.close();
        DataDirectory.publish(DataDirectory.unfinished(directory.snapshot(lsn)), directory.snapshot(lsn));
        Manifest manifest = before.checkpointed(lsn, snapshot.bytes(), syncedLsn, lastId + 1);
        manifest.write(directory);
        spares.recycle(lsn);
        directory.dropAllBut(lsn, true);
        after = manifest;
    }

    /** Whether the executor has nothing of this under way. */
    boolean isIdle() {
        Task task = running;
        return task == null || task.ended;
    }

    /**
     * Ends it: gives an unfinished checkpoint up; the log before it stays, and the next opening drops the file.
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
        // While a piece is under way the file is not ours.
        if (isIdle() && file != null) {
            file.close();
        }
    }

    private static void checkSucceeded(Task task) throws IOException {
        if (task.failure != null) {
            throw new IOException("writing a snapshot failed: " + task.failure, task.failure);
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
                waker.run();
            }
        }
    }
}
