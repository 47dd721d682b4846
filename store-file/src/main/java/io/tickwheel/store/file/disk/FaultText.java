package io.tickwheel.store.file.disk;

import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import org.jspecify.annotations.Nullable;

/** Says in words why something failed: the exceptions of files may have no more than a name for a message. */
public final class FaultText {

    private FaultText() {}

    /** The reason, with the file where it is known. */
    public static String of(Throwable fault) {
        Throwable cause = told(fault);
        if (cause instanceof FailedFileException named) {
            return named.getMessage();
        }
        String file = file(cause);
        return file == null ? reason(cause) : file + ": " + reason(cause);
    }

    /** The file that an operation failed on; null where that is not known. */
    static @Nullable String file(Throwable fault) {
        return told(fault) instanceof FileSystemException named ? named.getFile() : null;
    }

    /** The reason without the file. */
    static String reason(Throwable fault) {
        if (fault instanceof NoSuchFileException) {
            return "there is no such file";
        }
        if (fault instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (fault instanceof FileAlreadyExistsException) {
            return "there is such a file already";
        }
        if (fault instanceof NotDirectoryException) {
            return "it is a file, must be a directory";
        }
        String said = fault instanceof FileSystemException system ? system.getReason() : fault.getMessage();
        return said == null ? fault.toString() : said;
    }

    private static Throwable told(Throwable fault) {
        return fault instanceof UncheckedIOException && fault.getCause() != null ? fault.getCause() : fault;
    }
}
