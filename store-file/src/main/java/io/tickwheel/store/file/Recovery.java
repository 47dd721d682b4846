package io.tickwheel.store.file;

import io.tickwheel.store.StoreCorruptedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongSupplier;

/**
 * Reads back what was accepted: the runs that the manifest names, then the commit log from the checkpoint on.
 *
 * <p>A log that is damaged (see {@link LogReader}), rather than torn, is refused, and left as it is.
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

    /** Reads all that is needed to load timers, and opens the store for a new epoch. */
    Opened run(SpareSegments spares) throws IOException {
        try (SegmentReader segment = new SegmentReader()) {
            Progress progress = openRuns();
            LogReader log = new LogReader(directory, manifest, segment, replay, this::refuse);
            LogReader.Tail tail = log.read();
            // Reads the runs: so before anything is changed.
            long oldestMs = oldestWaitingMs();
            // Only now is it certain that the manifest is the right one, and all else is left over.
            manifest.write(directory);
            End end = tail == null ? startLog() : rewrite(tail, segment, spares);
            try {
                return open(progress, end, oldestMs, log.nextEpoch());
            } catch (IOException | RuntimeException | Error e) {
                end.segment().close();
                throw e;
            }
        } catch (IOException | RuntimeException | Error e) {
            shelves.close();
            throw e;
        }
    }

    private Opened open(Progress progress, End end, long oldestMs, int epoch) throws IOException {
        directory.dropAllBut(
                manifest,
                progress.runs().stream().map(Progress.RunProgress::number).toList());
        Manifest opened = manifest.reopened(epoch, end.lsn(), replay.nextSeq(), shelves.nextNumber());
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

    /** Makes a copy of what is kept of the last segment, which takes its place; on a full disk in a spare. */
    private End rewrite(LogReader.Tail tail, SegmentReader from, SpareSegments spares) throws IOException {
        Path copy = DataDirectory.unfinished(directory.segment(tail.base()));
        Files.deleteIfExists(copy);
        try {
            return rewrite(tail, from, copy, LogSegment.create(copy, manifest.storeId(), tail.base()));
        } catch (IOException e) {
            if (!NoSpace.isCauseOf(e, directory.usableBytes())) {
                throw e;
            }
            DataDirectory.discard(copy);
            Path spare = spares.giveAway();
            if (spare == null) {
                throw e;
            }
            return rewrite(tail, from, spare, LogSegment.overwrite(spare, manifest.storeId(), tail.base()));
        }
    }

    private End rewrite(LogReader.Tail tail, SegmentReader from, Path copy, LogSegment segment) throws IOException {
        try {
            segment.writeFrom(from, tail.keptBytes());
            // What a spare held before must not follow: it may be what another crash took from the segment itself.
            segment.cutAndSync();
            DataDirectory.publish(copy, directory.segment(tail.base()));
            return new End(tail.endLsn(), segment);
        } catch (IOException | RuntimeException | Error e) {
            segment.close();
            throw e;
        }
    }

    private void refuse(LogReader.Damage damage) {
        throw corrupt(damage.file(), damage.offset(), damage.what());
    }

    private StoreCorruptedException corrupt(Path file, long offset, String what) {
        return new StoreCorruptedException(directory.name(file), offset, what);
    }
}
