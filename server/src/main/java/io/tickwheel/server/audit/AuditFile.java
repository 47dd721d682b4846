package io.tickwheel.server.audit;

import io.tickwheel.server.files.PrivateFile;
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
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The files of an audit log. When the newest would get too large it is given the number 1, that one 2, and so on, and the last is deleted. One that cannot
 * be given its number grows on, and the next write tries again. Files are for their owner only, where the file system knows such. Thread-safe: one write at a time.
 */
final class AuditFile implements Closeable {

    private static final Set<StandardOpenOption> APPEND =
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND);

    private static final int LOOKS = 10;

    private final AuditConfig config;
    private final Renames renames;
    private final Turns turns;
    private @Nullable FileChannel open;
    private @Nullable Object openIdentity;

    /** Gives a file another name, in the place of what has that name; at once or not at all. */
    interface Renames {
        void rename(Path from, Path to) throws IOException;
    }

    /** Learns how it went when a file was to be turned over. */
    interface Turns {
        /**
         * Takes how one try went.
         *
         * @param failure why it was not turned over; null when it was
         */
        void turned(@Nullable IOException failure);
    }

    AuditFile(AuditConfig config, Turns turns) {
        this(config, (from, to) -> Files.move(from, to, StandardCopyOption.ATOMIC_MOVE), turns);
    }

    AuditFile(AuditConfig config, Renames renames, Turns turns) {
        this.config = config;
        this.renames = renames;
        this.turns = turns;
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
            turns.turned(rotate(channel));
            channel = opened();
            size = channel.size();
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
            FileChannel channel = PrivateFile.open(config.file(), APPEND);
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

    /** Returns why the file is still there; null when it is not. */
    private @Nullable IOException rotate(FileChannel full) throws IOException {
        full.close();
        open = null;
        int last = config.files() - 1;
        try {
            if (last == 0) {
                Files.delete(config.file());
                return null;
            }
            // Up to the first number that is free: after a try that failed in its middle no file is deleted for the
            // next one.
            int free = 1;
            while (free < last && Files.exists(numbered(free))) {
                free++;
            }
            for (int number = free; number > 1; number--) {
                renames.rename(numbered(number - 1), numbered(number));
            }
            renames.rename(config.file(), numbered(1));
            return null;
        } catch (IOException e) {
            return e;
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
