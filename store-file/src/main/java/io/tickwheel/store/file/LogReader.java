package io.tickwheel.store.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the commit log from the checkpoint on, and changes nothing.
 *
 * <p>A bad frame at the end of the log is either torn (its write was under way at a crash, it was never accepted) or damaged
 * (it was accepted and must not be lost silently). It counts as torn only when nothing proves that the log was synced beyond
 * its start: no later sound frame with a higher durable LSN, no later segment (one is made only after the one before is
 * synced), no higher synced LSN in the manifest.
 *
 * <p>So what cannot be told from torn is damage that takes the end of the last segment of a store that was killed: all of it from
 * some frame on, beyond what the manifest and the end of a segment before it prove.
 */
final class LogReader {

    private final DataDirectory directory;
    private final Manifest manifest;
    private final Sink sink;
    private final Damages damages;
    private int lastEpoch;

    /** How far the sealed segments prove that the log was synced. */
    private long provenLsn;

    /**
     * Takes what is read, in the order in which it was written. Throws an {@link IllegalArgumentException} for a record that
     * does not follow on those before.
     */
    interface Sink {

        /** The record, without its content, stands in {@code bytes}. */
        void accept(TimerRecord record, ByteBuffer bytes, int offset, int length);

        void accept(EndRecord end);

        /** A segment was read, of which that many bytes are sound; only when it is not damaged. */
        default void segment(long base, ByteBuffer bytes, int soundBytes) throws IOException {}
    }

    /** Told what is damaged; when it does not throw, the reader goes on with the next sound frame. */
    interface Damages {
        void found(Damage damage);
    }

    /**
     * A part of the log that was accepted and cannot be read.
     *
     * @param fromLsn where it begins
     * @param toLsn where what can be read again begins, or what is proven to have been there ends
     */
    record Damage(Path file, long offset, long fromLsn, long toLsn, String what) {}

    /** The last segment, of which that many bytes are sound. */
    record Tail(long base, ByteBuffer bytes, int keptBytes, long endLsn) {}

    LogReader(DataDirectory directory, Manifest manifest, Sink sink, Damages damages) {
        this.directory = directory;
        this.manifest = manifest;
        this.sink = sink;
        this.damages = damages;
    }

    /** Higher than the epoch of all that was read. */
    int nextEpoch() {
        return Math.max(lastEpoch, manifest.epoch()) + 1;
    }

    /** Reads all of it; null when there is no segment. */
    @Nullable
    Tail read() throws IOException {
        List<Long> bases = directory.segments();
        long checkpoint = manifest.checkpointLsn();
        if (bases.isEmpty()) {
            if (manifest.epoch() > 0) {
                damages.found(new Damage(
                        directory.segment(checkpoint),
                        0,
                        checkpoint,
                        Math.max(checkpoint, manifest.syncedLsn()),
                        "the log is missing from " + checkpoint + " on"));
            }
            return null;
        }
        long first = bases.get(0);
        if (first > checkpoint) {
            damages.found(new Damage(
                    directory.segment(first),
                    0,
                    checkpoint,
                    first,
                    "the log begins at " + first + ", must begin at or before " + checkpoint));
        }
        for (int i = 0; i + 1 < bases.size(); i++) {
            // One that ends before the checkpoint was about to be dropped.
            if (bases.get(i + 1) > checkpoint) {
                readSealed(bases.get(i), bases.get(i + 1));
            }
        }
        return readLast(bases.get(bases.size() - 1));
    }

    /** Reads a segment that was synced as a whole before the next one was made. */
    private void readSealed(long base, long nextBase) throws IOException {
        Path file = directory.segment(base);
        ByteBuffer bytes = DataDirectory.read(file);
        long lsn = Math.max(base, manifest.checkpointLsn());
        boolean headed = LogSegment.isHeader(bytes, manifest.storeId(), base);
        if (!headed) {
            damages.found(new Damage(file, 0, lsn, lsn, "the header of the segment is damaged"));
        }
        boolean whole = headed;
        lsn = readFrames(file, bytes, base, lsn);
        while (lsn != nextBase) {
            whole = false;
            long next = lsn > nextBase ? nextBase : findFrame(bytes, base, lsn, nextBase);
            damages.found(
                    new Damage(file, offset(lsn, base), lsn, next, "a frame is damaged or missing, up to " + nextBase));
            lsn = next < nextBase ? readFrames(file, bytes, base, next) : nextBase;
        }
        int end = (int) Math.min(LogSegment.HEADER_BYTES + nextBase - base, bytes.limit());
        if (whole) {
            sink.segment(base, bytes, end);
        }
        provenLsn = Math.max(provenLsn, provenSynced(bytes, base, end));
    }

    private Tail readLast(long base) throws IOException {
        Path file = directory.segment(base);
        ByteBuffer bytes = DataDirectory.read(file);
        long start = Math.max(base, manifest.checkpointLsn());
        boolean headed = LogSegment.isHeader(bytes, manifest.storeId(), base) && offset(start, base) <= bytes.limit();
        long end = headed ? readFrames(file, bytes, base, start) : base;
        int endOffset = headed ? offset(end, base) : 0;
        boolean whole = true;
        String damage = damageOfEnd(bytes, base, end, endOffset);
        while (damage != null) {
            whole = false;
            long from = Math.max(end, start);
            long fileEnd = base + bytes.limit() - LogSegment.HEADER_BYTES;
            long next = findFrame(bytes, base, from, Math.max(from, fileEnd));
            boolean goesOn = next < fileEnd;
            long lostTo = goesOn ? next : Math.max(from, proven(bytes, base, endOffset));
            damages.found(new Damage(file, endOffset, from, lostTo, damage));
            if (!goesOn) {
                break;
            }
            end = readFrames(file, bytes, base, next);
            endOffset = offset(end, base);
            damage = damageOfEnd(bytes, base, end, endOffset);
        }
        int kept = Math.max(endOffset, LogSegment.HEADER_BYTES);
        if (whole) {
            sink.segment(base, bytes, Math.min(kept, bytes.limit()));
        }
        return new Tail(base, bytes, kept, end);
    }

    /** What is wrong with a log that ends there; null when its end may be torn off. */
    private @Nullable String damageOfEnd(ByteBuffer bytes, long base, long end, int endOffset) {
        if (end < manifest.syncedLsn()) {
            return "the log was synced up to " + manifest.syncedLsn() + " and can be read up to " + end;
        }
        long proven = proven(bytes, base, endOffset);
        if (end < proven) {
            return "other frames prove that the log was synced up to " + proven + ", it ends at " + end;
        }
        return null;
    }

    private long proven(ByteBuffer bytes, long base, int endOffset) {
        long bySegments = Math.max(provenLsn, manifest.syncedLsn());
        return Math.max(bySegments, provenSynced(bytes, base, endOffset));
    }

    /** Takes sound frames that follow on each other; returns where they end. */
    private long readFrames(Path file, ByteBuffer bytes, long base, long startLsn) {
        long lsn = startLsn;
        while (true) {
            int offset = offset(lsn, base);
            Frame.Header frame = frameAt(bytes, base, lsn);
            if (frame == null) {
                return lsn;
            }
            lastEpoch = frame.epoch();
            readRecords(file, bytes, base, offset, frame);
            lsn += frame.bytes();
        }
    }

    /** The frame of the log that begins at an LSN; null when there is none, or it is not sound. */
    private Frame.@Nullable Header frameAt(ByteBuffer bytes, long base, long lsn) {
        Frame.Header frame = Frame.read(bytes, offset(lsn, base), LogSegment.identity(manifest.storeId(), base));
        boolean isPart = frame != null && frame.lsn() == lsn && frame.durableLsn() <= lsn && frame.epoch() >= lastEpoch;
        return isPart ? frame : null;
    }

    /** Where the next frame of the log begins, from one LSN on; the other LSN when there is none before that. */
    private long findFrame(ByteBuffer bytes, long base, long fromLsn, long toLsn) {
        long end = Math.min(toLsn, base + bytes.limit() - LogSegment.HEADER_BYTES);
        for (long lsn = fromLsn; lsn < end; lsn += Frame.ALIGNMENT) {
            if (frameAt(bytes, base, lsn) != null) {
                return lsn;
            }
        }
        return toLsn;
    }

    private void readRecords(Path file, ByteBuffer bytes, long base, int offset, Frame.Header frame) {
        ByteBuffer in = bytes.duplicate().order(bytes.order());
        in.limit(offset + frame.bytes()).position(offset + Frame.HEADER_BYTES);
        for (int i = 0; i < frame.count(); i++) {
            int recordOffset = in.position();
            try {
                int length = in.getInt();
                read(in, in.position(), length);
                in.position(in.position() + length);
            } catch (RuntimeException e) {
                long lsn = base + recordOffset - LogSegment.HEADER_BYTES;
                String what = "a record cannot be read: " + e.getMessage();
                damages.found(new Damage(file, recordOffset, lsn, frame.lsn() + frame.bytes(), what));
                return;
            }
        }
    }

    private void read(ByteBuffer in, int offset, int length) {
        if (length < 1 || length > in.limit() - offset) {
            throw new IllegalArgumentException(length + " bytes");
        }
        byte type = in.get(offset);
        switch (type) {
            case TimerRecord.TYPE -> sink.accept(TimerRecord.read(in, offset, length, false), in, offset, length);
            case EndRecord.TYPE -> sink.accept(EndRecord.read(in, offset, length));
            default -> throw new IllegalArgumentException("unknown type " + type);
        }
    }

    /** How far what follows proves that the log was synced. */
    private long provenSynced(ByteBuffer bytes, long base, int endOffset) {
        long identity = LogSegment.identity(manifest.storeId(), base);
        long proven = 0;
        int first = (endOffset + Frame.ALIGNMENT - 1) / Frame.ALIGNMENT * Frame.ALIGNMENT;
        for (int offset = first; offset < bytes.limit(); offset += Frame.ALIGNMENT) {
            Frame.Header frame = Frame.read(bytes, offset, identity);
            if (frame != null) {
                proven = Math.max(proven, frame.durableLsn());
            }
        }
        return proven;
    }

    private static int offset(long lsn, long base) {
        return Math.toIntExact(LogSegment.HEADER_BYTES + lsn - base);
    }
}
