package io.tickwheel.store.file.run;

import io.tickwheel.store.StoreCorruptedException;
import io.tickwheel.store.file.memory.ChunkPool;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Tells of a hash whether a run may have an entry with it, so that who looks for a few keys need not go through the entries of all runs: of those that do
 * not have it, about one in a hundred says that it may. A run without a filter may have any. The filter says nothing that the entries do not
 * say: where it is damaged or cannot be read, the run may have any too.
 *
 * <p>A look costs one read of 4 KiB, and nothing when it stands in the same block as the one before. Owned by one thread.
 */
public final class RunFilter {

    /** Who goes through all entries reads 64 KiB at a time. */
    private static final int BLOCKS_A_READ = 16;

    private final RunFile file;
    private final ByteBuffer block = RunFile.newBlock();
    private int inView = -1;
    private int reads;
    private boolean isDamaged;

    public RunFilter(RunFile file) {
        this.file = file;
    }

    /** How many blocks were read: fewer when hashes are asked for in their unsigned order. */
    public int reads() {
        return reads;
    }

    /** Whether the run may have an entry with that hash. */
    public boolean mayHave(long hash) {
        if (isDamaged || file.filterBlocks() == 0) {
            return true;
        }
        long line = FilterFormat.line(hash, file.filterBlocks());
        if (!isRead((int) (line / FilterFormat.LINES_A_BLOCK))) {
            return true;
        }
        int start = FilterFormat.offset(line);
        for (int i = 0; i < FilterFormat.BITS_A_HASH; i++) {
            int bit = FilterFormat.bit(hash, i);
            if ((block.get(start + bit / Byte.SIZE) & (1 << (bit % Byte.SIZE))) == 0) {
                return false;
            }
        }
        return true;
    }

    /**
     * Holds the filter of a run against its entries, and tells of each block that is not as it should be.
     *
     * @param pool for what is kept meanwhile
     */
    public static void check(RunFile file, ChunkPool pool, Consumer<StoreCorruptedException> damages) {
        FilterBlocks expected = expected(file, pool);
        try {
            ByteBuffer block = RunFile.newBlock();
            for (int position = 0; position < file.filterBlocks(); position++) {
                try {
                    file.readFilterBlock(position, block);
                    if (expected != null && !expected.isSame(position, block)) {
                        damages.accept(file.corrupt(
                                file.filterOffset(position),
                                "block " + position + " of the filter is not of the entries"));
                    }
                } catch (StoreCorruptedException e) {
                    damages.accept(e);
                }
            }
        } finally {
            if (expected != null) {
                expected.free();
            }
        }
    }

    /** The filter that is to be there; null when not all entries can be read. */
    private static @Nullable FilterBlocks expected(RunFile file, ChunkPool pool) {
        FilterBlocks filter = new FilterBlocks(pool, 0, 0, file.count());
        RunEntry entry = new RunEntry(file, BLOCKS_A_READ);
        try {
            for (int ordinal = 0; ordinal < file.count(); ordinal++) {
                filter.add(entry.moveTo(ordinal).hash());
            }
            return filter;
        } catch (StoreCorruptedException e) {
            filter.free();
            return null;
        }
    }

    private boolean isRead(int wanted) {
        if (wanted == inView) {
            return true;
        }
        inView = -1;
        reads++;
        try {
            file.readFilterBlock(wanted, block);
        } catch (StoreCorruptedException | UncheckedIOException e) {
            // A verification tells.
            isDamaged = true;
            return false;
        }
        inView = wanted;
        return true;
    }
}
