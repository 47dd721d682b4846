package io.tickwheel.store.file.tools;

import io.tickwheel.store.StoreCorruptedException;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.file.StoreDamage;
import io.tickwheel.store.file.StoreSalvage;
import io.tickwheel.store.file.checkpoint.Checkpoint;
import io.tickwheel.store.file.disk.BadPart;
import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.file.disk.Disposal;
import io.tickwheel.store.file.disk.DurableFiles;
import io.tickwheel.store.file.disk.FileStoreOptions;
import io.tickwheel.store.file.disk.Manifest;
import io.tickwheel.store.file.disk.ManifestFiles;
import io.tickwheel.store.file.disk.OwnerMark;
import io.tickwheel.store.file.disk.SegmentName;
import io.tickwheel.store.file.disk.StableRead;
import io.tickwheel.store.file.log.LogChain;
import io.tickwheel.store.file.log.LogSegment;
import io.tickwheel.store.file.log.SegmentReader;
import io.tickwheel.store.file.recovery.IndexBuild;
import io.tickwheel.store.file.recovery.Replay;
import io.tickwheel.store.file.run.Progress;
import io.tickwheel.store.file.run.RunFile;
import io.tickwheel.store.file.run.RunFormat;
import io.tickwheel.store.file.run.RunScan;
import io.tickwheel.store.file.run.RunWriter;
import io.tickwheel.store.file.table.Memtable;
import io.tickwheel.store.file.table.Run;
import io.tickwheel.store.file.table.RunsWriter;
import io.tickwheel.store.file.timers.TimerTables;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Makes a store of what can be read of a damaged one, in its place, as its owner for a while. Reads past bad sectors: all that
 * it keeps has checksums, which zeros do not have.
 *
 * <pre>
 *   READ     what can be read of the runs and the log; a damaged run is written anew, without what cannot be read
 *   KEEP     copies of all that will be replaced go to the quarantine, synced; zeros stand for what the disk cannot read
 *   WRITE    what the log said goes to new runs; the progress; an empty segment, further on than any LSN there was
 *   SWITCH   the manifests; only then anything is deleted, or, where the disk could not read it, moved beside its copy
 * </pre>
 *
 * Until the switch the old store counts, and what was written has names that it does not know, of the epoch of the salvage.
 */
public final class Salvage {

    /** Numbers that may have been given to records that are lost are not given again. */
    private static final long SEQ_GAP = 1L << 32;

    private static final int LSN_GAP = 1 << 20;
    private static final String UNREAD_SUFFIX = ".unread";
    private static final int TIMERS_AT_ONCE = 8_192;

    private final DataDirectory directory;
    private final OwnerMark owner;
    private final Work work;
    private final List<StoreDamage> damages;
    private final Manifest manifest;
    private final TimerTables tables;
    private final Replay replay;
    private final List<Path> replaced = new ArrayList<>();
    private final int remembered;
    private long lastSeq;

    private Salvage(DataDirectory directory, OwnerMark owner, List<StoreDamage> damages, Manifest manifest, Work work)
            throws IOException {
        this.directory = directory;
        this.owner = owner;
        this.work = work;
        this.damages = new ArrayList<>(damages);
        this.manifest = manifest;
        this.remembered = FileStoreOptions.in(directory.root()).finishedRemembered();
        int nextNumber = manifest.nextNumber();
        for (long number : directory.runs()) {
            nextNumber = Math.max(nextNumber, RunFormat.number(number) + 1);
        }
        this.tables = TimerTables.toLookAt(manifest.storeId(), nextNumber, remembered);
        this.replay = new Replay(tables, manifest.nextSeq());
    }

    public static StoreSalvage of(Path root, Work work) throws IOException {
        DataDirectory.view(root).checkIsNotRestoring();
        if (!DataDirectory.view(root).hasTimers()) {
            StableRead.manifest(DataDirectory.view(root).pastBadSectors());
        }
        try (DataDirectory directory = DataDirectory.open(root).pastBadSectors()) {
            dropLeftOver(directory);
            List<StoreDamage> damages = Verification.of(directory, work).damages();
            if (isMendedByOpening(directory, damages)) {
                return new StoreSalvage(damages, null, 0, 0);
            }
            Manifest seen = ManifestFiles.of(directory).readable();
            try (OwnerMark owner = OwnerMark.claim(directory, seen == null ? 0 : seen.epoch(), () -> 0)) {
                return of(directory, owner, work);
            }
        }
    }

    private static StoreSalvage of(DataDirectory directory, OwnerMark owner, Work work) throws IOException {
        // Again: nobody writes any more.
        List<StoreDamage> damages = Verification.of(directory, work).damages();
        if (isMendedByOpening(directory, damages)) {
            owner.withdraw();
            return new StoreSalvage(damages, null, 0, 0);
        }
        Salvage salvage = new Salvage(directory, owner, damages, manifest(directory), work);
        try {
            StoreSalvage done = salvage.run();
            owner.endInOrder();
            return done;
        } finally {
            salvage.tables.close();
        }
    }

    private static boolean isMendedByOpening(DataDirectory directory, List<StoreDamage> damages) throws IOException {
        List<Path> manifests = ManifestFiles.of(directory).slots().stream()
                .map(ManifestFiles.Slot::file)
                .toList();
        // An opening refuses a manifest that the disk cannot read.
        boolean opens = directory.badSectors().stream().noneMatch(part -> manifests.contains(part.file()));
        return opens
                && damages.stream()
                        .allMatch(damage -> damage.timers().orElse(-1) == 0
                                && (damage.file().startsWith("MANIFEST-")
                                        || damage.file().startsWith("keys")));
    }

    /** Of a salvage in format 2 that ended before its switch; later ones know by the epoch what counts. */
    private static void dropLeftOver(DataDirectory directory) throws IOException {
        Manifest newest = ManifestFiles.of(directory).readable();
        if (newest != null && newest.format() == Manifest.FORMAT) {
            return;
        }
        for (long lsn : directory.quarantines()) {
            Path segment = directory.segment(new SegmentName(lsn, 0));
            boolean counts = newest != null && newest.checkpointLsn() >= lsn;
            if (!counts && Files.exists(segment) && Files.size(segment) == LogSegment.HEADER_BYTES) {
                Files.delete(segment);
            }
        }
        directory.syncCommitLog();
    }

    /** The one that counts, or one that says what the other files do. */
    private static Manifest manifest(DataDirectory directory) throws IOException {
        ManifestFiles manifests = ManifestFiles.of(directory);
        Manifest counting = null;
        try {
            counting = manifests.newest();
        } catch (StoreCorruptedException e) {
            // It stands in the list of damages.
        }
        return counting != null ? counting : ofSegments(directory, manifests);
    }

    /** Of the last owner who had manifests; not what one before it had, which does not know how things went on. */
    private static Manifest ofSegments(DataDirectory directory, ManifestFiles manifests) throws IOException {
        int last = manifests.slots().stream()
                .mapToInt(slot -> slot.name().epoch())
                .max()
                .orElse(0);
        List<SegmentName> segments = directory.segments().stream()
                .filter(segment -> last == 0 || segment.epoch() <= last)
                .sorted(Comparator.comparingInt(SegmentName::epoch)
                        .thenComparingLong(SegmentName::baseLsn)
                        .reversed())
                .toList();
        try (SegmentReader reader = new SegmentReader()) {
            for (SegmentName segment : segments) {
                reader.open(directory, segment);
                long storeId = LogSegment.storeId(reader, segment);
                if (storeId != 0) {
                    long first =
                            LogChain.first(directory, storeId, segment, reader).baseLsn();
                    return ofSegments(segment.epoch(), storeId, first);
                }
            }
        }
        throw new StoreException("nothing in " + directory.root()
                + " says which store it is: no manifest and no header of a segment can be read");
    }

    private static Manifest ofSegments(int epoch, long storeId, long firstLsn) {
        int format = epoch == 0 ? Manifest.OLD_FORMAT : Manifest.FORMAT;
        return new Manifest(format, Math.max(1, epoch), 0, storeId, firstLsn, firstLsn, 1, 1, 0, 0, false);
    }

    private StoreSalvage run() throws IOException {
        readRuns();
        new LogCheck(directory, manifest, replay, work).check();
        addUnread(OptionalLong.empty());
        KeepNewest.keep(tables);
        IndexBuild index = new IndexBuild(tables, remembered, TIMERS_AT_ONCE, null);
        while (!index.work(TIMERS_AT_ONCE)) {
            assert tables.index.size() >= 0;
        }
        long kept = tables.index.size();
        long lsn = freeLsn();
        Path quarantine = keepOriginals(lsn);
        addUnread(OptionalLong.of(0));
        write(lsn, quarantine);
        long lost = damages.stream()
                .map(StoreDamage::timers)
                .mapToLong(timers -> timers.orElse(0))
                .sum();
        return new StoreSalvage(damages, directory.name(quarantine), kept, lost);
    }

    /** Adds what the disk did not give and the verification did not meet. */
    private void addUnread(OptionalLong timers) {
        for (BadPart part : directory.badSectors()) {
            StoreDamage unread = Damages.unread(directory, part);
            if (damages.stream().noneMatch(known -> isSame(known, unread))) {
                damages.add(new StoreDamage(unread.file(), unread.offset(), unread.what(), timers, null, null));
            }
        }
    }

    private static boolean isSame(StoreDamage one, StoreDamage other) {
        return one.file().equals(other.file())
                && one.offset() == other.offset()
                && one.what().equals(other.what());
    }

    private void readRuns() throws IOException {
        Progress progress = progress();
        work.expect(Verification.bytes(directory, progress));
        for (Progress.RunProgress one : progress.runs()) {
            RunFile run = openRun(one);
            if (run != null) {
                boolean other = !replaced.contains(run.path()) && one.count() != run.count();
                readRun(run, other ? new BitSet() : one.ended());
            }
        }
        tables.remember(progress.finished());
    }

    /** The one that the manifest names, or a newer one: that is right too, the log is read from further back then. */
    private Progress progress() throws IOException {
        List<Long> generations = new ArrayList<>(directory.progresses());
        if (generations.remove(manifest.progress())) {
            generations.add(manifest.progress());
        }
        for (int i = generations.size() - 1; i >= 0; i--) {
            try {
                return Progress.read(directory, manifest.storeId(), generations.get(i));
            } catch (StoreCorruptedException e) {
                // It stands in the list of damages when it counts.
            }
        }
        List<Progress.RunProgress> all = new ArrayList<>();
        if (manifest.progress() != 0 || manifest.generation() == 0) {
            for (long number : directory.runs()) {
                all.add(new Progress.RunProgress(number, 0, new BitSet()));
            }
        }
        return Progress.of(all);
    }

    private @Nullable RunFile openRun(Progress.RunProgress one) throws IOException {
        try {
            return RunFile.open(directory, manifest.storeId(), one.fileNumber());
        } catch (StoreCorruptedException e) {
            replaced.add(directory.run(one.fileNumber()));
            return RunRescue.open(directory, manifest.storeId(), one.fileNumber());
        }
    }

    private void readRun(RunFile run, BitSet ended) throws IOException {
        RunCheck check = new RunCheck(directory, run, ended, tables.pool, damage -> {}, work);
        check.check();
        boolean rescued = replaced.contains(run.path());
        boolean read =
                directory.badSectors().stream().noneMatch(part -> part.file().equals(run.path()));
        if (read && !rescued && check.unreadable().isEmpty() && !check.hasDamagedFilter()) {
            Run sound = new Run(run, tables.queues);
            tables.add(sound);
            sound.restoreEnded(ended);
            noteSeqs(sound);
            return;
        }
        try (run) {
            if (!rescued) {
                replaced.add(run.path());
            }
            BitSet passed = (BitSet) ended.clone();
            passed.or(check.unreadable());
            if (passed.nextClearBit(0) < run.count()) {
                Run rewritten =
                        new Run(RunFile.open(directory, manifest.storeId(), rewrite(run, passed)), tables.queues);
                tables.add(rewritten);
                noteSeqs(rewritten);
            }
        }
    }

    private void noteSeqs(Run run) {
        RunScan scan = new RunScan(run.file(), run.ended());
        while (scan.next()) {
            lastSeq = Math.max(lastSeq, scan.seq());
        }
    }

    /** Returns the number of the new file. */
    private long rewrite(RunFile run, BitSet passed) throws IOException {
        long fileNumber = RunFormat.fileNumber(owner.epoch(), tables.newNumber());
        try (RunWriter writer = new RunWriter(directory, manifest.storeId(), fileNumber, run.tier(), tables.pool)) {
            RunScan scan = new RunScan(run, passed);
            while (scan.next()) {
                int at = scan.readRecord();
                writer.add(
                        scan.attemptAtMs(),
                        scan.seq(),
                        scan.hash(),
                        scan.lane(),
                        scan.window(),
                        at,
                        scan.length(),
                        run.number(),
                        scan.ordinal());
            }
            writer.finish().origins().free();
        }
        return fileNumber;
    }

    /** Behind every LSN there may have been, and not the name of a quarantine yet. */
    private long freeLsn() throws IOException {
        long lsn = Math.max(manifest.syncedLsn(), manifest.checkpointLsn());
        for (SegmentName segment : directory.segments()) {
            lsn = Math.max(lsn, segment.baseLsn() + Files.size(directory.segment(segment)));
        }
        lsn = lsn / LSN_GAP * LSN_GAP + LSN_GAP;
        while (Files.exists(directory.quarantine(lsn))) {
            lsn += LSN_GAP;
        }
        return lsn;
    }

    private Path keepOriginals(long lsn) throws IOException {
        Path quarantine = directory.quarantine(lsn);
        DurableFiles.makeDirectory(quarantine);
        for (DataDirectory.ManifestName slot : directory.manifests()) {
            replaced.add(directory.manifest(slot));
        }
        for (SegmentName segment : directory.segments()) {
            replaced.add(directory.segment(segment));
        }
        for (long generation : directory.progresses()) {
            replaced.add(directory.progress(generation));
        }
        work.expect(Work.bytes(replaced));
        for (Path original : replaced) {
            try (FileChannel from = directory.openFile(original)) {
                BackupList.copy(
                        original,
                        from,
                        quarantine.resolve(original.getFileName().toString()),
                        work);
            } catch (NoSuchFileException e) {
                // Missing is what is damaged about it.
            }
        }
        DurableFiles.sync(quarantine);
        return quarantine;
    }

    private void write(long lsn, Path quarantine) throws IOException {
        List<Progress.RunProgress> runs = new ArrayList<>(Checkpoint.progressOf(tables));
        for (RunWriter.Written written : writeMemtable()) {
            runs.add(new Progress.RunProgress(written.fileNumber(), written.count(), new BitSet()));
        }
        long generation = Manifest.firstGeneration(owner.epoch());
        new Progress(runs, tables.finished.copy(tables.pool)).write(directory, manifest.storeId(), generation);
        directory.syncScheduleLog();
        SegmentName segment = new SegmentName(lsn, owner.epoch());
        try (LogSegment empty = LogSegment.create(directory.segment(segment), manifest.storeId(), segment, null)) {
            empty.sync();
        }
        directory.syncCommitLog();
        long nextSeq = Math.max(Math.max(manifest.nextSeq(), replay.nextSeq()), lastSeq + 1) + SEQ_GAP;
        Manifest salvaged = new Manifest(
                Manifest.FORMAT,
                owner.epoch(),
                generation,
                manifest.storeId(),
                lsn,
                lsn,
                nextSeq,
                tables.nextNumber(),
                generation,
                0,
                true);
        manifestsAsTheyAre().keepOlderVersionsAway(manifest.storeId());
        owner.check();
        salvaged.create(directory);
        salvaged.again().create(directory);
        List<Long> needed = runs.stream().map(Progress.RunProgress::fileNumber).toList();
        Disposal disposal = new Disposal(directory, owner, file -> false, List.of(), segment);
        disposal.dropManifests();
        keepUnread(quarantine);
        disposal.dropAllBut(salvaged, needed, 0);
        manifestsAsTheyAre().dropOld();
    }

    /** So that whoever has other means can try again to read what the disk did not give. */
    private void keepUnread(Path quarantine) throws IOException {
        for (BadPart part : directory.badSectors()) {
            Path file = part.file();
            boolean isManifest = directory.root().equals(file.getParent());
            if (!isManifest && replaced.contains(file) && Files.exists(file)) {
                owner.check();
                DurableFiles.publish(file, quarantine.resolve(file.getFileName() + UNREAD_SUFFIX));
            }
        }
    }

    /** One whose page was bad may have been written since, which the directory that has met that does not know. */
    private ManifestFiles manifestsAsTheyAre() throws IOException {
        return ManifestFiles.of(directory.pastBadSectors());
    }

    private List<RunWriter.Written> writeMemtable() throws IOException {
        Memtable memtable = tables.active();
        OptionalLong firstDueMs = OptionalLong.empty();
        for (int ordinal = 0; ordinal < memtable.size(); ordinal++) {
            long attemptAtMs = memtable.attemptAtMs(ordinal);
            firstDueMs = OptionalLong.of(Math.min(attemptAtMs, firstDueMs.orElse(attemptAtMs)));
        }
        // There is no clock here: what is due first is taken for near.
        try (RunsWriter writer = new RunsWriter(
                directory, manifest.storeId(), owner.epoch(), tables::newNumber, firstDueMs.orElse(0), tables.pool)) {
            writer.write(memtable, tables.queues.laneNames());
            return writer.finish();
        }
    }
}
