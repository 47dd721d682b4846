package io.tickwheel.store.testkit;

import java.nio.file.FileStore;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.FileStoreAttributeView;
import org.jspecify.annotations.Nullable;

/** The space of the disk. Asking for it is not an operation that can crash or fail. */
final class DiskFileStore extends FileStore {
    private final DiskController controller;

    DiskFileStore(DiskController controller) {
        this.controller = controller;
    }

    @Override
    public String name() {
        return "simulated";
    }

    @Override
    public String type() {
        return "simulated";
    }

    @Override
    public boolean isReadOnly() {
        return false;
    }

    @Override
    public long getTotalSpace() {
        return controller.capacityBytes();
    }

    @Override
    public long getUsableSpace() {
        return controller.usableBytes();
    }

    @Override
    public long getUnallocatedSpace() {
        return controller.usableBytes();
    }

    @Override
    public boolean supportsFileAttributeView(Class<? extends FileAttributeView> type) {
        return type == BasicFileAttributeView.class;
    }

    @Override
    public boolean supportsFileAttributeView(String name) {
        return name.equals("basic");
    }

    @Override
    public <V extends FileStoreAttributeView> @Nullable V getFileStoreAttributeView(Class<V> type) {
        return null;
    }

    @Override
    public Object getAttribute(String attribute) {
        throw NotModelled.operation("the file store attribute " + attribute);
    }
}
