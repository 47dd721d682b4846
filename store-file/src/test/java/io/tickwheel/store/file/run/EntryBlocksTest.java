package io.tickwheel.store.file.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.file.memory.ChunkPool;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

class EntryBlocksTest {

    private static final long STORE = 7;
    private static final int RUN = 3;
    private static final int LANES = 5;
    private static final RunFormat.Entries LAYOUT = EntryBlocks.LAYOUT;

    /** Two blocks a chunk. */
    private final ChunkPool pool = new ChunkPool(2 * RunFormat.BLOCK_BYTES);

    @Test
    void entriesAreLinkedAcrossBlocksAndChunks() {
        // The second time in memory that holds what was there before.
        for (int count : new int[] {1_000, 700}) {
            EntryBlocks entries = filled(count);
            ByteBuffer all = sealed(entries);
            assertThat(all.limit()).isEqualTo(LAYOUT.blocks(count) * RunFormat.BLOCK_BYTES);
            for (int block = 0; block < LAYOUT.blocks(count); block++) {
                checkBlock(all, block, Math.min(LAYOUT.perBlock(), count - block * LAYOUT.perBlock()));
            }
            for (int i = 0; i < count; i++) {
                int at = LAYOUT.block(i) * RunFormat.BLOCK_BYTES + LAYOUT.offset(i);
                assertThat(all.getLong(at)).isEqualTo(i * 10L);
                assertThat(all.getLong(at + 8)).isEqualTo(i + 1L);
                assertThat(all.getInt(at + 32)).isEqualTo(lane(i));
                assertThat(all.getInt(at + LAYOUT.nextAt())).as("next of %s", i).isEqualTo(next(i, count));
            }
            entries.free();
        }
    }

    /** The last lane has its first entry and its last one, far apart. */
    private static int lane(int ordinal) {
        return ordinal == 0 || ordinal == 699 ? LANES : ordinal % LANES;
    }

    private static int next(int ordinal, int count) {
        for (int other = ordinal + 1; other < count; other++) {
            if (lane(other) == lane(ordinal)) {
                return other;
            }
        }
        return 0;
    }

    private EntryBlocks filled(int count) {
        EntryBlocks entries = new EntryBlocks(pool, STORE, RUN);
        int[] last = new int[LANES + 1];
        boolean[] met = new boolean[LANES + 1];
        for (int i = 0; i < count; i++) {
            int lane = lane(i);
            if (met[lane]) {
                entries.link(last[lane], i);
            }
            met[lane] = true;
            last[lane] = i;
            entries.add(i * 10L, i + 1L, i * 31L, i, 100, lane, i);
        }
        assertThat(entries.count()).isEqualTo(count);
        return entries;
    }

    private static ByteBuffer sealed(EntryBlocks entries) {
        ByteBuffer all = ByteBuffer.allocate(1 << 20).order(ByteOrder.LITTLE_ENDIAN);
        entries.seal().forEach(all::put);
        return all.flip();
    }

    private static void checkBlock(ByteBuffer all, int position, int count) {
        ByteBuffer block = all.slice(position * RunFormat.BLOCK_BYTES, RunFormat.BLOCK_BYTES)
                .order(ByteOrder.LITTLE_ENDIAN);
        assertThat(block.getInt(RunFormat.BLOCK_COUNT_AT)).isEqualTo(count);
        assertThat(block.getInt(RunFormat.BLOCK_CRC_AT))
                .isEqualTo(RunFormat.crc(STORE, RUN, position, block, RunFormat.BLOCK_CRC_AT));
        assertThat(block.getInt(RunFormat.BLOCK_FORMAT_AT)).isEqualTo(LAYOUT.format());
        for (int at = count * LAYOUT.entryBytes(); at < RunFormat.BLOCK_COUNT_AT; at++) {
            assertThat(block.get(at)).isZero();
        }
    }
}
