package io.tickwheel.store.file.run;

import io.tickwheel.store.Lane;
import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.file.disk.DurableFiles;
import io.tickwheel.store.file.disk.PrivateFiles;
import io.tickwheel.store.file.memory.ChunkPool;
import io.tickwheel.store.file.memory.OffHeapLongs;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Writes one run, entry by entry in the order of due time and seq; it becomes a file of the schedule log when it is finished
 * and synced. Used by one background task. Remembers for each ordinal where the timer stood before.
 *
 * <p>Until it is finished it takes 53 bytes a timer, outside the heap, and 1.5 more at its end.
 */
public final class RunWriter implements AutoCloseable {

    /** Synced now and then, so that one large sync at the end does not hold up the commit log. */
    private static final int SYNC_EVERY_BUFFERS = 16;

    private final DataDirectory directory;
    private final long storeId;
    private final long fileNumber;
    private final RunFormat.Tier tier;
    private final FileChannel channel;
    private final ChunkPool pool;
    private final ByteBuffer buffer;
    private final EntryBlocks entries;
    private final Map<Lane, LaneList> lanes = new LinkedHashMap<>();
    private final OffHeapLongs origins;
    private boolean released;
    private long offset;
    private int buffersWritten;
    private long firstDueMs;
    private long lastDueMs;

    /** A lane with its position in the names, and the list of its entries so far. */
    private static final class LaneList {
        private final int position;
        private final byte[] utf8;
        private final int first;
        private int timers;
        private int last;

        LaneList(int position, byte[] utf8, int first) {
            this.position = position;
            this.utf8 = utf8;
            this.first = first;
            this.last = first;
        }
    }

    /**
     * Where the timers of a run stood before.
     *
     * @param origins for each ordinal the table (high 32 bits) and the ordinal there; to be freed by who has this
     */
    public record Written(long fileNumber, OffHeapLongs origins) {

        public int count() {
            return (int) origins.size();
        }

        public int fromTable(int ordinal) {
            return (int) (origins.get(ordinal) >>> Integer.SIZE);
        }

        public int fromOrdinal(int ordinal) {
            return (int) origins.get(ordinal);
        }
    }

    public RunWriter(DataDirectory directory, long storeId, long fileNumber, RunFormat.Tier tier, ChunkPool pool)
            throws IOException {
        this.directory = directory;
        this.storeId = storeId;
        this.fileNumber = fileNumber;
        this.tier = tier;
        this.pool = pool;
        Path unfinished = DataDirectory.unfinished(directory.run(fileNumber));
        Files.deleteIfExists(unfinished);
        this.channel = PrivateFiles.open(unfinished, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        this.buffer = pool.take();
        this.entries = new EntryBlocks(pool, storeId, fileNumber);
        this.origins = new OffHeapLongs(pool);
        put(RunFormat.header(storeId, fileNumber, EntryBlocks.LAYOUT));
    }

    public boolean isFull() {
        return offset >= RunFormat.MAX_BYTES;
    }

    /** Adds a timer whose record stands in {@code source} at {@code at}. */
    public void add(
            long attemptAtMs,
            long seq,
            long hash,
            Lane lane,
            ByteBuffer source,
            int at,
            int length,
            int fromTable,
            int fromOrdinal)
            throws IOException {
        origins.add(((long) fromTable << Integer.SIZE) | Integer.toUnsignedLong(fromOrdinal));
        firstDueMs = entries.count() == 0 ? attemptAtMs : firstDueMs;
        assert entries.count() == 0 || attemptAtMs >= lastDueMs : "out of order";
        lastDueMs = attemptAtMs;
        int position = link(lane);
        entries.add(attemptAtMs, seq, hash, (int) offset, length, position, RunFormat.crc(source, at, length));
        put(source.duplicate().limit(at + length).position(at));
    }

    /** Puts the next entry behind the last one of its lane; returns the position of the lane in the names. */
    private int link(Lane lane) {
        int next = entries.count();
        LaneList list = lanes.get(lane);
        if (list == null) {
            list = new LaneList(lanes.size(), lane.queue().getBytes(StandardCharsets.UTF_8), next);
            lanes.put(lane, list);
        } else {
            entries.link(list.last, next);
            list.last = next;
        }
        list.timers++;
        return list.position;
    }

    /** Completes the file, syncs it and gives it its name; the name is durable when the directory is synced. */
    public Written finish() throws IOException {
        assert entries.count() > 0;
        while (offset % RunFormat.BLOCK_BYTES != 0) {
            put(ByteBuffer.allocate((int) (RunFormat.BLOCK_BYTES - offset % RunFormat.BLOCK_BYTES)));
        }
        int filterBlocks = putFilter();
        long entriesOffset = offset;
        for (ByteBuffer blocks : entries.seal()) {
            put(blocks);
        }
        putNames(entriesOffset, filterBlocks);
        flush();
        channel.force(true);
        channel.close();
        Path file = directory.run(fileNumber);
        DurableFiles.rename(DataDirectory.unfinished(file), file);
        release();
        return new Written(fileNumber, origins);
    }

    /** Returns how many blocks it has. */
    private int putFilter() throws IOException {
        FilterBlocks filter = new FilterBlocks(pool, storeId, fileNumber, entries.count());
        try {
            entries.addTo(filter);
            for (ByteBuffer blocks : filter.seal()) {
                put(blocks);
            }
            return filter.count();
        } finally {
            filter.free();
        }
    }

    private void putNames(long entriesOffset, int filterBlocks) throws IOException {
        int bytes = lanes.values().stream()
                .mapToInt(list -> Short.BYTES + list.utf8.length + Long.BYTES + 2 * Integer.BYTES)
                .sum();
        ByteBuffer end = ByteBuffer.allocate(bytes + RunFormat.TRAILER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        lanes.forEach((lane, list) -> end.putShort((short) list.utf8.length)
                .put(list.utf8)
                .putLong(lane.route())
                .putInt(list.timers)
                .putInt(list.first));
        end.putLong(RunFormat.END_MAGIC)
                .putInt(entries.count())
                .putInt(tier.number())
                .putLong(entriesOffset)
                .putLong(offset)
                .putInt(lanes.size())
                .putInt(filterBlocks)
                .putLong(firstDueMs)
                .putLong(lastDueMs);
        end.putInt(RunFormat.crc(storeId, fileNumber, -1, end, bytes + RunFormat.TRAILER_CRC_AT));
        put(end.clear());
    }

    private void put(ByteBuffer bytes) throws IOException {
        offset += bytes.remaining();
        while (bytes.hasRemaining()) {
            if (!buffer.hasRemaining()) {
                flush();
            }
            int length = Math.min(bytes.remaining(), buffer.remaining());
            buffer.put(bytes.slice(bytes.position(), length));
            bytes.position(bytes.position() + length);
        }
    }

    private void flush() throws IOException {
        DurableFiles.writeFully(channel, buffer.flip());
        buffer.clear();
        if (++buffersWritten % SYNC_EVERY_BUFFERS == 0) {
            channel.force(false);
        }
    }

    /** Gives the file up, and deletes it: finished or not. */
    public void discard() throws IOException {
        close();
        DurableFiles.discard(DataDirectory.unfinished(directory.run(fileNumber)));
        DurableFiles.discard(directory.run(fileNumber));
    }

    /** Gives the file up when it was not finished; the next opening removes it. */
    @Override
    public void close() throws IOException {
        channel.close();
        if (!released) {
            release();
            origins.free();
        }
    }

    private void release() {
        released = true;
        pool.giveBack(buffer);
        entries.free();
    }
}
