package io.tickwheel.store.file.recovery;

import io.tickwheel.store.StoreCorruptedException;
import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.file.disk.Disposal;
import io.tickwheel.store.file.disk.DurableFiles;
import io.tickwheel.store.file.disk.FileStoreOptions;
import io.tickwheel.store.file.disk.Manifest;
import io.tickwheel.store.file.disk.ManifestFiles;
import io.tickwheel.store.file.disk.NoSpace;
import io.tickwheel.store.file.disk.OwnerMark;
import io.tickwheel.store.file.disk.SegmentName;
import io.tickwheel.store.file.loading.Loading;
import io.tickwheel.store.file.log.LogReader;
import io.tickwheel.store.file.log.LogSegment;
import io.tickwheel.store.file.log.SegmentReader;
import io.tickwheel.store.file.log.SpareSegments;
import io.tickwheel.store.file.log.TailCopy;
import io.tickwheel.store.file.run.Progress;
import io.tickwheel.store.file.run.RunFile;
import io.tickwheel.store.file.table.Memtable;
import io.tickwheel.store.file.table.Run;
import io.tickwheel.store.file.timers.TimerTables;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads back what was accepted: the runs that the manifest names, then the commit log from the checkpoint on; and makes the store
 * that of a new owner.
 *
 * <pre>
 *   CLAIM    a mark of its own, before anything is read: see {@link OwnerMark}
 *   READ     manifest, progress, runs, log
 *   WRITE    files of the new epoch only: the end of the log (see {@link TailCopy}), synced
 *   SWITCH   both manifests of the new epoch; only then anything is deleted, but for spares
 * </pre>
 *
 * <p>A log that is damaged (see {@link LogReader}), rather than torn, is refused before anything is written. What an owner who is
 * about to notice that it is none any more still writes can look like damage, once.
 *
 * <p>After a failed sync the operating system may show bytes that are not on the disk. So what the manifest says, and what is kept
 * of the last segment, are written and synced anew before anything builds on them.
 *
 * <p>Where there is no room for that, spares are deleted for it.
 */
public final class Recovery {

    private final DataDirectory directory;
    private final OwnerMark owner;
    private final FileStoreOptions options;
    private final ManifestFiles manifests;
    private final Manifest manifest;
    private final TimerTables tables;
    private final Replay replay;
    private boolean hasWritten;

    private Recovery(
            DataDirectory directory,
            OwnerMark owner,
            FileStoreOptions options,
            ManifestFiles manifests,
            Manifest manifest,
            Loading.Target target) {
        this.directory = directory;
        this.owner = owner;
        this.options = options;
        this.manifests = manifests;
        this.manifest = manifest;
        this.tables = new TimerTables(
                manifest.storeId(), manifest.nextNumber(), options.finishedRemembered(), options.turnTimers(), target);
        this.replay = new Replay(tables, manifest.nextSeq());
    }

    /** Reads the manifest; a directory without one becomes a new store. */
    public static Recovery of(
            DataDirectory directory,
            OwnerMark owner,
            FileStoreOptions options,
            LongSupplier random,
            Loading.Target target)
            throws IOException {
        ManifestFiles manifests = ManifestFiles.of(directory);
        Manifest found = manifests.newest();
        if (found == null) {
            directory.syncName();
        }
        Manifest manifest = found != null ? found : Manifest.first(random.getAsLong());
        return new Recovery(directory, owner, options, manifests, manifest, target);
    }

    /** Whether it has begun to make the store its own. */
    public boolean hasWritten() {
        return hasWritten;
    }

    /** The segment that takes what comes next, or the one before it, and where the log ends. */
    public record End(long lsn, LogSegment segment) {}

    /**
     * What was read back, with its files open: whoever gets it closes them, each on its own or all at once.
     *
     * @param manifest the one that counts from now on
     * @param indexBuild how the index gets filled
     * @param disposal what may be deleted
     */
    public record Opened(TimerTables tables, Manifest manifest, End log, IndexBuild indexBuild, Disposal disposal)
            implements Closeable {

        /** Closes all files: for what no calendar could be made of. */
        @Override
        public void close() throws IOException {
            Closeable runs = tables::close;
            Closeable build = indexBuild::close;
            try (runs;
                    build) {
                log.segment.close();
            }
        }
    }

    /** Reads all that is needed to load timers, and opens the store for the new owner. */
    public Opened run(SpareSegments spares) throws IOException {
        try (SegmentReader segment = new SegmentReader()) {
            Progress progress = openRuns();
            LogReader.Tail tail = new LogReader(directory, manifest, segment, replay, this::refuse).read();
            // Reads the runs: so before anything is changed.
            long oldestMs = oldestWaitingMs();
            hasWritten = true;
            manifests.keepOlderVersionsAway(manifest.storeId());
            spares.takeOver(owner.isFirst() && manifest.closed() ? manifest.nameEpoch() : -1);
            TailCopy.Written written = withRoom(spares, () -> writeEnd(tail, segment));
            long endLsn = tail == null ? manifest.checkpointLsn() : tail.endLsn();
            try {
                return open(progress, written, new End(endLsn, written.segment()), oldestMs, spares);
            } catch (IOException | RuntimeException | Error e) {
                written.segment().close();
                throw e;
            }
        } catch (IOException | RuntimeException | Error e) {
            tables.close();
            throw e;
        }
    }

    private Opened open(Progress progress, TailCopy.Written written, End end, long oldestMs, SpareSegments spares)
            throws IOException {
        owner.check();
        Manifest first = manifest.opened(owner.epoch(), end.lsn(), replay.nextSeq(), tables.nextNumber());
        withRoom(spares, () -> create(first));
        Manifest opened = first.again();
        withRoom(spares, () -> create(opened));
        startLoading(oldestMs);
        KeysReader keys = manifest.keys() == 0 ? null : KeysReader.open(directory, manifest.storeId(), manifest.keys());
        try {
            Disposal disposal = new Disposal(
                    directory,
                    owner,
                    spares::keep,
                    written.before(),
                    written.segment().name());
            disposal.dropManifests();
            disposal.dropAllBut(
                    opened,
                    progress.runs().stream()
                            .map(Progress.RunProgress::fileNumber)
                            .toList(),
                    manifest.keys());
            manifests.dropOld();
            IndexBuild indexBuild = new IndexBuild(tables, options.finishedRemembered(), options.turnTimers(), keys);
            return new Opened(tables, opened, end, indexBuild, disposal);
        } catch (IOException | RuntimeException | Error e) {
            if (keys != null) {
                keys.close();
            }
            throw e;
        }
    }

    private Manifest create(Manifest created) throws IOException {
        created.create(directory);
        return created;
    }

    private interface Step<T> {
        T take() throws IOException;
    }

    /** Takes a step that leaves nothing behind when it fails; when it does for want of room, spares make some. */
    private <T> T withRoom(SpareSegments spares, Step<T> step) throws IOException {
        while (true) {
            try {
                return step.take();
            } catch (IOException e) {
                if (!NoSpace.isCauseOf(e, directory.usableBytes()) || !spares.giveUpOne()) {
                    throw e;
                }
            }
        }
    }

    private Progress openRuns() throws IOException {
        if (manifest.progress() == 0) {
            return Progress.of(List.of());
        }
        Progress progress = Progress.read(directory, manifest.storeId(), manifest.progress());
        for (Progress.RunProgress one : progress.runs()) {
            Run run = new Run(RunFile.open(directory, manifest.storeId(), one.fileNumber()), tables.queues);
            tables.add(run);
            if (run.count() != one.count()) {
                throw corrupt(run.file().path(), 0, "the run has " + run.count() + " timers, must have " + one.count());
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
        tables.remember(progress.finished());
        return progress;
    }

    private void startLoading(long oldestMs) {
        tables.runs().forEach(tables.loading::add);
        if (oldestMs != Long.MAX_VALUE) {
            tables.loading.startAt(oldestMs);
        }
    }

    /** The due time of the first timer, or {@link Long#MAX_VALUE} when none waits. */
    private long oldestWaitingMs() {
        long oldestMs = Long.MAX_VALUE;
        for (Run run : tables.runs()) {
            if (run.present() > 0 && !run.isDead()) {
                oldestMs = Math.min(oldestMs, run.attemptAtMs(run.ended().nextClearBit(0)));
            }
        }
        Memtable memtable = tables.active();
        for (int ordinal = 0; ordinal < memtable.size(); ordinal++) {
            if (memtable.isWaiting(ordinal)) {
                oldestMs = Math.min(oldestMs, memtable.attemptAtMs(ordinal));
            }
        }
        return oldestMs;
    }

    private TailCopy.Written writeEnd(LogReader.@Nullable Tail tail, SegmentReader reader) throws IOException {
        if (tail == null) {
            return startLog();
        }
        TailCopy copy =
                new TailCopy(directory, manifest.storeId(), tail, manifest.checkpointLsn(), owner.epoch(), reader);
        try {
            return copy.write(options.segmentBytes());
        } catch (IOException e) {
            if (!NoSpace.isCauseOf(e, directory.usableBytes())) {
                throw e;
            }
            return copy.write(0);
        }
    }

    private TailCopy.Written startLog() throws IOException {
        SegmentName name = new SegmentName(manifest.checkpointLsn(), owner.epoch());
        Path file = directory.segment(name);
        LogSegment segment = LogSegment.create(file, manifest.storeId(), name, null);
        try {
            segment.sync();
            directory.syncCommitLog();
            return new TailCopy.Written(segment, List.of());
        } catch (IOException | RuntimeException | Error e) {
            segment.close();
            DurableFiles.discard(file);
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
