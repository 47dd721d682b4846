package io.tickwheel.store.file.memory;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Longs by index, in chunks of a pool outside the heap; more can be added. Used by one thread at a time; O(1). */
public final class OffHeapLongs {

    private final ChunkPool pool;
    private final int indexBits;
    private final int indexMask;
    private @Nullable ByteBuffer[] chunks = new ByteBuffer[4];
    private int chunkCount;
    private long size;

    public OffHeapLongs(ChunkPool pool) {
        this.pool = pool;
        this.indexBits = Integer.numberOfTrailingZeros(pool.chunkBytes() / Long.BYTES);
        this.indexMask = (1 << indexBits) - 1;
    }

    public long size() {
        return size;
    }

    public long get(long index) {
        assert index >= 0 && index < size : index + " of " + size;
        return chunk(index).getLong(offset(index));
    }

    public void set(long index, long value) {
        assert index >= 0 && index < size : index + " of " + size;
        chunk(index).putLong(offset(index), value);
    }

    public void add(long value) {
        resize(size + 1);
        set(size - 1, value);
    }

    /** Makes it so long. What was not there before is not set yet; what is too much is gone. */
    public void resize(long newSize) {
        size = newSize;
        while ((long) chunkCount << indexBits < size) {
            if (chunkCount == chunks.length) {
                chunks = Arrays.copyOf(chunks, 2 * chunkCount);
            }
            chunks[chunkCount++] = pool.take();
        }
    }

    /** Gives the memory back; it is empty then. */
    public void free() {
        size = 0;
        while (chunkCount > 0) {
            ByteBuffer chunk = chunks[--chunkCount];
            chunks[chunkCount] = null;
            if (chunk != null) {
                pool.giveBack(chunk);
            }
        }
    }

    ByteBuffer chunk(long index) {
        ByteBuffer chunk = chunks[(int) (index >>> indexBits)];
        assert chunk != null;
        return chunk;
    }

    int offset(long index) {
        return (int) (index & indexMask) << 3;
    }
}
