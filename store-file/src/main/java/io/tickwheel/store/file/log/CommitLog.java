package io.tickwheel.store.file.log;

import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.file.disk.NoSpace;
import io.tickwheel.store.file.disk.OwnerMark;
import io.tickwheel.store.file.disk.SyncPolicy;
import io.tickwheel.store.file.disk.TakenOverException;
import io.tickwheel.store.file.record.EndRecord;
import io.tickwheel.store.file.record.OutcomeRecord;
import io.tickwheel.store.file.record.TimerRecord;
import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The log to which everything is written before it is accepted. The loop appends records to one frame while the frame before
 * is written and synced by the log's executor: a batch is whatever came while the disk was busy, and costs one sync.
 *
 * <p>What nobody waits for, such as the end of an attempt, is not written sooner than two milliseconds after the write before: else each would cost a sync of its own
 * where they come one after the other. A crash in that time is as one before the attempt ended.
 *
 * <p>Owned by the loop, but for {@link Write}, which the executor runs. What goes between the two: a frame at a time, through
 * {@code writing}; its completion comes back through its volatile {@code ended}. A short frame that somebody waits for is written and synced by
 * the loop itself when that has nothing else to do and syncs are quick (see {@link SyncPace}): the executor has nothing under way then.
 *
 * <p>When the log has rested for a millisecond after a sync, an empty frame is written, and not synced: its durable LSN lets a
 * reader tell a damaged last frame, which was accepted, from a torn one, which was not. A caller who comes earlier does not wait
 * for it: the frame of that caller says the same. A full segment ends with an empty frame that is not part of the log, and
 * synced: its durable LSN, in the next segment, says that there is one.
 *
 * <p>Without a sync for each frame (see {@link SyncPolicy}) a frame is accepted once it is written. A frame's durable LSN is
 * never more than what is synced.
 */
public final class CommitLog implements RecordLog {

    /** No more is taken into a frame beyond this, so that a sync stays short. */
    private static final int FULL_FRAME_BYTES = 4 << 20;

    private static final long REST_NANOS = 1_000_000;
    private static final long GATHER_NANOS = 2_000_000;
    private static final long AGAIN_NANOS = 100_000_000;
    private static final int TRIES_AT_THE_END = 50;

    /** Of a frame with more the loop has more to do meanwhile than to wait. */
    private static final int SHORT_FRAME_BYTES = 1_024;

    /** A frame of so many bytes is worth a sync. */
    private static final int GATHERED_BYTES = 64 << 10;

    /** Kept free in a segment for the empty frames after the last one with records. */
    private static final int END_BYTES = 2 * Frame.ALIGNMENT;

    private final Executor executor;
    private final Runnable waker;
    private final LongSupplier monoNanos;
    private final LongConsumer listener;
    private final SpareSegments spares;
    private final SyncPolicy syncs;
    private final long segmentBytes;
    private final long storeId;
    private final OwnerMark owner;
    private final DataDirectory directory;

    private final SyncPace pace = new SyncPace();
    private FrameBuffer filling = new FrameBuffer();
    private FrameBuffer spare = new FrameBuffer();
    private long fillingLsn;
    private long writtenLsn;
    private long syncedLsn;
    private long recordedLsn;
    private long ends;

    /** Where the last frame with records ends that was given to the executor. */
    private long sentLsn;

    private long demandedLsn;
    private long unsyncedSinceNanos;
    private long restingSinceNanos;
    private boolean marked = true;
    private boolean hasHandedOver;
    private int triesLeft = TRIES_AT_THE_END;
    private @Nullable Write writing;

    /** Owned by the executor. */
    private LogSegment segment;

    /** Whether the segment is the one that recovery wrote: nothing is added to it. Owned by the executor. */
    private boolean recovered;

    /** Starts where recovery ended, behind the segment that it wrote. */
    public CommitLog(OpenStore store, LogSegment segment, long endLsn) {
        this.executor = store.context().log();
        this.waker = store.context().waker();
        this.monoNanos = store.context().monoNanos();
        this.listener = store.context().syncNanos();
        this.spares = store.spares();
        this.syncs = store.options().syncPolicy();
        this.segmentBytes = store.options().segmentBytes();
        this.storeId = store.storeId();
        this.owner = store.owner();
        this.directory = store.directory();
        this.segment = segment;
        this.recovered = endLsn != segment.name().baseLsn();
        this.fillingLsn = endLsn;
        this.writtenLsn = endLsn;
        this.syncedLsn = endLsn;
        this.recordedLsn = endLsn;
        this.sentLsn = endLsn;
        this.restingSinceNanos = monoNanos.getAsLong() - GATHER_NANOS;
    }

    @Override
    public long append(TimerRecord record) {
        record.write(filling.record(record.length()));
        recordedLsn = fillingLsn + filling.size();
        return recordedLsn;
    }

    @Override
    public long append(EndRecord end) {
        ends++;
        end.write(filling.record(end.length()));
        recordedLsn = fillingLsn + filling.size();
        return recordedLsn;
    }

    @Override
    public long append(OutcomeRecord outcome) {
        outcome.write(filling.record(outcome.length()));
        recordedLsn = fillingLsn + filling.size();
        return recordedLsn;
    }

    /** How many ends were appended. */
    public long ends() {
        return ends;
    }

    /** Whether no record has gone into the frame that takes the next one. */
    public boolean isAtFrameStart() {
        return filling.isEmpty();
    }

    /** Everything before this is as durable as was asked for: synced, or just written. */
    public long acceptedLsn() {
        return syncs.isEachFrameSynced() ? syncedLsn : writtenLsn;
    }

    /** Everything before this is synced. */
    public long syncedLsn() {
        return syncedLsn;
    }

    /** The log must be synced up to here for every record appended so far to be durable. */
    public long recordedLsn() {
        return recordedLsn;
    }

    /** Where the frame begins that takes the next record: all records after it are in it or in later ones. */
    public long nextFrameLsn() {
        return fillingLsn;
    }

    public boolean hasRoom() {
        return filling.size() < FULL_FRAME_BYTES;
    }

    /** Whether the executor has nothing of this under way. */
    public boolean isIdle() {
        Write write = writing;
        return write == null || write.ended;
    }

    /** Whether every record is accepted and nothing is being written. */
    public boolean isQuiet() {
        return writing == null && filling.isEmpty();
    }

    /** Whether it is quiet, all of it is synced, and the last frame says so: time alone gives it nothing to do. */
    public boolean isAtRest() {
        return isQuiet() && marked && sentLsn <= syncedLsn;
    }

    /**
     * Takes note of a write that ended and starts the next one.
     *
     * @param isAwaited whether somebody waits for what was appended to be accepted
     * @param spareNanos for how long the loop has nothing else to do
     * @throws IOException when a write failed; the log must not be used any more
     */
    public void work(boolean isAwaited, long spareNanos) throws IOException {
        Throwable noSpare = spares.failure();
        if (noSpare != null) {
            throw new IOException("making a spare segment failed: " + noSpare, noSpare);
        }
        long nowNanos = monoNanos.getAsLong();
        if (!takeNote(nowNanos)) {
            return;
        }
        if (!filling.isEmpty()) {
            if (!isAwaited && gathers(nowNanos)) {
                return;
            }
            if (sentLsn <= syncedLsn) {
                unsyncedSinceNanos = nowNanos;
            }
            sentLsn = recordedLsn;
            marked = false;
            boolean sync = syncs.isEachFrameSynced() || mustSync(nowNanos);
            Write write = next(true, sync);
            if (isAwaited && sync && pace.isQuick(spareNanos) && write.isForTheLoop()) {
                write.carryOut();
                takeNote(monoNanos.getAsLong());
            } else {
                executor.execute(write);
            }
        } else if (mustSync(nowNanos)) {
            start(false, true);
        } else if (!marked && sentLsn <= syncedLsn && nowNanos - restingSinceNanos >= REST_NANOS) {
            marked = true;
            start(true, false);
        }
    }

    private boolean gathers(long nowNanos) {
        return filling.size() < GATHERED_BYTES
                && !hasHandedOver
                && nowNanos - restingSinceNanos < GATHER_NANOS
                && !mustSync(nowNanos);
    }

    /** Gathers nothing any more: the log is to be closed. */
    public void handOver() {
        hasHandedOver = true;
    }

    /** How long the loop may stay away until what is gathered must be written; as long as it likes when nothing is. */
    public long idleNanos() {
        return writing != null || filling.isEmpty()
                ? Long.MAX_VALUE
                : Math.max(0, restingSinceNanos + GATHER_NANOS - monoNanos.getAsLong());
    }

    /** Whether the executor has nothing under way any more. */
    private boolean takeNote(long nowNanos) throws IOException {
        Write done = writing;
        if (done == null) {
            return true;
        }
        if (!done.ended) {
            return false;
        }
        if (done.failure instanceof NoDescriptorException && triesLeft > 0) {
            if (nowNanos - restingSinceNanos >= AGAIN_NANOS) {
                restingSinceNanos = nowNanos;
                triesLeft -= hasHandedOver ? 1 : 0;
                writing = new Write(done.frame, done.lsn, done.endLsn, done.durableLsn, done.synced);
                executor.execute(writing);
            }
            return false;
        }
        if (done.failure != null) {
            throw done.failure instanceof TakenOverException takenOver
                    ? takenOver
                    : new IOException("writing the commit log failed: " + done.failure, done.failure);
        }
        writing = null;
        writtenLsn = done.endLsn;
        if (done.synced) {
            syncedLsn = done.endLsn;
            pace.took(done.syncNanos);
        }
        FrameBuffer written = done.frame;
        if (written != null) {
            written.clear();
            spare = written;
        }
        restingSinceNanos = nowNanos;
        return true;
    }

    private boolean mustSync(long nowNanos) {
        return demandedLsn > syncedLsn || (sentLsn > syncedLsn && syncs.isDue(nowNanos - unsyncedSinceNanos));
    }

    /** Sees to it that the log gets synced up to there, however it is synced otherwise. */
    public void syncUpTo(long lsn) {
        demandedLsn = Math.max(demandedLsn, lsn);
        if (demandedLsn > syncedLsn && writing == null && filling.isEmpty()) {
            start(false, true);
        }
    }

    private void start(boolean frame, boolean sync) {
        executor.execute(next(frame, sync));
    }

    /** What is to be written next, as what is under way. */
    private Write next(boolean frame, boolean sync) {
        Write write;
        if (frame) {
            write = new Write(filling, fillingLsn, fillingLsn + Frame.alignedBytes(filling.size()), syncedLsn, sync);
            fillingLsn = write.endLsn;
            filling = spare;
        } else {
            write = new Write(null, fillingLsn, fillingLsn, syncedLsn, sync);
        }
        writing = write;
        return write;
    }

    /** Syncs what is written; to be called when this is quiet, by the thread that closes it. */
    public void syncAll() throws IOException {
        if (sentLsn > syncedLsn) {
            segment.sync();
            syncedLsn = writtenLsn;
        }
    }

    /** Closes the file. Nothing may be written any more. */
    public void close() throws IOException {
        segment.close();
    }

    /** One frame on its way to the disk, or a sync of those before. */
    private final class Write implements Runnable {

        private final @Nullable FrameBuffer frame;
        private final long lsn;
        private final long endLsn;
        private final long durableLsn;
        private boolean synced;
        private long syncNanos;
        private @Nullable Throwable failure;

        /** Set last: what was written before it is seen by whoever reads it. */
        private volatile boolean ended;

        Write(@Nullable FrameBuffer frame, long lsn, long endLsn, long durableLsn, boolean synced) {
            this.frame = frame;
            this.lsn = lsn;
            this.endLsn = endLsn;
            this.durableLsn = durableLsn;
            this.synced = synced;
        }

        /** Whether this is short, and nothing could stand in the way: neither a full segment, nor an interrupt, which would close the file. */
        boolean isForTheLoop() {
            FrameBuffer records = frame;
            return records != null
                    && records.size() <= SHORT_FRAME_BYTES
                    && !mustGoOn(records)
                    && !Thread.currentThread().isInterrupted();
        }

        @Override
        public void run() {
            try {
                carryOut();
            } finally {
                waker.run();
            }
        }

        void carryOut() {
            try {
                write();
            } catch (IOException | RuntimeException | Error e) {
                failure = e;
            } finally {
                ended = true;
            }
        }

        private void write() throws IOException {
            if (frame != null) {
                if (!frame.isEmpty() && mustGoOn(frame)) {
                    // Also before, as the next file is found by its path: a copy may be there by now.
                    owner.check();
                    writeToNext(frame);
                    owner.check();
                    spares.prepare();
                    return;
                }
                write(frame, segment);
            }
            if (synced) {
                sync(segment);
            }
            boolean hasRecords = frame != null && !frame.isEmpty();
            if (synced || hasRecords) {
                // Not before: what is answered now must have been here before anybody else began to read.
                owner.check();
            }
            if (hasRecords) {
                spares.prepare();
            }
        }

        /** Whether the frame goes into another segment. One without a frame has the name that the other would get. */
        private boolean mustGoOn(FrameBuffer records) {
            return lsn != segment.name().baseLsn()
                    && (recovered
                            || segment.bytes() + Frame.alignedBytes(records.size()) + END_BYTES > segmentBytes
                            || (!segment.isPreallocated() && spares.ready() > 0));
        }

        /** Once only, as it completes the frame. */
        private void write(FrameBuffer records, LogSegment to) throws IOException {
            to.write(records.seal(owner.epoch(), lsn, durableLsn, LogSegment.identity(storeId, to.name())));
        }

        private void writeToNext(FrameBuffer records) throws IOException {
            LogSegment full = segment;
            // Also syncs an empty frame at the end, so that a damaged byte in an older segment is never a torn one.
            full.sync();
            segment = spares.begin(storeId, lsn, full.name(), next -> {
                write(records, next);
                sync(next);
            });
            try (full) {
                recovered = false;
                synced = true;
                proveEnd(full);
            }
        }

        /** Where there is no room for that, the proof is missing, as it is after a crash before this: all that it would prove was synced. */
        private void proveEnd(LogSegment full) throws IOException {
            try {
                full.write(Frame.empty(owner.epoch(), lsn, endLsn, LogSegment.identity(storeId, full.name())));
            } catch (IOException e) {
                if (full.isPreallocated() || !NoSpace.isCauseOf(e, directory.usableBytes())) {
                    throw e;
                }
                return;
            }
            full.sync();
        }

        private void sync(LogSegment written) throws IOException {
            long start = monoNanos.getAsLong();
            written.sync();
            syncNanos = monoNanos.getAsLong() - start;
            listener.accept(syncNanos);
        }
    }
}
