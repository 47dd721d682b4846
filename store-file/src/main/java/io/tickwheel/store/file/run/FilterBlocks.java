package io.tickwheel.store.file.run;

import io.tickwheel.store.file.memory.ChunkPool;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/** The blocks of the {@link RunFilter} of a run in the making, outside the heap. Used by one thread at a time. */
final class FilterBlocks {

    private final ChunkPool pool;
    private final int blocksPerChunk;
    private final long storeId;
    private final long fileNumber;
    private final int blocks;

    /** Each filled with whole blocks up to its position. */
    private final List<ByteBuffer> chunks = new ArrayList<>();

    /**
     * @param fileNumber that of the run
     * @param entries how many it has
     */
    FilterBlocks(ChunkPool pool, long storeId, long fileNumber, int entries) {
        assert pool.chunkBytes() % RunFormat.BLOCK_BYTES == 0 : pool.chunkBytes();
        this.pool = pool;
        this.blocksPerChunk = pool.chunkBytes() / RunFormat.BLOCK_BYTES;
        this.storeId = storeId;
        this.fileNumber = fileNumber;
        this.blocks = FilterFormat.blocks(entries);
        for (int i = 0; i < blocks; i++) {
            if (i % blocksPerChunk == 0) {
                chunks.add(pool.take().order(ByteOrder.LITTLE_ENDIAN));
            }
            chunks.get(i / blocksPerChunk).put(RunFormat.ZEROS);
        }
    }

    int count() {
        return blocks;
    }

    void add(long hash) {
        long line = FilterFormat.line(hash, blocks);
        int block = (int) (line / FilterFormat.LINES_A_BLOCK);
        ByteBuffer chunk = chunks.get(block / blocksPerChunk);
        int start = block % blocksPerChunk * RunFormat.BLOCK_BYTES + FilterFormat.offset(line);
        for (int i = 0; i < FilterFormat.BITS_A_HASH; i++) {
            int bit = FilterFormat.bit(hash, i);
            int at = start + bit / Byte.SIZE;
            chunk.put(at, (byte) (chunk.get(at) | (1 << (bit % Byte.SIZE))));
        }
    }

    /** All of them, to be written one after the other. Nothing may be added any more. */
    List<ByteBuffer> seal() {
        for (int position = 0; position < blocks; position++) {
            ByteBuffer block = at(position);
            block.putInt(RunFormat.BLOCK_CRC_AT, RunFormat.filterCrc(storeId, fileNumber, position, block));
        }
        return chunks.stream().map(chunk -> chunk.duplicate().flip()).toList();
    }

    /** Whether a block holds what is to be there. */
    boolean isSame(int position, ByteBuffer block) {
        return at(position).slice(0, RunFormat.BLOCK_CRC_AT).equals(block.slice(0, RunFormat.BLOCK_CRC_AT));
    }

    private ByteBuffer at(int position) {
        return chunks.get(position / blocksPerChunk)
                .slice(position % blocksPerChunk * RunFormat.BLOCK_BYTES, RunFormat.BLOCK_BYTES)
                .order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Gives the memory back. Nothing of this may be used any more. */
    void free() {
        chunks.forEach(pool::giveBack);
        chunks.clear();
    }
}
