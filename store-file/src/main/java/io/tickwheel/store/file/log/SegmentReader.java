package io.tickwheel.store.file.log;

import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.file.disk.DurableFiles;
import io.tickwheel.store.file.disk.SegmentName;
import io.tickwheel.store.file.memory.OffHeap;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Reads one segment of the commit log after the other through a window outside the heap: how large a segment may be does not
 * depend on the heap, nor on the memory of the machine. Only a record that is larger than the window makes it grow. What was
 * brought into the window stands there until the next call that reads. For one thread.
 *
 * <pre>
 *   segment   [ header | frame | frame | frame | frame ... ]
 *   window                 [ 4 MiB          ]                    moves on, and back to the records of a frame that is longer
 * </pre>
 */
public final class SegmentReader implements AutoCloseable {

    /** As long as a frame gets, about. */
    private static final int WINDOW_BYTES = 4 << 20;

    /** A window up to this may lie on the heap. */
    private static final int SMALL_BYTES = 64 << 10;

    private final int windowBytes;
    private ByteBuffer window = ByteBuffer.allocate(0);
    private @Nullable FileChannel channel;
    private @Nullable Path path;
    private long bytes;
    private long windowStart;

    public SegmentReader() {
        this(WINDOW_BYTES);
    }

    SegmentReader(int windowBytes) {
        this.windowBytes = windowBytes;
    }

    /** Goes on with this segment; closes the one before. */
    public void open(DataDirectory directory, SegmentName name) throws IOException {
        Path file = directory.segment(name);
        open(file, directory.openFile(file));
    }

    void open(Path file, FileChannel opened) throws IOException {
        close();
        channel = opened;
        path = file;
        bytes = opened.size();
        windowStart = 0;
        window.limit(0);
    }

    /** How long the file was when it was opened. */
    long bytes() {
        return bytes;
    }

    /** Where the bytes stand that were brought here last. */
    ByteBuffer window() {
        return window;
    }

    /** Brings bytes into the window; returns where they begin there, or -1 when there are not so many. */
    int load(long offset, int length) throws IOException {
        if (offset < windowStart || offset + length > windowStart + window.limit()) {
            fill(offset, length);
        }
        int at = (int) (offset - windowStart);
        return at + length > window.limit() ? -1 : at;
    }

    private void fill(long offset, int length) throws IOException {
        if (offset + length > bytes) {
            window.limit(0);
            windowStart = offset;
            return;
        }
        int useful = (int) Math.min(bytes - offset, windowBytes);
        if (window.capacity() < Math.max(length, useful)) {
            window = allocate((int) Math.max(length, Math.min(bytes, windowBytes)));
        }
        window.clear().limit((int) Math.min(bytes - offset, window.capacity()));
        windowStart = offset;
        FileChannel file = channel;
        assert file != null && path != null;
        try {
            while (window.hasRemaining()) {
                if (file.read(window, offset + window.position()) < 0) {
                    break;
                }
            }
        } catch (IOException e) {
            window.limit(0);
            throw DurableFiles.unreadable(path, e);
        }
        window.flip();
    }

    /** Memory outside the heap, when it is much. */
    static ByteBuffer allocate(int length) {
        return length <= SMALL_BYTES
                ? ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN)
                : OffHeap.allocate(length);
    }

    /** The header of the frame at that offset of the file; null when there is no whole and sound frame. */
    Frame.@Nullable Header frame(long offset, long identity) throws IOException {
        int at = load(offset, Frame.HEADER_BYTES);
        Frame.Header header = at < 0 ? null : Frame.header(window, at);
        if (header == null || header.bytes() > bytes - offset) {
            return null;
        }
        int crc = window.getInt(at + Frame.CRC_AT);
        // As a whole, when it fits: its records are wanted in a moment.
        load(offset, Math.min(header.bytes(), windowBytes));
        CRC32C found = Frame.checksum(identity);
        boolean whole = forEachPiece(offset, offset + Frame.CRC_AT, found::update)
                && forEachPiece(offset + Frame.CRC_AT + Integer.BYTES, offset + header.bytes(), found::update);
        return whole && crc == (int) found.getValue() ? header : null;
    }

    /** Takes bytes of the file. */
    interface Pieces {
        void take(ByteBuffer piece) throws IOException;
    }

    /** Gives a part of the file, as much at a time as the window holds; returns whether all of it was there. */
    boolean forEachPiece(long from, long end, Pieces pieces) throws IOException {
        long at = from;
        for (ByteBuffer piece = piece(at, end); piece != null; piece = piece(at, end)) {
            at += piece.remaining();
            pieces.take(piece);
        }
        return at == end;
    }

    /** A next part of the file, as much as fits; null at its end. */
    private @Nullable ByteBuffer piece(long offset, long end) throws IOException {
        if (offset == end) {
            return null;
        }
        int at = load(offset, 1);
        if (at < 0) {
            return null;
        }
        int length = (int) Math.min(end - offset, window.limit() - at);
        return window.duplicate().limit(at + length).position(at);
    }

    /** Writes the first part of the file to another one, and returns its CRC-32C. */
    public int copyTo(FileChannel target, long length) throws IOException {
        CRC32C crc = new CRC32C();
        boolean whole = forEachPiece(0, length, piece -> {
            crc.update(piece.duplicate());
            DurableFiles.writeFully(target, piece);
        });
        if (!whole) {
            assert path != null;
            throw DurableFiles.unreadable(path, new IOException("the file became shorter while it was read"));
        }
        return (int) crc.getValue();
    }

    @Override
    public void close() throws IOException {
        FileChannel file = channel;
        channel = null;
        if (file != null) {
            file.close();
        }
    }
}
