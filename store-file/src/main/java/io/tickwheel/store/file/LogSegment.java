package io.tickwheel.store.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;

/**
 * A file of frames: a segment of the commit log, or a snapshot. A header, then frames, each at the place that its LSN says. What
 * follows the last frame means nothing: zeros, or what a file that is used again held before.
 *
 * <pre>
 *   0 magic u64 | 8 format u32 | 12 crc32c u32 of the rest | 16 store id u64 | 24 first lsn u64     little endian
 *   32 zeros | 512 frames
 * </pre>
 */
final class LogSegment implements AutoCloseable {

    /** As much as a frame is aligned to, so that the frames are. */
    static final int HEADER_BYTES = Frame.ALIGNMENT;

    private static final long MAGIC = 0x31474553474c5754L; // "TWLGSEG1"

    private final FileChannel channel;
    private final long baseLsn;
    private final boolean preallocated;
    private long bytes;

    private LogSegment(FileChannel channel, long baseLsn, boolean preallocated) {
        this.channel = channel;
        this.baseLsn = baseLsn;
        this.preallocated = preallocated;
    }

    /** Makes a new file with its header; neither is synced yet. */
    static LogSegment create(Path file, long storeId, long baseLsn) throws IOException {
        FileChannel channel = PrivateFiles.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        return begin(new LogSegment(channel, baseLsn, false), storeId);
    }

    /** Begins a segment in a file that was written before; its header is not synced yet. */
    static LogSegment overwrite(Path file, long storeId, long baseLsn) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
        return begin(new LogSegment(channel, baseLsn, true), storeId);
    }

    private static LogSegment begin(LogSegment segment, long storeId) throws IOException {
        try {
            segment.write(header(storeId, segment.baseLsn));
            return segment;
        } catch (IOException | RuntimeException | Error e) {
            segment.close();
            throw e;
        }
    }

    /** Writes what another segment holds behind its header. */
    void writeFrom(SegmentReader other, long end) throws IOException {
        other.copyTo(channel, HEADER_BYTES, end);
        bytes += end - HEADER_BYTES;
    }

    void write(ByteBuffer frames) throws IOException {
        int length = frames.remaining();
        DataDirectory.writeFully(channel, frames);
        bytes += length;
    }

    void sync() throws IOException {
        channel.force(false);
    }

    /** Ends the file behind what was written, and syncs it. */
    void cutAndSync() throws IOException {
        channel.truncate(bytes);
        channel.force(true);
    }

    /** How much was written, the header included. */
    long bytes() {
        return bytes;
    }

    /** The LSN of its first frame. */
    long baseLsn() {
        return baseLsn;
    }

    /** Whether the file was there before, so that writing does not make it grow. */
    boolean isPreallocated() {
        return preallocated;
    }

    /**
     * What the frames of one segment of the log have in their checksums and those of no other have, so that what a file that is
     * used again still holds is never taken for something current. A CRC tells any two apart that differ within 32 bits in
     * a row, as the first LSNs of one store do for the first 2 TiB of its log.
     */
    static long identity(long storeId, long baseLsn) {
        return storeId ^ baseLsn;
    }

    /** Whether a file begins with the header of this store's file for that LSN. */
    static boolean isHeader(SegmentReader file, long storeId, long baseLsn) throws IOException {
        int at = file.load(0, HEADER_BYTES);
        return at >= 0
                && isHeader(file.window().duplicate().limit(at + HEADER_BYTES).position(at), storeId, baseLsn);
    }

    /** Whether the bytes that remain are that header. */
    static boolean isHeader(ByteBuffer bytes, long storeId, long baseLsn) {
        return bytes.equals(header(storeId, baseLsn));
    }

    private static ByteBuffer header(long storeId, long baseLsn) {
        ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        header.putLong(MAGIC).putInt(Manifest.FORMAT).putInt(0).putLong(storeId).putLong(baseLsn);
        CRC32C crc = new CRC32C();
        crc.update(header.array());
        return header.putInt(12, (int) crc.getValue()).clear();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
