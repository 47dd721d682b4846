package io.tickwheel.server.files;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Makes files that only their owner may read (0600), where the file system knows such rights. What is there already keeps its own. */
public final class PrivateFile {

    private static final FileAttribute<?>[] NONE = {};
    private static final FileAttribute<?>[] OWNER = {
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
    };

    private PrivateFile() {}

    /** Opens a file that the options may make. */
    public static FileChannel open(Path file, Set<StandardOpenOption> options) throws IOException {
        boolean knowsRights = file.getFileSystem().supportedFileAttributeViews().contains("posix");
        return FileChannel.open(file, options, knowsRights ? OWNER : NONE);
    }
}
