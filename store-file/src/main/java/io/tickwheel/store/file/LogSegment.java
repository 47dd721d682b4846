package io.tickwheel.store.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;

/**
 * A file of frames: a segment of the commit log, or a snapshot. A header, then frames, each at the place that its LSN says.
 *
 * <pre>
 *   0 magic u64 | 8 format u32 | 12 crc32c u32 of the rest | 16 store id u64 | 24 first lsn u64     little endian
 *   32 frames
 * </pre>
 */
final class LogSegment implements AutoCloseable {

    static final int HEADER_BYTES = 32;

    private static final long MAGIC = 0x31474553474c5754L; // "TWLGSEG1"

    private final FileChannel channel;
    private long bytes;

    private LogSegment(FileChannel channel, long bytes) {
        this.channel = channel;
        this.bytes = bytes;
    }

    /** Makes a new file with its header; neither is synced yet. */
    static LogSegment create(Path file, long storeId, long baseLsn) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        LogSegment segment = new LogSegment(channel, 0);
        try {
            segment.write(header(storeId, baseLsn));
            return segment;
        } catch (IOException | RuntimeException | Error e) {
            channel.close();
            throw e;
        }
    }

    void write(ByteBuffer frames) throws IOException {
        int length = frames.remaining();
        DataDirectory.writeFully(channel, frames);
        bytes += length;
    }

    void sync() throws IOException {
        channel.force(false);
    }

    long bytes() {
        return bytes;
    }

    /** Whether the bytes begin with the header of this store's file for that LSN. */
    static boolean isHeader(ByteBuffer file, long storeId, long baseLsn) {
        return file.limit() >= HEADER_BYTES
                && file.duplicate().limit(HEADER_BYTES).position(0).equals(header(storeId, baseLsn));
    }

    private static ByteBuffer header(long storeId, long baseLsn) {
        ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        header.putLong(MAGIC).putInt(Manifest.FORMAT).putInt(0).putLong(storeId).putLong(baseLsn);
        CRC32C crc = new CRC32C();
        crc.update(header.array());
        return header.putInt(12, (int) crc.getValue()).flip();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
