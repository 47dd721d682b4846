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
 *   32 checkpoint lsn u64 | 40 snapshot bytes u64 (0: none) | 48 synced lsn u64 | 56 next id u64
 *   64 crc32c u32                                                             little endian
 * </pre>
 *
 * @param epoch one higher at each opening; in every frame, so that two writers can be told apart
 * @param generation one higher at each writing; the higher of the two slots counts, even ones are in slot A
 * @param storeId random, given at birth
 * @param checkpointLsn where replay starts; also the name of the snapshot
 * @param snapshotBytes how large the snapshot is; 0 when there is none
 * @param syncedLsn the log was synced at least up to here, so a log that ends before it has lost something
 * @param nextId no timer had this id or a higher one when this was written
 */
record Manifest(
        int epoch, long generation, long storeId, long checkpointLsn, long snapshotBytes, long syncedLsn, long nextId) {

    static final int FORMAT = 1;

    private static final long MAGIC = 0x31464e414d4c5754L; // "TWLMANF1"
    private static final int BYTES = 68;
    private static final int CRC_AT = 64;

    static Manifest first(long storeId) {
        return new Manifest(0, 0, storeId, 0, 0, 0, 1);
    }

    boolean hasSnapshot() {
        return snapshotBytes != 0;
    }

    Manifest opened(int newEpoch, long syncedUpTo, long newNextId) {
        return new Manifest(newEpoch, generation + 1, storeId, checkpointLsn, snapshotBytes, syncedUpTo, newNextId);
    }

    Manifest checkpointed(long lsn, long newSnapshotBytes, long syncedUpTo, long newNextId) {
        return new Manifest(epoch, generation + 1, storeId, lsn, newSnapshotBytes, syncedUpTo, newNextId);
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

    private static @Nullable Manifest readSlot(DataDirectory directory, Path file) throws IOException {
        ByteBuffer in;
        try {
            in = DataDirectory.read(file);
        } catch (NoSuchFileException e) {
            return null;
        }
        if (in.limit() < BYTES || in.getLong(0) != MAGIC || in.getInt(CRC_AT) != crc(in)) {
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
                in.getLong(56));
    }

    /** Writes this into the slot that does not hold the newest, and syncs it. */
    void write(DataDirectory directory) throws IOException {
        Path file = directory.manifest(generation % 2 == 0 ? 'A' : 'B');
        boolean isNew = !Files.exists(file);
        ByteBuffer out = ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN);
        out.putLong(MAGIC)
                .putInt(FORMAT)
                .putInt(epoch)
                .putLong(generation)
                .putLong(storeId)
                .putLong(checkpointLsn)
                .putLong(snapshotBytes)
                .putLong(syncedLsn)
                .putLong(nextId);
        out.putInt(crc(out)).flip();
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            DataDirectory.writeFully(channel, out);
            channel.force(true);
        }
        if (isNew) {
            directory.syncRoot();
        }
    }

    private static int crc(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate().limit(CRC_AT).position(0));
        return (int) crc.getValue();
    }
}
