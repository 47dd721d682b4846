package io.tickwheel.store.file.table;

import io.tickwheel.store.Lane;
import io.tickwheel.store.StoreCorruptedException;
import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.file.record.TimerRecord;
import io.tickwheel.store.file.run.RunEntry;
import io.tickwheel.store.file.run.RunFormat;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An open run of the schedule log: the file, which never changes, and for each timer whether it is taken and whether it has
 * ended, which changes in memory and is written down at checkpoints. Owned by the loop; a background task may read the file
 * through {@link #readBlock} and {@link #readBytes} with buffers of its own.
 *
 * <p>In memory: 2 bits a timer, and two buffers. Reading an entry costs a read of 4 KiB, or nothing when it stands in the same
 * block as the one before; reading a record costs one read, or nothing when it follows on the one before.
 */
public final class Run implements Shelf, AutoCloseable {

    private static final int WINDOW_BYTES = 32 << 10;
    private static final ByteBuffer NO_WINDOW = ByteBuffer.allocate(0);

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
    private final RunFormat.Entries entries;
    private final List<RunFormat.LaneName> names;
    private final QueueTable queues;

    /** The lanes by their position in the names, as far as they were asked for. */
    private final @Nullable StoreLane[] lanes;

    private final BitSet ended;
    private final BitSet taken;
    private int present;

    /** Entries that stand here: those from this on are still elsewhere, and are moved here by a checkpoint. */
    private int arrived;

    private final RunEntry entry = new RunEntry(this);

    /** For those who go along lanes, all at about the same time: what one reads the next one needs. */
    private final RunEntry laneEntry = new RunEntry(this);

    /** By lane, where it stands in the names; made when it is first asked for. */
    private @Nullable Map<Lane, Integer> positions;

    private long windowStart = -1;
    private ByteBuffer window = NO_WINDOW;

    /** Of an open file whose trailer says what it is. */
    public Run(
            DataDirectory directory,
            FileChannel channel,
            long storeId,
            long fileNumber,
            long bytes,
            RunFormat.Entries entries,
            ByteBuffer trailer,
            List<RunFormat.LaneName> names,
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
        this.entries = entries;
        this.names = names;
        this.queues = queues;
        this.lanes = new StoreLane[names.size()];
        this.ended = new BitSet(count);
        this.taken = new BitSet(count);
        this.present = count;
        this.arrived = count;
    }

    /**
     * Opens the file of a run.
     *
     * @throws StoreCorruptedException when the file is missing, or is not this run
     */
    public static Run open(DataDirectory directory, long storeId, long fileNumber, QueueTable queues)
            throws IOException {
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
        RunFormat.Entries entries = RunFormat.entries(header, storeId, fileNumber);
        if (entries == null) {
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
        if (!fits(trailer, namesAt, entries)) {
            throw new StoreCorruptedException(directory.name(file), trailerAt, "the end of the run contradicts itself");
        }
        List<RunFormat.LaneName> lanes;
        try {
            lanes = RunFormat.readNames(names.limit((int) (trailerAt - namesAt)), trailer, entries);
        } catch (BufferUnderflowException | IllegalArgumentException e) {
            throw new StoreCorruptedException(directory.name(file), namesAt, "the names of the run cannot be read");
        }
        return new Run(directory, channel, storeId, fileNumber, size, entries, trailer, lanes, queues);
    }

    /** Whether what a sound trailer says can be: of a run that was written by other rules it cannot. */
    private static boolean fits(ByteBuffer trailer, long namesAt, RunFormat.Entries entries) {
        int count = trailer.getInt(8);
        int tier = trailer.getInt(12);
        long entriesAt = trailer.getLong(16);
        return count > 0
                && tier >= 0
                && tier <= RunFormat.Tier.DEAD.number()
                && entriesAt >= RunFormat.HEADER_BYTES
                && namesAt - entriesAt == (long) entries.blocks(count) * RunFormat.BLOCK_BYTES;
    }

    @Override
    public int number() {
        return RunFormat.number(fileNumber);
    }

    /** The number in the name of the file. */
    public long fileNumber() {
        return fileNumber;
    }

    public RunFormat.Entries entries() {
        return entries;
    }

    public RunFormat.Tier tier() {
        return tier;
    }

    /** Whether its timers are dead, and never loaded. */
    public boolean isDead() {
        return tier == RunFormat.Tier.DEAD;
    }

    /** Timers, of which some have ended. */
    public int count() {
        return count;
    }

    /** Timers that have not ended. */
    public int present() {
        return present;
    }

    public long bytes() {
        return bytes;
    }

    public long firstDueMs() {
        return firstDueMs;
    }

    public long lastDueMs() {
        return lastDueMs;
    }

    public Path file() {
        return file;
    }

    /** Which have ended; to be copied by who needs it later. */
    public BitSet ended() {
        return ended;
    }

    /** Which were taken; not to be changed. */
    public BitSet taken() {
        return taken;
    }

    /** Says that only the entries before {@code ordinal} stand here by now. */
    public void setArrived(int ordinal) {
        arrived = ordinal;
    }

    /** How many entries stand here: all, unless a checkpoint is moving them. */
    public int arrived() {
        return arrived;
    }

    /** Sets what was known to have ended at a checkpoint. */
    public void restoreEnded(BitSet known) {
        ended.or(known);
        present = count - ended.cardinality();
    }

    /** The first entry from {@code ordinal} on that is waiting, or {@link #count}. */
    public int nextWaiting(int ordinal) {
        int next = ordinal;
        while (true) {
            int notEnded = ended.nextClearBit(next);
            next = taken.nextClearBit(notEnded);
            if (next == notEnded || next >= count) {
                return Math.min(next, count);
            }
        }
    }

    /** The first entry with an attempt at that time or later, or {@link #count}; reads O(log n) blocks. */
    public int lowerBound(long fromMs) {
        if (fromMs <= firstDueMs) {
            return 0;
        }
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (attemptAtMs(middle) < fromMs) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    public static ByteBuffer newBlock() {
        return ByteBuffer.allocate(RunFormat.BLOCK_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    }

    public long blockOffset(int position) {
        return entriesOffset + (long) position * RunFormat.BLOCK_BYTES;
    }

    /** Reads and checks a block of entries. */
    public void readBlock(int position, ByteBuffer into) {
        long at = blockOffset(position);
        into.clear();
        readFully(at, into);
        if (into.position() < RunFormat.BLOCK_BYTES
                || into.getInt(RunFormat.BLOCK_CRC_AT)
                        != RunFormat.crc(storeId, fileNumber, position, into, RunFormat.BLOCK_CRC_AT)) {
            throw corrupt(at, "entries " + (long) position * entries.perBlock() + " and on are damaged");
        }
    }

    /** Reads as much as there is and fits. */
    public void readBytes(long at, ByteBuffer into) {
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

    @Override
    public long seq(int ordinal) {
        return entry.moveTo(ordinal).seq();
    }

    @Override
    public long hash(int ordinal) {
        return entry.moveTo(ordinal).hash();
    }

    @Override
    public long attemptAtMs(int ordinal) {
        return entry.moveTo(ordinal).attemptAtMs();
    }

    @Override
    public StoreLane lane(int ordinal) {
        return laneAt(lanePosition(ordinal));
    }

    /** Where the lane of an entry stands in {@link #names}. */
    public int lanePosition(int ordinal) {
        return entry.moveTo(ordinal).lanePosition();
    }

    /** The lanes that had timers here. */
    public List<RunFormat.LaneName> names() {
        return names;
    }

    public RunEntry laneEntry() {
        return laneEntry;
    }

    /** Where a lane stands in {@link #names}; -1 when it has no timers here. */
    public int positionOf(Lane lane) {
        Map<Lane, Integer> known = positions;
        if (known == null) {
            known = new HashMap<>();
            for (int i = 0; i < names.size(); i++) {
                known.put(names.get(i).lane(), i);
            }
            positions = known;
        }
        return known.getOrDefault(lane, -1);
    }

    public StoreLane laneAt(int position) {
        Lane name = laneName(position);
        StoreLane known = lanes[position];
        if (known == null || known.forgotten) {
            known = queues.get(name);
            lanes[position] = known;
        }
        return known;
    }

    public Lane laneName(int position) {
        if (position < 0 || position >= names.size()) {
            throw corrupt(entriesOffset, "an entry is of lane " + position + " of " + names.size());
        }
        return names.get(position).lane();
    }

    @Override
    public TimerRecord record(int ordinal, boolean withContent) {
        entry.moveTo(ordinal);
        int at = readRecord(ordinal, entry.length());
        TimerRecord record;
        try {
            record = TimerRecord.read(window, at, entry.length(), withContent);
        } catch (IllegalArgumentException e) {
            throw corrupt(entry.recordOffset(), "the record of entry " + ordinal + " is none: " + e.getMessage());
        }
        if (record.seq() != entry.seq()) {
            throw corrupt(entry.recordOffset(), "the record of entry " + ordinal + " is another one");
        }
        if (window.capacity() > WINDOW_BYTES) {
            // There may be a large one in each run.
            window = NO_WINDOW;
            windowStart = -1;
        }
        return record;
    }

    @Override
    public boolean isOf(int ordinal, byte[] queue, byte[] key) {
        int at = readRecord(ordinal, entry.moveTo(ordinal).length());
        return TimerRecord.isOf(window, at, queue, key);
    }

    /** Brings the record of the entry in view into the window; returns where it begins there. */
    private int readRecord(int ordinal, int length) {
        long offset = entry.recordOffset();
        checkWithin(ordinal, offset, length);
        long windowEnd = windowStart + window.limit();
        if (windowStart < 0 || offset < windowStart || offset + length > windowEnd) {
            boolean follows = windowStart >= 0 && offset >= windowStart && offset <= windowEnd + WINDOW_BYTES;
            fillWindow(offset, follows ? Math.max(length, WINDOW_BYTES) : length);
        }
        int at = (int) (offset - windowStart);
        if (at + length > window.limit() || RunFormat.crc(window, at, length) != entry.recordCrc()) {
            throw corrupt(offset, "the record of entry " + ordinal + " is damaged");
        }
        return at;
    }

    /** To be called before memory is taken for a record. */
    public void checkWithin(int ordinal, long offset, int length) {
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
    public void untake(int ordinal) {
        taken.clear(ordinal);
    }

    @Override
    public void end(int ordinal) {
        if (!ended.get(ordinal)) {
            ended.set(ordinal);
            present--;
        }
    }

    public StoreCorruptedException corrupt(long offset, String what) {
        return new StoreCorruptedException(directory.name(file), offset, what);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
