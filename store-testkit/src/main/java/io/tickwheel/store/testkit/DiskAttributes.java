package io.tickwheel.store.testkit;

import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import org.jspecify.annotations.Nullable;

/** What the disk knows of a file: its kind, size and key. It has no clock, so it has no times. */
record DiskAttributes(
        boolean isDirectory, long size, @Nullable Object fileKey) implements BasicFileAttributes {
    static DiskAttributes of(Node node, @Nullable Object fileKey) {
        return node instanceof FileNode file
                ? new DiskAttributes(false, file.size(), fileKey)
                : new DiskAttributes(true, 0, fileKey);
    }

    @Override
    public boolean isRegularFile() {
        return !isDirectory;
    }

    @Override
    public boolean isSymbolicLink() {
        return false;
    }

    @Override
    public boolean isOther() {
        return false;
    }

    @Override
    public FileTime lastModifiedTime() {
        throw NotModelled.operation("file times");
    }

    @Override
    public FileTime lastAccessTime() {
        throw NotModelled.operation("file times");
    }

    @Override
    public FileTime creationTime() {
        throw NotModelled.operation("file times");
    }
}
