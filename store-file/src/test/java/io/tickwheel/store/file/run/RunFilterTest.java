package io.tickwheel.store.file.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.store.StoreCorruptedException;
import io.tickwheel.store.file.memory.ChunkPool;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** What the filter of a run says of its hashes and of others, when it is sound and when it is not. */
class RunFilterTest {

    /** In eight blocks of the filter. */
    private static final int ENTRIES = 20_000;

    private final SplittableRandom random = new SplittableRandom(3);
    private final WrittenRuns runs = new WrittenRuns();
    private final long[] hashes = random.longs(ENTRIES).toArray();

    RunFilterTest() throws IOException {}

    private static List<String> damages(RunFile run) {
        List<String> damages = new ArrayList<>();
        RunFilter.check(run, new ChunkPool(), damage -> damages.add(damage.what()));
        return damages;
    }

    @Test
    void blocksHaveTwelveBitsAnEntryOrMore() {
        assertThat(FilterFormat.blocks(1)).isOne();
        assertThat(FilterFormat.blocks(2_688)).isOne();
        assertThat(FilterFormat.blocks(2_689)).isEqualTo(2);
        assertThat(FilterFormat.blocks(5_600_000)).isEqualTo(2_084);
        assertThat(FilterFormat.blocks(Integer.MAX_VALUE)).isEqualTo(798_916);
    }

    @Test
    void runMayHaveWhatItHasAndHardlyAnythingElse() throws IOException {
        long number = runs.write(hashes);
        try (RunFile run = runs.open(number)) {
            assertThat(run.filterBlocks()).isEqualTo(8);
            RunFilter filter = new RunFilter(run);
            for (long hash : hashes) {
                assertThat(filter.mayHave(hash)).isTrue();
            }
            assertThat(random.longs(100_000).filter(filter::mayHave).count()).isBetween(300L, 1_500L);
            assertThat(damages(run)).isEmpty();
        }
    }

    @Test
    void hashesInTheirOrderReadEachBlockOnce() throws IOException {
        long number = runs.write(hashes);
        try (RunFile run = runs.open(number)) {
            RunFilter filter = new RunFilter(run);
            assertThat(filter.reads()).isZero();
            Arrays.stream(hashes).boxed().sorted(Long::compareUnsigned).forEach(filter::mayHave);
            assertThat(filter.reads()).isEqualTo(8);
        }
    }

    @Test
    void runOfOneEntryHasAFilter() throws IOException {
        for (long hash : new long[] {0, -1, Long.MIN_VALUE, 1}) {
            try (RunFile run = runs.open(runs.write(hash))) {
                RunFilter filter = new RunFilter(run);
                assertThat(filter.mayHave(hash)).isTrue();
                assertThat(filter.mayHave(hash ^ 0x5555)).isFalse();
                assertThat(damages(run)).isEmpty();
            }
        }
    }

    /** An older version has written it. */
    @Test
    void runWithoutAFilterMayHaveAny() throws IOException {
        long number = runs.write(hashes);
        runs.setFilterBlocks(number, 0);
        try (RunFile run = runs.open(number)) {
            RunFilter filter = new RunFilter(run);
            assertThat(random.longs(1_000).allMatch(filter::mayHave)).isTrue();
            assertThat(filter.reads()).isZero();
            assertThat(damages(run)).isEmpty();
        }
    }

    @Test
    void filterOfAnotherSizeIsDamage() throws IOException {
        long number = runs.write(hashes);
        for (int blocks : new int[] {-1, 1, 7, 9}) {
            runs.setFilterBlocks(number, blocks);
            assertThatThrownBy(() -> runs.open(number))
                    .isInstanceOf(StoreCorruptedException.class)
                    .hasMessageContaining("the end of the run contradicts itself");
        }
    }

    @Test
    void whereTheFilterIsDamagedTheRunMayHaveAny() throws IOException {
        long number = runs.write(hashes);
        runs.damageBlock(number, -3);
        try (RunFile run = runs.open(number)) {
            RunFilter filter = new RunFilter(run);
            for (long hash : hashes) {
                assertThat(filter.mayHave(hash)).isTrue();
            }
            assertThat(random.longs(1_000).allMatch(filter::mayHave)).isTrue();
            assertThat(damages(run)).containsExactly("block 5 of the filter is damaged");
        }
    }

    /** A bad sector takes no more than a damaged block. */
    @Test
    void whereTheFilterCannotBeReadTheRunMayHaveAny() throws IOException {
        long number = runs.write(hashes);
        try (RunFile run = runs.open(number)) {
            RunFilter filter = new RunFilter(run);
            runs.failNextRead();
            assertThat(filter.mayHave(hashes[0])).isTrue();
            assertThat(random.longs(1_000).allMatch(filter::mayHave)).isTrue();
        }
    }

    @Test
    void filterThatIsNotOfTheEntriesIsFound() throws IOException {
        long number = runs.write(hashes);
        runs.forgeFilter(number, 2);
        try (RunFile run = runs.open(number)) {
            assertThat(damages(run)).containsExactly("block 2 of the filter is not of the entries");
        }
    }

    /** Then nobody knows what is to be there. */
    @Test
    void checksumsOfTheFilterAreCheckedWhenEntriesAreDamagedToo() throws IOException {
        long number = runs.write(hashes);
        runs.damageBlock(number, 0);
        runs.damageBlock(number, -1);
        try (RunFile run = runs.open(number)) {
            assertThat(damages(run)).containsExactly("block 7 of the filter is damaged");
        }
    }
}
