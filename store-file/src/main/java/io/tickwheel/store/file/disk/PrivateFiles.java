package io.tickwheel.store.file.disk;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Makes files (0600) and directories (0700) that only their owner may read: payloads are nobody else's business. Where the file
 * system knows no such rights, it gives those that it gives to all. What is there already keeps its rights.
 */
public final class PrivateFiles {

    private static final FileAttribute<?>[] NONE = {};
    private static final FileAttribute<?>[] FILE = {
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
    };
    private static final FileAttribute<?>[] DIRECTORY = {
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"))
    };

    private PrivateFiles() {}

    /** Opens a file that the options may make. */
    public static FileChannel open(Path file, OpenOption... options) throws IOException {
        return FileChannel.open(file, Set.of(options), knowsRights(file) ? FILE : NONE);
    }

    /** Makes a directory, and those above it that are missing. */
    static void makeDirectories(Path directory) throws IOException {
        Files.createDirectories(directory, knowsRights(directory) ? DIRECTORY : NONE);
    }

    static boolean knowsRights(Path file) {
        return file.getFileSystem().supportedFileAttributeViews().contains("posix");
    }
}
