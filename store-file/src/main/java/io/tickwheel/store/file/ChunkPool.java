package io.tickwheel.store.file;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/** Chunks of memory outside the heap, used again. Owned by the loop. */
final class ChunkPool {

    static final int CHUNK_BYTES = 1 << 20;

    /** More than these, about one memtable at the default size, are given back to the system. */
    private static final int KEPT = 192;

    private final ArrayDeque<ByteBuffer> free = new ArrayDeque<>();

    ByteBuffer take() {
        ByteBuffer chunk = free.poll();
        return chunk != null ? chunk.clear() : OffHeap.allocate(CHUNK_BYTES);
    }

    /** A chunk of its own for something larger. */
    static ByteBuffer takeLarge(int bytes) {
        return OffHeap.allocate(bytes);
    }

    void giveBack(ByteBuffer chunk) {
        if (chunk.capacity() == CHUNK_BYTES && free.size() < KEPT) {
            free.add(chunk);
        }
    }
}
