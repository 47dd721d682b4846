package io.tickwheel.store.file.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.file.memory.ChunkPool;
import io.tickwheel.store.file.run.WrittenRuns;
import io.tickwheel.store.file.table.Memtable;
import io.tickwheel.store.file.table.QueueTable;
import io.tickwheel.store.file.table.Run;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which entries of runs a search for hashes visits, and which it does not even look at. */
class KeySearchTest {

    private static final int RUNS = 5;
    private static final int ENTRIES = 4_000;

    private final SplittableRandom random = new SplittableRandom(9);
    private final WrittenRuns files = new WrittenRuns();
    private final QueueTable queues = new QueueTable();
    private final Memtable memtable = new Memtable(1, new ChunkPool(), queues);
    private final List<long[]> hashes = new ArrayList<>();
    private final List<Long> numbers = new ArrayList<>();
    private final List<Run> runs = new ArrayList<>();
    private final Set<String> visited = new TreeSet<>();

    KeySearchTest() throws IOException {
        for (int i = 0; i < RUNS; i++) {
            hashes.add(random.longs(ENTRIES).toArray());
            numbers.add(files.write(hashes.get(i)));
        }
    }

    @AfterEach
    void close() throws IOException {
        for (Run run : runs) {
            run.close();
        }
    }

    private KeySearch search() throws IOException {
        for (long number : numbers) {
            runs.add(new Run(files.open(number), queues));
        }
        return new KeySearch(
                memtable,
                runs,
                2,
                slot -> visited.add("slot " + slot),
                (run, ordinal, entry) -> visited.add(runs.indexOf(run) + ":" + ordinal + ":" + entry.hash()));
    }

    private String entry(int run, int ordinal) {
        return run + ":" + ordinal + ":" + hashes.get(run)[ordinal];
    }

    private static void workThrough(KeySearch search, int budget) {
        while (search.isUnderWay()) {
            assertThat(search.work(budget)).isPositive();
        }
    }

    @Test
    void allEntriesOfTheHashesAreVisitedWhateverIsDoneInATurn() throws IOException {
        hashes.get(4)[17] = hashes.get(0)[3];
        numbers.set(4, files.write(hashes.get(4)));
        KeySearch search = search();
        Set<Long> sought = new HashSet<>();
        Set<String> expected = new TreeSet<>();
        for (int run = 0; run < RUNS; run++) {
            for (int ordinal : new int[] {0, 3, 91, 92, 1_000 + run, ENTRIES - 1}) {
                sought.add(hashes.get(run)[ordinal]);
                expected.add(entry(run, ordinal));
            }
        }
        expected.add(entry(4, 17));
        random.longs(50).forEach(sought::add);
        for (int budget : new int[] {1, 7, 500, Integer.MAX_VALUE}) {
            visited.clear();
            search.begin(sought);
            assertThat(search.sought()).isEqualTo(sought);
            workThrough(search, budget);
            assertThat(visited).as("in turns of %s", budget).isEqualTo(expected);
        }
    }

    /** They cannot even be read. */
    @Test
    void entriesOfRunsThatDoNotHaveAHashAreNotLookedAt() throws IOException {
        for (int run = 1; run < RUNS; run++) {
            files.damageBlock(numbers.get(run), 0);
        }
        KeySearch search = search();
        search.begin(Set.of(hashes.get(0)[5]));
        workThrough(search, 100);
        assertThat(visited).containsExactly(entry(0, 5));
    }

    @Test
    void whereAFilterIsMissingOrDamagedAllEntriesAreLookedAt() throws IOException {
        files.setFilterBlocks(numbers.get(1), 0);
        files.damageBlock(numbers.get(2), -1);
        files.damageBlock(numbers.get(2), -2);
        KeySearch search = search();
        search.begin(Set.of(hashes.get(1)[7], hashes.get(2)[8]));
        workThrough(search, 100);
        assertThat(visited).containsExactlyInAnyOrder(entry(1, 7), entry(2, 8));
    }

    /** A filter costs what it takes to read it, so that a turn is not longer than any other. */
    @Test
    void blockOfAFilterCostsAsMuchAsOneOfEntries() throws IOException {
        KeySearch search = search();
        search.begin(Set.of(1L << 40));
        assertThat(search.work(1)).isEqualTo(93);
        assertThat(search.isUnderWay()).isTrue();
        workThrough(search, 1);
        assertThat(visited).isEmpty();
    }
}
