package io.tickwheel.store.file.memory;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * Pages of one size outside the heap, known by number. To allocate, to free and to look up cost O(1); the memory itself comes
 * from {@link OffHeap} in regions that grow with what is there, so that at most an eighth, or 256 KiB, lies fallow. Owned by
 * one thread.
 *
 * <p>Pages are told apart by number alone; the number says where the page is:
 *
 * <pre>
 *   page number    | chunk | page in chunk |        chunks of 256 KiB
 *   regions        [ch 0][ch 1] … [ch 15][ch 16, 17][ch 18, 19] …  [16 MiB: 64 chunks] …
 * </pre>
 *
 * <p>Worked example: with pages of 512 bytes a chunk has 512 of them. Page 1,027 is the page 3 of chunk 2 and begins at
 * 3 * 512 = 1,536 there.
 *
 * <p>Who allocates gets a page of the lowest region that has one. So a population that shrinks, and whose owner moves what is
 * left to new pages now and then, withdraws from the upper regions, and a region without a page in use is given back. One such
 * region is kept in reserve: going to and fro at a border must not map and unmap every time.
 */
final class PageMemory {

    private static final int CHUNK_BITS = 18;
    private static final int CHUNK_BYTES = 1 << CHUNK_BITS;
    private static final int LARGEST_REGION_CHUNKS = 64;

    private final int pageBytes;
    private final int pageBits;
    private final int pageInChunkBits;
    private final int pageInChunkMask;

    private ByteBuffer[] chunks = new ByteBuffer[16];
    private int[] regionOfChunk = new int[16];
    private int chunkCount;

    private final List<Region> regions = new ArrayList<>();
    private final BitSet withRoom = new BitSet();
    private final BitSet unused = new BitSet();
    private final BitSet givenBack = new BitSet();
    private long bytes;

    /** @param pageBytes a power of two, 16 to 262,144 */
    PageMemory(int pageBytes) {
        if (pageBytes < 16 || pageBytes > CHUNK_BYTES || Integer.bitCount(pageBytes) != 1) {
            throw new IllegalArgumentException(
                    "pageBytes must be a power of two, 16 to " + CHUNK_BYTES + ": " + pageBytes);
        }
        this.pageBytes = pageBytes;
        this.pageBits = Integer.numberOfTrailingZeros(pageBytes);
        this.pageInChunkBits = CHUNK_BITS - pageBits;
        this.pageInChunkMask = (1 << pageInChunkBits) - 1;
    }

    /** A page that nobody has. What is in it is left over from before. */
    int allocate() {
        int index = withRoom.nextSetBit(0);
        if (index < 0) {
            index = obtain();
        }
        Region region = regions.get(index);
        int page;
        if (region.freed > 0) {
            page = region.lastFreed;
            region.freed--;
            region.lastFreed = chunk(page).getInt(offset(page));
        } else {
            page = region.firstPage + region.touched++;
        }
        region.used++;
        unused.clear(index);
        if (region.used == region.pages) {
            withRoom.clear(index);
        }
        return page;
    }

    /** Takes back a page from {@link #allocate}. */
    void free(int page) {
        int index = regionOfChunk[page >>> pageInChunkBits];
        Region region = regions.get(index);
        assert region.used > 0 && page - region.firstPage < region.touched : "not allocated: " + page;
        chunk(page).putInt(offset(page), region.lastFreed);
        region.lastFreed = page;
        region.freed++;
        region.used--;
        withRoom.set(index);
        if (region.used == 0) {
            unused.set(index);
            if (unused.cardinality() > 1) {
                giveBack(unused.length() - 1);
            }
        }
    }

    /** The little-endian buffer that the page is in; only up to {@link #free}. */
    ByteBuffer chunk(int page) {
        return chunks[page >>> pageInChunkBits];
    }

    /** Where in {@link #chunk} the page begins. */
    int offset(int page) {
        return (page & pageInChunkMask) << pageBits;
    }

    /** Bytes obtained and not given back, in use or not. */
    long bytes() {
        return bytes;
    }

    /** @return the index of a region that had no memory and has it now */
    private int obtain() {
        int index = givenBack.nextSetBit(0);
        if (index < 0) {
            index = regions.size();
            addRegion();
        }
        Region region = regions.get(index);
        int first = region.firstPage >>> pageInChunkBits;
        int count = region.pages >>> pageInChunkBits;
        ByteBuffer memory = OffHeap.allocate(count << CHUNK_BITS);
        for (int i = 0; i < count; i++) {
            chunks[first + i] = memory.slice(i << CHUNK_BITS, CHUNK_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        }
        bytes += memory.capacity();
        givenBack.clear(index);
        withRoom.set(index);
        return index;
    }

    /** An eighth of what is there, rounded down to a power of two: 1 chunk up to 16, 64 from 512 on. */
    private void addRegion() {
        int count = Math.min(Math.max(Integer.highestOneBit(chunkCount / 8), 1), LARGEST_REGION_CHUNKS);
        if ((long) (chunkCount + count) << pageInChunkBits > Integer.MAX_VALUE) {
            throw new OutOfMemoryError("More than " + Integer.MAX_VALUE + " pages of " + pageBytes + " bytes");
        }
        if (chunkCount + count > chunks.length) {
            chunks = Arrays.copyOf(chunks, 2 * chunks.length);
            regionOfChunk = Arrays.copyOf(regionOfChunk, chunks.length);
        }
        Arrays.fill(regionOfChunk, chunkCount, chunkCount + count, regions.size());
        givenBack.set(regions.size());
        regions.add(new Region(chunkCount << pageInChunkBits, count << pageInChunkBits));
        chunkCount += count;
    }

    private void giveBack(int index) {
        Region region = regions.get(index);
        int first = region.firstPage >>> pageInChunkBits;
        int count = region.pages >>> pageInChunkBits;
        Arrays.fill(chunks, first, first + count, null);
        bytes -= (long) count << CHUNK_BITS;
        region.touched = 0;
        region.freed = 0;
        withRoom.clear(index);
        unused.clear(index);
        givenBack.set(index);
    }

    /** A run of chunks that come and go together. Each freed page holds the number of the one freed before it. */
    private static final class Region {
        final int firstPage;
        final int pages;

        /** Pages handed out at least once. */
        int touched;

        int used;
        int freed;
        int lastFreed;

        Region(int firstPage, int pages) {
            this.firstPage = firstPage;
            this.pages = pages;
        }
    }
}
