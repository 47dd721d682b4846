package io.tickwheel.store.file.tools;

import io.tickwheel.store.StoreCorruptedException;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import io.tickwheel.store.file.StoredTimer;
import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.file.disk.Manifest;
import io.tickwheel.store.file.disk.QuietDirectory;
import io.tickwheel.store.file.disk.StableRead;
import io.tickwheel.store.file.log.LogReader;
import io.tickwheel.store.file.log.SegmentReader;
import io.tickwheel.store.file.record.TimerIds;
import io.tickwheel.store.file.record.TimerRecord;
import io.tickwheel.store.file.recovery.Replay;
import io.tickwheel.store.file.run.Progress;
import io.tickwheel.store.file.run.RunFile;
import io.tickwheel.store.file.run.RunScan;
import io.tickwheel.store.file.table.Memtable;
import io.tickwheel.store.file.timers.TimerTables;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Consumer;

/** Reads all live and dead timers of a store. Takes the lock, where there can be one, and changes nothing else. */
public final class Export {

    private final DataDirectory directory;
    private final Manifest manifest;
    private final Consumer<StoredTimer> consumer;
    private final TimerTables tables;
    private final TimerIds ids;
    private long exported;

    private Export(DataDirectory directory, Manifest manifest, Consumer<StoredTimer> consumer) {
        this.directory = directory;
        this.manifest = manifest;
        this.consumer = consumer;
        this.tables = TimerTables.toLookAt(manifest.storeId(), manifest.nextNumber(), 0);
        this.ids = new TimerIds(manifest.storeId());
    }

    public static long of(Path root, Consumer<StoredTimer> consumer) throws IOException {
        StableRead.manifest(DataDirectory.view(root));
        try (QuietDirectory quiet = QuietDirectory.open(root)) {
            long exported;
            try {
                exported = of(quiet.directory(), consumer);
            } catch (IOException | StoreCorruptedException e) {
                // What somebody else was writing can look like this.
                quiet.check();
                throw e;
            }
            quiet.check();
            return exported;
        }
    }

    private static long of(DataDirectory directory, Consumer<StoredTimer> consumer) throws IOException {
        Export export = new Export(directory, StableRead.manifest(directory), consumer);
        try {
            export.readLog();
            export.runs();
            export.memtable();
        } finally {
            export.tables.active().free();
        }
        return export.exported;
    }

    private void readLog() throws IOException {
        Replay replay = new Replay(tables, manifest.nextSeq());
        try (SegmentReader segment = new SegmentReader()) {
            new LogReader(directory, manifest, segment, replay, damage -> {
                        throw new StoreCorruptedException(
                                directory.name(damage.file()), damage.offset(), damage.what());
                    })
                    .read();
        }
    }

    private void runs() throws IOException {
        if (manifest.progress() == 0) {
            return;
        }
        Progress progress = Progress.read(directory, manifest.storeId(), manifest.progress());
        for (Progress.RunProgress one : progress.runs()) {
            try (RunFile run = RunFile.open(directory, manifest.storeId(), one.fileNumber())) {
                RunScan scan = new RunScan(run, one.ended());
                while (scan.next()) {
                    if (!tables.pendingEnds.contains(scan.seq())) {
                        int at = scan.readRecord();
                        give(TimerRecord.read(scan.window(), at, scan.length(), true));
                    }
                }
            }
        }
    }

    private void memtable() {
        Memtable memtable = tables.active();
        for (int ordinal = 0; ordinal < memtable.size(); ordinal++) {
            if (!memtable.isEnded(ordinal)) {
                give(memtable.record(ordinal, true));
            }
        }
    }

    private void give(TimerRecord record) {
        TimerView view = new TimerView(
                record.timerKey(),
                ids.publicId(record.id()),
                record.version(),
                record.dueAtMs(),
                record.attemptAtMs(),
                record.dead() ? TimerState.DEAD : TimerState.PENDING,
                record.attempts(),
                record.history().attempts());
        consumer.accept(new StoredTimer(view, record.content()));
        exported++;
    }
}
