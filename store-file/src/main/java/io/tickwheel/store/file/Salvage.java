package io.tickwheel.store.file;

import io.tickwheel.store.StoreCorruptedException;
import io.tickwheel.store.StoreException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Makes a store of what can be read of a damaged one, in its place.
 *
 * <pre>
 *   READ     what can be read of the runs and the log; a damaged run is written anew, without what cannot be read
 *   KEEP     copies of all that will be replaced go to the quarantine, synced
 *   WRITE    what the log said goes to new runs; the progress; an empty segment, further on than any LSN there was
 *   SWITCH   the manifest; only then anything is deleted
 * </pre>
 *
 * Until the switch the old store counts, and what was written has names that it does not know, but for the new segment: its LSN
 * is the name of the quarantine, so that a second salvage can tell it from what was accepted.
 */
final class Salvage {

    /** Numbers that may have been given to records that are lost are not given again. */
    private static final long SEQ_GAP = 1L << 32;

    private static final int LSN_GAP = 1 << 20;

    private final DataDirectory directory;
    private final List<StoreDamage> damages;
    private final Manifest manifest;
    private final Shelves shelves;
    private final Replay replay;
    private final List<Path> replaced = new ArrayList<>();
    private final int remembered;
    private long lastSeq;

    private Salvage(DataDirectory directory, List<StoreDamage> damages, Manifest manifest) throws IOException {
        this.directory = directory;
        this.damages = damages;
        this.manifest = manifest;
        this.remembered = FileTimerStore.in(directory.root()).finishedRemembered();
        int nextNumber = manifest.nextNumber();
        for (long number : directory.runs()) {
            nextNumber = Math.max(nextNumber, (int) number + 1);
        }
        this.shelves = Shelves.toLookAt(manifest.storeId(), nextNumber, remembered);
        this.replay = new Replay(shelves, manifest.nextSeq(), remembered);
    }

    static StoreSalvage of(Path root) throws IOException {
        if (!DataDirectory.view(root).hasTimers()) {
            Steady.manifest(DataDirectory.view(root));
        }
        try (DataDirectory directory = DataDirectory.open(root)) {
            dropLeftOver(directory);
            List<StoreDamage> damages = Verification.of(directory).damages();
            if (damages.stream().allMatch(Salvage::isMendedByOpening)) {
                return new StoreSalvage(damages, null, 0, 0);
            }
            Salvage salvage = new Salvage(directory, damages, manifest(directory));
            try {
                return salvage.run();
            } finally {
                salvage.shelves.close();
            }
        }
    }

    private static boolean isMendedByOpening(StoreDamage damage) {
        return damage.timers().orElse(-1) == 0
                && (damage.file().startsWith("MANIFEST-") || damage.file().startsWith("keys"));
    }

    /** Of a salvage that ended before its switch. */
    private static void dropLeftOver(DataDirectory directory) throws IOException {
        Manifest best = best(directory);
        for (long lsn : directory.quarantines()) {
            Path segment = directory.segment(lsn);
            boolean counts = best != null && best.checkpointLsn() >= lsn;
            if (!counts && Files.exists(segment) && Files.size(segment) == LogSegment.HEADER_BYTES) {
                Files.delete(segment);
            }
        }
        directory.syncCommitLog();
    }

    private static @Nullable Manifest best(DataDirectory directory) throws IOException {
        Manifest a = Manifest.readSlot(directory, directory.manifest('A'));
        Manifest b = Manifest.readSlot(directory, directory.manifest('B'));
        if (a == null || b == null) {
            return a == null ? b : a;
        }
        return a.generation() > b.generation() ? a : b;
    }

    /** The one there is, or one that says what the other files do. */
    private static Manifest manifest(DataDirectory directory) throws IOException {
        Manifest best = best(directory);
        if (best != null) {
            return best;
        }
        List<Long> bases = directory.segments();
        try (SegmentReader segment = new SegmentReader()) {
            for (long base : bases) {
                segment.open(directory.segment(base));
                int at = segment.load(0, LogSegment.HEADER_BYTES);
                long storeId = at < 0 ? 0 : segment.window().getLong(at + 16);
                if (LogSegment.isHeader(segment, storeId, base)) {
                    return new Manifest(1, 0, storeId, bases.get(0), bases.get(0), 1, 1, 0, 0);
                }
            }
        }
        throw new StoreException("nothing in " + directory.root()
                + " says which store it is: no manifest and no header of a segment can be read");
    }

    private StoreSalvage run() throws IOException {
        readRuns();
        LogCheck log = new LogCheck(directory, manifest, replay);
        log.check();
        LastOfEachKey.keep(shelves);
        IndexBuild index = new IndexBuild(shelves, replay, remembered, null);
        while (!index.work(Integer.MAX_VALUE)) {
            assert shelves.index.size() >= 0;
        }
        long kept = shelves.index.size();
        long lsn = freeLsn();
        Path quarantine = keepOriginals(lsn);
        Manifest salvaged = write(lsn, log.nextEpoch());
        directory.dropAllBut(
                salvaged,
                Progress.read(directory, salvaged.storeId(), salvaged.progress()).runs().stream()
                        .map(Progress.RunProgress::number)
                        .toList());
        long lost = damages.stream()
                .map(StoreDamage::timers)
                .mapToLong(timers -> timers.orElse(0))
                .sum();
        return new StoreSalvage(damages, directory.name(quarantine), kept, lost);
    }

    private void readRuns() throws IOException {
        Progress progress = progress();
        for (Progress.RunProgress one : progress.runs()) {
            Run run = openRun(one);
            if (run != null) {
                boolean other = !replaced.contains(run.file()) && one.count() != run.count();
                readRun(run, other ? new BitSet() : one.ended());
            }
        }
        for (FinishedTable.Finished one : progress.finished()) {
            shelves.finished.add(
                    one.key(), one.id(), one.version(), one.dueAtMs(), one.state(), one.attempts(), one.requestHash());
        }
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
                all.add(new Progress.RunProgress((int) number, 0, new BitSet()));
            }
        }
        return new Progress(all, List.of());
    }

    private @Nullable Run openRun(Progress.RunProgress one) throws IOException {
        try {
            return Run.open(directory, manifest.storeId(), one.number(), shelves.queues);
        } catch (StoreCorruptedException e) {
            replaced.add(directory.run(one.number()));
            return RunRescue.open(directory, manifest.storeId(), one.number(), shelves.queues);
        }
    }

    private void readRun(Run run, BitSet ended) throws IOException {
        RunCheck check = new RunCheck(directory, run, ended, damage -> {});
        check.check();
        boolean rescued = replaced.contains(run.file());
        if (!rescued && check.unreadable().isEmpty()) {
            shelves.add(run);
            run.restoreEnded(ended);
            noteSeqs(run);
            return;
        }
        try (run) {
            if (!rescued) {
                replaced.add(run.file());
            }
            BitSet passed = (BitSet) ended.clone();
            passed.or(check.unreadable());
            if (passed.nextClearBit(0) < run.count()) {
                int number = rewrite(run, passed);
                Run rewritten = Run.open(directory, manifest.storeId(), number, shelves.queues);
                shelves.add(rewritten);
                noteSeqs(rewritten);
            }
        }
    }

    private void noteSeqs(Run run) {
        RunScan scan = new RunScan(run, run.ended());
        while (scan.next()) {
            lastSeq = Math.max(lastSeq, scan.seq());
        }
    }

    private int rewrite(Run run, BitSet passed) throws IOException {
        int number = shelves.newNumber();
        try (RunWriter writer = new RunWriter(directory, manifest.storeId(), number, run.tier())) {
            RunScan scan = new RunScan(run, passed);
            while (scan.next()) {
                int at = scan.readRecord();
                writer.add(
                        scan.dueAtMs(),
                        scan.seq(),
                        scan.hash(),
                        scan.queueName(),
                        scan.window(),
                        at,
                        scan.length(),
                        run.number(),
                        scan.ordinal());
            }
            writer.finish();
        }
        return number;
    }

    /** Behind every LSN there may have been, and not the name of a quarantine yet. */
    private long freeLsn() throws IOException {
        long lsn = Math.max(manifest.syncedLsn(), manifest.checkpointLsn());
        for (long base : directory.segments()) {
            lsn = Math.max(lsn, base + Files.size(directory.segment(base)));
        }
        lsn = lsn / LSN_GAP * LSN_GAP + LSN_GAP;
        while (Files.exists(directory.quarantine(lsn))) {
            lsn += LSN_GAP;
        }
        return lsn;
    }

    private Path keepOriginals(long lsn) throws IOException {
        Path quarantine = directory.quarantine(lsn);
        DataDirectory.makeDirectory(quarantine);
        replaced.add(directory.manifest('A'));
        replaced.add(directory.manifest('B'));
        for (long base : directory.segments()) {
            replaced.add(directory.segment(base));
        }
        for (long generation : directory.progresses()) {
            replaced.add(directory.progress(generation));
        }
        for (Path original : replaced) {
            try (FileChannel from = FileChannel.open(original, StandardOpenOption.READ)) {
                BackupList.copy(from, quarantine.resolve(original.getFileName().toString()));
            } catch (NoSuchFileException e) {
                // Missing is what is damaged about it.
            }
        }
        DataDirectory.sync(quarantine);
        return quarantine;
    }

    private Manifest write(long lsn, int epoch) throws IOException {
        List<Progress.RunProgress> runs = new ArrayList<>(Checkpoint.progressOf(shelves));
        for (RunWriter.Written written : writeMemtable()) {
            runs.add(new Progress.RunProgress(written.number(), written.fromOrdinals().length, new BitSet()));
        }
        long generation = nextGeneration();
        new Progress(runs, Trimming.finished(shelves)).write(directory, manifest.storeId(), generation);
        directory.syncScheduleLog();
        Path segment = directory.segment(lsn);
        Path unfinished = DataDirectory.unfinished(segment);
        Files.deleteIfExists(unfinished);
        try (LogSegment empty = LogSegment.create(unfinished, manifest.storeId(), lsn)) {
            empty.sync();
        }
        DataDirectory.publish(unfinished, segment);
        long nextSeq = Math.max(Math.max(manifest.nextSeq(), replay.nextSeq()), lastSeq + 1) + SEQ_GAP;
        // Twice: no slot keeps what is damaged, or what is no more.
        Manifest salvaged = null;
        for (int i = 0; i < 2; i++) {
            salvaged = new Manifest(
                    epoch, generation + i, manifest.storeId(), lsn, lsn, nextSeq, shelves.nextNumber(), generation, 0);
            salvaged.write(directory);
        }
        return Objects.requireNonNull(salvaged);
    }

    private List<RunWriter.Written> writeMemtable() throws IOException {
        Memtable memtable = shelves.active();
        OptionalLong firstDueMs = OptionalLong.empty();
        for (int ordinal = 0; ordinal < memtable.size(); ordinal++) {
            long dueAtMs = memtable.dueAtMs(ordinal);
            firstDueMs = OptionalLong.of(Math.min(dueAtMs, firstDueMs.orElse(dueAtMs)));
        }
        // There is no clock here: what is due first is taken for near.
        try (RunsWriter writer =
                new RunsWriter(directory, manifest.storeId(), shelves::newNumber, firstDueMs.orElse(0))) {
            writer.write(memtable, shelves.queueNames());
            return writer.finish();
        }
    }

    /** Higher than that of any file, and so that the slot of the manifest that was read is overwritten second. */
    private long nextGeneration() throws IOException {
        long generation = manifest.generation() + 1;
        for (long other : directory.progresses()) {
            generation = Math.max(generation, other + 1);
        }
        return (generation - manifest.generation()) % 2 == 0 ? generation + 1 : generation;
    }
}
