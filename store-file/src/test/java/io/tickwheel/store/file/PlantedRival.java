package io.tickwheel.store.file;

import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.file.log.LogSegment;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.spi.FileSystemProvider;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Lies to an owner of a directory about what keeps it and others apart. */
final class PlantedRival {

    private PlantedRival() {}

    /** As if the store did it wrong. */
    enum Bug {
        NONE,
        /** Answers after a sync without a look at its mark. */
        NOT_CHECKED_AFTER_SYNC,
        /** Deletes what its manifest does not need without a look at its mark. */
        NOT_CHECKED_BEFORE_DELETING,
        /** Deletes the marks of others only when it has read what is there. */
        MARKS_DELETED_AFTER_READING,
        /** Segments are named by their first LSN alone. */
        SEGMENTS_WITHOUT_EPOCH,
        /** Goes on in spares of an owner that did not end in order. */
        STALE_SPARE_USED
    }

    /** The same path, in a process with that bug. */
    static Path plant(Path path, Bug bug) {
        FileSystemProvider disk = path.getFileSystem().provider();
        return SeamDisk.wrap(
                path,
                switch (bug) {
                    case NONE -> new SeamDisk.Provider(disk) {};
                    case NOT_CHECKED_AFTER_SYNC -> new Unchecked(disk, "CommitLog$Write");
                    case NOT_CHECKED_BEFORE_DELETING -> new Unchecked(disk, "Disposal");
                    case MARKS_DELETED_AFTER_READING -> new LateDeletion(disk);
                    case SEGMENTS_WITHOUT_EPOCH -> new PlainNames(disk);
                    case STALE_SPARE_USED -> new StaleSpares(disk);
                });
    }

    private static String name(Path file) {
        return file.getFileName().toString();
    }

    private static boolean isMark(Path file) {
        return file.toString().contains("/OWNER-");
    }

    /** A mark that was there once is always there for some classes. */
    private static final class Unchecked extends SeamDisk.Provider {

        private final String className;
        private final Map<Path, BasicFileAttributes> seen = new HashMap<>();

        Unchecked(FileSystemProvider inner, String className) {
            super(inner);
            this.className = className;
        }

        @Override
        public <A extends BasicFileAttributes> A readAttributes(Path path, Class<A> type, LinkOption... options)
                throws IOException {
            Path file = SeamDisk.unwrap(path);
            if (isMark(file) && seen.containsKey(file) && isLeftOut()) {
                return type.cast(seen.get(file));
            }
            A attributes = super.readAttributes(path, type, options);
            if (isMark(file)) {
                seen.put(file, attributes);
            }
            return attributes;
        }

        private boolean isLeftOut() {
            return StackWalker.getInstance()
                    .walk(frames ->
                            frames.anyMatch(frame -> frame.getClassName().endsWith(className)));
        }
    }

    private static final class LateDeletion extends SeamDisk.Provider {

        private final Set<Path> late = new HashSet<>();

        LateDeletion(FileSystemProvider inner) {
            super(inner);
        }

        @Override
        public void delete(Path path) throws IOException {
            Path file = SeamDisk.unwrap(path);
            boolean isOfOther = StackWalker.getInstance()
                    .walk(frames ->
                            frames.anyMatch(frame -> frame.getMethodName().equals("claim")));
            if (isMark(file) && isOfOther) {
                late.add(file);
            } else {
                inner.delete(file);
            }
        }

        @Override
        public FileChannel newFileChannel(Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
                throws IOException {
            if (options.contains(StandardOpenOption.CREATE_NEW) && name(path).startsWith("MANIFEST-0")) {
                for (Path mark : List.copyOf(late)) {
                    late.remove(mark);
                    inner.deleteIfExists(mark);
                }
            }
            return super.newFileChannel(path, options, attributes);
        }
    }

    /** On the disk all segments have the same epoch in their name; which one they really have, their header says. */
    private static final class PlainNames extends SeamDisk.Provider {

        private static final Pattern SEGMENT = Pattern.compile("([0-9a-f]{16})-[0-9a-f]{8}(\\.log(?:\\.tmp)?)");
        private static final int EPOCH_AT = 32;

        PlainNames(FileSystemProvider inner) {
            super(inner);
        }

        private static Path plain(Path path) {
            Path file = SeamDisk.unwrap(path);
            Matcher name = SEGMENT.matcher(String.valueOf(file.getFileName()));
            return name.matches() ? file.resolveSibling(name.group(1) + "-00000001" + name.group(2)) : file;
        }

        private @Nullable Path named(Path file) {
            Matcher name = SEGMENT.matcher(name(file));
            if (!name.matches()) {
                return file;
            }
            ByteBuffer header = ByteBuffer.allocate(LogSegment.HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
            try (FileChannel channel = inner.newFileChannel(file, Set.of(StandardOpenOption.READ))) {
                channel.read(header, 0);
            } catch (IOException e) {
                return null;
            }
            return file.resolveSibling(
                    String.format(Locale.ROOT, "%s-%08x%s", name.group(1), header.getInt(EPOCH_AT), name.group(2)));
        }

        /** A new segment takes the place of one of the same name once it is synced. */
        @Override
        public FileChannel newFileChannel(Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
                throws IOException {
            Path file = plain(path);
            if (!options.contains(StandardOpenOption.CREATE_NEW) || file.equals(SeamDisk.unwrap(path))) {
                return inner.newFileChannel(file, options, attributes);
            }
            Path made = file.resolveSibling(name(path) + ".new");
            inner.deleteIfExists(made);
            boolean[] isNamed = new boolean[1];
            FileChannel channel = inner.newFileChannel(made, options, attributes);
            return new PlantedChannel(channel, PlantedDisk.Bug.NONE, false, file, () -> {
                if (!isNamed[0]) {
                    isNamed[0] = true;
                    inner.move(made, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
                }
            });
        }

        @Override
        DirectoryStream<Path> listed(DirectoryStream<Path> entries) throws IOException {
            List<Path> named = new ArrayList<>();
            try (entries) {
                for (Path entry : entries) {
                    Path file = named(entry);
                    if (file != null) {
                        named.add(file);
                    }
                }
            }
            return new Listing(named);
        }

        @Override
        public void move(Path source, Path target, CopyOption... options) throws IOException {
            inner.move(plain(source), plain(target), options);
        }

        @Override
        public void delete(Path path) throws IOException {
            inner.delete(plain(path));
        }

        @Override
        public <A extends BasicFileAttributes> A readAttributes(Path path, Class<A> type, LinkOption... options)
                throws IOException {
            return inner.readAttributes(plain(path), type, options);
        }
    }

    /** What was listed before. */
    private record Listing(List<Path> entries) implements DirectoryStream<Path> {

        @Override
        public Iterator<Path> iterator() {
            return entries.iterator();
        }

        @Override
        public void close() {}
    }

    /** A spare that should be deleted is given out as the next one that is made. */
    private static final class StaleSpares extends SeamDisk.Provider {

        private @Nullable Path stale;

        StaleSpares(FileSystemProvider inner) {
            super(inner);
        }

        @Override
        public void delete(Path path) throws IOException {
            Path file = SeamDisk.unwrap(path);
            if (!DataDirectory.isSpare(name(file))) {
                inner.delete(file);
                return;
            }
            Path kept = file.resolveSibling("kept-" + name(file));
            inner.move(file, kept, StandardCopyOption.REPLACE_EXISTING);
            stale = kept;
        }

        @Override
        public void move(Path source, Path target, CopyOption... options) throws IOException {
            Path from = SeamDisk.unwrap(source);
            Path to = SeamDisk.unwrap(target);
            Path kept = stale;
            if (kept != null && DataDirectory.isUnfinished(name(from)) && DataDirectory.isSpare(name(to))) {
                stale = null;
                try {
                    inner.move(kept, to, StandardCopyOption.REPLACE_EXISTING);
                    Files.delete(from);
                    return;
                } catch (NoSuchFileException e) {
                    // It was lost in a crash.
                }
            }
            inner.move(from, to, options);
        }
    }
}
