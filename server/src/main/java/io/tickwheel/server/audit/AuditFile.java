package io.tickwheel.server.audit;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The files of an audit log. When the newest would get too large it is given the number 1, that one 2, and so on, and the last is deleted. Files are for their owner only, where the
 * file system knows such. Thread-safe: one write at a time.
 */
final class AuditFile implements Closeable {

    private static final Set<StandardOpenOption> APPEND =
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND);

    private static final int LOOKS = 10;

    private final AuditConfig config;
    private @Nullable FileChannel open;
    private @Nullable Object openIdentity;

    AuditFile(AuditConfig config) {
        this.config = config;
    }

    /**
     * Writes whole lines. They are with the operating system then, and not synced.
     *
     * @throws IOException when none of them is there
     */
    synchronized void write(byte[] lines) throws IOException {
        FileChannel channel = opened();
        long size = channel.size();
        if (size > 0 && size + lines.length > config.fileBytes()) {
            rotate(channel);
            channel = opened();
            size = 0;
        }
        ByteBuffer left = ByteBuffer.wrap(lines);
        try {
            while (left.hasRemaining()) {
                channel.write(left);
            }
        } catch (IOException e) {
            // Half a line would be read as one; what is not written is written again.
            try {
                channel.truncate(size);
            } catch (IOException alsoFailed) {
                e.addSuppressed(alsoFailed);
            }
            throw e;
        }
    }

    /** The file that has the name now: whoever turns logs over moves it away, and may put another one in its place. */
    private FileChannel opened() throws IOException {
        FileChannel known = open;
        if (known != null && isInPlace(known)) {
            return known;
        }
        close();
        for (int i = 0; i < LOOKS; i++) {
            Object before = identity(attributes());
            FileChannel channel = FileChannel.open(config.file(), APPEND, forTheOwner());
            // What is opened is the one that was there before and after; who it is cannot be asked of a channel.
            if (before != null && before.equals(identity(attributes()))) {
                open = channel;
                openIdentity = before;
                return channel;
            }
            channel.close();
        }
        throw new IOException(config.file() + " is another file each time that it is opened");
    }

    private boolean isInPlace(FileChannel channel) throws IOException {
        BasicFileAttributes now = attributes();
        // The size, for file systems that tell files apart by their names only.
        return now != null && Objects.equals(identity(now), openIdentity) && now.size() == channel.size();
    }

    private static @Nullable Object identity(@Nullable BasicFileAttributes file) {
        if (file == null) {
            return null;
        }
        Object key = file.fileKey();
        return key == null ? file.creationTime() : key;
    }

    private @Nullable BasicFileAttributes attributes() throws IOException {
        try {
            return Files.readAttributes(config.file(), BasicFileAttributes.class);
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    private FileAttribute<?>[] forTheOwner() {
        boolean isPosix =
                config.file().getFileSystem().supportedFileAttributeViews().contains("posix");
        return isPosix
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
                }
                : new FileAttribute<?>[0];
    }

    private void rotate(FileChannel full) throws IOException {
        full.close();
        open = null;
        int last = config.files() - 1;
        if (last == 0) {
            Files.delete(config.file());
            return;
        }
        Files.deleteIfExists(numbered(last));
        for (int number = last; number > 1; number--) {
            move(numbered(number - 1), numbered(number));
        }
        move(config.file(), numbered(1));
    }

    private static void move(Path from, Path to) throws IOException {
        if (Files.exists(from)) {
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
        }
    }

    private Path numbered(int number) {
        return config.file().resolveSibling(config.file().getFileName() + "." + number);
    }

    @Override
    public synchronized void close() throws IOException {
        if (open != null) {
            open.close();
            open = null;
        }
    }
}
