package io.tickwheel.store.file.tools;

import io.tickwheel.store.Lane;
import io.tickwheel.store.StoreCorruptedException;
import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.file.disk.DurableFiles;
import io.tickwheel.store.file.record.TimerRecord;
import io.tickwheel.store.file.run.RunFile;
import io.tickwheel.store.file.run.RunFormat;
import io.tickwheel.store.file.run.RunScan;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Opens a run whose header or end is damaged: the blocks of entries say by their checksums what they are, and the records what
 * the names at the end said.
 */
final class RunRescue {

    /** In place of a lane of which no record was read. */
    private static final RunFormat.LaneName UNREAD = new RunFormat.LaneName(new Lane("", Lane.UNKNOWN_ROUTE), 0, -1);

    /** So many blocks at the beginning may be damaged. */
    private static final int FIRST_BLOCKS = 3;

    private final DataDirectory directory;
    private final FileChannel channel;
    private final long storeId;
    private final long fileNumber;
    private final ByteBuffer block = RunFile.newBlock();
    private RunFormat.Entries entries = RunFormat.Entries.CURRENT;

    private RunRescue(DataDirectory directory, FileChannel channel, long storeId, long fileNumber) {
        this.directory = directory;
        this.channel = channel;
        this.storeId = storeId;
        this.fileNumber = fileNumber;
    }

    /** Opens it; null when the file is missing, or there is nothing in it that can be read. */
    static @Nullable RunFile open(DataDirectory directory, long storeId, long fileNumber) throws IOException {
        FileChannel channel;
        try {
            channel = directory.openFile(directory.run(fileNumber));
        } catch (NoSuchFileException e) {
            return null;
        }
        RunFile run = null;
        try {
            run = new RunRescue(directory, channel, storeId, fileNumber).open();
        } finally {
            if (run == null) {
                channel.close();
            }
        }
        return run;
    }

    private @Nullable RunFile open() throws IOException {
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
                count = position * entries.perBlock() + block.getInt(RunFormat.BLOCK_COUNT_AT);
                firstDueMs = Math.min(firstDueMs, block.getLong(0));
                lastDueMs = Math.max(lastDueMs, block.getLong(entries.offset(count - 1)));
            }
        }
        ByteBuffer trailer = ByteBuffer.allocate(RunFormat.TRAILER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        trailer.putInt(8, count)
                .putLong(16, entriesOffset)
                .putLong(40, firstDueMs)
                .putLong(48, lastDueMs);
        List<RunFormat.LaneName> names = new ArrayList<>();
        RunFile untitled = new RunFile(directory, channel, storeId, fileNumber, size, entries, trailer, names);
        trailer.putInt(12, readNames(untitled, names).number());
        return new RunFile(directory, channel, storeId, fileNumber, size, entries, trailer, names);
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
        ByteBuffer read = DurableFiles.read(channel, at, RunFormat.BLOCK_BYTES);
        boolean sound = read.limit() == RunFormat.BLOCK_BYTES
                && read.getInt(RunFormat.BLOCK_CRC_AT)
                        == RunFormat.crc(storeId, fileNumber, position, read, RunFormat.BLOCK_CRC_AT);
        if (sound) {
            block.clear().put(read);
            boolean current = read.getInt(RunFormat.BLOCK_FORMAT_AT) == RunFormat.Entries.CURRENT.format();
            entries = current ? RunFormat.Entries.CURRENT : RunFormat.Entries.FORMAT_2;
        }
        return sound;
    }

    private static TimerRecord record(RunScan scan) {
        int at = scan.readRecord();
        return TimerRecord.read(scan.window(), at, scan.length(), false);
    }

    /** Fills in the names that records say, and returns what tier they are of. */
    private static RunFormat.Tier readNames(RunFile run, List<RunFormat.LaneName> names) {
        BitSet passed = new BitSet();
        for (int position = 0; position < run.entries().blocks(run.count()); position++) {
            try {
                run.readBlock(position, RunFile.newBlock());
            } catch (StoreCorruptedException e) {
                int first = position * run.entries().perBlock();
                passed.set(first, first + run.entries().perBlock());
            }
        }
        RunFormat.Tier tier = RunFormat.Tier.NEAR;
        RunScan scan = new RunScan(run, passed);
        while (scan.next()) {
            try {
                TimerRecord record = record(scan);
                tier = record.dead() ? RunFormat.Tier.DEAD : tier;
                while (names.size() <= scan.lanePosition()) {
                    names.add(UNREAD);
                }
                names.set(scan.lanePosition(), new RunFormat.LaneName(record.lane(), 0, -1));
            } catch (StoreCorruptedException e) {
                // It will be told as lost when the run is checked.
            }
        }
        return tier;
    }
}
