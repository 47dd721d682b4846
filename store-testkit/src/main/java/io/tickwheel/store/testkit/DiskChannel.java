package io.tickwheel.store.testkit;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A channel to a file, or to a directory that is to be synced. Each call but {@code position} and {@code close} is one
 * operation of the disk; a scattering read is one for each buffer it reaches. Interrupts have no effect. Not thread-safe.
 */
final class DiskChannel extends FileChannel {
    private final DiskController controller;
    private final Node node;
    private final DiskPath path;
    private final OpenMode mode;
    private final @Nullable Throwable openedAt;
    private int seenSyncErrors;
    private long position;

    DiskChannel(DiskController controller, Node node, DiskPath path, OpenMode mode) {
        this.controller = controller;
        this.node = node;
        this.path = path;
        this.mode = mode;
        this.openedAt = controller.remembersOpeners() ? new Throwable("opened " + path + " here") : null;
        this.seenSyncErrors = node instanceof FileNode file ? file.syncErrors() : 0;
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        int read = readAt(position, target);
        position += Math.max(0, read);
        return read;
    }

    @Override
    public long read(ByteBuffer[] targets, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, targets.length);
        long total = 0;
        for (int i = offset; i < offset + length; i++) {
            int read = read(targets[i]);
            if (read < 0) {
                return total == 0 ? -1 : total;
            }
            total += read;
            if (targets[i].hasRemaining()) {
                return total;
            }
        }
        return total;
    }

    @Override
    public int read(ByteBuffer target, long from) throws IOException {
        checkNotNegative(from);
        return readAt(from, target);
    }

    private int readAt(long from, ByteBuffer target) throws IOException {
        FileNode file = readableFile();
        return target.hasRemaining() ? controller.read(file, path.toString(), from, target) : 0;
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        return (int) write(new ByteBuffer[] {source}, 0, 1);
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, sources.length);
        FileNode file = writableFile();
        long start = position();
        int written = writeAt(file, start, sources, offset, length);
        position = start + written;
        return written;
    }

    @Override
    public int write(ByteBuffer source, long at) throws IOException {
        checkNotNegative(at);
        FileNode file = writableFile();
        if (mode.append()) {
            throw NotModelled.operation("a positional write to a channel opened with APPEND");
        }
        return writeAt(file, at, new ByteBuffer[] {source}, 0, 1);
    }

    private int writeAt(FileNode file, long start, ByteBuffer[] sources, int offset, int length) throws IOException {
        int total = 0;
        for (int i = offset; i < offset + length; i++) {
            total = Math.addExact(total, sources[i].remaining());
        }
        byte[] bytes = new byte[total];
        int filled = 0;
        for (int i = offset; i < offset + length; i++) {
            int remaining = sources[i].remaining();
            sources[i].duplicate().get(bytes, filled, remaining);
            filled += remaining;
        }
        int written = controller.write(file, path.toString(), start, bytes);
        int left = written;
        for (int i = offset; i < offset + length; i++) {
            int taken = Math.min(left, sources[i].remaining());
            sources[i].position(sources[i].position() + taken);
            left -= taken;
        }
        return written;
    }

    @Override
    public long position() throws IOException {
        ensureOpen();
        return mode.append() ? file().size() : position;
    }

    @Override
    public FileChannel position(long newPosition) throws IOException {
        ensureOpen();
        checkNotNegative(newPosition);
        position = newPosition;
        return this;
    }

    @Override
    public long size() throws IOException {
        ensureOpen();
        return controller.run(DiskOperation.STAT, path, () -> file().size());
    }

    @Override
    public FileChannel truncate(long size) throws IOException {
        checkNotNegative(size);
        FileNode file = writableFile();
        controller.truncate(file, path.toString(), (int) Math.min(size, Integer.MAX_VALUE));
        position = Math.min(position, size);
        return this;
    }

    @Override
    public void force(boolean metaData) throws IOException {
        ensureOpen();
        if (node instanceof FileNode file) {
            DiskFault fault = controller.sync(file, path.toString(), metaData);
            boolean failedElsewhere = seenSyncErrors != file.syncErrors();
            seenSyncErrors = file.syncErrors();
            if (fault != null) {
                throw new IOException(fault.message());
            }
            if (failedElsewhere) {
                throw new IOException(DiskFault.SYNC_ERROR.message());
            }
        } else if (node instanceof DirectoryNode directory) {
            controller.sync(directory, path.toString());
        }
    }

    @Override
    public FileLock lock(long from, long size, boolean shared) throws IOException {
        FileLock lock = tryLock(from, size, shared);
        if (lock == null) {
            throw new IOException("Resource deadlock avoided: another process holds the lock of " + path);
        }
        return lock;
    }

    @Override
    public @Nullable FileLock tryLock(long from, long size, boolean shared) throws IOException {
        if (from != 0 || size != Long.MAX_VALUE) {
            throw NotModelled.operation("a lock of a part of a file");
        }
        DiskLock lock = new DiskLock(this, shared ? readableFile() : writableFile(), shared);
        boolean acquired = controller.run(DiskOperation.LOCK, path, lock::acquire);
        return acquired ? lock : null;
    }

    @Override
    public long transferTo(long from, long count, WritableByteChannel target) {
        throw NotModelled.operation("FileChannel.transferTo");
    }

    @Override
    public long transferFrom(ReadableByteChannel source, long at, long count) {
        throw NotModelled.operation("FileChannel.transferFrom");
    }

    @Override
    public MappedByteBuffer map(MapMode mapMode, long from, long size) {
        throw NotModelled.operation("FileChannel.map");
    }

    @Override
    protected void implCloseChannel() {
        if (node instanceof FileNode file && file.lockHolder() instanceof DiskLock lock && lock.acquiredBy() == this) {
            file.lockHolder(null);
        }
        controller.closed(this);
    }

    /** Closes without the process asking for it. */
    void abandon() {
        try {
            close();
        } catch (IOException impossible) {
            throw new AssertionError("closing does no input or output", impossible);
        }
    }

    Node node() {
        return node;
    }

    OpenChannel describe() {
        return new OpenChannel(path, openedAt);
    }

    private FileNode readableFile() throws IOException {
        ensureOpen();
        if (!mode.read()) {
            throw new NonReadableChannelException();
        }
        return file();
    }

    private FileNode writableFile() throws IOException {
        ensureOpen();
        if (!mode.write()) {
            throw new NonWritableChannelException();
        }
        return file();
    }

    private FileNode file() throws IOException {
        if (node instanceof FileNode file) {
            return file;
        }
        throw new IOException("Is a directory");
    }

    private void ensureOpen() throws ClosedChannelException {
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
    }

    private static void checkNotNegative(long value) {
        if (value < 0) {
            throw new IllegalArgumentException("negative position or size: " + value);
        }
    }
}
