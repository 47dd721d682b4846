package io.tickwheel.store.testkit;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * A write-ahead log small enough to be seen correct: a few registers, set by numbered records. Its {@link Bug}s are the
 * mistakes the simulated disk must find.
 *
 * <pre>
 *   snapshot        crc:4 generation:8 sequence:8 registers:8*8     holds all of the segments up to its generation
 *   N.segment       { length:4 crc:4 sequence:8 register:4 padding:* value:8 }*     N = generation of the snapshot + 1
 * </pre>
 */
final class SmallLog implements AutoCloseable {
    static final int REGISTERS = 8;
    private static final int SNAPSHOT_BYTES = 4 + 8 + 8 + 8 * REGISTERS;
    private static final int RECORD_HEADER_BYTES = 8;
    private static final int RECORD_FIXED_BYTES = RECORD_HEADER_BYTES + 8 + 4 + 8;
    private static final int RECORDS_PER_SEGMENT = 5;

    enum Bug {
        NONE,
        NO_SYNC,
        NO_DIRECTORY_SYNC,
        SNAPSHOT_RENAMED_UNSYNCED,
        SYNC_RETRIED,
        CACHE_TRUSTED_AFTER_FAILED_SYNC,
        SHORT_WRITE_IGNORED,
        NO_CHECKSUM,
        APPENDED_BEHIND_TORN_TAIL,
        RECOVERED_NAMES_UNSYNCED
    }

    private final Path directory;
    private final Bug bug;
    private final long[] registers = new long[REGISTERS];
    private long generation;
    private long sequence;
    private int recordsInSegment;
    private FileChannel segment;

    SmallLog(Path directory, Bug bug) throws IOException {
        this.directory = directory;
        this.bug = bug;
        Files.createDirectories(directory);
        syncDirectory(directory.resolve(".."));
        if (bug != Bug.RECOVERED_NAMES_UNSYNCED) {
            // The snapshot that is seen may not be durable yet, and what it supersedes is deleted below.
            syncDirectory(directory);
        }
        readSnapshot();
        Path live = segmentPath(generation + 1);
        boolean cleanTail = replay(live);
        boolean reuse = Files.exists(live)
                && (bug == Bug.APPENDED_BEHIND_TORN_TAIL || (bug == Bug.CACHE_TRUSTED_AFTER_FAILED_SYNC && cleanTail));
        if (reuse) {
            segment = FileChannel.open(live, StandardOpenOption.WRITE);
            segment.position(segment.size());
        } else {
            if (Files.exists(live)) {
                writeSnapshot();
            }
            dropOldFiles();
            openSegment();
        }
    }

    /** Sets a register; durable when it returns. After an exception the log is of no more use. */
    void append(int register, long value, int padding) throws IOException {
        if (recordsInSegment == RECORDS_PER_SEGMENT) {
            segment.close();
            writeSnapshot();
            dropOldFiles();
            openSegment();
        }
        write(segment, record(sequence + 1, register, value, padding));
        sync(segment);
        apply(sequence + 1, register, value);
        recordsInSegment++;
    }

    long sequence() {
        return sequence;
    }

    long[] registers() {
        return registers.clone();
    }

    @Override
    public void close() throws IOException {
        segment.close();
    }

    private void apply(long newSequence, int register, long value) {
        sequence = newSequence;
        registers[register] = value;
    }

    private static ByteBuffer record(long sequence, int register, long value, int padding) {
        ByteBuffer record = ByteBuffer.allocate(RECORD_FIXED_BYTES + padding);
        record.putInt(record.capacity()).putInt(0).putLong(sequence).putInt(register);
        record.position(record.capacity() - 8);
        record.putLong(value).flip();
        record.putInt(4, checksum(record, RECORD_HEADER_BYTES));
        return record;
    }

    private void readSnapshot() throws IOException {
        byte[] content;
        try {
            content = Files.readAllBytes(directory.resolve("snapshot"));
        } catch (NoSuchFileException firstStart) {
            return;
        }
        ByteBuffer snapshot = ByteBuffer.wrap(content);
        if (content.length != SNAPSHOT_BYTES
                || snapshot.getInt() != checksum(snapshot.duplicate().rewind(), 4)) {
            throw new IllegalStateException("snapshot of " + content.length + " bytes is damaged");
        }
        generation = snapshot.getLong();
        sequence = snapshot.getLong();
        snapshot.asLongBuffer().get(registers);
    }

    /** Applies records up to the first bad one; false if there was one. */
    private boolean replay(Path live) throws IOException {
        if (!Files.exists(live)) {
            return true;
        }
        ByteBuffer log = ByteBuffer.wrap(Files.readAllBytes(live));
        while (log.remaining() >= RECORD_FIXED_BYTES) {
            int length = log.getInt(log.position());
            if (length < RECORD_FIXED_BYTES || length > log.remaining()) {
                return false;
            }
            ByteBuffer record = log.slice(log.position(), length);
            boolean intact = record.getInt(4) == checksum(record, RECORD_HEADER_BYTES) || bug == Bug.NO_CHECKSUM;
            int register = record.getInt(16);
            if (!intact || record.getLong(8) != sequence + 1 || register < 0 || register >= REGISTERS) {
                return false;
            }
            apply(sequence + 1, register, record.getLong(length - 8));
            recordsInSegment++;
            log.position(log.position() + length);
        }
        return !log.hasRemaining();
    }

    /** Moves everything of the live segment into the snapshot, which ends that segment's life. */
    private void writeSnapshot() throws IOException {
        generation++;
        ByteBuffer snapshot = ByteBuffer.allocate(SNAPSHOT_BYTES);
        snapshot.putInt(0).putLong(generation).putLong(sequence);
        Arrays.stream(registers).forEach(snapshot::putLong);
        snapshot.flip();
        snapshot.putInt(0, checksum(snapshot, 4));
        Path temporary = directory.resolve("snapshot.tmp");
        try (FileChannel channel = FileChannel.open(
                temporary, StandardOpenOption.WRITE, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING)) {
            write(channel, snapshot);
            if (bug != Bug.SNAPSHOT_RENAMED_UNSYNCED) {
                sync(channel);
            }
        }
        Files.move(temporary, directory.resolve("snapshot"), StandardCopyOption.ATOMIC_MOVE);
        syncDirectory(directory);
    }

    private void dropOldFiles() throws IOException {
        try (DirectoryStream<Path> segments = Files.newDirectoryStream(directory, "*.segment")) {
            for (Path old : segments) {
                Files.delete(old);
            }
        }
        // Otherwise a deletion that is lost could bring back a segment in the place of a later one of the same name.
        syncDirectory(directory);
    }

    private void openSegment() throws IOException {
        segment =
                FileChannel.open(segmentPath(generation + 1), StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);
        recordsInSegment = 0;
        syncDirectory(directory);
    }

    private Path segmentPath(long number) {
        return directory.resolve(number + ".segment");
    }

    private void write(FileChannel channel, ByteBuffer bytes) throws IOException {
        do {
            channel.write(bytes);
        } while (bytes.hasRemaining() && bug != Bug.SHORT_WRITE_IGNORED);
    }

    private void sync(FileChannel channel) throws IOException {
        if (bug == Bug.NO_SYNC) {
            return;
        }
        try {
            channel.force(false);
        } catch (IOException failed) {
            if (bug != Bug.SYNC_RETRIED) {
                throw failed;
            }
            channel.force(false);
        }
    }

    private void syncDirectory(Path path) throws IOException {
        if (bug == Bug.NO_DIRECTORY_SYNC) {
            return;
        }
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    private static int checksum(ByteBuffer bytes, int from) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate().position(from));
        return (int) crc.getValue();
    }
}
