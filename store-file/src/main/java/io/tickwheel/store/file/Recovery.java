package io.tickwheel.store.file;

import io.tickwheel.store.StoreCorruptedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads back what was accepted: the runs that the manifest names, then the commit log from the checkpoint on.
 *
 * <p>A bad frame at the end of the log is either torn (its write was under way at a crash, it was never accepted) or damaged
 * (it was accepted and must not be lost silently). It counts as torn only when nothing proves that the log was synced beyond
 * its start: no later sound frame with a higher durable LSN, no later segment (one is made only after the one before is
 * synced), no higher synced LSN in the manifest. A damaged log is refused, and left as it is.
 *
 * <p>So what cannot be told from torn is damage that takes the end of the last segment of a store that was killed: all of it from
 * some frame on, beyond what the manifest and the end of a segment before it prove.
 *
 * <p>After a failed sync the operating system may show bytes that are not on the disk. So the manifest that was read, and what
 * is kept of the last segment, are written and synced anew before anything builds on them.
 */
final class Recovery {

    private final DataDirectory directory;
    private final FileTimerStore options;
    private final Manifest manifest;
    private final Shelves shelves;
    private final Replay replay;
    private int lastEpoch;

    /** How far the sealed segments prove that the log was synced. */
    private long provenLsn;

    private Recovery(DataDirectory directory, FileTimerStore options, Manifest manifest, Loading.Target target) {
        this.directory = directory;
        this.options = options;
        this.manifest = manifest;
        this.shelves = new Shelves(
                manifest.storeId(), manifest.nextNumber(), options.finishedRemembered(), options.turnTimers(), target);
        this.replay = new Replay(shelves, manifest.nextSeq(), options.finishedRemembered());
    }

    /** Reads the manifest; a directory without one becomes a new store. */
    static Recovery of(DataDirectory directory, FileTimerStore options, LongSupplier random, Loading.Target target)
            throws IOException {
        Manifest found = Manifest.read(directory);
        if (found == null) {
            directory.syncName();
        }
        return new Recovery(directory, options, found != null ? found : Manifest.first(random.getAsLong()), target);
    }

    DataDirectory directory() {
        return directory;
    }

    Shelves shelves() {
        return shelves;
    }

    /** The end of the log, and the segment that takes what comes next. */
    record End(long lsn, LogSegment segment) {}

    /** The manifest that counts from now on, the log, and how the index gets filled. */
    record Opened(Manifest manifest, End log, IndexBuild indexBuild) {}

    /** The last segment, of which that many bytes are sound. */
    private record Tail(long base, ByteBuffer bytes, int keptBytes, long endLsn) {}

    /** Reads all that is needed to load timers, and opens the store for a new epoch. */
    Opened run(SpareSegments spares) throws IOException {
        try {
            Progress progress = openRuns();
            Tail tail = readLog();
            // Reads the runs: so before anything is changed.
            long oldestMs = oldestWaitingMs();
            // Only now is it certain that the manifest is the right one, and all else is left over.
            manifest.write(directory);
            End end = tail == null ? startLog() : rewrite(tail, spares);
            try {
                return open(progress, end, oldestMs);
            } catch (IOException | RuntimeException | Error e) {
                end.segment().close();
                throw e;
            }
        } catch (IOException | RuntimeException | Error e) {
            shelves.close();
            throw e;
        }
    }

    private Opened open(Progress progress, End end, long oldestMs) throws IOException {
        directory.dropAllBut(
                manifest,
                progress.runs().stream().map(Progress.RunProgress::number).toList());
        Manifest opened = manifest.reopened(nextEpoch(), end.lsn(), replay.nextSeq(), shelves.nextNumber());
        opened.write(directory);
        startLoading(oldestMs);
        KeysReader keys = manifest.keys() == 0 ? null : KeysReader.open(directory, manifest.storeId(), manifest.keys());
        return new Opened(opened, end, new IndexBuild(shelves, replay, options.finishedRemembered(), keys));
    }

    private Progress openRuns() throws IOException {
        if (manifest.progress() == 0) {
            return Progress.NONE;
        }
        Progress progress = Progress.read(directory, manifest.storeId(), manifest.progress());
        for (Progress.RunProgress one : progress.runs()) {
            Run run = Run.open(directory, manifest.storeId(), one.number(), shelves.queues);
            shelves.add(run);
            if (run.count() != one.count()) {
                throw corrupt(run.file(), 0, "the run has " + run.count() + " timers, must have " + one.count());
            }
            if (one.ended().length() > run.count()) {
                throw corrupt(
                        directory.progress(manifest.progress()),
                        0,
                        "timer " + (one.ended().length() - 1) + " of run " + one.number() + " has ended, it has "
                                + run.count());
            }
            run.restoreEnded(one.ended());
        }
        for (FinishedTable.Finished one : progress.finished()) {
            shelves.finished.add(
                    one.key(), one.id(), one.version(), one.dueAtMs(), one.state(), one.attempts(), one.requestHash());
        }
        return progress;
    }

    private void startLoading(long oldestMs) {
        shelves.runs().forEach(shelves.loading::add);
        if (oldestMs != Long.MAX_VALUE) {
            shelves.loading.startAt(oldestMs);
        }
    }

    /** The due time of the first timer, or {@link Long#MAX_VALUE} when none waits. */
    private long oldestWaitingMs() {
        long oldestMs = Long.MAX_VALUE;
        for (Run run : shelves.runs()) {
            if (run.present() > 0 && run.tier() != RunFormat.Tier.DEAD) {
                oldestMs = Math.min(oldestMs, run.dueAtMs(run.ended().nextClearBit(0)));
            }
        }
        Memtable memtable = shelves.active();
        for (int ordinal = 0; ordinal < memtable.size(); ordinal++) {
            if (memtable.isWaiting(ordinal)) {
                oldestMs = Math.min(oldestMs, memtable.dueAtMs(ordinal));
            }
        }
        return oldestMs;
    }

    private @Nullable Tail readLog() throws IOException {
        List<Long> bases = directory.segments();
        if (bases.isEmpty()) {
            if (manifest.epoch() > 0) {
                throw corrupt(
                        directory.segment(manifest.checkpointLsn()),
                        0,
                        "the log is missing from " + manifest.checkpointLsn() + " on");
            }
            return null;
        }
        if (bases.get(0) > manifest.checkpointLsn()) {
            throw corrupt(
                    directory.segment(bases.get(0)),
                    0,
                    "the log begins at " + bases.get(0) + ", must begin at or before " + manifest.checkpointLsn());
        }
        for (int i = 0; i + 1 < bases.size(); i++) {
            // One that ends before the checkpoint was about to be dropped.
            if (bases.get(i + 1) > manifest.checkpointLsn()) {
                readSealed(bases.get(i), bases.get(i + 1));
            }
        }
        return readLast(bases.get(bases.size() - 1));
    }

    /** Higher than the epoch of all that was read. */
    private int nextEpoch() {
        return Math.max(lastEpoch, manifest.epoch()) + 1;
    }

    private End startLog() throws IOException {
        long lsn = manifest.checkpointLsn();
        LogSegment segment = LogSegment.create(directory.segment(lsn), manifest.storeId(), lsn);
        try {
            segment.sync();
            directory.syncCommitLog();
            return new End(lsn, segment);
        } catch (IOException | RuntimeException | Error e) {
            segment.close();
            throw e;
        }
    }

    /** Reads a segment that was synced as a whole before the next one was made. */
    private void readSealed(long base, long nextBase) throws IOException {
        Path file = directory.segment(base);
        ByteBuffer bytes = DataDirectory.read(file);
        if (!LogSegment.isHeader(bytes, manifest.storeId(), base)) {
            throw corrupt(file, 0, "the header of the segment is damaged");
        }
        long start = Math.max(base, manifest.checkpointLsn());
        long end = readFrames(file, bytes, base, start);
        if (end != nextBase) {
            throw corrupt(file, offset(end, base), "a frame is damaged or missing, up to " + nextBase);
        }
        provenLsn = Math.max(provenLsn, provenSynced(bytes, base, offset(end, base)));
    }

    private Tail readLast(long base) throws IOException {
        Path file = directory.segment(base);
        ByteBuffer bytes = DataDirectory.read(file);
        long start = Math.max(base, manifest.checkpointLsn());
        boolean headed = LogSegment.isHeader(bytes, manifest.storeId(), base) && offset(start, base) <= bytes.limit();
        long end = headed ? readFrames(file, bytes, base, start) : base;
        int endOffset = headed ? offset(end, base) : 0;
        if (end < manifest.syncedLsn()) {
            throw corrupt(
                    file,
                    endOffset,
                    "the log was synced up to " + manifest.syncedLsn() + " and can be read up to " + end);
        }
        long proven = Math.max(provenLsn, provenSynced(bytes, base, endOffset));
        if (end < proven) {
            throw corrupt(
                    file,
                    endOffset,
                    "other frames prove that the log was synced up to " + proven + ", it ends at " + end);
        }
        return new Tail(base, bytes, Math.max(endOffset, LogSegment.HEADER_BYTES), end);
    }

    /** Makes a copy of what is kept of the last segment, which takes its place; on a full disk in a spare. */
    private End rewrite(Tail tail, SpareSegments spares) throws IOException {
        Path copy = DataDirectory.unfinished(directory.segment(tail.base));
        Files.deleteIfExists(copy);
        try {
            return rewrite(tail, copy, LogSegment.create(copy, manifest.storeId(), tail.base));
        } catch (IOException e) {
            if (!NoSpace.isCauseOf(e, directory.usableBytes())) {
                throw e;
            }
            DataDirectory.discard(copy);
            Path spare = spares.giveAway();
            if (spare == null) {
                throw e;
            }
            return rewrite(tail, spare, LogSegment.overwrite(spare, manifest.storeId(), tail.base));
        }
    }

    private End rewrite(Tail tail, Path copy, LogSegment segment) throws IOException {
        try {
            if (tail.keptBytes > LogSegment.HEADER_BYTES) {
                segment.write(tail.bytes.duplicate().limit(tail.keptBytes).position(LogSegment.HEADER_BYTES));
            }
            // What a spare held before must not follow: it may be what another crash took from the segment itself.
            segment.cutAndSync();
            DataDirectory.publish(copy, directory.segment(tail.base));
            return new End(tail.endLsn, segment);
        } catch (IOException | RuntimeException | Error e) {
            segment.close();
            throw e;
        }
    }

    /** Replays sound frames that follow on each other; returns where they end. */
    private long readFrames(Path file, ByteBuffer bytes, long base, long startLsn) {
        long identity = LogSegment.identity(manifest.storeId(), base);
        long lsn = startLsn;
        int offset = offset(startLsn, base);
        while (true) {
            Frame.Header frame = Frame.read(bytes, offset, identity);
            if (frame == null || frame.lsn() != lsn || frame.durableLsn() > lsn || frame.epoch() < lastEpoch) {
                return lsn;
            }
            lastEpoch = frame.epoch();
            replayFrame(file, bytes, offset, frame);
            lsn += frame.bytes();
            offset += frame.bytes();
        }
    }

    private void replayFrame(Path file, ByteBuffer bytes, int offset, Frame.Header frame) {
        ByteBuffer in = bytes.duplicate().order(bytes.order());
        in.limit(offset + frame.bytes()).position(offset + Frame.HEADER_BYTES);
        for (int i = 0; i < frame.count(); i++) {
            int recordOffset = in.position();
            try {
                int length = in.getInt();
                replay(in, in.position(), length);
                in.position(in.position() + length);
            } catch (RuntimeException e) {
                throw corrupt(file, recordOffset, "a record cannot be read: " + e.getMessage());
            }
        }
    }

    private void replay(ByteBuffer in, int offset, int length) {
        if (length < 1 || length > in.limit() - offset) {
            throw new IllegalArgumentException(length + " bytes");
        }
        byte type = in.get(offset);
        switch (type) {
            case TimerRecord.TYPE -> replay.acceptTimer(in, offset, length);
            case EndRecord.TYPE -> replay.accept(EndRecord.read(in, offset, length));
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

    private StoreCorruptedException corrupt(Path file, long offset, String what) {
        return new StoreCorruptedException(directory.name(file), offset, what);
    }
}
