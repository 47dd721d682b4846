package io.tickwheel.store.file;

import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.file.disk.SegmentName;
import io.tickwheel.store.file.run.RunFormat;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.CopyOption;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.spi.FileSystemProvider;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Lies to the store between it and its disk: what the store asks for is not, or not quite, what is done. */
final class PlantedDisk {

    private PlantedDisk() {}

    /** As if the store did it wrong. */
    enum Bug {
        NONE,
        /** Answers before the log is synced. */
        LOG_NOT_SYNCED,
        RUN_NOT_SYNCED,
        PROGRESS_NOT_SYNCED,
        MANIFEST_NOT_SYNCED,
        /** A new segment's name may be lost. */
        LOG_DIRECTORY_NOT_SYNCED,
        /** The manifest may name a run that has no name. */
        SCHEDULE_LOG_DIRECTORY_NOT_SYNCED,
        /** Writes once and does not look how much was taken. */
        SHORT_WRITE_IGNORED,
        /** Goes on when a sync has failed. */
        FAILED_SYNC_IGNORED,
        /** Syncs again when a sync has failed, which then returns normally. */
        FAILED_SYNC_RETRIED,
        FAILED_WRITE_IGNORED,
        /** The names of the manifests may be lost. */
        ROOT_NOT_SYNCED,
        /** The name of the whole directory may be lost. */
        NAME_OF_STORE_NOT_SYNCED,
        /** The last write to the log comes after the sync that was for it. */
        LOG_SYNCED_BEFORE_WRITE,
        /** Writes a copy under the new name, and does not sync it. */
        RENAME_AS_COPY,
        /** What is kept of the log, written anew at an opening, is not synced: after a failed sync it was only in memory. */
        KEPT_TAIL_NOT_SYNCED,
        /** Names the progress only after the manifest that needs it. */
        MANIFEST_BEFORE_PROGRESS,
        PROGRESS_DROPPED_BEFORE_MANIFEST,
        RUNS_DROPPED_BEFORE_MANIFEST,
        /** The segments before the last one are gone before the manifest says that they are not needed. */
        LOG_RECYCLED_BEFORE_MANIFEST,
        /** The manifest says that replay starts at the end of what is synced, which the runs do not reach. */
        CHECKPOINT_AHEAD,
        /** The progress knows of no end of a timer: what ended before a checkpoint comes back. */
        ENDS_LOST_AT_CHECKPOINT,
        /** Ends of timers in the log are passed over. */
        END_IGNORED_AT_RECOVERY,
        /** What was replaced or retried stays, beside what took its place. */
        REPLACED_NOT_ENDED;

        boolean dropsSync(Path path) {
            String name = path.toString();
            return switch (this) {
                case LOG_NOT_SYNCED -> name.contains(SegmentName.SUFFIX) || name.contains("spare-");
                case RUN_NOT_SYNCED -> name.contains(DataDirectory.RUN_SUFFIX);
                case PROGRESS_NOT_SYNCED -> name.contains(DataDirectory.PROGRESS_SUFFIX);
                case MANIFEST_NOT_SYNCED -> name.contains("MANIFEST");
                case ROOT_NOT_SYNCED -> name.endsWith("/data");
                case NAME_OF_STORE_NOT_SYNCED -> name.equals("/");
                case KEPT_TAIL_NOT_SYNCED -> name.endsWith(SegmentName.SUFFIX);
                case LOG_DIRECTORY_NOT_SYNCED -> name.endsWith("commitlog");
                case SCHEDULE_LOG_DIRECTORY_NOT_SYNCED -> name.endsWith("schedulelog");
                default -> false;
            };
        }
    }

    /** The same path, on a disk with that bug. */
    static Path plant(Path path, Bug bug) {
        return SeamDisk.wrap(path, new Lying(path.getFileSystem().provider(), bug));
    }

    private static final class Lying extends SeamDisk.Provider {

        private final Bug bug;
        private @Nullable Path lateName;

        Lying(FileSystemProvider inner, Bug bug) {
            super(inner);
            this.bug = bug;
        }

        @Override
        public FileChannel newFileChannel(Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
                throws IOException {
            Path file = SeamDisk.unwrap(path);
            FileChannel channel = inner.newFileChannel(file, options, attributes);
            boolean isManifest = file.toString().contains("MANIFEST");
            return new PlantedChannel(channel, bug, bug.dropsSync(file), file, () -> {
                Path late = lateName;
                if (late != null && isManifest) {
                    lateName = null;
                    inner.move(DataDirectory.unfinished(late), late, StandardCopyOption.ATOMIC_MOVE);
                }
            });
        }

        @Override
        public void move(Path source, Path target, CopyOption... options) throws IOException {
            Path from = SeamDisk.unwrap(source);
            Path to = SeamDisk.unwrap(target);
            String name = to.toString();
            boolean isProgress = name.endsWith(DataDirectory.PROGRESS_SUFFIX);
            if (bug == Bug.RENAME_AS_COPY) {
                byte[] bytes = Files.readAllBytes(from);
                Files.write(to, bytes);
                Files.delete(from);
            } else if (bug == Bug.MANIFEST_BEFORE_PROGRESS && isProgress) {
                lateName = to;
            } else {
                inner.move(from, to, options);
                if (isProgress) {
                    dropTooEarly(to);
                }
            }
        }

        private void dropTooEarly(Path progress) throws IOException {
            switch (bug) {
                case PROGRESS_DROPPED_BEFORE_MANIFEST ->
                    drop(
                            progress.resolveSibling("."),
                            DataDirectory.PROGRESS_SUFFIX,
                            Set.of(progress.getFileName().toString()));
                case RUNS_DROPPED_BEFORE_MANIFEST ->
                    drop(progress.resolveSibling("."), DataDirectory.RUN_SUFFIX, runsOf(Files.readAllBytes(progress)));
                case LOG_RECYCLED_BEFORE_MANIFEST -> {
                    Path commitLog = progress.resolveSibling("../commitlog").normalize();
                    List<String> segments = names(commitLog, SegmentName.SUFFIX);
                    drop(commitLog, SegmentName.SUFFIX, Set.of(segments.get(segments.size() - 1)));
                }
                default -> {}
            }
        }

        private static Set<String> runsOf(byte[] progress) {
            ByteBuffer in = ByteBuffer.wrap(progress).order(ByteOrder.LITTLE_ENDIAN);
            Set<String> runs = new HashSet<>();
            in.position(40);
            for (int left = in.getInt(32); left > 0; left--) {
                long fileNumber = RunFormat.fileNumber(in.getInt(in.position() + 4), in.getInt(in.position()));
                runs.add(String.format(Locale.ROOT, "%016x%s", fileNumber, DataDirectory.RUN_SUFFIX));
                int words = in.getInt(in.position() + 12);
                in.position(in.position() + 16 + 8 * words);
            }
            return runs;
        }

        private static void drop(Path directory, String suffix, Set<String> kept) throws IOException {
            for (String name : names(directory.normalize(), suffix)) {
                if (!kept.contains(name)) {
                    Files.delete(directory.resolve(name).normalize());
                }
            }
        }

        private static List<String> names(Path directory, String suffix) throws IOException {
            try (Stream<Path> files = Files.list(directory)) {
                return files.map(file -> file.getFileName().toString())
                        .filter(name -> name.endsWith(suffix))
                        .sorted()
                        .toList();
            }
        }
    }
}
