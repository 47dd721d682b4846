package io.tickwheel.store.file;

import io.tickwheel.store.StoreCorruptedException;
import io.tickwheel.store.StoreFormatException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * What counts in the directory. Kept in two slots that are written in turns, so that a torn write leaves the one before.
 *
 * <pre>
 *    0 magic u64 | 8 format u32 | 12 epoch u32 | 16 generation u64 | 24 store id u64
 *   32 checkpoint lsn u64 | 40 synced lsn u64 | 48 next seq u64 | 56 next number u32 | 60 zero u32
 *   64 progress u64 | 72 keys u64 | 80 crc32c u32                                      little endian
 * </pre>
 *
 * @param epoch one higher at each opening; in every frame, so that two writers can be told apart
 * @param generation one higher at each writing; the higher of the two slots counts, even ones are in slot A
 * @param storeId random, given at birth
 * @param checkpointLsn where replay starts
 * @param syncedLsn the log was synced at least up to here, so a log that ends before it has lost something
 * @param nextSeq no record had this seq or a higher one when this was written
 * @param nextNumber no shelf had this number or a higher one
 * @param progress names the file that says which runs count and what of them has ended; 0 when there is none
 * @param keys names the file with the key index, as it was at a clean close; 0 when there is none
 */
record Manifest(
        int epoch,
        long generation,
        long storeId,
        long checkpointLsn,
        long syncedLsn,
        long nextSeq,
        int nextNumber,
        long progress,
        long keys) {

    static final int FORMAT = 2;

    private static final long MAGIC = 0x31464e414d4c5754L; // "TWLMANF1"
    private static final int BYTES = 84;
    private static final int CRC_AT = 80;

    static Manifest first(long storeId) {
        return new Manifest(0, 0, storeId, 0, 0, 1, 1, 0, 0);
    }

    /** The one that follows when the store is opened, or closed without its keys. */
    Manifest reopened(int newEpoch, long syncedUpTo, long newNextSeq, int newNextNumber) {
        return new Manifest(
                newEpoch, generation + 1, storeId, checkpointLsn, syncedUpTo, newNextSeq, newNextNumber, progress, 0);
    }

    /** The one that follows when the store is closed with its progress and keys in the files of its generation. */
    Manifest closed(long syncedUpTo, long newNextSeq, int newNextNumber) {
        return new Manifest(
                epoch,
                generation + 1,
                storeId,
                checkpointLsn,
                syncedUpTo,
                newNextSeq,
                newNextNumber,
                generation + 1,
                generation + 1);
    }

    /** The one that follows a checkpoint, whose progress is in the file of its generation. */
    Manifest checkpointed(long lsn, long syncedUpTo, long newNextSeq, int newNextNumber) {
        return new Manifest(
                epoch, generation + 1, storeId, lsn, syncedUpTo, newNextSeq, newNextNumber, generation + 1, 0);
    }

    /** The same without saved keys. */
    Manifest withoutKeys() {
        return new Manifest(epoch, generation, storeId, checkpointLsn, syncedLsn, nextSeq, nextNumber, progress, 0);
    }

    /** The slot that this is written into. */
    char slot() {
        return generation % 2 == 0 ? 'A' : 'B';
    }

    /** The newer of the two slots that can be read, or null when the store is new. */
    static @Nullable Manifest read(DataDirectory directory) throws IOException {
        Path fileA = directory.manifest('A');
        Path fileB = directory.manifest('B');
        Manifest a = readSlot(directory, fileA);
        Manifest b = readSlot(directory, fileB);
        if (a == null || b == null) {
            Manifest only = a == null ? b : a;
            if (only == null && directory.hasTimers()) {
                throw new StoreCorruptedException(
                        directory.name(fileA), 0, "there are timers but no manifest that can be read");
            }
            return only;
        }
        return a.generation > b.generation ? a : b;
    }

    /** What one slot says; null when it is missing or cannot be read. */
    static @Nullable Manifest readSlot(DataDirectory directory, Path file) throws IOException {
        ByteBuffer in;
        try {
            in = DataDirectory.read(file);
        } catch (NoSuchFileException e) {
            return null;
        }
        if (in.limit() >= 12 && in.getLong(0) == MAGIC && in.getInt(8) == 1 && isSoundFormat1(in)) {
            throw new StoreFormatException(directory.name(file) + " has format 1, this version reads format " + FORMAT);
        }
        if (in.limit() < BYTES || in.getLong(0) != MAGIC || in.getInt(CRC_AT) != crc(in, CRC_AT)) {
            return null;
        }
        int format = in.getInt(8);
        if (format != FORMAT) {
            throw new StoreFormatException(
                    directory.name(file) + " has format " + format + ", this version reads format " + FORMAT);
        }
        return new Manifest(
                in.getInt(12),
                in.getLong(16),
                in.getLong(24),
                in.getLong(32),
                in.getLong(40),
                in.getLong(48),
                in.getInt(56),
                in.getLong(64),
                in.getLong(72));
    }

    /** Manifests of format 1 were shorter. */
    private static boolean isSoundFormat1(ByteBuffer in) {
        return in.limit() >= 68 && in.getInt(64) == crc(in, 64);
    }

    /** Writes this into the slot that does not hold the newest, and syncs it. */
    void write(DataDirectory directory) throws IOException {
        Path file = directory.manifest(slot());
        boolean isNew = !Files.exists(file);
        ByteBuffer out = ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN);
        out.putLong(MAGIC)
                .putInt(FORMAT)
                .putInt(epoch)
                .putLong(generation)
                .putLong(storeId)
                .putLong(checkpointLsn)
                .putLong(syncedLsn)
                .putLong(nextSeq)
                .putInt(nextNumber)
                .putInt(0)
                .putLong(progress)
                .putLong(keys);
        out.putInt(crc(out, CRC_AT)).flip();
        try (FileChannel channel = PrivateFiles.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            DataDirectory.writeFully(channel, out);
            channel.force(true);
        }
        if (isNew) {
            directory.syncRoot();
        }
    }

    private static int crc(ByteBuffer bytes, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate().limit(length).position(0));
        return (int) crc.getValue();
    }
}
