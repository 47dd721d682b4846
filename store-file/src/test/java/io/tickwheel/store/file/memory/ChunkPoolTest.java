package io.tickwheel.store.file.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class ChunkPoolTest {

    private final ChunkPool pool = new ChunkPool(8);

    private Set<ByteBuffer> take(int count) {
        Set<ByteBuffer> taken = Collections.newSetFromMap(new IdentityHashMap<>());
        IntStream.range(0, count).forEach(i -> taken.add(pool.take()));
        return taken;
    }

    @Test
    void aboutOneMemtableOfChunksIsKeptAndTheRestGoesBackToTheSystem() {
        Set<ByteBuffer> first = take(300);
        assertThat(first).hasSize(300);
        first.forEach(pool::giveBack);
        Set<ByteBuffer> again = take(300);
        again.retainAll(first);
        assertThat(again).hasSize(192);
    }

    @Test
    void chunkOfAnotherSizeIsNotGivenAgain() {
        ByteBuffer large = ChunkPool.takeLarge(16);
        pool.giveBack(large);
        assertThat(pool.take().capacity()).isEqualTo(8);
    }
}
