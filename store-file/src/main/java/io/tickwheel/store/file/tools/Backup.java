package io.tickwheel.store.file.tools;

import io.tickwheel.store.StoreCorruptedException;
import io.tickwheel.store.file.StoreBackup;
import io.tickwheel.store.file.StoreDamage;
import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.file.disk.Manifest;
import io.tickwheel.store.file.disk.ManifestFiles;
import io.tickwheel.store.file.disk.NewDirectory;
import io.tickwheel.store.file.disk.PrivateFiles;
import io.tickwheel.store.file.disk.RootCheck;
import io.tickwheel.store.file.disk.SegmentName;
import io.tickwheel.store.file.disk.StableRead;
import io.tickwheel.store.file.log.LogReader;
import io.tickwheel.store.file.log.LogSegment;
import io.tickwheel.store.file.log.SegmentReader;
import io.tickwheel.store.file.record.EndRecord;
import io.tickwheel.store.file.record.OutcomeRecord;
import io.tickwheel.store.file.record.TimerRecord;
import io.tickwheel.store.file.run.Progress;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Copies a store that a server may have open and write to.
 *
 * <pre>
 *   manifest -> open the runs and the progress that it names -> copy the log from the checkpoint on, whole frames only
 *       -> the manifest again: another checkpoint? start over
 *       -> copy the runs and the progress (what is open stays readable when it is deleted) -> the manifest, last
 * </pre>
 *
 * A run and a progress never change. A segment does: it grows, and is used again after a checkpoint. So the log is copied before
 * the manifest is looked at for the second time. The copy has what was accepted before the first look, and then some part of
 * what came after it, as a first part of the log.
 */
public final class Backup {

    private final DataDirectory from;
    private final DataDirectory to;
    private final Work work;
    private final Map<String, BackupList.Entry> files = new TreeMap<>();

    /** The runs and the progress, by name, open since before the last look at the manifest. */
    private final Map<String, FileChannel> opened = new LinkedHashMap<>();

    private long endLsn;
    private boolean isAnnounced;

    private Backup(DataDirectory from, DataDirectory to, Work work) {
        this.from = from;
        this.to = to;
        this.work = work;
    }

    public static StoreBackup make(Path from, Path to, Work work) throws IOException {
        StableRead.manifest(DataDirectory.view(from));
        RootCheck.refuseWithin(from, to);
        return NewDirectory.forBackup(to, target -> new Backup(DataDirectory.view(from), target, work).make());
    }

    private StoreBackup make() throws IOException {
        try {
            Manifest manifest = StableRead.read(from, Backup::sameCheckpoint, this::begin);
            for (Map.Entry<String, FileChannel> file : opened.entrySet()) {
                files.put(
                        file.getKey(),
                        BackupList.copy(
                                from.root().resolve(file.getKey()),
                                file.getValue(),
                                to.root().resolve(file.getKey()),
                                work));
            }
            to.syncScheduleLog();
            to.syncCommitLog();
            copyManifest(manifest.withoutKeys());
        } finally {
            close();
        }
        check();
        BackupList list = new BackupList(endLsn, files);
        list.write(to.root());
        return list.summary();
    }

    /** In the format that it has; where that is not the oldest one, with the word for older versions. */
    private void copyManifest(Manifest manifest) throws IOException {
        if (manifest.format() == Manifest.FORMAT) {
            DataDirectory.ManifestName marker = new DataDirectory.ManifestName(0, 'A');
            ManifestFiles.writeMarker(to, marker, manifest.storeId());
            files.put(marker.fileName(), BackupList.of(to.manifest(marker), work));
        }
        manifest.create(to);
        Path file = to.manifest(manifest.slot());
        files.put(to.name(file), BackupList.of(file, work));
    }

    private static boolean sameCheckpoint(Manifest before, Manifest after) {
        return before.checkpointLsn() == after.checkpointLsn() && before.progress() == after.progress();
    }

    private Manifest begin(Manifest manifest) throws IOException {
        close();
        for (String name : files.keySet()) {
            Files.delete(to.root().resolve(name));
        }
        files.clear();
        long bytes = LogCheck.bytes(from);
        if (manifest.progress() != 0) {
            open(from.progress(manifest.progress()));
            Progress progress = Progress.read(from, manifest.storeId(), manifest.progress());
            for (Progress.RunProgress run : progress.runs()) {
                open(from.run(run.fileNumber()));
            }
        }
        for (FileChannel file : opened.values()) {
            bytes += file.size();
        }
        if (!isAnnounced) {
            // To be copied, and the copy to be read once more in the end.
            isAnnounced = true;
            work.announce(2 * bytes);
        }
        work.expect(bytes);
        copyLog(manifest);
        return manifest;
    }

    private void open(Path file) throws IOException {
        opened.put(from.name(file), FileChannel.open(file, StandardOpenOption.READ));
    }

    private void copyLog(Manifest manifest) throws IOException {
        endLsn = manifest.checkpointLsn();
        work.begin(LogCheck.bytes(from));
        try (SegmentReader segment = new SegmentReader()) {
            LogReader reader = new LogReader(from, manifest, segment, new SegmentCopy(), damage -> {
                throw new StoreCorruptedException(from.name(damage.file()), damage.offset(), damage.what());
            });
            reader.read();
        }
        work.end();
    }

    private final class SegmentCopy implements LogReader.Sink {

        @Override
        public void accept(TimerRecord record, ByteBuffer bytes, int offset, int length) {}

        @Override
        public void accept(EndRecord end) {}

        @Override
        public void accept(OutcomeRecord outcome) {}

        @Override
        public void segment(SegmentName name, SegmentReader segment, long soundBytes) throws IOException {
            Path file = to.segment(name);
            try (FileChannel channel =
                    PrivateFiles.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                int crc = segment.copyTo(channel, soundBytes);
                channel.force(true);
                files.put(to.name(file), new BackupList.Entry(crc, soundBytes));
            }
            work.add(soundBytes);
            endLsn = Math.max(endLsn, name.baseLsn() + soundBytes - LogSegment.HEADER_BYTES);
        }
    }

    /** A copy of what is damaged is no backup. */
    private void check() throws IOException {
        for (StoreDamage damage : Verification.of(to, work).damages()) {
            throw new StoreCorruptedException(damage.file(), damage.offset(), damage.what());
        }
    }

    private void close() throws IOException {
        for (FileChannel channel : opened.values()) {
            channel.close();
        }
        opened.clear();
    }

    public static StoreBackup restore(Path from, Path to, Work work) throws IOException {
        BackupList list = BackupList.read(from);
        // Read to be checked, and to be copied.
        work.expect(2 * list.bytes());
        check(from, list, work);
        return NewDirectory.forRestoring(to, target -> {
            for (Map.Entry<String, BackupList.Entry> file : list.files().entrySet()) {
                if (!isManifest(file.getKey())) {
                    copy(from, to, file.getKey(), file.getValue(), work);
                }
            }
            target.syncScheduleLog();
            target.syncCommitLog();
            // Only with its manifest it is a store; before that comes the word for older versions.
            for (Map.Entry<String, BackupList.Entry> file :
                    new TreeMap<>(list.files()).descendingMap().entrySet()) {
                if (isManifest(file.getKey())) {
                    copy(from, to, file.getKey(), file.getValue(), work);
                }
            }
            target.syncRoot();
            target.endRestoring();
            return list.summary();
        });
    }

    private static boolean isManifest(String name) {
        return name.startsWith("MANIFEST-");
    }

    private static void check(Path from, BackupList list, Work work) throws IOException {
        for (Map.Entry<String, BackupList.Entry> file : list.files().entrySet()) {
            BackupList.Entry found;
            try {
                found = BackupList.of(from.resolve(file.getKey()), work);
            } catch (NoSuchFileException e) {
                throw new StoreCorruptedException(file.getKey(), 0, "the file is missing from the backup");
            }
            refuseOther(file.getKey(), file.getValue(), found);
        }
    }

    private static void copy(Path from, Path to, String name, BackupList.Entry entry, Work work) throws IOException {
        Path file = from.resolve(name);
        try (FileChannel in = FileChannel.open(file, StandardOpenOption.READ)) {
            refuseOther(name, entry, BackupList.copy(file, in, to.resolve(name), work));
        }
    }

    private static void refuseOther(String name, BackupList.Entry listed, BackupList.Entry found) {
        if (!listed.equals(found)) {
            throw new StoreCorruptedException(
                    name,
                    0,
                    "the file has " + found.bytes() + " bytes and is not what the backup wrote, of " + listed.bytes());
        }
    }
}
