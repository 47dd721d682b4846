package io.tickwheel.store.file.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;

/**
 * A file of which all is given that the disk can read, and zeros in place of the pages that it cannot, which are noted. Whoever
 * reads it must be able to tell zeros from what was written. Reads at given positions only; for one thread.
 *
 * <pre>
 *   read          as much as is wanted, up to the next page that is known to be bad
 *   fails         once more, up to the end of the page at most
 *   fails again   zeros up to the end of the page
 * </pre>
 */
final class ReadPastChannel extends FileChannel {

    private final FileChannel channel;
    private final Path file;
    private final BadSectors bad;

    ReadPastChannel(FileChannel channel, Path file, BadSectors bad) {
        this.channel = channel;
        this.file = file;
        this.bad = bad;
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
        if (!target.hasRemaining()) {
            return 0;
        }
        long end = bad.nextBad(file, position, position + target.remaining());
        if (position < end) {
            try {
                return readUpTo(end, target, position);
            } catch (ClosedChannelException e) {
                throw e;
            } catch (IOException e) {
                // Not all of it needs to be bad.
            }
            try {
                return readUpTo(Math.min(end, BadSectors.pageEnd(position)), target, position);
            } catch (ClosedChannelException e) {
                throw e;
            } catch (IOException e) {
                bad.add(file, position, size());
            }
        }
        return zeros(target, position);
    }

    private int readUpTo(long end, ByteBuffer target, long position) throws IOException {
        int length = (int) (end - position);
        int read = channel.read(target.slice(target.position(), length), position);
        target.position(target.position() + Math.max(0, read));
        return read;
    }

    private int zeros(ByteBuffer target, long position) throws IOException {
        long end = Math.min(size(), BadSectors.pageEnd(position));
        if (position >= end) {
            return -1;
        }
        int length = (int) Math.min(target.remaining(), end - position);
        target.put(new byte[length]);
        return length;
    }

    @Override
    public long size() throws IOException {
        return channel.size();
    }

    @Override
    protected void implCloseChannel() throws IOException {
        channel.close();
    }

    @Override
    public int read(ByteBuffer target) {
        throw readsAtPositionsOnly();
    }

    @Override
    public long read(ByteBuffer[] targets, int offset, int length) {
        throw readsAtPositionsOnly();
    }

    @Override
    public long position() {
        throw readsAtPositionsOnly();
    }

    @Override
    public FileChannel position(long newPosition) {
        throw readsAtPositionsOnly();
    }

    @Override
    public long transferTo(long position, long count, WritableByteChannel target) {
        throw readsAtPositionsOnly();
    }

    @Override
    public MappedByteBuffer map(MapMode mode, long position, long size) {
        throw readsAtPositionsOnly();
    }

    @Override
    public FileLock lock(long position, long size, boolean shared) {
        throw readsAtPositionsOnly();
    }

    @Override
    public FileLock tryLock(long position, long size, boolean shared) {
        throw readsAtPositionsOnly();
    }

    private UnsupportedOperationException readsAtPositionsOnly() {
        return new UnsupportedOperationException(file + " is open to be read at given positions only");
    }

    @Override
    public int write(ByteBuffer source) {
        throw new NonWritableChannelException();
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) {
        throw new NonWritableChannelException();
    }

    @Override
    public int write(ByteBuffer source, long position) {
        throw new NonWritableChannelException();
    }

    @Override
    public long transferFrom(ReadableByteChannel source, long position, long count) {
        throw new NonWritableChannelException();
    }

    @Override
    public FileChannel truncate(long size) {
        throw new NonWritableChannelException();
    }

    @Override
    public void force(boolean metaData) {
        throw new NonWritableChannelException();
    }
}
