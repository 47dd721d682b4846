package io.tickwheel.store.file.tools;

import io.tickwheel.store.StoreCorruptedException;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.file.StoreDamage;
import io.tickwheel.store.file.StoreVerification;
import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.file.disk.Manifest;
import io.tickwheel.store.file.disk.ManifestFiles;
import io.tickwheel.store.file.memory.ChunkPool;
import io.tickwheel.store.file.recovery.KeysReader;
import io.tickwheel.store.file.run.Progress;
import io.tickwheel.store.file.run.RunFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Reads everything in a directory that counts, and gathers what is damaged; changes nothing. What a server is writing at the
 * moment can look like damage: so damage counts only when it is seen again. Reads past bad sectors and names them.
 */
public final class Verification {

    private static final int TRIES = 5;

    private final DataDirectory directory;
    private final Work work;
    private final List<StoreDamage> damages = new ArrayList<>();
    private final ChunkPool pool = new ChunkPool();
    private int runs;
    private long timers;

    private Verification(DataDirectory directory, Work work) {
        this.directory = directory;
        this.work = work;
    }

    public static StoreVerification of(DataDirectory directory, Work work) throws IOException {
        StoreVerification found = once(directory, work);
        List<StoreDamage> again = found.damages();
        boolean same = false;
        for (int i = 1; i < TRIES && !again.isEmpty() && !same; i++) {
            found = once(directory, work);
            same = again.equals(found.damages());
            Set<StoreDamage> now = new HashSet<>(found.damages());
            again = again.stream().filter(now::contains).toList();
        }
        return new StoreVerification(found.segments(), found.logRecords(), found.runs(), found.timers(), again);
    }

    private static StoreVerification once(DataDirectory directory, Work work) throws IOException {
        return new Verification(directory.pastBadSectors(), work).verify();
    }

    private StoreVerification verify() throws IOException {
        ManifestFiles manifests = ManifestFiles.of(directory);
        checkSlots(manifests);
        Manifest manifest;
        try {
            manifest = manifests.newest();
        } catch (StoreCorruptedException e) {
            damages.add(Damages.of(e.file(), e.offset(), e.what()));
            return result(0, 0);
        }
        if (manifest == null) {
            if (damages.isEmpty()) {
                throw new StoreException("there is no store in " + directory.root());
            }
            return result(0, 0);
        }
        Progress progress = checkRuns(manifest);
        if (manifest.keys() != 0) {
            checkKeys(manifest, progress);
        }
        LogCheck log = new LogCheck(directory, manifest, work);
        log.check();
        damages.addAll(log.damages());
        return result(log.segments(), log.records());
    }

    private StoreVerification result(int segments, long logRecords) {
        directory.badSectors().forEach(part -> damages.add(Damages.unread(directory, part)));
        return new StoreVerification(segments, logRecords, runs, timers, damages);
    }

    private void checkSlots(ManifestFiles manifests) {
        for (ManifestFiles.Slot slot : manifests.slots()) {
            if (slot.manifest() == null) {
                damages.add(Damages.harmless(directory.name(slot.file()), 0, "the manifest is torn or damaged"));
            }
        }
    }

    /** Returns which runs were checked. */
    private Progress checkRuns(Manifest manifest) throws IOException {
        Progress progress = Progress.of(List.of());
        if (manifest.progress() != 0) {
            try {
                progress = Progress.read(directory, manifest.storeId(), manifest.progress());
            } catch (StoreCorruptedException e) {
                damages.add(Damages.of(e.file(), e.offset(), e.what()));
                progress = allRuns();
            }
        }
        work.expect(bytes(directory, progress));
        for (Progress.RunProgress one : progress.runs()) {
            checkRun(manifest, one);
        }
        return progress;
    }

    /** How many bytes the log and these runs have. */
    static long bytes(DataDirectory directory, Progress runs) throws IOException {
        return LogCheck.bytes(directory)
                + Work.bytes(runs.runs().stream()
                        .map(one -> directory.run(one.fileNumber()))
                        .toList());
    }

    /** When nobody knows which runs count, all there are. */
    private Progress allRuns() throws IOException {
        List<Progress.RunProgress> all = new ArrayList<>();
        for (long number : directory.runs()) {
            all.add(new Progress.RunProgress(number, 0, new BitSet()));
        }
        return Progress.of(all);
    }

    private void checkRun(Manifest manifest, Progress.RunProgress one) throws IOException {
        runs++;
        try (RunFile run = RunFile.open(directory, manifest.storeId(), one.fileNumber())) {
            if (one.count() != 0 && one.count() != run.count()) {
                throw run.corrupt(0, "the run has " + run.count() + " timers, must have " + one.count());
            }
            RunCheck check = new RunCheck(directory, run, one.ended(), pool, damages::add, work);
            check.check();
            timers += check.timers();
        } catch (StoreCorruptedException e) {
            StoreDamage damage = Damages.of(e.file(), e.offset(), e.what());
            int present = one.count() - one.ended().cardinality();
            damages.add(
                    one.count() == 0
                            ? damage
                            : Damages.withTimers(damage, present - countRescued(manifest, one, present)));
        }
    }

    /** How many timers a salvage finds in a run that cannot be opened. */
    private long countRescued(Manifest manifest, Progress.RunProgress one, int present) throws IOException {
        try (RunFile run = RunRescue.open(directory, manifest.storeId(), one.fileNumber())) {
            if (run == null) {
                return 0;
            }
            RunCheck check = new RunCheck(directory, run, one.ended(), pool, damage -> {}, work);
            check.check();
            return Math.min(present, check.timers());
        }
    }

    private void checkKeys(Manifest manifest, Progress progress) throws IOException {
        Map<Integer, Integer> timersOfRuns = new HashMap<>();
        for (Progress.RunProgress one : progress.runs()) {
            // How many there are is not known where the progress is damaged.
            timersOfRuns.put(one.number(), one.count() == 0 ? Integer.MAX_VALUE : one.count());
        }
        try (KeysReader keys = KeysReader.open(directory, manifest.storeId(), manifest.keys())) {
            if (keys == null || !keys.isSound(number -> timersOfRuns.getOrDefault(number, -1))) {
                damages.add(Damages.harmless(
                        directory.name(directory.keys(manifest.keys())),
                        0,
                        "the saved key index is missing or damaged; the next opening makes it anew"));
            }
        }
    }
}
