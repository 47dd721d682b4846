package io.tickwheel.store.file.memory;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/** Chunks of one size outside the heap, used again: what is in them is left over from before. Thread-safe. */
public final class ChunkPool {

    public static final int CHUNK_BYTES = 1 << 20;

    /** More than these, about one memtable at the default size, are given back to the system. */
    private static final int KEPT = 192;

    private final int chunkBytes;
    private final ArrayDeque<ByteBuffer> free = new ArrayDeque<>();

    public ChunkPool() {
        this(CHUNK_BYTES);
    }

    /** @param chunkBytes a power of two, at least 8; tests take little, so that much crosses from chunk to chunk */
    public ChunkPool(int chunkBytes) {
        assert Integer.bitCount(chunkBytes) == 1 && chunkBytes >= Long.BYTES : chunkBytes;
        this.chunkBytes = chunkBytes;
    }

    public int chunkBytes() {
        return chunkBytes;
    }

    public synchronized ByteBuffer take() {
        ByteBuffer chunk = free.poll();
        return chunk != null ? chunk.clear() : OffHeap.allocate(chunkBytes);
    }

    /** A chunk of its own for something larger. */
    public static ByteBuffer takeLarge(int bytes) {
        return OffHeap.allocate(bytes);
    }

    public synchronized void giveBack(ByteBuffer chunk) {
        if (chunk.capacity() == chunkBytes && free.size() < KEPT) {
            free.add(chunk);
        }
    }
}
