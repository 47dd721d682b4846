package io.tickwheel.store.file.log;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * What is written at once: a header and records. A frame is whole or it does not count. Little endian, padded with zeros to a
 * multiple of 512 bytes: a sector that holds accepted bytes is never written again.
 *
 * <pre>
 *    0 magic u32 | 4 epoch u32 | 8 lsn u64 | 16 durable lsn u64
 *   24 frame bytes u32, header and padding included | 28 record count u32 | 32 crc32c u32 | 36 zero u32
 *   40 records
 * </pre>
 *
 * The LSN is the position of the frame in the endless log, in bytes; the next frame starts where this one ends. The durable
 * LSN is how far the log was known to be synced when this frame was written: it proves that what lies before it once was on
 * disk. The checksum covers the identity of the file (see {@link LogSegment#identity}) and all of the frame but itself.
 */
public final class Frame {

    public static final int HEADER_BYTES = 40;
    public static final int ALIGNMENT = 512;

    /** Where its checksum stands. */
    static final int CRC_AT = 32;

    private static final int MAGIC = 0x4c465754; // "TWFL"
    private static final byte[] PADDING = new byte[ALIGNMENT];

    private Frame() {}

    /** What the header of a valid frame says. */
    public record Header(int epoch, long lsn, long durableLsn, int bytes, int count) {}

    public static ByteBuffer seal(ByteBuffer frame, int epoch, long lsn, long durableLsn, int count, long identity) {
        frame.put(PADDING, 0, alignedBytes(frame.position()) - frame.position());
        frame.flip();
        frame.putInt(0, MAGIC)
                .putInt(4, epoch)
                .putLong(8, lsn)
                .putLong(16, durableLsn)
                .putInt(24, frame.limit())
                .putInt(28, count)
                .putInt(36, 0);
        frame.putInt(CRC_AT, crc(frame, 0, frame.limit(), identity));
        return frame;
    }

    /**
     * Gives a frame another epoch, for another file.
     *
     * @param header the first {@value #HEADER_BYTES} bytes of the frame
     * @return the checksum so far: all behind the header is to be added before {@link #setChecksum}
     */
    static CRC32C change(ByteBuffer header, int epoch, long identity) {
        header.putInt(4, epoch);
        CRC32C crc = checksum(identity);
        crc.update(header.duplicate().position(0).limit(CRC_AT));
        crc.update(header.duplicate().position(CRC_AT + Integer.BYTES).limit(HEADER_BYTES));
        return crc;
    }

    static void setChecksum(ByteBuffer header, CRC32C crc) {
        header.putInt(CRC_AT, (int) crc.getValue());
    }

    /** A frame without records; one with a durable LSN higher than its own is not part of the log. */
    public static ByteBuffer empty(int epoch, long lsn, long durableLsn, long identity) {
        ByteBuffer frame = ByteBuffer.allocate(ALIGNMENT).order(ByteOrder.LITTLE_ENDIAN);
        return seal(frame.position(HEADER_BYTES), epoch, lsn, durableLsn, 0, identity);
    }

    /** The bytes that a frame with this much in it takes. */
    static int alignedBytes(int bytes) {
        return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }

    /** The header of the frame at {@code offset}, or null when there is no whole and sound frame. */
    public static @Nullable Header read(ByteBuffer file, int offset, long identity) {
        Header header = header(file, offset);
        boolean sound = header != null
                && header.bytes <= file.limit() - offset
                && file.getInt(offset + CRC_AT) == crc(file, offset, header.bytes, identity);
        return sound ? header : null;
    }

    /** What stands at {@code offset} in the place of a header; null when that is none. Its checksum is not looked at. */
    static @Nullable Header header(ByteBuffer file, int offset) {
        if (file.limit() - offset < HEADER_BYTES || file.getInt(offset) != MAGIC) {
            return null;
        }
        int bytes = file.getInt(offset + 24);
        if (bytes < HEADER_BYTES || bytes % ALIGNMENT != 0) {
            return null;
        }
        return new Header(
                file.getInt(offset + 4),
                file.getLong(offset + 8),
                file.getLong(offset + 16),
                bytes,
                file.getInt(offset + 28));
    }

    private static int crc(ByteBuffer file, int offset, int bytes, long identity) {
        CRC32C crc = checksum(identity);
        ByteBuffer view = file.duplicate();
        view.limit(offset + CRC_AT).position(offset);
        crc.update(view);
        view.limit(offset + bytes).position(offset + CRC_AT + Integer.BYTES);
        crc.update(view);
        return (int) crc.getValue();
    }

    /** The checksum of a frame in that file, to which all bytes of the frame but the checksum itself are to be added. */
    static CRC32C checksum(long identity) {
        CRC32C crc = new CRC32C();
        for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
            crc.update((int) (identity >>> shift) & 0xff);
        }
        return crc;
    }
}
