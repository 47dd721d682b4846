package io.tickwheel.store.file.run;

import io.tickwheel.store.Lane;
import io.tickwheel.store.StoreCorruptedException;
import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.file.disk.DurableFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/**
 * The file of a run, open: what its header, trailer and names say, and its blocks and records as they are asked for. It does not
 * change, so any thread may read it, each with buffers of its own.
 */
public final class RunFile implements AutoCloseable {

    private static final int MOST_READ_AHEAD = 64 << 10;

    private final DataDirectory directory;
    private final Path path;
    private final FileChannel channel;
    private final long storeId;
    private final long fileNumber;
    private final RunFormat.Tier tier;
    private final int count;
    private final long entriesOffset;
    private final int filterBlocks;
    private final long bytes;
    private final long firstDueMs;
    private final long lastDueMs;
    private final RunFormat.Entries entries;
    private final List<RunFormat.LaneName> names;

    /** Of an open file whose trailer says what it is. */
    public RunFile(
            DataDirectory directory,
            FileChannel channel,
            long storeId,
            long fileNumber,
            long bytes,
            RunFormat.Entries entries,
            ByteBuffer trailer,
            List<RunFormat.LaneName> names) {
        this.directory = directory;
        this.path = directory.run(fileNumber);
        this.channel = channel;
        this.storeId = storeId;
        this.fileNumber = fileNumber;
        this.bytes = bytes;
        this.count = trailer.getInt(8);
        this.tier = RunFormat.Tier.ofNumber(trailer.getInt(12));
        this.entriesOffset = trailer.getLong(16);
        this.filterBlocks = trailer.getInt(RunFormat.TRAILER_FILTER_AT);
        this.firstDueMs = trailer.getLong(40);
        this.lastDueMs = trailer.getLong(48);
        this.entries = entries;
        this.names = names;
    }

    /**
     * Opens the file of a run.
     *
     * @throws StoreCorruptedException when the file is missing, or is not this run
     */
    public static RunFile open(DataDirectory directory, long storeId, long fileNumber) throws IOException {
        Path file = directory.run(fileNumber);
        FileChannel channel;
        try {
            channel = directory.openFile(file);
        } catch (NoSuchFileException e) {
            throw new StoreCorruptedException(directory.name(file), 0, "the run that the manifest names is missing");
        }
        try {
            return open(directory, file, channel, storeId, fileNumber);
        } catch (IOException e) {
            channel.close();
            throw DurableFiles.unreadable(file, e);
        } catch (RuntimeException | Error e) {
            channel.close();
            throw e;
        }
    }

    private static RunFile open(DataDirectory directory, Path file, FileChannel channel, long storeId, long fileNumber)
            throws IOException {
        long size = channel.size();
        ByteBuffer header = DurableFiles.read(channel, 0, RunFormat.HEADER_BYTES);
        RunFormat.Entries entries = RunFormat.entries(header, storeId, fileNumber);
        if (entries == null) {
            throw new StoreCorruptedException(directory.name(file), 0, "the header of the run is damaged");
        }
        long trailerAt = Math.max(0, size - RunFormat.TRAILER_BYTES);
        ByteBuffer trailer = DurableFiles.read(channel, trailerAt, RunFormat.TRAILER_BYTES);
        boolean ended = trailer.limit() == RunFormat.TRAILER_BYTES && trailer.getLong(0) == RunFormat.END_MAGIC;
        long namesAt = ended ? trailer.getLong(24) : -1;
        if (namesAt < RunFormat.HEADER_BYTES || namesAt > trailerAt || trailerAt - namesAt > Integer.MAX_VALUE / 2) {
            throw new StoreCorruptedException(directory.name(file), trailerAt, "the end of the run is damaged");
        }
        ByteBuffer names = DurableFiles.read(channel, namesAt, (int) (size - namesAt));
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
        return new RunFile(directory, channel, storeId, fileNumber, size, entries, trailer, lanes);
    }

    /** Whether what a sound trailer says can be: of a run that was written by other rules it cannot. */
    private static boolean fits(ByteBuffer trailer, long namesAt, RunFormat.Entries entries) {
        int count = trailer.getInt(8);
        int tier = trailer.getInt(12);
        long entriesAt = trailer.getLong(16);
        long filter = trailer.getInt(RunFormat.TRAILER_FILTER_AT);
        return count > 0
                && tier >= 0
                && tier <= RunFormat.Tier.DEAD.number()
                && (filter == 0 || filter == FilterFormat.blocks(count))
                && entriesAt >= RunFormat.HEADER_BYTES + filter * RunFormat.BLOCK_BYTES
                && namesAt - entriesAt == (long) entries.blocks(count) * RunFormat.BLOCK_BYTES;
    }

    /** The number by which tables name it. */
    public int number() {
        return RunFormat.number(fileNumber);
    }

    public Path path() {
        return path;
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

    public long bytes() {
        return bytes;
    }

    public long firstDueMs() {
        return firstDueMs;
    }

    public long lastDueMs() {
        return lastDueMs;
    }

    public static ByteBuffer newBlock() {
        return newBlocks(1);
    }

    static ByteBuffer newBlocks(int count) {
        return ByteBuffer.allocate(count * RunFormat.BLOCK_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    }

    public long blockOffset(int position) {
        return entriesOffset + (long) position * RunFormat.BLOCK_BYTES;
    }

    /** Reads and checks a block of entries. */
    public void readBlock(int position, ByteBuffer into) {
        readBlocks(position, into);
        checkBlock(position, into);
    }

    /** Reads blocks of entries, as many as there are and fit, and what follows on the last; they are to be checked. */
    void readBlocks(int first, ByteBuffer into) {
        into.clear();
        readFully(blockOffset(first), into);
        into.flip();
    }

    /** Checks the block of entries that the buffer begins with. */
    void checkBlock(int position, ByteBuffer block) {
        if (block.limit() < RunFormat.BLOCK_BYTES
                || block.getInt(RunFormat.BLOCK_CRC_AT)
                        != RunFormat.crc(storeId, fileNumber, position, block, RunFormat.BLOCK_CRC_AT)) {
            throw corrupt(
                    blockOffset(position), "entries " + (long) position * entries.perBlock() + " and on are damaged");
        }
    }

    /** Where the records end that stand from the header on. */
    public long recordsEnd() {
        return filterOffset(0);
    }

    /** How many blocks its {@link RunFilter} has; 0 when it has none. */
    public int filterBlocks() {
        return filterBlocks;
    }

    /** Reads and checks a block of the filter. */
    public void readFilterBlock(int position, ByteBuffer into) {
        into.clear();
        readFully(filterOffset(position), into);
        into.flip();
        if (into.limit() < RunFormat.BLOCK_BYTES
                || into.getInt(RunFormat.BLOCK_CRC_AT) != RunFormat.filterCrc(storeId, fileNumber, position, into)) {
            throw corrupt(filterOffset(position), "block " + position + " of the filter is damaged");
        }
    }

    long filterOffset(int position) {
        return entriesOffset - (long) (filterBlocks - position) * RunFormat.BLOCK_BYTES;
    }

    /**
     * Reads the entry and the record of a timer, and keeps nothing of them: the system has them in its cache then. Of a large record it reads the beginning, as the rest follows
     * without a wait.
     */
    public void readTimer(int ordinal) {
        RunEntry entry = new RunEntry(this).moveTo(ordinal);
        checkWithin(ordinal, entry.recordOffset(), entry.length());
        readFully(entry.recordOffset(), ByteBuffer.allocate(Math.min(entry.length(), MOST_READ_AHEAD)));
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
            throw new UncheckedIOException(DurableFiles.unreadable(path, e));
        }
    }

    /** The lanes that had timers here. */
    public List<RunFormat.LaneName> names() {
        return names;
    }

    public Lane laneName(int position) {
        if (position < 0 || position >= names.size()) {
            throw corrupt(entriesOffset, "an entry is of lane " + position + " of " + names.size());
        }
        return names.get(position).lane();
    }

    /** To be called before memory is taken for a record. */
    public void checkWithin(int ordinal, long offset, int length) {
        if (length < 0 || offset < RunFormat.HEADER_BYTES || offset + length > entriesOffset) {
            throw corrupt(offset, "the record of entry " + ordinal + " has " + length + " bytes there");
        }
    }

    public StoreCorruptedException corrupt(long offset, String what) {
        return new StoreCorruptedException(directory.name(path), offset, what);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
