package io.tickwheel.store.file;

import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreLockedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The files of a store and the few operations on them.
 *
 * <pre>
 *   LOCK                                  held while the store is open
 *   MANIFEST-A, MANIFEST-B                what counts; written in turns
 *   commitlog/&lt;first lsn&gt;.log             the commit log, in segments
 *   commitlog/spare-1, spare-2            what the next segments will be written into
 *   schedulelog/&lt;number&gt;.run              timers that were pending when the commit log was trimmed
 *   schedulelog/&lt;generation&gt;.progress     which runs count and what of them has ended, as of a checkpoint
 *   keys/&lt;generation&gt;.snap                the key index, as of a clean close
 *   *.tmp                                 unfinished; dropped at the next opening
 * </pre>
 */
final class DataDirectory implements AutoCloseable {

    static final String LOG_SUFFIX = ".log";
    static final String RUN_SUFFIX = ".run";
    static final String PROGRESS_SUFFIX = ".progress";
    static final String KEYS_SUFFIX = ".snap";
    private static final String UNFINISHED_SUFFIX = ".tmp";

    /** A file that is called otherwise is not ours, and is left alone. */
    private static final Pattern POSITION = Pattern.compile("[0-7][0-9a-f]{15}(\\.[a-z]+)?$");

    private final Path root;
    private final Path commitLog;
    private final Path scheduleLog;
    private final Path keys;
    private final @Nullable FileChannel lockFile;

    /** Null where the system does not tell. */
    private @Nullable FileStore fileStore;

    private DataDirectory(Path root, @Nullable FileChannel lockFile) {
        this.root = root;
        this.commitLog = root.resolve("commitlog");
        this.scheduleLog = root.resolve("schedulelog");
        this.keys = root.resolve("keys");
        this.lockFile = lockFile;
    }

    /** Makes what is missing, and takes the lock. */
    static DataDirectory open(Path root) throws IOException {
        makeDirectory(root);
        FileChannel lockFile =
                PrivateFiles.open(root.resolve("LOCK"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            FileLock lock = lockFile.tryLock();
            if (lock == null) {
                throw locked(root, null);
            }
            DataDirectory directory = new DataDirectory(root, lockFile);
            makeDirectory(directory.commitLog);
            makeDirectory(directory.scheduleLog);
            makeDirectory(directory.keys);
            sync(root);
            directory.findFileStore();
            return directory;
        } catch (OverlappingFileLockException e) {
            lockFile.close();
            throw locked(root, e);
        } catch (IOException | RuntimeException | Error e) {
            lockFile.close();
            throw e;
        }
    }

    /** Makes the directories of a store where there is nothing yet; takes no lock. */
    static DataDirectory make(Path root) throws IOException {
        makeDirectory(root);
        try (DirectoryStream<Path> files = Files.newDirectoryStream(root)) {
            if (files.iterator().hasNext()) {
                throw new StoreException(root + " is not empty, must be a new directory");
            }
        }
        DataDirectory directory = new DataDirectory(root, null);
        makeDirectory(directory.commitLog);
        makeDirectory(directory.scheduleLog);
        makeDirectory(directory.keys);
        sync(root);
        return directory;
    }

    /** Looks at what is there: makes nothing, and takes no lock, so that what it sees may change meanwhile. */
    static DataDirectory view(Path root) {
        return new DataDirectory(root, null);
    }

    private static StoreLockedException locked(Path root, @Nullable Throwable cause) {
        String message = "the store in " + root + " is open in another process or engine";
        return cause == null ? new StoreLockedException(message) : new StoreLockedException(message, cause);
    }

    static void makeDirectory(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            Path parent = directory.toAbsolutePath().getParent();
            if (parent != null) {
                makeDirectory(parent);
            }
            PrivateFiles.makeDirectories(directory);
            if (parent != null) {
                sync(parent);
            }
        }
    }

    private void findFileStore() {
        try {
            fileStore = Files.getFileStore(commitLog);
        } catch (IOException e) {
            // Some containers hide what is mounted.
            fileStore = null;
        }
    }

    /** What is left on the disk; {@link Long#MAX_VALUE} where that is not known. Any thread. */
    long usableBytes() {
        FileStore store = fileStore;
        try {
            return store == null ? Long.MAX_VALUE : store.getUsableSpace();
        } catch (IOException e) {
            return Long.MAX_VALUE;
        }
    }

    /** Deletes what is not needed, as far as that can be done: the next opening drops what is left. */
    static void discard(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            // What could not be written cannot always be deleted either.
        }
    }

    /** Makes the name of the whole directory durable: whoever made it may have died before it could. */
    void syncName() throws IOException {
        Path parent = root.toAbsolutePath().getParent();
        // Where it cannot be read, it was made by somebody else, long ago.
        if (parent != null && Files.isReadable(parent)) {
            sync(parent);
        }
    }

    /** Where the originals of a salvage are kept that goes on with the log there. */
    Path quarantine(long lsn) {
        return root.resolve("quarantine").resolve(String.format(Locale.ROOT, "%016x", lsn));
    }

    /** The LSNs of the salvages there were, rising. */
    List<Long> quarantines() throws IOException {
        return positions(root.resolve("quarantine"), "");
    }

    Path root() {
        return root;
    }

    Path manifest(char slot) {
        return root.resolve("MANIFEST-" + slot);
    }

    Path segment(long baseLsn) {
        return commitLog.resolve(String.format(Locale.ROOT, "%016x", baseLsn) + LOG_SUFFIX);
    }

    Path commitLog() {
        return commitLog;
    }

    /** A file for a later segment. */
    Path spare(int number) {
        return commitLog.resolve("spare-" + number);
    }

    Path run(int number) {
        return scheduleLog.resolve(String.format(Locale.ROOT, "%016x", number) + RUN_SUFFIX);
    }

    Path progress(long generation) {
        return scheduleLog.resolve(String.format(Locale.ROOT, "%016x", generation) + PROGRESS_SUFFIX);
    }

    Path keys(long generation) {
        return keys.resolve(String.format(Locale.ROOT, "%016x", generation) + KEYS_SUFFIX);
    }

    /** The name under which a file is written until it is complete. */
    static Path unfinished(Path file) {
        return file.resolveSibling(file.getFileName() + UNFINISHED_SUFFIX);
    }

    /** The first LSNs of the segments there are, rising. */
    List<Long> segments() throws IOException {
        return positions(commitLog, LOG_SUFFIX);
    }

    /** The numbers of the runs there are, rising. */
    List<Long> runs() throws IOException {
        return positions(scheduleLog, RUN_SUFFIX);
    }

    /** The generations of the progress files there are, rising. */
    List<Long> progresses() throws IOException {
        return positions(scheduleLog, PROGRESS_SUFFIX);
    }

    /** Whether there is a log or a run. */
    boolean hasTimers() throws IOException {
        return !segments().isEmpty() || !runs().isEmpty();
    }

    /** Drops unfinished files, and what the manifest, with its runs, does not need. */
    void dropAllBut(Manifest manifest, Collection<Integer> runs) throws IOException {
        dropUnfinished(commitLog);
        dropProgressBut(manifest.progress());
        for (long number : runs()) {
            if (!runs.contains((int) number)) {
                Files.delete(run((int) number));
            }
        }
        dropUnfinished(keys);
        for (long generation : positions(keys, KEYS_SUFFIX)) {
            if (generation != manifest.keys()) {
                Files.delete(keys(generation));
            }
        }
        List<Long> segments = segments();
        // The log may have just begun the next segment: without it the end of the log would be missing after a power
        // loss.
        syncCommitLog();
        for (int i = 0; i + 1 < segments.size(); i++) {
            if (segments.get(i + 1) <= manifest.checkpointLsn()) {
                Files.delete(segment(segments.get(i)));
            }
        }
    }

    /** Drops all progress but that of one generation. */
    void dropProgressBut(long kept) throws IOException {
        dropUnfinished(scheduleLog);
        for (long generation : progresses()) {
            if (generation != kept) {
                Files.delete(progress(generation));
            }
        }
    }

    void syncScheduleLog() throws IOException {
        sync(scheduleLog);
    }

    void syncKeys() throws IOException {
        sync(keys);
    }

    void syncCommitLog() throws IOException {
        sync(commitLog);
    }

    void syncRoot() throws IOException {
        sync(root);
    }

    /** Gives a complete and synced file its name, which is durable once the directory is synced. */
    static void rename(Path unfinished, Path file) throws IOException {
        Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /** As {@link #rename}, and syncs the directory. */
    static void publish(Path unfinished, Path file) throws IOException {
        rename(unfinished, file);
        Path directory = file.getParent();
        if (directory != null) {
            sync(directory);
        }
    }

    /** The name of a file for a person: relative to the directory of the store. */
    String name(Path file) {
        return root.relativize(file).toString();
    }

    static ByteBuffer read(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            return read(channel, 0, Math.toIntExact(channel.size()));
        }
    }

    /** Reads {@code length} bytes from {@code offset} on, or as many as there are. */
    static ByteBuffer read(FileChannel channel, long offset, int length) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
        while (bytes.hasRemaining()) {
            if (channel.read(bytes, offset + bytes.position()) < 0) {
                break;
            }
        }
        return bytes.flip();
    }

    static void writeFully(FileChannel channel, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            if (channel.write(bytes) <= 0) {
                throw new IOException("the file took none of " + bytes.remaining() + " bytes");
            }
        }
    }

    /** Makes the names in a directory durable. Windows does so by itself, and lets nobody open a directory. */
    static void sync(Path directory) throws IOException {
        FileChannel opened;
        try {
            opened = FileChannel.open(directory, StandardOpenOption.READ);
        } catch (AccessDeniedException e) {
            if (PrivateFiles.knowsRights(directory)) {
                throw e;
            }
            return;
        }
        try (FileChannel channel = opened) {
            channel.force(true);
        }
    }

    private static void dropUnfinished(Path directory) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                if (file.getFileName().toString().endsWith(UNFINISHED_SUFFIX)) {
                    Files.delete(file);
                }
            }
        }
    }

    private static List<Long> positions(Path directory, String suffix) throws IOException {
        List<Long> positions = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                String name = file.getFileName().toString();
                if (name.endsWith(suffix) && POSITION.matcher(name).lookingAt()) {
                    positions.add(Long.parseLong(name.substring(0, 16), 16));
                }
            }
        } catch (NoSuchFileException e) {
            // Where there is no directory there are no files.
        }
        positions.sort(null);
        return positions;
    }

    /** Frees the lock. */
    @Override
    public void close() throws IOException {
        if (lockFile != null) {
            lockFile.close();
        }
    }
}
