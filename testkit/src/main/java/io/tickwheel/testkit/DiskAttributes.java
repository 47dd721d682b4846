package io.tickwheel.testkit;

import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import org.jspecify.annotations.Nullable;

/** What the disk knows of a file: its kind and size. It has no clock, so it has no times. */
record DiskAttributes(boolean isDirectory, long size) implements BasicFileAttributes {
    static DiskAttributes of(Node node) {
        return node instanceof FileNode file ? new DiskAttributes(false, file.size()) : new DiskAttributes(true, 0);
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
    public @Nullable Object fileKey() {
        return null;
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
