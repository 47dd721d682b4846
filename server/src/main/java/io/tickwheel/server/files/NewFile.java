package io.tickwheel.server.files;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import java.util.Set;

/**
 * A file that has its name once all of it is written and synced: until then, and after a process that was ended, there is only
 * {@code NAME.part}, which the next one takes the place of. Only its owner may read it. For one thread.
 */
public final class NewFile implements AutoCloseable {

    private static final Set<StandardOpenOption> MADE = Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE);

    private final Path target;
    private final Path part;
    private final FileChannel channel;
    private boolean isNamed;

    private NewFile(Path target, Path part, FileChannel channel) {
        this.target = target;
        this.part = part;
        this.channel = channel;
    }

    /**
     * Begins one.
     *
     * @throws FileAlreadyExistsException when there is such a file, or another process writes one
     */
    public static NewFile at(Path target) throws IOException {
        checkAbsent(target);
        Path part = target.resolveSibling(target.getFileName() + ".part");
        FileChannel channel = PrivateFile.open(part, MADE);
        try {
            FileLock lock = channel.tryLock();
            if (lock == null) {
                throw new FileAlreadyExistsException(part.toString(), null, "another process writes it");
            }
            // The one before may have had it, and have given it its name since it was opened here.
            checkAbsent(target);
            channel.truncate(0);
            return new NewFile(target, part, channel);
        } catch (IOException | RuntimeException | Error e) {
            channel.close();
            throw e;
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
                Files.deleteIfExists(part);
            }
        } finally {
            channel.close();
        }
    }
}
