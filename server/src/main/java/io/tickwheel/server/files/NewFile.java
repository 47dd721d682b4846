package io.tickwheel.server.files;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A file that has its name once all of it is written and synced: until then, and after a process that was ended, there is only
 * {@code NAME.part}, which the next one takes the place of. Only its owner may read it. For one thread.
 */
public final class NewFile implements AutoCloseable {

    private static final Set<StandardOpenOption> MADE = Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE);

    /** How often others may delete the file between its opening and its lock. */
    private static final int TRIES = 100;

    /** Of all files where the system has no keys for them. */
    private static final Object NO_KEY = new Object();

    private final Path target;
    private final Path part;
    private final FileChannel channel;

    /** Of the part: it belongs to this one as long as its name leads to this file. */
    private final Object key;

    private boolean isNamed;

    private NewFile(Path target, Path part, FileChannel channel, Object key) {
        this.target = target;
        this.part = part;
        this.channel = channel;
        this.key = key;
    }

    /** Opens a file, which is made where there is none. */
    interface Opening {
        FileChannel open(Path file) throws IOException;
    }

    /**
     * Begins one.
     *
     * @throws FileAlreadyExistsException when there is such a file, or another process writes one
     */
    public static NewFile at(Path target) throws IOException {
        return at(target, part -> PrivateFile.open(part, MADE));
    }

    static NewFile at(Path target, Opening opening) throws IOException {
        checkAbsent(target);
        Path part = target.resolveSibling(target.getFileName() + ".part");
        for (int i = 0; i < TRIES; i++) {
            Object before = key(part);
            NewFile made = take(target, part, opening.open(part), before);
            if (made != null) {
                return made;
            }
        }
        throw new FileAlreadyExistsException(part.toString(), null, "other processes make and delete it");
    }

    /** Locks the part; null when it may be another file than the one that was opened, as the one before has deleted it since, or named it. */
    private static @Nullable NewFile take(Path target, Path part, FileChannel channel, @Nullable Object before)
            throws IOException {
        NewFile taken = null;
        try {
            if (channel.tryLock() == null) {
                throw new FileAlreadyExistsException(part.toString(), null, "another process writes it");
            }
            checkAbsent(target);
            Object now = key(part);
            if (now != null && now.equals(before)) {
                channel.truncate(0);
                taken = new NewFile(target, part, channel, now);
            }
            return taken;
        } finally {
            if (taken == null) {
                channel.close();
            }
        }
    }

    /** What tells a file from another one that has its name later; null where there is none. */
    private static @Nullable Object key(Path file) throws IOException {
        try {
            Object key = Files.readAttributes(file, BasicFileAttributes.class).fileKey();
            return key == null ? NO_KEY : key;
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    private static void checkAbsent(Path target) throws IOException {
        if (Files.exists(target)) {
            throw new FileAlreadyExistsException(target.toString());
        }
    }

    public OutputStream write() {
        return Channels.newOutputStream(channel);
    }

    /** Gives it its name, when all is written. */
    public void finish() throws IOException {
        channel.force(true);
        if (!key.equals(key(part))) {
            throw new NoSuchFileException(part.toString(), null, "somebody has deleted it");
        }
        Files.move(part, target);
        isNamed = true;
        syncNames();
    }

    /** The name lasts once its directory is synced, where that may be opened. Windows lets nobody do so, and makes names last by itself. */
    private void syncNames() throws IOException {
        Path directory = Objects.requireNonNull(target.toAbsolutePath().getParent(), "a file has a directory");
        FileChannel opened;
        try {
            opened = FileChannel.open(directory, StandardOpenOption.READ);
        } catch (AccessDeniedException e) {
            return;
        }
        try (FileChannel names = opened) {
            names.force(true);
        }
    }

    /** Leaves no part of a file that is not whole. */
    @Override
    public void close() throws IOException {
        try {
            if (!isNamed) {
                deletePart();
            }
        } finally {
            channel.close();
        }
    }

    private void deletePart() throws IOException {
        if (key.equals(key(part))) {
            Files.deleteIfExists(part);
        }
    }
}
