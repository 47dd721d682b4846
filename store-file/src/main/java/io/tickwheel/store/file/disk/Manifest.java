package io.tickwheel.store.file.disk;

import io.tickwheel.store.StoreFormatException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * What counts in the directory. Each owner has two slots, which it writes in turns, so that a torn write leaves the one before;
 * {@link ManifestFiles} says which of all counts.
 *
 * <pre>
 *    0 magic u64 | 8 format u32 | 12 epoch u32 | 16 generation u64 | 24 store id u64
 *   32 checkpoint lsn u64 | 40 synced lsn u64 | 48 next seq u64 | 56 next number u32 | 60 closed u32, 1 or 0
 *   64 progress u64 | 72 keys u64 | 80 crc32c u32                                      little endian
 * </pre>
 *
 * @param format 3, or 2 for one that an older version wrote
 * @param epoch of the owner who wrote it, higher at each opening
 * @param generation one higher at each writing of an owner, its high 32 bits are the epoch; the highest counts, even ones are in
 *     slot A. In format 2 it was just a number
 * @param storeId random, given at birth
 * @param checkpointLsn where replay starts
 * @param syncedLsn the log was synced at least up to here, so a log that ends before it has lost something
 * @param nextSeq no record had this seq or a higher one when this was written
 * @param nextNumber no table had this number or a higher one
 * @param progress names the file that says which runs count and what of them has ended; 0 when there is none
 * @param keys names the file with the key index, as it was at a clean close; 0 when there is none
 * @param closed whether its owner has ended in order, and writes to no file any more
 */
public record Manifest(
        int format,
        int epoch,
        long generation,
        long storeId,
        long checkpointLsn,
        long syncedLsn,
        long nextSeq,
        int nextNumber,
        long progress,
        long keys,
        boolean closed) {

    public static final int FORMAT = 3;

    /** The one before, which is read and carried over. */
    public static final int OLD_FORMAT = 2;

    static final int BYTES = 84;

    private static final long MAGIC = 0x31464e414d4c5754L; // "TWLMANF1"
    private static final int CRC_AT = 80;

    /** Of a store that has no log yet; never written. */
    public static Manifest first(long storeId) {
        return new Manifest(FORMAT, 0, 0, storeId, 0, 0, 1, 1, 0, 0, false);
    }

    /** Says to older versions that this store is none of theirs; means nothing else. */
    static Manifest marker(long storeId) {
        return new Manifest(FORMAT, 0, 0, storeId, 0, 0, 0, 0, 0, 0, false);
    }

    /** The first one of a new owner. */
    public Manifest opened(int newEpoch, long syncedUpTo, long newNextSeq, int newNextNumber) {
        return new Manifest(
                FORMAT,
                newEpoch,
                firstGeneration(newEpoch),
                storeId,
                checkpointLsn,
                syncedUpTo,
                newNextSeq,
                newNextNumber,
                progress,
                0,
                false);
    }

    public static long firstGeneration(int epoch) {
        return (long) epoch << 32;
    }

    /** The same, to be written into the other slot. */
    public Manifest again() {
        return new Manifest(
                FORMAT,
                epoch,
                generation + 1,
                storeId,
                checkpointLsn,
                syncedLsn,
                nextSeq,
                nextNumber,
                progress,
                keys,
                closed);
    }

    /** The last one of an owner that writes no progress. */
    public Manifest ended(long syncedUpTo, long newNextSeq, int newNextNumber) {
        return new Manifest(
                FORMAT,
                epoch,
                generation + 1,
                storeId,
                checkpointLsn,
                syncedUpTo,
                newNextSeq,
                newNextNumber,
                progress,
                0,
                true);
    }

    /** The last one of an owner, with its progress and keys in the files of its generation. */
    public Manifest closed(long syncedUpTo, long newNextSeq, int newNextNumber) {
        return new Manifest(
                FORMAT,
                epoch,
                generation + 1,
                storeId,
                checkpointLsn,
                syncedUpTo,
                newNextSeq,
                newNextNumber,
                generation + 1,
                generation + 1,
                true);
    }

    /** The one that follows a checkpoint, whose progress is in the file of its generation. */
    public Manifest checkpointed(long lsn, long syncedUpTo, long newNextSeq, int newNextNumber) {
        return new Manifest(
                FORMAT,
                epoch,
                generation + 1,
                storeId,
                lsn,
                syncedUpTo,
                newNextSeq,
                newNextNumber,
                generation + 1,
                0,
                false);
    }

    /** The same without saved keys. */
    public Manifest withoutKeys() {
        return new Manifest(
                format, epoch, generation, storeId, checkpointLsn, syncedLsn, nextSeq, nextNumber, progress, 0, closed);
    }

    /** The epoch in the names of the segments and spares of its owner: 0 in format 2. */
    public int nameEpoch() {
        return format == OLD_FORMAT ? 0 : epoch;
    }

    /** The slot that this is written into. */
    public DataDirectory.ManifestName slot() {
        return new DataDirectory.ManifestName(nameEpoch(), generation % 2 == 0 ? 'A' : 'B');
    }

    /** Writes this over what stands in its slot, and syncs it. */
    public void write(DataDirectory directory) throws IOException {
        write(directory.manifest(slot()), StandardOpenOption.WRITE);
    }

    /** Makes the file of its slot, and syncs it and its name. */
    public void create(DataDirectory directory) throws IOException {
        Path file = directory.manifest(slot());
        try {
            write(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        } catch (IOException e) {
            DurableFiles.discard(file);
            throw e;
        }
        directory.syncRoot();
    }

    /** Writes this to a file, and syncs it. */
    void write(Path file, OpenOption... options) throws IOException {
        ByteBuffer out = ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN);
        out.putLong(MAGIC)
                .putInt(format)
                .putInt(epoch)
                .putLong(generation)
                .putLong(storeId)
                .putLong(checkpointLsn)
                .putLong(syncedLsn)
                .putLong(nextSeq)
                .putInt(nextNumber)
                .putInt(closed ? 1 : 0)
                .putLong(progress)
                .putLong(keys);
        out.putInt(crc(out, CRC_AT)).flip();
        try (FileChannel channel = PrivateFiles.open(file, options)) {
            DurableFiles.writeFully(channel, out);
            channel.force(true);
        }
    }

    /**
     * What a file says; null when it is no whole and sound manifest.
     *
     * @throws StoreFormatException when another version wrote it
     */
    static @Nullable Manifest read(ByteBuffer in, String name) {
        if (in.limit() >= 12 && in.getLong(0) == MAGIC && in.getInt(8) == 1 && isSoundFormat1(in)) {
            throw otherFormat(name, 1);
        }
        if (in.limit() < BYTES || in.getLong(0) != MAGIC || in.getInt(CRC_AT) != crc(in, CRC_AT)) {
            return null;
        }
        int format = in.getInt(8);
        if (format != FORMAT && format != OLD_FORMAT) {
            throw otherFormat(name, format);
        }
        return new Manifest(
                format,
                in.getInt(12),
                in.getLong(16),
                in.getLong(24),
                in.getLong(32),
                in.getLong(40),
                in.getLong(48),
                in.getInt(56),
                in.getLong(64),
                in.getLong(72),
                in.getInt(60) == 1);
    }

    private static StoreFormatException otherFormat(String name, int format) {
        return new StoreFormatException(
                name + " has format " + format + ", this version reads formats " + OLD_FORMAT + " and " + FORMAT);
    }

    /** Manifests of format 1 were shorter. */
    private static boolean isSoundFormat1(ByteBuffer in) {
        return in.limit() >= 68 && in.getInt(64) == crc(in, 64);
    }

    private static int crc(ByteBuffer bytes, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate().limit(length).position(0));
        return (int) crc.getValue();
    }
}
