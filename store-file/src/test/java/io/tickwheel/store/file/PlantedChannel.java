package io.tickwheel.store.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;

/** A channel of a {@link PlantedDisk}. */
final class PlantedChannel extends FileChannel {

    private final FileChannel inner;
    private final PlantedDisk.Bug bug;
    private final boolean dropsSync;
    private final String name;
    private final AfterSync afterSync;
    private final PlantedBytes bytes;

    /** Written after the sync that was for it. */
    private final ByteBuffer late = ByteBuffer.allocate(1 << 20);

    /** What is done once the file is synced. */
    interface AfterSync {
        void run() throws IOException;
    }

    PlantedChannel(FileChannel inner, PlantedDisk.Bug bug, boolean dropsSync, Path file, AfterSync afterSync) {
        this.inner = inner;
        this.bug = bug;
        this.dropsSync = dropsSync;
        this.name = file.toString();
        this.afterSync = afterSync;
        this.bytes = new PlantedBytes(bug, name);
    }

    private boolean isLog() {
        return name.contains("/commitlog/");
    }

    @Override
    public void force(boolean metaData) throws IOException {
        if (dropsSync) {
            return;
        }
        try {
            inner.force(metaData);
        } catch (IOException e) {
            switch (bug) {
                case FAILED_SYNC_IGNORED -> {}
                case FAILED_SYNC_RETRIED -> inner.force(metaData);
                default -> throw e;
            }
        }
        writeLate();
        afterSync.run();
    }

    private void writeLate() throws IOException {
        late.flip();
        while (late.hasRemaining()) {
            inner.write(late);
        }
        late.clear();
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        if (bug == PlantedDisk.Bug.LOG_SYNCED_BEFORE_WRITE && isLog() && source.remaining() < late.capacity()) {
            writeLate();
            int taken = source.remaining();
            late.put(source);
            return taken;
        }
        if (bug == PlantedDisk.Bug.FAILED_WRITE_IGNORED) {
            int taken = source.remaining();
            try {
                return inner.write(source);
            } catch (IOException e) {
                source.position(source.limit());
                return taken;
            }
        }
        if (bytes.changesWrites()) {
            int taken = source.remaining();
            ByteBuffer changed = bytes.written(source);
            while (changed.hasRemaining()) {
                inner.write(changed);
            }
            return taken;
        }
        int length = source.remaining();
        int written = inner.write(source);
        if (bug == PlantedDisk.Bug.SHORT_WRITE_IGNORED) {
            source.position(source.limit());
            return length;
        }
        return written;
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
        return inner.write(sources, offset, length);
    }

    @Override
    public int write(ByteBuffer source, long position) throws IOException {
        return inner.write(source, position);
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        return inner.read(target);
    }

    @Override
    public long read(ByteBuffer[] targets, int offset, int length) throws IOException {
        return inner.read(targets, offset, length);
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
        int read = inner.read(target, position);
        if (bytes.changesReads() && position == 0 && read > 0) {
            bytes.changeRead(target);
        }
        return read;
    }

    @Override
    public long position() throws IOException {
        return inner.position();
    }

    @Override
    public FileChannel position(long newPosition) throws IOException {
        inner.position(newPosition);
        return this;
    }

    @Override
    public long size() throws IOException {
        return inner.size();
    }

    @Override
    public FileChannel truncate(long size) throws IOException {
        inner.truncate(size);
        return this;
    }

    @Override
    public long transferTo(long position, long count, WritableByteChannel target) throws IOException {
        return inner.transferTo(position, count, target);
    }

    @Override
    public long transferFrom(ReadableByteChannel source, long position, long count) throws IOException {
        return inner.transferFrom(source, position, count);
    }

    @Override
    public MappedByteBuffer map(MapMode mode, long position, long size) throws IOException {
        return inner.map(mode, position, size);
    }

    @Override
    public FileLock lock(long position, long size, boolean shared) throws IOException {
        return inner.lock(position, size, shared);
    }

    @Override
    public FileLock tryLock(long position, long size, boolean shared) throws IOException {
        return inner.tryLock(position, size, shared);
    }

    @Override
    protected void implCloseChannel() throws IOException {
        if (inner.isOpen()) {
            writeLate();
        }
        inner.close();
    }
}
