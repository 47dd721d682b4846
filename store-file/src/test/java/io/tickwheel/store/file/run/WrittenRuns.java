package io.tickwheel.store.file.run;

import io.tickwheel.store.Lane;
import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.file.memory.ChunkPool;
import io.tickwheel.store.testkit.DiskFault;
import io.tickwheel.store.testkit.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;

/** Runs of entries whose hashes are given, and whose records are zeros; and what can happen to their files. */
public final class WrittenRuns {

    private static final long STORE = 7;
    private static final int RECORD_BYTES = 3;
    private static final Lane LANE = new Lane("q", Lane.QUEUE_ROUTE);

    private final SimulatedDisk disk = new SimulatedDisk(1);
    private final DataDirectory directory;
    private int last;

    public WrittenRuns() throws IOException {
        directory = DataDirectory.make(disk.path("/data"));
    }

    /** Returns the number of its file. */
    public long write(long... hashes) throws IOException {
        long number = RunFormat.fileNumber(2, ++last);
        // Two blocks a chunk.
        ChunkPool pool = new ChunkPool(2 * RunFormat.BLOCK_BYTES);
        RunWriter writer = new RunWriter(directory, STORE, number, RunFormat.Tier.NEAR, pool);
        ByteBuffer record = ByteBuffer.allocate(RECORD_BYTES);
        for (int i = 0; i < hashes.length; i++) {
            writer.add(i, i + 1L, hashes[i], LANE, record, 0, RECORD_BYTES, 0, i);
        }
        writer.finish().origins().free();
        return number;
    }

    public RunFile open(long number) throws IOException {
        return RunFile.open(directory, STORE, number);
    }

    public void failNextRead() {
        disk.failNext(DiskFault.READ_ERROR);
    }

    /** Flips a bit in a block of the entries, the first at 0, or of the filter, the last at -1. */
    public void damageBlock(long number, int position) throws IOException {
        disk.flipBit(directory.run(number), Byte.SIZE * (blockOffset(number, position) + 1));
    }

    private long blockOffset(long number, int position) throws IOException {
        try (RunFile run = open(number)) {
            return run.blockOffset(position);
        }
    }

    /** Flips a bit in a block of the filter, in a way that its checksum does not tell. */
    public void forgeFilter(long number, int position) throws IOException {
        byte[] bytes = Files.readAllBytes(directory.run(number));
        long at;
        try (RunFile run = open(number)) {
            at = run.filterOffset(position);
        }
        ByteBuffer block =
                ByteBuffer.wrap(bytes, (int) at, RunFormat.BLOCK_BYTES).slice().order(ByteOrder.LITTLE_ENDIAN);
        block.put(5, (byte) (block.get(5) ^ 4));
        block.putInt(RunFormat.BLOCK_CRC_AT, RunFormat.filterCrc(STORE, number, position, block));
        Files.write(directory.run(number), bytes);
    }

    /** Has the end of the file say that it has so many blocks of a filter. */
    public void setFilterBlocks(long number, int blocks) throws IOException {
        byte[] bytes = Files.readAllBytes(directory.run(number));
        ByteBuffer file = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        int trailer = bytes.length - RunFormat.TRAILER_BYTES;
        file.putInt(trailer + RunFormat.TRAILER_FILTER_AT, blocks);
        int names = (int) file.getLong(trailer + 24);
        ByteBuffer end = file.slice(names, bytes.length - names).order(ByteOrder.LITTLE_ENDIAN);
        int covered = end.limit() - RunFormat.TRAILER_BYTES + RunFormat.TRAILER_CRC_AT;
        file.putInt(trailer + RunFormat.TRAILER_CRC_AT, RunFormat.crc(STORE, number, -1, end, covered));
        Files.write(directory.run(number), bytes);
    }
}
