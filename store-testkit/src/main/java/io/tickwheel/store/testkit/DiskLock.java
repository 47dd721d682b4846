package io.tickwheel.store.testkit;

import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;

/** A lock of a whole file. */
final class DiskLock extends FileLock {
    private final FileNode file;

    DiskLock(DiskChannel channel, FileNode file, boolean shared) {
        super(channel, 0, Long.MAX_VALUE, shared);
        this.file = file;
    }

    /** Takes the lock unless another process holds it. */
    boolean acquire() {
        if (file.lockHolder() instanceof DiskLock) {
            throw new OverlappingFileLockException();
        }
        if (file.lockHolder() != null) {
            return false;
        }
        file.lockHolder(this);
        return true;
    }

    @Override
    public boolean isValid() {
        return file.lockHolder() == this;
    }

    @Override
    public void release() throws ClosedChannelException {
        if (!acquiredBy().isOpen()) {
            throw new ClosedChannelException();
        }
        if (isValid()) {
            file.lockHolder(null);
        }
    }
}
