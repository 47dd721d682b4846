package io.tickwheel.store.file.memory;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Records of bytes outside the heap, the first in the first out, each at a position that stays the same for as long as it is
 * here. Used by one thread at a time; O(1).
 *
 * <pre>
 *   position   number of the chunk, counted for ever | offset
 *   chunk      [ length u32 | record ][ length u32 | record ] ... | what is left was too little for the next
 * </pre>
 *
 * A record is whole in one chunk, so it is at most {@link #mostBytes} long.
 */
public final class RecordQueue {

    private final ChunkPool pool;
    private final int offsetBits;

    /** Each filled up to its position. */
    private final List<ByteBuffer> chunks = new ArrayList<>();

    /** The number of the first chunk there is, or of the first that will be. */
    private long firstChunk;

    private long first;
    private int size;
    private long bytes;

    public RecordQueue(ChunkPool pool) {
        this.pool = pool;
        this.offsetBits = Integer.numberOfTrailingZeros(pool.chunkBytes());
    }

    int mostBytes() {
        return pool.chunkBytes() - Integer.BYTES;
    }

    /** How many records there are. */
    public int size() {
        return size;
    }

    /** The bytes of all records. */
    public long bytes() {
        return bytes;
    }

    /** Adds a record of that many bytes at the end, to be written by the caller; returns its position. */
    public long add(int length) {
        assert length <= mostBytes() : length;
        if (chunks.isEmpty() || last().remaining() < Integer.BYTES + length) {
            chunks.add(pool.take());
        }
        long position = end();
        last().putInt(length).position(last().position() + length);
        if (size == 0) {
            dropChunksBefore(position);
            first = position;
        }
        size++;
        bytes += length;
        return position;
    }

    private ByteBuffer last() {
        return chunks.get(chunks.size() - 1);
    }

    /** The position of the first record; {@link #end} when there is none. */
    public long first() {
        return size == 0 ? end() : first;
    }

    /** Behind the last record. */
    public long end() {
        return chunks.isEmpty()
                ? firstChunk << offsetBits
                : ((firstChunk + chunks.size() - 1) << offsetBits) + last().position();
    }

    /** The position of the record that follows on another one; {@link #end} when there is none. */
    public long next(long position) {
        return from(position + Integer.BYTES + length(position));
    }

    /**
     * The position of the first record that is not before another position; {@link #end} when there is none.
     *
     * @param position of a record that is here or was, or where the end was
     */
    public long from(long position) {
        if (position <= first()) {
            return first();
        }
        int chunk = (int) ((position >>> offsetBits) - firstChunk);
        boolean isBehindChunk = chunk < chunks.size() - 1
                && (position & (pool.chunkBytes() - 1)) == chunks.get(chunk).position();
        return isBehindChunk ? (firstChunk + chunk + 1) << offsetBits : position;
    }

    /** The little-endian buffer that the record is in; only for as long as it is here. */
    public ByteBuffer chunk(long position) {
        return chunks.get((int) ((position >>> offsetBits) - firstChunk));
    }

    /** Where in {@link #chunk} the record begins. */
    public int offset(long position) {
        return (int) (position & (pool.chunkBytes() - 1)) + Integer.BYTES;
    }

    public int length(long position) {
        return chunk(position).getInt(offset(position) - Integer.BYTES);
    }

    /** Drops the first record. */
    public void removeFirst() {
        assert size > 0;
        long next = next(first);
        bytes -= length(first);
        size--;
        dropChunksBefore(next);
        first = next;
    }

    private void dropChunksBefore(long position) {
        while (firstChunk < position >>> offsetBits && chunks.size() > 1) {
            pool.giveBack(chunks.remove(0));
            firstChunk++;
        }
    }

    /** Gives the memory back; it is empty then. */
    public void free() {
        firstChunk += chunks.size();
        chunks.forEach(pool::giveBack);
        chunks.clear();
        size = 0;
        bytes = 0;
    }
}
