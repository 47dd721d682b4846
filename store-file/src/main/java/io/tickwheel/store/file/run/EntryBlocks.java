package io.tickwheel.store.file.run;

import io.tickwheel.store.file.memory.ChunkPool;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * The blocks of entries of a run in the making, outside the heap: in the file they come behind all records, and an entry
 * is linked to one that may come much later. Used by one thread at
 * a time.
 */
final class EntryBlocks {

    static final RunFormat.Entries LAYOUT = RunFormat.Entries.CURRENT;

    private final ChunkPool pool;
    private final int blocksPerChunk;
    private final long storeId;
    private final long fileNumber;

    /** Each filled with whole blocks up to its position. */
    private final List<ByteBuffer> chunks = new ArrayList<>();

    private int count;

    /** @param fileNumber that of the run */
    EntryBlocks(ChunkPool pool, long storeId, long fileNumber) {
        assert pool.chunkBytes() % RunFormat.BLOCK_BYTES == 0 : pool.chunkBytes();
        this.pool = pool;
        this.blocksPerChunk = pool.chunkBytes() / RunFormat.BLOCK_BYTES;
        this.storeId = storeId;
        this.fileNumber = fileNumber;
    }

    int count() {
        return count;
    }

    /** Adds an entry that is not linked to any other. */
    void add(long attemptAtMs, long seq, long hash, int recordOffset, int recordBytes, int lane, int recordCrc) {
        if (LAYOUT.offset(count) == 0) {
            beginBlock();
        }
        int at = entryOffset(count);
        chunk(LAYOUT.block(count))
                .putLong(at, attemptAtMs)
                .putLong(at + 8, seq)
                .putLong(at + 16, hash)
                .putInt(at + 24, recordOffset)
                .putInt(at + 28, recordBytes)
                .putInt(at + 32, lane)
                .putInt(at + 36, recordCrc);
        count++;
    }

    /** Says which entry is the next one of the lane: one that is added now or later. */
    void link(int ordinal, int next) {
        chunk(LAYOUT.block(ordinal)).putInt(entryOffset(ordinal) + LAYOUT.nextAt(), next);
    }

    /** Adds the hashes of all entries to a filter. */
    void addTo(FilterBlocks filter) {
        for (int ordinal = 0; ordinal < count; ordinal++) {
            filter.add(chunk(LAYOUT.block(ordinal)).getLong(entryOffset(ordinal) + 16));
        }
    }

    private void beginBlock() {
        if (chunks.isEmpty() || !chunks.get(chunks.size() - 1).hasRemaining()) {
            chunks.add(pool.take());
        }
        chunks.get(chunks.size() - 1).put(RunFormat.ZEROS);
    }

    private ByteBuffer chunk(int block) {
        return chunks.get(block / blocksPerChunk);
    }

    /** Where a block begins in its chunk. */
    private int blockOffset(int block) {
        return block % blocksPerChunk * RunFormat.BLOCK_BYTES;
    }

    private int entryOffset(int ordinal) {
        return blockOffset(LAYOUT.block(ordinal)) + LAYOUT.offset(ordinal);
    }

    /** All of them, to be written one after the other. Nothing may be added or linked any more. */
    List<ByteBuffer> seal() {
        for (int block = 0; block < LAYOUT.blocks(count); block++) {
            seal(block);
        }
        return chunks.stream().map(chunk -> chunk.duplicate().flip()).toList();
    }

    private void seal(int position) {
        ByteBuffer block = chunk(position)
                .slice(blockOffset(position), RunFormat.BLOCK_BYTES)
                .order(ByteOrder.LITTLE_ENDIAN);
        block.putInt(RunFormat.BLOCK_COUNT_AT, Math.min(LAYOUT.perBlock(), count - position * LAYOUT.perBlock()));
        block.putInt(
                RunFormat.BLOCK_CRC_AT, RunFormat.crc(storeId, fileNumber, position, block, RunFormat.BLOCK_CRC_AT));
        block.putInt(RunFormat.BLOCK_FORMAT_AT, LAYOUT.format());
    }

    /** Gives the memory back. Nothing of this may be used any more. */
    void free() {
        chunks.forEach(pool::giveBack);
        chunks.clear();
    }
}
