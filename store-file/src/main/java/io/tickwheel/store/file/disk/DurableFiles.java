package io.tickwheel.store.file.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads and writes files as a whole, and makes names in directories durable. Any thread. */
public final class DurableFiles {

    private DurableFiles() {}

    /** Deletes what is not needed, as far as that can be done: the next opening drops what is left. */
    public static void discard(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            // What could not be written cannot always be deleted either.
        }
    }

    public static void makeDirectory(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            RootCheck.refuseFile(directory);
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

    /** Gives a complete and synced file its name, which is durable once the directory is synced. */
    public static void rename(Path unfinished, Path file) throws IOException {
        Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /** As {@link #rename}, and syncs the directory. */
    public static void publish(Path unfinished, Path file) throws IOException {
        rename(unfinished, file);
        Path directory = file.getParent();
        if (directory != null) {
            sync(directory);
        }
    }

    public static ByteBuffer read(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            return read(channel, file);
        }
    }

    /** Reads all of an open file. */
    static ByteBuffer read(FileChannel channel, Path file) throws IOException {
        try {
            return read(channel, 0, Math.toIntExact(channel.size()));
        } catch (IOException e) {
            throw unreadable(file, e);
        }
    }

    /** What to throw when a file cannot be read: the system does not say which one that was. */
    public static IOException unreadable(Path file, IOException cause) {
        return cause instanceof FailedFileException ? cause : new FailedFileException("reading", file, cause);
    }

    /** What to throw when a file, or something in a directory, cannot be written: as it is, where it says itself which file that was. */
    static IOException unwritable(Path file, IOException cause) {
        return cause instanceof FileSystemException ? cause : new FailedFileException("writing", file, cause);
    }

    /** Reads {@code length} bytes from {@code offset} on, or as many as there are. */
    public static ByteBuffer read(FileChannel channel, long offset, int length) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
        while (bytes.hasRemaining()) {
            if (channel.read(bytes, offset + bytes.position()) < 0) {
                break;
            }
        }
        return bytes.flip();
    }

    public static void writeFully(FileChannel channel, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            if (channel.write(bytes) <= 0) {
                throw new IOException("the file took none of " + bytes.remaining() + " bytes");
            }
        }
    }

    /** Makes the names in a directory durable. */
    public static void sync(Path directory) throws IOException {
        try (FileChannel names = openDirectory(directory)) {
            sync(names);
        }
    }

    /** Opens a directory to make its names durable later; null on Windows, which does so by itself, and lets nobody open a directory. */
    public static @Nullable FileChannel openDirectory(Path directory) throws IOException {
        try {
            return FileChannel.open(directory, StandardOpenOption.READ);
        } catch (AccessDeniedException e) {
            if (PrivateFiles.knowsRights(directory)) {
                throw e;
            }
            return null;
        }
    }

    /** Makes the names in a directory durable that was opened with {@link #openDirectory}. */
    public static void sync(@Nullable FileChannel names) throws IOException {
        if (names != null) {
            names.force(true);
        }
    }

    /** The names in a directory; none where there is no directory. */
    static List<String> names(Path directory) throws IOException {
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                names.add(file.getFileName().toString());
            }
        } catch (NoSuchFileException e) {
            return List.of();
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return names;
    }
}
