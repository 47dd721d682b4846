package io.tickwheel.store.file;

import io.tickwheel.store.Lane;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes one run, entry by entry in the order of due time and seq; it becomes a file of the schedule log when it is finished
 * and synced. Used by one background task. Remembers for each ordinal where the timer stood before.
 */
final class RunWriter implements AutoCloseable {

    private static final int BUFFER_BYTES = 1 << 20;

    /** Synced now and then, so that one large sync at the end does not hold up the commit log. */
    private static final int SYNC_EVERY_BUFFERS = 16;

    private static final RunFormat.Entries ENTRIES = RunFormat.Entries.CURRENT;

    private final DataDirectory directory;
    private final long storeId;
    private final long fileNumber;
    private final RunFormat.Tier tier;
    private final FileChannel channel;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private final List<ByteBuffer> blocks = new ArrayList<>();
    private final Map<Lane, LaneList> lanes = new LinkedHashMap<>();
    private int[] fromOrdinals = new int[1_024];
    private int[] fromShelves = new int[1_024];
    private int count;
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
     * What became of the timers of a run: the one with ordinal i stood on the shelf {@code fromShelves[i]} under {@code
     * fromOrdinals[i]}.
     */
    record Written(long fileNumber, int[] fromShelves, int[] fromOrdinals) {}

    RunWriter(DataDirectory directory, long storeId, long fileNumber, RunFormat.Tier tier) throws IOException {
        this.directory = directory;
        this.storeId = storeId;
        this.fileNumber = fileNumber;
        this.tier = tier;
        Path unfinished = DataDirectory.unfinished(directory.run(fileNumber));
        Files.deleteIfExists(unfinished);
        this.channel = PrivateFiles.open(unfinished, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        put(RunFormat.header(storeId, fileNumber, ENTRIES));
    }

    boolean isFull() {
        return offset >= RunFormat.MAX_BYTES;
    }

    /** Adds a timer whose record stands in {@code source} at {@code at}. */
    void add(
            long attemptAtMs,
            long seq,
            long hash,
            Lane lane,
            ByteBuffer source,
            int at,
            int length,
            int fromShelf,
            int fromOrdinal)
            throws IOException {
        if (count == fromOrdinals.length) {
            fromOrdinals = Arrays.copyOf(fromOrdinals, 2 * count);
            fromShelves = Arrays.copyOf(fromShelves, 2 * count);
        }
        fromOrdinals[count] = fromOrdinal;
        fromShelves[count] = fromShelf;
        firstDueMs = count == 0 ? attemptAtMs : firstDueMs;
        assert count == 0 || attemptAtMs >= lastDueMs : "out of order";
        lastDueMs = attemptAtMs;
        if (ENTRIES.offset(count) == 0) {
            blocks.add(ByteBuffer.allocate(RunFormat.BLOCK_BYTES).order(ByteOrder.LITTLE_ENDIAN));
        }
        blocks.get(blocks.size() - 1)
                .putLong(attemptAtMs)
                .putLong(seq)
                .putLong(hash)
                .putInt((int) offset)
                .putInt(length)
                .putInt(link(lane))
                .putInt(RunFormat.crc(source, at, length))
                .putInt(0);
        count++;
        put(source.duplicate().limit(at + length).position(at));
    }

    /** Puts the next entry behind the last one of its lane; returns the position of the lane in the names. */
    private int link(Lane lane) {
        LaneList list = lanes.get(lane);
        if (list == null) {
            list = new LaneList(lanes.size(), lane.queue().getBytes(StandardCharsets.UTF_8), count);
            lanes.put(lane, list);
        } else {
            blocks.get(ENTRIES.block(list.last)).putInt(ENTRIES.offset(list.last) + ENTRIES.nextAt(), count);
            list.last = count;
        }
        list.timers++;
        return list.position;
    }

    private void sealBlock(int position) {
        ByteBuffer block = blocks.get(position);
        int entries = Math.min(ENTRIES.perBlock(), count - position * ENTRIES.perBlock());
        block.putInt(RunFormat.BLOCK_COUNT_AT, entries);
        block.putInt(
                RunFormat.BLOCK_CRC_AT, RunFormat.crc(storeId, fileNumber, position, block, RunFormat.BLOCK_CRC_AT));
        block.putInt(RunFormat.BLOCK_FORMAT_AT, ENTRIES.format());
    }

    /** Completes the file, syncs it and gives it its name; the name is durable when the directory is synced. */
    Written finish() throws IOException {
        assert count > 0;
        while (offset % RunFormat.BLOCK_BYTES != 0) {
            put(ByteBuffer.allocate((int) (RunFormat.BLOCK_BYTES - offset % RunFormat.BLOCK_BYTES)));
        }
        long entriesOffset = offset;
        for (int position = 0; position < blocks.size(); position++) {
            // Not before: an entry is linked to one that may come much later.
            sealBlock(position);
            put(blocks.get(position).clear());
        }
        putNames(entriesOffset);
        flush();
        channel.force(true);
        channel.close();
        Path file = directory.run(fileNumber);
        DataDirectory.rename(DataDirectory.unfinished(file), file);
        return new Written(fileNumber, Arrays.copyOf(fromShelves, count), Arrays.copyOf(fromOrdinals, count));
    }

    private void putNames(long entriesOffset) throws IOException {
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
                .putInt(count)
                .putInt(tier.number())
                .putLong(entriesOffset)
                .putLong(offset)
                .putInt(lanes.size())
                .putInt(0)
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
        DataDirectory.writeFully(channel, buffer.flip());
        buffer.clear();
        if (++buffersWritten % SYNC_EVERY_BUFFERS == 0) {
            channel.force(false);
        }
    }

    /** Gives the file up, and deletes it: finished or not. */
    void discard() throws IOException {
        close();
        DataDirectory.discard(DataDirectory.unfinished(directory.run(fileNumber)));
        DataDirectory.discard(directory.run(fileNumber));
    }

    /** Gives the file up when it was not finished; the next opening removes it. */
    @Override
    public void close() throws IOException {
        channel.close();
    }
}
