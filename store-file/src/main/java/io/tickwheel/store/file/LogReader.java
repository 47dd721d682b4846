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
    private final SegmentReader segment;
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

        /** A segment was read, and is open in {@code file}, of which that many bytes are sound; only when it is not damaged. */
        default void segment(long base, SegmentReader file, long soundBytes) throws IOException {}
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
    record Tail(long base, long keptBytes, long endLsn) {}

    LogReader(DataDirectory directory, Manifest manifest, SegmentReader segment, Sink sink, Damages damages) {
        this.directory = directory;
        this.manifest = manifest;
        this.segment = segment;
        this.sink = sink;
        this.damages = damages;
    }

    /** Higher than the epoch of all that was read. */
    int nextEpoch() {
        return Math.max(lastEpoch, manifest.epoch()) + 1;
    }

    /** Reads all of it; null when there is no segment. The last one is still open in the reader then. */
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
        segment.open(file);
        long lsn = Math.max(base, manifest.checkpointLsn());
        boolean headed = LogSegment.isHeader(segment, manifest.storeId(), base);
        if (!headed) {
            damages.found(new Damage(file, 0, lsn, lsn, "the header of the segment is damaged"));
        }
        boolean whole = headed;
        lsn = readFrames(file, base, lsn);
        while (lsn != nextBase) {
            whole = false;
            long next = lsn > nextBase ? nextBase : findFrame(base, lsn, nextBase);
            damages.found(
                    new Damage(file, offset(lsn, base), lsn, next, "a frame is damaged or missing, up to " + nextBase));
            lsn = next < nextBase ? readFrames(file, base, next) : nextBase;
        }
        long end = Math.min(offset(nextBase, base), segment.bytes());
        provenLsn = Math.max(provenLsn, provenSynced(base, end));
        if (whole) {
            sink.segment(base, segment, end);
        }
    }

    private Tail readLast(long base) throws IOException {
        Path file = directory.segment(base);
        segment.open(file);
        long start = Math.max(base, manifest.checkpointLsn());
        boolean headed =
                LogSegment.isHeader(segment, manifest.storeId(), base) && offset(start, base) <= segment.bytes();
        long end = headed ? readFrames(file, base, start) : base;
        long endOffset = headed ? offset(end, base) : 0;
        boolean whole = true;
        String damage = damageOfEnd(base, end, endOffset);
        while (damage != null) {
            whole = false;
            long from = Math.max(end, start);
            long fileEnd = base + segment.bytes() - LogSegment.HEADER_BYTES;
            long next = findFrame(base, from, Math.max(from, fileEnd));
            boolean goesOn = next < fileEnd;
            long lostTo = goesOn ? next : Math.max(from, proven(base, endOffset));
            damages.found(new Damage(file, endOffset, from, lostTo, damage));
            if (!goesOn) {
                break;
            }
            end = readFrames(file, base, next);
            endOffset = offset(end, base);
            damage = damageOfEnd(base, end, endOffset);
        }
        long kept = Math.max(endOffset, LogSegment.HEADER_BYTES);
        if (whole) {
            sink.segment(base, segment, Math.min(kept, segment.bytes()));
        }
        return new Tail(base, kept, end);
    }

    /** What is wrong with a log that ends there; null when its end may be torn off. */
    private @Nullable String damageOfEnd(long base, long end, long endOffset) throws IOException {
        if (end < manifest.syncedLsn()) {
            return "the log was synced up to " + manifest.syncedLsn() + " and can be read up to " + end;
        }
        long proven = proven(base, endOffset);
        if (end < proven) {
            return "other frames prove that the log was synced up to " + proven + ", it ends at " + end;
        }
        return null;
    }

    private long proven(long base, long endOffset) throws IOException {
        long bySegments = Math.max(provenLsn, manifest.syncedLsn());
        return Math.max(bySegments, provenSynced(base, endOffset));
    }

    /** Takes sound frames that follow on each other; returns where they end. */
    private long readFrames(Path file, long base, long startLsn) throws IOException {
        long lsn = startLsn;
        while (true) {
            Frame.Header frame = frameAt(base, lsn);
            if (frame == null) {
                return lsn;
            }
            lastEpoch = frame.epoch();
            readRecords(file, base, frame);
            lsn += frame.bytes();
        }
    }

    /** The frame of the log that begins at an LSN; null when there is none, or it is not sound. */
    private Frame.@Nullable Header frameAt(long base, long lsn) throws IOException {
        Frame.Header frame = segment.frame(offset(lsn, base), LogSegment.identity(manifest.storeId(), base));
        boolean isPart = frame != null && frame.lsn() == lsn && frame.durableLsn() <= lsn && frame.epoch() >= lastEpoch;
        return isPart ? frame : null;
    }

    /** Where the next frame of the log begins, from one LSN on; the other LSN when there is none before that. */
    private long findFrame(long base, long fromLsn, long toLsn) throws IOException {
        long end = Math.min(toLsn, base + segment.bytes() - LogSegment.HEADER_BYTES);
        for (long lsn = fromLsn; lsn < end; lsn += Frame.ALIGNMENT) {
            if (frameAt(base, lsn) != null) {
                return lsn;
            }
        }
        return toLsn;
    }

    private void readRecords(Path file, long base, Frame.Header frame) throws IOException {
        long end = offset(frame.lsn(), base) + frame.bytes();
        long recordOffset = offset(frame.lsn(), base) + Frame.HEADER_BYTES;
        for (int i = 0; i < frame.count(); i++) {
            try {
                recordOffset += readRecord(recordOffset, end);
            } catch (RuntimeException e) {
                long lsn = base + recordOffset - LogSegment.HEADER_BYTES;
                String what = "a record cannot be read: " + e.getMessage();
                damages.found(new Damage(file, recordOffset, lsn, frame.lsn() + frame.bytes(), what));
                return;
            }
        }
    }

    /** Returns how many bytes it takes. */
    private int readRecord(long offset, long end) throws IOException {
        int lengthAt = segment.load(offset, Integer.BYTES);
        int length = lengthAt < 0 ? 0 : segment.window().getInt(lengthAt);
        if (length < 1 || length > end - offset - Integer.BYTES) {
            throw new IllegalArgumentException(length + " bytes");
        }
        int at = segment.load(offset + Integer.BYTES, length);
        if (at < 0) {
            throw new IllegalArgumentException("the file ends");
        }
        ByteBuffer in = segment.window();
        byte type = in.get(at);
        switch (type) {
            case TimerRecord.TYPE -> sink.accept(TimerRecord.read(in, at, length, false), in, at, length);
            case EndRecord.TYPE -> sink.accept(EndRecord.read(in, at, length));
            default -> throw new IllegalArgumentException("unknown type " + type);
        }
        return Integer.BYTES + length;
    }

    /** How far what follows proves that the log was synced. */
    private long provenSynced(long base, long endOffset) throws IOException {
        long identity = LogSegment.identity(manifest.storeId(), base);
        long proven = 0;
        long first = (endOffset + Frame.ALIGNMENT - 1) / Frame.ALIGNMENT * Frame.ALIGNMENT;
        for (long offset = first; offset < segment.bytes(); offset += Frame.ALIGNMENT) {
            Frame.Header frame = segment.frame(offset, identity);
            if (frame != null) {
                proven = Math.max(proven, frame.durableLsn());
            }
        }
        return proven;
    }

    private static long offset(long lsn, long base) {
        return LogSegment.HEADER_BYTES + lsn - base;
    }
}
