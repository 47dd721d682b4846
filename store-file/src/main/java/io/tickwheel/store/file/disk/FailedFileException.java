package io.tickwheel.store.file.disk;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;

/** An operation on an open file failed: has the file, which the system does not name then. */
final class FailedFileException extends FileSystemException {
    private static final long serialVersionUID = 1L;

    private final String doing;

    FailedFileException(String doing, Path file, IOException cause) {
        super(file.toString(), null, FaultText.reason(cause));
        this.doing = doing;
        initCause(cause);
    }

    @Override
    public String getMessage() {
        return doing + " " + getFile() + " failed: " + getReason();
    }
}
