package io.tickwheel.store.file;

import io.tickwheel.store.StoreCorruptedException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * An open run of the schedule log: the file, which never changes, and for each timer whether it is taken and whether it has
 * ended, which changes in memory and is written down at checkpoints. Owned by the loop; a background task may read the file
 * through {@link #readBlock} and {@link #readBytes} with buffers of its own.
 *
 * <p>In memory: 2 bits a timer, and two buffers. Reading an entry costs a read of 4 KiB, or nothing when it stands in the same
 * block as the one before; reading a record costs one read, or nothing when it follows on the one before.
 */
final class Run implements Shelf, AutoCloseable {

    private static final int WINDOW_BYTES = 32 << 10;

    private final DataDirectory directory;
    private final Path file;
    private final FileChannel channel;
    private final long storeId;
    private final long fileNumber;
    private final RunFormat.Tier tier;
    private final int count;
    private final long entriesOffset;
    private final long bytes;
    private final long firstDueMs;
    private final long lastDueMs;
    private final List<String> queueNames;
    private final QueueTable queues;
    private final BitSet ended;
    private final BitSet taken;
    private int present;

    /** Entries that stand here: those from this on are still elsewhere, and are moved here by a checkpoint. */
    private int arrived;

    private int blockInBuffer = -1;
    private final ByteBuffer block = newBlock();
    private long windowStart = -1;
    private ByteBuffer window = ByteBuffer.allocate(0);

    /** Of an open file whose trailer says what it is. */
    Run(
            DataDirectory directory,
            FileChannel channel,
            long storeId,
            long fileNumber,
            long bytes,
            ByteBuffer trailer,
            List<String> queueNames,
            QueueTable queues) {
        this.directory = directory;
        this.file = directory.run(fileNumber);
        this.channel = channel;
        this.storeId = storeId;
        this.fileNumber = fileNumber;
        this.bytes = bytes;
        this.count = trailer.getInt(8);
        this.tier = RunFormat.Tier.ofNumber(trailer.getInt(12));
        this.entriesOffset = trailer.getLong(16);
        this.firstDueMs = trailer.getLong(40);
        this.lastDueMs = trailer.getLong(48);
        this.queueNames = queueNames;
        this.queues = queues;
        this.ended = new BitSet(count);
        this.taken = new BitSet(count);
        this.present = count;
        this.arrived = count;
    }

    /** @throws StoreCorruptedException when the file is missing, or is not this run */
    static Run open(DataDirectory directory, long storeId, long fileNumber, QueueTable queues) throws IOException {
        Path file = directory.run(fileNumber);
        FileChannel channel;
        try {
            channel = FileChannel.open(file, StandardOpenOption.READ);
        } catch (NoSuchFileException e) {
            throw new StoreCorruptedException(directory.name(file), 0, "the run that the manifest names is missing");
        }
        try {
            return open(directory, file, channel, storeId, fileNumber, queues);
        } catch (IOException | RuntimeException | Error e) {
            channel.close();
            throw e;
        }
    }

    private static Run open(
            DataDirectory directory, Path file, FileChannel channel, long storeId, long fileNumber, QueueTable queues)
            throws IOException {
        long size = channel.size();
        ByteBuffer header = DataDirectory.read(channel, 0, RunFormat.HEADER_BYTES);
        if (!header.equals(RunFormat.header(storeId, fileNumber))) {
            throw new StoreCorruptedException(directory.name(file), 0, "the header of the run is damaged");
        }
        long trailerAt = Math.max(0, size - RunFormat.TRAILER_BYTES);
        ByteBuffer trailer = DataDirectory.read(channel, trailerAt, RunFormat.TRAILER_BYTES);
        boolean ended = trailer.limit() == RunFormat.TRAILER_BYTES && trailer.getLong(0) == RunFormat.END_MAGIC;
        long namesAt = ended ? trailer.getLong(24) : -1;
        if (namesAt < RunFormat.HEADER_BYTES || namesAt > trailerAt || trailerAt - namesAt > Integer.MAX_VALUE / 2) {
            throw new StoreCorruptedException(directory.name(file), trailerAt, "the end of the run is damaged");
        }
        ByteBuffer names = DataDirectory.read(channel, namesAt, (int) (size - namesAt));
        int covered = names.limit() - RunFormat.TRAILER_BYTES + RunFormat.TRAILER_CRC_AT;
        if (trailer.getInt(RunFormat.TRAILER_CRC_AT) != RunFormat.crc(storeId, fileNumber, -1, names, covered)) {
            throw new StoreCorruptedException(directory.name(file), namesAt, "the end of the run is damaged");
        }
        if (!fits(trailer, namesAt)) {
            throw new StoreCorruptedException(directory.name(file), trailerAt, "the end of the run contradicts itself");
        }
        List<String> queueNames = new ArrayList<>();
        try {
            names.limit((int) (trailerAt - namesAt));
            for (int i = 0; i < trailer.getInt(32); i++) {
                byte[] utf8 = new byte[Short.toUnsignedInt(names.getShort())];
                names.get(utf8).getInt();
                queueNames.add(new String(utf8, StandardCharsets.UTF_8));
            }
        } catch (BufferUnderflowException e) {
            throw new StoreCorruptedException(directory.name(file), namesAt, "the names of the run cannot be read");
        }
        return new Run(directory, channel, storeId, fileNumber, size, trailer, queueNames, queues);
    }

    /** Whether what a sound trailer says can be: of a run that was written by other rules it cannot. */
    private static boolean fits(ByteBuffer trailer, long namesAt) {
        int count = trailer.getInt(8);
        int tier = trailer.getInt(12);
        long entriesAt = trailer.getLong(16);
        return count > 0
                && tier >= 0
                && tier <= RunFormat.Tier.DEAD.number()
                && entriesAt >= RunFormat.HEADER_BYTES
                && namesAt - entriesAt == (long) RunFormat.blocks(count) * RunFormat.BLOCK_BYTES;
    }

    @Override
    public int number() {
        return RunFormat.number(fileNumber);
    }

    /** The number in the name of the file. */
    long fileNumber() {
        return fileNumber;
    }

    RunFormat.Tier tier() {
        return tier;
    }

    /** Timers, of which some have ended. */
    int count() {
        return count;
    }

    /** Timers that have not ended. */
    int present() {
        return present;
    }

    long bytes() {
        return bytes;
    }

    long firstDueMs() {
        return firstDueMs;
    }

    long lastDueMs() {
        return lastDueMs;
    }

    Path file() {
        return file;
    }

    /** Which have ended; to be copied by who needs it later. */
    BitSet ended() {
        return ended;
    }

    /** Which were taken; not to be changed. */
    BitSet taken() {
        return taken;
    }

    /** Says that only the entries before {@code ordinal} stand here by now. */
    void setArrived(int ordinal) {
        arrived = ordinal;
    }

    /** How many entries stand here: all, unless a checkpoint is moving them. */
    int arrived() {
        return arrived;
    }

    /** Sets what was known to have ended at a checkpoint. */
    void restoreEnded(BitSet known) {
        ended.or(known);
        present = count - ended.cardinality();
    }

    /** The first entry from {@code ordinal} on that is waiting, or {@link #count}. */
    int nextWaiting(int ordinal) {
        int next = ordinal;
        while (true) {
            int notEnded = ended.nextClearBit(next);
            next = taken.nextClearBit(notEnded);
            if (next == notEnded || next >= count) {
                return Math.min(next, count);
            }
        }
    }

    /** The first entry due at {@code dueAtMs} or later, or {@link #count}; reads O(log n) blocks. */
    int lowerBound(long dueAtMs) {
        if (dueAtMs <= firstDueMs) {
            return 0;
        }
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (dueAtMs(middle) < dueAtMs) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    static ByteBuffer newBlock() {
        return ByteBuffer.allocate(RunFormat.BLOCK_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    }

    long blockOffset(int position) {
        return entriesOffset + (long) position * RunFormat.BLOCK_BYTES;
    }

    /** Reads and checks a block of entries. */
    void readBlock(int position, ByteBuffer into) {
        long at = blockOffset(position);
        into.clear();
        readFully(at, into);
        if (into.position() < RunFormat.BLOCK_BYTES
                || into.getInt(RunFormat.BLOCK_CRC_AT)
                        != RunFormat.crc(storeId, fileNumber, position, into, RunFormat.BLOCK_CRC_AT)) {
            throw corrupt(at, "entries " + (long) position * RunFormat.ENTRIES_PER_BLOCK + " and on are damaged");
        }
    }

    /** Reads as much as there is and fits. */
    void readBytes(long at, ByteBuffer into) {
        readFully(at, into);
    }

    private void readFully(long at, ByteBuffer into) {
        try {
            int start = into.position();
            while (into.hasRemaining()) {
                if (channel.read(into, at + into.position() - start) < 0) {
                    return;
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("reading " + file + " failed: " + e, e);
        }
    }

    private int entry(int ordinal) {
        int position = ordinal / RunFormat.ENTRIES_PER_BLOCK;
        if (position != blockInBuffer) {
            blockInBuffer = -1;
            readBlock(position, block);
            blockInBuffer = position;
        }
        return ordinal % RunFormat.ENTRIES_PER_BLOCK * RunFormat.ENTRY_BYTES;
    }

    @Override
    public long seq(int ordinal) {
        return block.getLong(entry(ordinal) + 8);
    }

    @Override
    public long hash(int ordinal) {
        return block.getLong(entry(ordinal) + 16);
    }

    @Override
    public long dueAtMs(int ordinal) {
        return block.getLong(entry(ordinal));
    }

    @Override
    public QueueTable.Queue queue(int ordinal) {
        return queueAt(block.getInt(entry(ordinal) + 32));
    }

    /** Where the queue of an entry stands in {@link #queueNames}. */
    int queuePosition(int ordinal) {
        return block.getInt(entry(ordinal) + 32);
    }

    /** The queues that had timers here. */
    List<String> queueNames() {
        return queueNames;
    }

    QueueTable.Queue queueAt(int position) {
        return queues.get(queueName(position));
    }

    String queueName(int position) {
        if (position < 0 || position >= queueNames.size()) {
            throw corrupt(entriesOffset, "an entry is of queue " + position + " of " + queueNames.size());
        }
        return queueNames.get(position);
    }

    @Override
    public TimerRecord record(int ordinal, boolean withContent) {
        int entry = entry(ordinal);
        int length = block.getInt(entry + 28);
        int at = readRecord(ordinal, entry, length);
        TimerRecord record;
        try {
            record = TimerRecord.read(window, at, length, withContent);
        } catch (IllegalArgumentException e) {
            throw corrupt(recordOffset(entry), "the record of entry " + ordinal + " is none: " + e.getMessage());
        }
        if (record.seq() != block.getLong(entry + 8)) {
            throw corrupt(recordOffset(entry), "the record of entry " + ordinal + " is another one");
        }
        return record;
    }

    @Override
    public boolean isOf(int ordinal, byte[] queue, byte[] key) {
        int entry = entry(ordinal);
        int at = readRecord(ordinal, entry, block.getInt(entry + 28));
        return TimerRecord.isOf(window, at, queue, key);
    }

    private long recordOffset(int entry) {
        return Integer.toUnsignedLong(block.getInt(entry + 24));
    }

    /** Brings a record into the window; returns where it begins there. */
    private int readRecord(int ordinal, int entry, int length) {
        long offset = recordOffset(entry);
        checkWithin(ordinal, offset, length);
        long windowEnd = windowStart + window.limit();
        if (windowStart < 0 || offset < windowStart || offset + length > windowEnd) {
            boolean follows = windowStart >= 0 && offset >= windowStart && offset <= windowEnd + WINDOW_BYTES;
            fillWindow(offset, follows ? Math.max(length, WINDOW_BYTES) : length);
        }
        int at = (int) (offset - windowStart);
        if (at + length > window.limit() || RunFormat.crc(window, at, length) != block.getInt(entry + 36)) {
            throw corrupt(offset, "the record of entry " + ordinal + " is damaged");
        }
        return at;
    }

    /** To be called before memory is taken for a record. */
    void checkWithin(int ordinal, long offset, int length) {
        if (length < 0 || offset < RunFormat.HEADER_BYTES || offset + length > entriesOffset) {
            throw corrupt(offset, "the record of entry " + ordinal + " has " + length + " bytes there");
        }
    }

    private void fillWindow(long offset, int length) {
        windowStart = -1;
        if (window.capacity() < length || window.capacity() > WINDOW_BYTES) {
            window = ByteBuffer.allocate(length > WINDOW_BYTES / 8 ? Math.max(length, WINDOW_BYTES) : WINDOW_BYTES / 8)
                    .order(ByteOrder.LITTLE_ENDIAN);
        }
        window.clear().limit(length);
        readFully(offset, window);
        window.flip();
        windowStart = offset;
    }

    @Override
    public boolean isWaiting(int ordinal) {
        return !taken.get(ordinal) && !ended.get(ordinal);
    }

    @Override
    public boolean isEnded(int ordinal) {
        return ended.get(ordinal);
    }

    @Override
    public void take(int ordinal) {
        taken.set(ordinal);
    }

    @Override
    public void end(int ordinal) {
        if (!ended.get(ordinal)) {
            ended.set(ordinal);
            present--;
        }
    }

    StoreCorruptedException corrupt(long offset, String what) {
        return new StoreCorruptedException(directory.name(file), offset, what);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
