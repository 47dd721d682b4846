package io.tickwheel.store.file.log;

import io.tickwheel.store.file.disk.BadPart;
import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.file.disk.Manifest;
import io.tickwheel.store.file.disk.SegmentName;
import io.tickwheel.store.file.record.EndRecord;
import io.tickwheel.store.file.record.OutcomeRecord;
import io.tickwheel.store.file.record.TimerRecord;
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
 * synced), no higher synced LSN in the manifest, and no part behind it that the disk cannot read, which may be where such a frame is.
 *
 * <p>So what cannot be told from torn is damage that takes the end of the last segment of a store that was killed: all of it from
 * some frame on, beyond what the manifest and the end of a segment before it prove.
 */
public final class LogReader {

    private final DataDirectory directory;
    private final Manifest manifest;
    private final SegmentReader segment;
    private final Sink sink;
    private final Damages damages;
    private int lastEpoch;
    private SegmentName reading = new SegmentName(0, 0);

    /** How far the sealed segments prove that the log was synced. */
    private long provenLsn;

    /**
     * Takes what is read, in the order in which it was written. Throws an {@link IllegalArgumentException} for a record that
     * does not follow on those before.
     */
    public interface Sink {

        /** The record, without its content, stands in {@code bytes}. */
        void accept(TimerRecord record, ByteBuffer bytes, int offset, int length);

        void accept(EndRecord end);

        void accept(OutcomeRecord outcome);

        /** A segment was read, and is open in {@code file}, of which that many bytes are sound; only when it is not damaged. */
        default void segment(SegmentName name, SegmentReader file, long soundBytes) throws IOException {}
    }

    /** Told what is damaged; when it does not throw, the reader goes on with the next sound frame. */
    public interface Damages {
        void found(Damage damage);
    }

    /**
     * A part of the log that was accepted and cannot be read.
     *
     * @param fromLsn where it begins
     * @param toLsn where what can be read again begins, or what is proven to have been there ends
     */
    public record Damage(Path file, long offset, long fromLsn, long toLsn, String what) {}

    /**
     * What was read of a log that is not damaged.
     *
     * @param chain its segments from the checkpoint on, in their order
     * @param endLsn where it ends
     */
    public record Tail(List<SegmentName> chain, long endLsn) {}

    public LogReader(DataDirectory directory, Manifest manifest, SegmentReader segment, Sink sink, Damages damages) {
        this.directory = directory;
        this.manifest = manifest;
        this.segment = segment;
        this.sink = sink;
        this.damages = damages;
    }

    /** Reads all of it; null when there is no segment. */
    public @Nullable Tail read() throws IOException {
        List<SegmentName> chain = LogChain.find(directory, manifest, segment, damages);
        if (chain.isEmpty()) {
            return null;
        }
        int last = chain.size() - 1;
        for (int i = 0; i < last; i++) {
            readSealed(chain.get(i), chain.get(i + 1).baseLsn());
        }
        return new Tail(chain, readLast(chain.get(last)));
    }

    /** Reads a segment that was synced as a whole before the next one was made. */
    private void readSealed(SegmentName name, long nextBase) throws IOException {
        Path file = open(name);
        long base = name.baseLsn();
        long lsn = Math.max(base, manifest.checkpointLsn());
        boolean headed = LogSegment.header(segment, manifest.storeId(), name) != null;
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
        provenLsn = Math.max(provenLsn, provenSynced(end));
        if (whole) {
            sink.segment(name, segment, end);
        }
    }

    private Path open(SegmentName name) throws IOException {
        segment.open(directory, name);
        reading = name;
        return directory.segment(name);
    }

    /** Returns where the log ends. */
    private long readLast(SegmentName name) throws IOException {
        Path file = open(name);
        long base = name.baseLsn();
        long start = Math.max(base, manifest.checkpointLsn());
        boolean headed = LogSegment.header(segment, manifest.storeId(), name) != null;
        // In format 2 a segment had its name before its header was synced.
        boolean whole = headed || name.epoch() == 0;
        if (!whole) {
            damages.found(new Damage(file, 0, start, start, "the header of the segment is damaged"));
        }
        boolean readable = (headed || !whole) && offset(start, base) <= segment.bytes();
        long end = readable ? readFrames(file, base, start) : base;
        long endOffset = readable ? offset(end, base) : 0;
        String damage = damageOfEnd(end, endOffset);
        while (damage != null) {
            whole = false;
            long from = Math.max(end, start);
            long fileEnd = base + segment.bytes() - LogSegment.HEADER_BYTES;
            long next = findFrame(base, from, Math.max(from, fileEnd));
            boolean goesOn = next < fileEnd;
            long lostTo = goesOn ? next : Math.max(from, Math.max(proven(endOffset), unreadTo(endOffset, base)));
            damages.found(new Damage(file, endOffset, from, lostTo, damage));
            if (!goesOn) {
                break;
            }
            end = readFrames(file, base, next);
            endOffset = offset(end, base);
            damage = damageOfEnd(end, endOffset);
        }
        if (whole) {
            long kept = Math.max(endOffset, LogSegment.HEADER_BYTES);
            sink.segment(name, segment, Math.min(kept, segment.bytes()));
        }
        return end;
    }

    /** What is wrong with a log that ends there; null when its end may be torn off. */
    private @Nullable String damageOfEnd(long end, long endOffset) throws IOException {
        if (end < manifest.syncedLsn()) {
            return "the log was synced up to " + manifest.syncedLsn() + " and can be read up to " + end;
        }
        long proven = proven(endOffset);
        if (end < proven) {
            return "other frames prove that the log was synced up to " + proven + ", it ends at " + end;
        }
        // What proves was looked for in all that follows.
        BadPart bad = badPartBehind(endOffset);
        return bad == null ? null : bad.text() + ", where the log may go on, it ends at " + end;
    }

    /** Where the first part of the segment behind there ends that the disk could not read; 0 when there is none. */
    private long unreadTo(long offset, long base) {
        BadPart bad = badPartBehind(offset);
        return bad == null ? 0 : base + bad.to() - LogSegment.HEADER_BYTES;
    }

    private @Nullable BadPart badPartBehind(long offset) {
        Path file = directory.segment(reading);
        return directory.badSectors().stream()
                .filter(part -> part.file().equals(file) && part.to() > offset)
                .findFirst()
                .orElse(null);
    }

    private long proven(long endOffset) throws IOException {
        long bySegments = Math.max(provenLsn, manifest.syncedLsn());
        return Math.max(bySegments, provenSynced(endOffset));
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
        Frame.Header frame = segment.frame(offset(lsn, base), identity());
        boolean isPart = frame != null && frame.lsn() == lsn && frame.durableLsn() <= lsn && fits(frame.epoch());
        return isPart ? frame : null;
    }

    /** In format 2 a segment may hold frames of several owners, one after the other. */
    private boolean fits(int epoch) {
        return reading.epoch() == 0 ? epoch >= lastEpoch : epoch == reading.epoch();
    }

    private long identity() {
        return LogSegment.identity(manifest.storeId(), reading);
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
            case TimerRecord.TYPE, TimerRecord.OLD_TYPE ->
                sink.accept(TimerRecord.read(in, at, length, false), in, at, length);
            case EndRecord.TYPE -> sink.accept(EndRecord.read(in, at, length));
            case OutcomeRecord.TYPE -> sink.accept(OutcomeRecord.read(in, at, length));
            default -> throw new IllegalArgumentException("unknown type " + type);
        }
        return Integer.BYTES + length;
    }

    /** How far what follows proves that the log was synced. */
    private long provenSynced(long endOffset) throws IOException {
        long identity = identity();
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
