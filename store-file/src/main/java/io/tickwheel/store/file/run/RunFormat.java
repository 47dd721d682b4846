package io.tickwheel.store.file.run;

import io.tickwheel.store.Lane;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a run: an immutable file of the schedule log with timers in the order of attempt time and seq. Little endian.
 *
 * <pre>
 *   header    0 magic "TWLGRUN1" | 8 format u32 | 12 crc u32 of this header with 0 here | 16 store id u64 | 24 file number u64
 *   records   32: the bytes of a {@code TimerRecord} each, back to back, in the order of the entries
 *   zeros     up to a multiple of 4,096
 *   filter    blocks of 4,096 bytes: 63 lines of 64 bytes of a {@link RunFilter}, and zeros
 *             at 4,084: crc u32 of identity, -2 less the position of the block and the 4,084 bytes before | zero u64
 *   entries   blocks of 4,096 bytes: 92 entries, the last block fewer, and zeros
 *             entry   0 attempt i64 ms | 8 seq u64 | 16 hash u64 | 24 offset u32 of the record in the file | 28 length u32
 *                     32 lane u32: position in the names | 36 crc u32 of the record
 *                     40 next u32: the ordinal of the next entry of the lane, 0 for none
 *             at 4,080: count u32 | crc u32 of identity, position of the block and the 4,084 bytes before
 *                       format u32 | zero u32
 *   names     (bytes u16, UTF-8, route i64, timers u32, first ordinal u32) for each lane
 *   trailer   the last 64 bytes: 0 magic "TWLGRUNE" | 8 count u32 | 12 tier u32 | 16 entries offset u64
 *             24 names offset u64 | 32 lanes u32 | 36 blocks of the filter u32 | 40 first attempt i64 | 48 last attempt i64
 *             56 crc u32 of identity, names and trailer up to here | 60 zero u32
 * </pre>
 *
 * <p>A run that an older version wrote has no filter, and says 0 there; older versions pass over one.
 *
 * <p>The entries of a lane are a list, so that they can be gone through without a look at those of others. A run of format 2 has no such
 * lists: its entries have 40 bytes, 102 in a block, and its names are (bytes u16, UTF-8, timers u32) for each queue; the routes
 * of its timers are not known.
 *
 * <p>The number of the file has the epoch of the owner who wrote it in the high 32 bits, 0 in format 2, and the number of the run in
 * the low ones. The identity is the id of the store xor the epoch in the high 32 bits, then the number of the run.
 */
public final class RunFormat {

    static final long MAGIC = 0x314e5552474c5754L; // "TWLGRUN1"
    public static final long END_MAGIC = 0x454e5552474c5754L; // "TWLGRUNE"
    public static final int HEADER_BYTES = 32;
    public static final int BLOCK_BYTES = 4_096;
    public static final int BLOCK_COUNT_AT = 4_080;
    public static final int BLOCK_CRC_AT = BLOCK_COUNT_AT + Integer.BYTES;
    public static final int BLOCK_FORMAT_AT = BLOCK_CRC_AT + Integer.BYTES;
    public static final int TRAILER_BYTES = 64;
    static final int TRAILER_FILTER_AT = 36;
    public static final int TRAILER_CRC_AT = 56;

    static final byte[] ZEROS = new byte[BLOCK_BYTES];

    /** A run gets no longer than this, about, so that an offset fits into 32 bits. */
    static final long MAX_BYTES = 1L << 30;

    /** How far ahead the timers of a run were due when it was written: timers that die together stand together. */
    public enum Tier {
        /** Less than two days. */
        NEAR,
        /** Less than 64 days. */
        MID,
        FAR,
        /** Given up, and kept: never due. */
        DEAD;

        /** Its number in the files, which never changes. */
        public int number() {
            return switch (this) {
                case NEAR -> 0;
                case MID -> 1;
                case FAR -> 2;
                case DEAD -> 3;
            };
        }

        public static Tier ofNumber(int number) {
            return switch (number) {
                case 0 -> NEAR;
                case 1 -> MID;
                case 2 -> FAR;
                case 3 -> DEAD;
                default -> throw new IllegalArgumentException("unknown tier " + number);
            };
        }

        private static final long DAY_MS = 24 * 3_600_000L;

        public static Tier of(long dueAtMs, boolean dead, long nowMs) {
            if (dead) {
                return DEAD;
            }
            if (dueAtMs < later(nowMs, 2 * DAY_MS)) {
                return NEAR;
            }
            return dueAtMs < later(nowMs, 64 * DAY_MS) ? MID : FAR;
        }

        private static long later(long nowMs, long delayMs) {
            long later = nowMs + delayMs;
            return later < nowMs ? Long.MAX_VALUE : later;
        }
    }

    /**
     * How the entries lie in a run.
     *
     * @param format the format that it was written in
     * @param entryBytes how long an entry is
     * @param perBlock how many a block has
     */
    public record Entries(int format, int entryBytes, int perBlock) {

        public static final Entries CURRENT = new Entries(3, 44, 92);
        public static final Entries FORMAT_2 = new Entries(2, 40, 102);

        /** Where in an entry the next one of its lane is said. */
        int nextAt() {
            assert areLinked();
            return 40;
        }

        /** Whether the entries of a lane are a list. */
        public boolean areLinked() {
            return format >= 3;
        }

        public int blocks(int count) {
            return (count + perBlock - 1) / perBlock;
        }

        int block(int ordinal) {
            return ordinal / perBlock;
        }

        /** Where an entry begins in its block. */
        public int offset(int ordinal) {
            return ordinal % perBlock * entryBytes;
        }
    }

    private RunFormat() {}

    public static long fileNumber(int epoch, int number) {
        return (long) epoch << 32 | number;
    }

    /** The number by which a run is known while the store is open. */
    public static int number(long fileNumber) {
        return (int) fileNumber;
    }

    /** A lane in the names of a run: how many entries it has, and the first of them, or -1 where that is not said. */
    public record LaneName(Lane lane, int timers, int first) {}

    /** Reads the names before a trailer. */
    static List<LaneName> readNames(ByteBuffer names, ByteBuffer trailer, Entries entries) {
        int count = trailer.getInt(8);
        List<LaneName> read = new ArrayList<>();
        for (int i = 0; i < trailer.getInt(32); i++) {
            byte[] utf8 = new byte[Short.toUnsignedInt(names.getShort())];
            names.get(utf8);
            long route = entries.areLinked() ? names.getLong() : Lane.UNKNOWN_ROUTE;
            int timers = names.getInt();
            int first = entries.areLinked() ? names.getInt() : -1;
            if (first >= count || (entries.areLinked() && first < 0)) {
                throw new IllegalArgumentException("first entry " + first + " of " + count);
            }
            read.add(new LaneName(new Lane(new String(utf8, StandardCharsets.UTF_8), route), timers, first));
        }
        return read;
    }

    /** How the entries lie in the run with that header; null when it is not the header of that run. */
    static @Nullable Entries entries(ByteBuffer header, long storeId, long fileNumber) {
        for (Entries entries : List.of(Entries.CURRENT, Entries.FORMAT_2)) {
            if (header.equals(header(storeId, fileNumber, entries))) {
                return entries;
            }
        }
        return null;
    }

    static ByteBuffer header(long storeId, long fileNumber, Entries entries) {
        ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        header.putLong(MAGIC).putInt(entries.format).putInt(0).putLong(storeId).putLong(fileNumber);
        CRC32C crc = new CRC32C();
        crc.update(header.array());
        return header.putInt(12, (int) crc.getValue()).flip();
    }

    /** The checksum of the first {@code length} bytes of what belongs to that place of that run. */
    public static int crc(long storeId, long fileNumber, int position, ByteBuffer bytes, int length) {
        ByteBuffer seed = ByteBuffer.allocate(16)
                .putLong(storeId ^ (fileNumber >>> 32 << 32))
                .putInt(number(fileNumber))
                .putInt(position);
        CRC32C crc = new CRC32C();
        crc.update(seed.flip());
        crc.update(bytes.duplicate().limit(length).position(0));
        return (int) crc.getValue();
    }

    /** The checksum of a block of the filter. */
    static int filterCrc(long storeId, long fileNumber, int position, ByteBuffer block) {
        return crc(storeId, fileNumber, -2 - position, block, BLOCK_CRC_AT);
    }

    public static int crc(ByteBuffer bytes, int offset, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate().limit(offset + length).position(offset));
        return (int) crc.getValue();
    }
}
