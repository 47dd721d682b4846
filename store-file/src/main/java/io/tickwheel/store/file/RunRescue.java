package io.tickwheel.store.file;

import io.tickwheel.store.StoreCorruptedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Opens a run whose header or end is damaged: the blocks of entries say by their checksums what they are, and the records what
 * the names at the end said.
 */
final class RunRescue {

    /** So many blocks at the beginning may be damaged. */
    private static final int FIRST_BLOCKS = 3;

    private final DataDirectory directory;
    private final FileChannel channel;
    private final long storeId;
    private final long fileNumber;
    private final ByteBuffer block = Run.newBlock();

    private RunRescue(DataDirectory directory, FileChannel channel, long storeId, long fileNumber) {
        this.directory = directory;
        this.channel = channel;
        this.storeId = storeId;
        this.fileNumber = fileNumber;
    }

    /** Opens it; null when the file is missing, or there is nothing in it that can be read. */
    static @Nullable Run open(DataDirectory directory, long storeId, long fileNumber, QueueTable queues)
            throws IOException {
        FileChannel channel;
        try {
            channel = FileChannel.open(directory.run(fileNumber), StandardOpenOption.READ);
        } catch (NoSuchFileException e) {
            return null;
        }
        Run run = null;
        try {
            run = new RunRescue(directory, channel, storeId, fileNumber).open(queues);
        } finally {
            if (run == null) {
                channel.close();
            }
        }
        return run;
    }

    private @Nullable Run open(QueueTable queues) throws IOException {
        long size = channel.size();
        long entriesOffset = findEntries(size);
        if (entriesOffset < 0) {
            return null;
        }
        int count = 0;
        long firstDueMs = Long.MAX_VALUE;
        long lastDueMs = Long.MIN_VALUE;
        for (int position = 0; entriesOffset + (position + 1L) * RunFormat.BLOCK_BYTES <= size; position++) {
            if (isBlock(entriesOffset + (long) position * RunFormat.BLOCK_BYTES, position)) {
                int entries = block.getInt(RunFormat.BLOCK_COUNT_AT);
                count = position * RunFormat.ENTRIES_PER_BLOCK + entries;
                firstDueMs = Math.min(firstDueMs, block.getLong(0));
                lastDueMs = Math.max(lastDueMs, block.getLong((entries - 1) * RunFormat.ENTRY_BYTES));
            }
        }
        ByteBuffer trailer = ByteBuffer.allocate(RunFormat.TRAILER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        trailer.putInt(8, count)
                .putLong(16, entriesOffset)
                .putLong(40, firstDueMs)
                .putLong(48, lastDueMs);
        List<String> names = new ArrayList<>();
        Run untitled = new Run(directory, channel, storeId, fileNumber, size, trailer, names, queues);
        trailer.putInt(12, readNames(untitled, names).number());
        return new Run(directory, channel, storeId, fileNumber, size, trailer, names, queues);
    }

    /** Where the first block of entries is, or -1. */
    private long findEntries(long size) throws IOException {
        for (long at = RunFormat.BLOCK_BYTES; at + RunFormat.BLOCK_BYTES <= size; at += RunFormat.BLOCK_BYTES) {
            for (int position = 0; position < FIRST_BLOCKS; position++) {
                long start = at - (long) position * RunFormat.BLOCK_BYTES;
                if (start >= RunFormat.BLOCK_BYTES && isBlock(at, position)) {
                    return start;
                }
            }
        }
        return -1;
    }

    private boolean isBlock(long at, int position) throws IOException {
        ByteBuffer read = DataDirectory.read(channel, at, RunFormat.BLOCK_BYTES);
        boolean sound = read.limit() == RunFormat.BLOCK_BYTES
                && read.getInt(RunFormat.BLOCK_CRC_AT)
                        == RunFormat.crc(storeId, fileNumber, position, read, RunFormat.BLOCK_CRC_AT);
        if (sound) {
            block.clear().put(read);
        }
        return sound;
    }

    private static TimerRecord record(RunScan scan) {
        int at = scan.readRecord();
        return TimerRecord.read(scan.window(), at, scan.length(), false);
    }

    /** Fills in the names that records say, and returns what tier they are of. */
    private static RunFormat.Tier readNames(Run run, List<String> names) {
        BitSet passed = new BitSet();
        for (int position = 0; position < RunFormat.blocks(run.count()); position++) {
            try {
                run.readBlock(position, Run.newBlock());
            } catch (StoreCorruptedException e) {
                int first = position * RunFormat.ENTRIES_PER_BLOCK;
                passed.set(first, first + RunFormat.ENTRIES_PER_BLOCK);
            }
        }
        RunFormat.Tier tier = RunFormat.Tier.NEAR;
        RunScan scan = new RunScan(run, passed);
        while (scan.next()) {
            try {
                TimerRecord record = record(scan);
                tier = record.dead() ? RunFormat.Tier.DEAD : tier;
                while (names.size() <= scan.queuePosition()) {
                    names.add("");
                }
                names.set(scan.queuePosition(), new String(record.queue(), StandardCharsets.UTF_8));
            } catch (StoreCorruptedException e) {
                // It will be told as lost when the run is checked.
            }
        }
        return tier;
    }
}
