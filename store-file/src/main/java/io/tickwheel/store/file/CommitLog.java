package io.tickwheel.store.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The log to which everything is written before it is accepted. The loop appends records to one frame while the frame before
 * is written and synced by the log's executor: a batch is whatever came while the disk was busy, and costs one sync.
 *
 * <p>Owned by the loop, but for {@link Write}, which the executor runs. What goes between the two: a frame at a time, through
 * {@code writing}; its completion comes back through the volatile {@code written}.
 *
 * <p>After each sync with nothing to follow, an empty frame is written, and not synced: its durable LSN lets a reader tell a
 * damaged last frame, which was accepted, from a torn one, which was not. A full segment ends with an empty frame that is not
 * part of the log, and synced: its durable LSN, in the next segment, says that there is one.
 */
final class CommitLog {

    /** No more is taken into a frame beyond this, so that a sync stays short. */
    private static final int FULL_FRAME_BYTES = 4 << 20;

    private final DataDirectory directory;
    private final Executor executor;
    private final Runnable waker;
    private final LongSupplier monoNanos;
    private final LongConsumer syncNanos;
    private final long segmentBytes;
    private final long storeId;
    private final int epoch;

    private FrameBuffer filling = new FrameBuffer();
    private FrameBuffer spare = new FrameBuffer();
    private long fillingLsn;
    private long syncedLsn;
    private long recordedLsn;
    private boolean marked = true;
    private @Nullable Write writing;

    /** Owned by the executor. */
    private LogSegment segment;

    /** Starts where recovery ended, in the segment that it wrote. */
    CommitLog(DataDirectory directory, FileCalendar.Surroundings surroundings, LogSegment segment, long endLsn) {
        this.directory = directory;
        this.executor = surroundings.context().log();
        this.waker = surroundings.context().waker();
        this.monoNanos = surroundings.context().monoNanos();
        this.syncNanos = surroundings.context().syncNanos();
        this.segmentBytes = surroundings.segmentBytes();
        this.storeId = surroundings.storeId();
        this.epoch = surroundings.epoch();
        this.segment = segment;
        this.fillingLsn = endLsn;
        this.syncedLsn = endLsn;
        this.recordedLsn = endLsn;
    }

    /**
     * Appends a record.
     *
     * @return the LSN up to which the log must be synced for the record to be durable
     */
    long append(TimerRecord record) {
        record.write(filling.record(record.length()));
        recordedLsn = fillingLsn + filling.size();
        return recordedLsn;
    }

    /** As the other one. */
    long append(EndRecord record) {
        record.write(filling.record(EndRecord.BYTES));
        recordedLsn = fillingLsn + filling.size();
        return recordedLsn;
    }

    /** Whether no record has gone into the frame that takes the next one. */
    boolean isAtFrameStart() {
        return filling.isEmpty();
    }

    /** Everything before this is durable. */
    long syncedLsn() {
        return syncedLsn;
    }

    /** The log must be synced up to here for every record appended so far to be durable. */
    long recordedLsn() {
        return recordedLsn;
    }

    /** Where the frame begins that takes the next record: all records after it are in it or in later ones. */
    long nextFrameLsn() {
        return fillingLsn;
    }

    boolean hasRoom() {
        return filling.size() < FULL_FRAME_BYTES;
    }

    /** Whether the executor has nothing of this under way. */
    boolean isIdle() {
        Write write = writing;
        return write == null || write.ended;
    }

    /** Whether every record is durable and nothing is being written. */
    boolean isQuiet() {
        return writing == null && filling.isEmpty();
    }

    /**
     * Takes note of a write that ended and starts the next one.
     *
     * @throws IOException when a write failed; the log must not be used any more
     */
    void work() throws IOException {
        Write done = writing;
        if (done != null) {
            if (!done.ended) {
                return;
            }
            if (done.failure != null) {
                throw new IOException("writing the commit log failed: " + done.failure, done.failure);
            }
            writing = null;
            if (done.sync) {
                syncedLsn = done.endLsn;
            }
            done.frame.clear();
            spare = done.frame;
        }
        if (!filling.isEmpty()) {
            marked = false;
            startWrite(true);
        } else if (!marked) {
            marked = true;
            startWrite(false);
        }
    }

    private void startWrite(boolean sync) {
        FrameBuffer frame = filling;
        Write write = new Write(frame, fillingLsn, syncedLsn, sync);
        fillingLsn = write.endLsn;
        filling = spare;
        writing = write;
        executor.execute(write);
    }

    /** Closes the file. Nothing may be written any more. */
    void close() throws IOException {
        segment.close();
    }

    /** One frame on its way to the disk. */
    private final class Write implements Runnable {

        private final FrameBuffer frame;
        private final long lsn;
        private final long endLsn;
        private final long durableLsn;
        private final boolean sync;
        private @Nullable Throwable failure;

        /** Set last: what was written before it is seen by whoever reads it. */
        private volatile boolean ended;

        Write(FrameBuffer frame, long lsn, long durableLsn, boolean sync) {
            this.frame = frame;
            this.lsn = lsn;
            this.endLsn = lsn + Frame.alignedBytes(frame.size());
            this.durableLsn = durableLsn;
            this.sync = sync;
        }

        @Override
        public void run() {
            try {
                write(frame.seal(epoch, lsn, durableLsn, storeId));
            } catch (IOException | RuntimeException | Error e) {
                failure = e;
            } finally {
                ended = true;
                waker.run();
            }
        }

        private void write(ByteBuffer bytes) throws IOException {
            if (sync && segment.bytes() >= segmentBytes) {
                writeToNext(bytes);
                return;
            }
            segment.write(bytes);
            if (sync) {
                syncSegment();
            }
        }

        private void writeToNext(ByteBuffer bytes) throws IOException {
            try (LogSegment full = segment) {
                // Also syncs an empty frame at the end, so that a damaged byte in an older segment is never a torn one.
                full.sync();
                segment = LogSegment.create(directory.segment(lsn), storeId, lsn);
                segment.write(bytes);
                syncSegment();
                directory.syncCommitLog();
                full.write(Frame.empty(epoch, lsn, endLsn, storeId));
                full.sync();
            }
        }

        private void syncSegment() throws IOException {
            long start = monoNanos.getAsLong();
            segment.sync();
            syncNanos.accept(monoNanos.getAsLong() - start);
        }
    }
}
