package io.tickwheel.store.file.log;

import io.tickwheel.store.file.disk.DurableFiles;
import io.tickwheel.store.file.disk.Manifest;
import io.tickwheel.store.file.disk.PrivateFiles;
import io.tickwheel.store.file.disk.SegmentName;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A segment of the commit log that is being written. A header, then frames, each at the place that its LSN says. What follows the
 * last frame means nothing: zeros, or what a file that is used again held before.
 *
 * <pre>
 *   0 magic u64 | 8 format u32 | 12 crc32c u32 of the rest | 16 store id u64 | 24 first lsn u64     little endian
 *   32 epoch u32 | 36 epoch u32, 40 first lsn i64 of the segment before, or 0 and -1 for none       zeros in format 2
 *   48 zeros | 512 frames
 * </pre>
 *
 * A segment says which one is before it. So the log is a chain that is followed from its newest segment backwards, and what lies
 * beside it, of an owner who did not come to the end of its opening, or who had to give up, is no part of it.
 */
public final class LogSegment implements AutoCloseable {

    /** As much as a frame is aligned to, so that the frames are. */
    public static final int HEADER_BYTES = SegmentName.EMPTY_BYTES;

    private static final long MAGIC = 0x31474553474c5754L; // "TWLGSEG1"
    private static final long NONE = -1;

    /** LSNs of the first 2 TiB take the bits from 9 to 40. */
    private static final int BITS_OF_LSN = 41;

    private final FileChannel channel;
    private final SegmentName name;
    private final boolean preallocated;
    private long bytes;

    private LogSegment(FileChannel channel, SegmentName name, boolean preallocated) {
        this.channel = channel;
        this.name = name;
        this.preallocated = preallocated;
    }

    /** Makes a new file with its header; neither is synced yet. Leaves none when that fails. */
    public static LogSegment create(Path file, long storeId, SegmentName name, @Nullable SegmentName before)
            throws IOException {
        FileChannel channel = PrivateFiles.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        try {
            return begin(new LogSegment(channel, name, false), storeId, before);
        } catch (IOException e) {
            DurableFiles.discard(file);
            throw e;
        }
    }

    /** Begins a segment in a file that was written before; its header is not synced yet. */
    static LogSegment overwrite(Path file, long storeId, SegmentName name, @Nullable SegmentName before)
            throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
        return begin(new LogSegment(channel, name, true), storeId, before);
    }

    private static LogSegment begin(LogSegment segment, long storeId, @Nullable SegmentName before) throws IOException {
        try {
            segment.write(header(storeId, segment.name, before));
            return segment;
        } catch (IOException | RuntimeException | Error e) {
            segment.close();
            throw e;
        }
    }

    public void write(ByteBuffer frames) throws IOException {
        int length = frames.remaining();
        DurableFiles.writeFully(channel, frames);
        bytes += length;
    }

    public void sync() throws IOException {
        channel.force(false);
    }

    /** How much was written, the header included. */
    long bytes() {
        return bytes;
    }

    public SegmentName name() {
        return name;
    }

    /** Whether the file was there before, so that writing does not make it grow. */
    boolean isPreallocated() {
        return preallocated;
    }

    /**
     * What the frames of one segment of the log have in their checksums and those of no other have, so that what a file that is
     * used again still holds is never taken for something current. A CRC tells any two apart that differ within 32 bits in
     * a row, as the first LSNs that one owner gives do for the first 2 TiB of its log. An epoch takes the bits beside these.
     */
    public static long identity(long storeId, SegmentName name) {
        return storeId ^ name.baseLsn() ^ Long.rotateLeft(name.epoch(), BITS_OF_LSN);
    }

    /**
     * What the header of a segment says.
     *
     * @param before the segment before; null when there is none, and in format 2
     */
    record Header(@Nullable SegmentName before) {}

    /** The header of that segment of this store; null when it is none, or damaged. */
    static @Nullable Header header(SegmentReader file, long storeId, SegmentName name) throws IOException {
        int at = file.load(0, HEADER_BYTES);
        return at < 0
                ? null
                : header(file.window().slice(at, HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN), storeId, name);
    }

    private static @Nullable Header header(ByteBuffer bytes, long storeId, SegmentName name) {
        SegmentName before = null;
        if (name.epoch() > 0 && bytes.getLong(40) != NONE) {
            before = new SegmentName(bytes.getLong(40), bytes.getInt(36));
        }
        return bytes.equals(header(storeId, name, before)) ? new Header(before) : null;
    }

    private static ByteBuffer header(long storeId, SegmentName name, @Nullable SegmentName before) {
        ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        boolean old = name.epoch() == 0;
        header.putLong(MAGIC)
                .putInt(old ? Manifest.OLD_FORMAT : Manifest.FORMAT)
                .putInt(0)
                .putLong(storeId)
                .putLong(name.baseLsn());
        if (!old) {
            header.putInt(name.epoch())
                    .putInt(before == null ? 0 : before.epoch())
                    .putLong(before == null ? NONE : before.baseLsn());
        }
        CRC32C crc = new CRC32C();
        crc.update(header.array());
        return header.putInt(12, (int) crc.getValue()).clear();
    }

    /** The id of the store that a sound header names; 0 when there is none. */
    public static long storeId(SegmentReader file, SegmentName name) throws IOException {
        int at = file.load(0, HEADER_BYTES);
        long storeId = at < 0 ? 0 : file.window().getLong(at + 16);
        return header(file, storeId, name) == null ? 0 : storeId;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
