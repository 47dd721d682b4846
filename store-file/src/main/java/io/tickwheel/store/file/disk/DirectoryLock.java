package io.tickwheel.store.file.disk;

import io.tickwheel.store.StoreLockedException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * Keeps other engines from a directory, as far as locks can: those in this JVM by an entry in the system properties, those in
 * other processes by a lock of the file {@code LOCK}. What locks cannot do is left to {@link OwnerMark}.
 *
 * <p>On POSIX a process loses its lock when it closes any channel of the file. So whoever finds the directory in use by its own
 * JVM must not even open that file; and the entry must be seen by all class loaders, which have nothing in common but the
 * classes of the JDK. It says which directory it is, by the key that the system gives it, whatever path leads there.
 */
public final class DirectoryLock implements AutoCloseable {

    /** Begins the names of the properties. */
    public static final String PROPERTY = "io.tickwheel.store.file.open:";

    private static final String FILE = "LOCK";

    /** Channels of files that somebody in this JVM has locked: to close one would free that lock. */
    private static final List<FileChannel> NEVER_CLOSED = Collections.synchronizedList(new ArrayList<>());

    private final String property;
    private final String holder;
    private final @Nullable FileChannel channel;

    private DirectoryLock(String property, String holder, @Nullable FileChannel channel) {
        this.property = property;
        this.holder = holder;
        this.channel = channel;
    }

    /**
     * Takes the directory, which exists.
     *
     * @throws StoreLockedException when another has it
     */
    static DirectoryLock take(Path root) throws IOException {
        return take(root, () -> lock(root));
    }

    /**
     * Takes the directory for as long as it is read. Where nothing can be written in it, what is taken keeps engines away all the same,
     * unless there is no file to be locked: see {@link #isHeld}.
     *
     * @throws StoreLockedException when another has it
     */
    static DirectoryLock takeToRead(Path root) throws IOException {
        return take(root, () -> lockToRead(root));
    }

    private interface Locking {
        @Nullable
        FileChannel lock() throws IOException;
    }

    private static DirectoryLock take(Path root, Locking locking) throws IOException {
        Properties open = System.getProperties();
        String property = PROPERTY + identity(root);
        String holder = root.toAbsolutePath() + "#" + Integer.toHexString(System.identityHashCode(new Object()));
        Object other = open.putIfAbsent(property, holder);
        if (other != null) {
            throw refusal(root, ", as " + other.toString().replaceFirst("#\\w+$", ""), null);
        }
        try {
            return new DirectoryLock(property, holder, locking.lock());
        } catch (IOException | RuntimeException | Error e) {
            open.remove(property, holder);
            throw e;
        }
    }

    private static String identity(Path root) throws IOException {
        FileSystem fileSystem = root.getFileSystem();
        Object key = Files.readAttributes(root, BasicFileAttributes.class).fileKey();
        String name = key == null ? root.toRealPath().toString() : key.toString();
        return fileSystem.equals(FileSystems.getDefault())
                ? name
                : Integer.toHexString(System.identityHashCode(fileSystem)) + ":" + name;
    }

    static Path file(Path root) {
        return root.resolve(FILE);
    }

    private static FileChannel lock(Path root) throws IOException {
        return lock(root, PrivateFiles.open(file(root), StandardOpenOption.CREATE, StandardOpenOption.WRITE), false);
    }

    private static @Nullable FileChannel lockToRead(Path root) throws IOException {
        FileChannel writable;
        try {
            writable = PrivateFiles.open(file(root), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        } catch (IOException e) {
            try {
                return lock(root, FileChannel.open(file(root), StandardOpenOption.READ), true);
            } catch (NoSuchFileException none) {
                return null;
            }
        }
        return lock(root, writable, false);
    }

    private static FileChannel lock(Path root, FileChannel channel, boolean shared) throws IOException {
        try {
            if (channel.tryLock(0, Long.MAX_VALUE, shared) == null) {
                throw refusal(root, "", null);
            }
            return channel;
        } catch (OverlappingFileLockException e) {
            // The entry is missing: somebody has changed the system properties.
            NEVER_CLOSED.add(channel);
            throw refusal(root, "", e);
        } catch (IOException | RuntimeException | Error e) {
            channel.close();
            throw e;
        }
    }

    private static StoreLockedException refusal(Path root, String where, @Nullable Throwable cause) {
        String message = "the store in " + root + " is open in another process or engine" + where;
        return cause == null ? new StoreLockedException(message) : new StoreLockedException(message, cause);
    }

    /** Whether a file is locked, not only what this JVM does kept apart. */
    boolean isHeld() {
        return channel != null;
    }

    @Override
    public void close() throws IOException {
        try {
            if (channel != null) {
                channel.close();
            }
        } finally {
            System.getProperties().remove(property, holder);
        }
    }
}
