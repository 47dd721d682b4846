package io.tickwheel.store.file.tools;

import io.tickwheel.store.file.StoreInspection;
import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.file.disk.Manifest;
import io.tickwheel.store.file.disk.SegmentName;
import io.tickwheel.store.file.disk.StableRead;
import io.tickwheel.store.file.record.TimerIds;
import io.tickwheel.store.file.run.Progress;
import io.tickwheel.store.file.run.RunFile;
import io.tickwheel.store.file.run.RunScan;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Gathers a {@link StoreInspection}. Reads the manifest, the progress and the entries of the runs; changes nothing. */
public final class Inspection {

    private final DataDirectory directory;
    private final Manifest manifest;

    /** Pending, dead. */
    private final Map<String, long[]> queues = new TreeMap<>();

    private Inspection(DataDirectory directory, Manifest manifest) {
        this.directory = directory;
        this.manifest = manifest;
    }

    public static StoreInspection of(DataDirectory directory) throws IOException {
        return StableRead.read(directory, manifest -> new Inspection(directory, manifest).gather());
    }

    private StoreInspection gather() throws IOException {
        Progress progress = Progress.of(List.of());
        if (manifest.progress() != 0) {
            progress = Progress.read(directory, manifest.storeId(), manifest.progress());
        }
        List<StoreInspection.Run> runs = new ArrayList<>();
        for (Progress.RunProgress one : progress.runs()) {
            runs.add(run(one));
        }
        runs.sort(Comparator.comparingInt(StoreInspection.Run::number));
        List<StoreInspection.Queue> counts = new ArrayList<>();
        queues.forEach((name, count) -> counts.add(new StoreInspection.Queue(name, count[0], count[1])));
        return new StoreInspection(
                manifest.format(),
                TimerIds.text(manifest.storeId()),
                manifest.epoch(),
                manifest.generation(),
                manifest.checkpointLsn(),
                manifest.syncedLsn(),
                manifest.nextSeq(),
                segments(),
                spares(),
                runs,
                manifest.progress() == 0 ? null : file(directory.progress(manifest.progress())),
                manifest.keys() == 0 ? null : file(directory.keys(manifest.keys())),
                progress.finished().size(),
                counts);
    }

    private StoreInspection.Run run(Progress.RunProgress one) throws IOException {
        try (RunFile run = RunFile.open(directory, manifest.storeId(), one.fileNumber())) {
            count(run, one.ended());
            return new StoreInspection.Run(
                    run.number(),
                    directory.name(run.path()),
                    run.tier().name(),
                    run.count(),
                    run.count() - one.ended().cardinality(),
                    run.bytes(),
                    Instant.ofEpochMilli(run.firstDueMs()),
                    Instant.ofEpochMilli(run.lastDueMs()));
        }
    }

    private void count(RunFile run, BitSet ended) {
        int state = run.isDead() ? 1 : 0;
        RunScan scan = new RunScan(run, ended);
        while (scan.next()) {
            queues.computeIfAbsent(scan.lane().queue(), name -> new long[2])[state]++;
        }
    }

    private List<StoreInspection.File> segments() throws IOException {
        List<StoreInspection.File> files = new ArrayList<>();
        for (SegmentName segment : directory.segments()) {
            add(files, directory.segment(segment));
        }
        return files;
    }

    private List<StoreInspection.File> spares() throws IOException {
        List<StoreInspection.File> files = new ArrayList<>();
        for (DataDirectory.SpareName spare : directory.spares()) {
            add(files, directory.spare(spare));
        }
        return files;
    }

    private void add(List<StoreInspection.File> files, Path path) throws IOException {
        StoreInspection.File file = file(path);
        if (file != null) {
            files.add(file);
        }
    }

    private StoreInspection.@Nullable File file(Path path) throws IOException {
        try {
            return new StoreInspection.File(directory.name(path), Files.size(path));
        } catch (NoSuchFileException e) {
            return null;
        }
    }
}
