package io.tickwheel.store.file.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("simulated")
class KeyIndexTest {

    /** Of the hash {@code HASH + (n << 51)}: segment 1, home at n quarters of the table. */
    private static final long HASH = 1L << 53;

    private final KeyIndex index = new KeyIndex();

    @Test
    void emptyIndexHasNothing() {
        assertThat(index.find(0)).isFalse();
        assertThat(index.remove(0, 1, 0)).isFalse();
        assertThat(index.move(0, 1, 0, 2, 0)).isFalse();
        assertThat(index.size()).isZero();
        assertThat(index.bytes()).isZero();
        forEach(index, (hash, place, ordinal) -> {
            throw new AssertionError("visited " + hash);
        });
    }

    @Test
    void entryIsFoundMovedAndRemoved() {
        index.add(HASH, 1, 7);
        assertThat(entries(index, HASH)).containsExactly(new Entry(1, 7));
        assertThat(index.move(HASH, 1, 8, 2, 9)).as("other ordinal").isFalse();
        assertThat(index.move(HASH, 2, 7, 2, 9)).as("other place").isFalse();
        assertThat(index.move(HASH, 1, 7, 2, 9)).isTrue();
        assertThat(entries(index, HASH)).containsExactly(new Entry(2, 9));
        assertThat(index.remove(HASH, 1, 7)).as("where it was").isFalse();
        assertThat(index.size()).isEqualTo(1);
        assertThat(index.remove(HASH, 2, 9)).isTrue();
        assertThat(index.find(HASH)).isFalse();
        assertThat(index.size()).isZero();
    }

    @Test
    void hashZeroAndUnsignedNumbersAreAsGoodAsOthers() {
        for (long hash : new long[] {0, -1, Long.MIN_VALUE, Long.MAX_VALUE}) {
            index.add(hash, -1, -1);
            index.add(hash, 1, 0);
            index.add(hash, Integer.MIN_VALUE, Integer.MIN_VALUE);
            assertThat(entries(index, hash))
                    .containsExactlyInAnyOrder(
                            new Entry(-1, -1), new Entry(1, 0), new Entry(Integer.MIN_VALUE, Integer.MIN_VALUE));
        }
        assertThat(index.size()).isEqualTo(12);
    }

    @Test
    void clusterRunsOverTheEndOfTheTable() {
        long last = HASH + (-1L >>> 11);
        for (int i = 1; i <= 10; i++) {
            index.add(last - i % 3, i, i);
        }
        index.add(HASH, 11, 11);
        index.add(HASH + 1, 12, 12);
        assertThat(entries(index, HASH)).containsExactly(new Entry(11, 11));
        assertThat(entries(index, HASH + 1)).containsExactly(new Entry(12, 12));
        assertThat(entries(index, last)).extracting(Entry::place).containsExactlyInAnyOrder(3, 6, 9);
        for (int i = 1; i <= 10; i++) {
            assertThat(index.remove(last - i % 3, i, i)).isTrue();
            assertThat(entries(index, HASH)).containsExactly(new Entry(11, 11));
            assertThat(entries(index, HASH + 1)).containsExactly(new Entry(12, 12));
        }
    }

    @Test
    void placeZeroIsRefused() {
        assertThatThrownBy(() -> index.add(HASH, 0, 1)).isInstanceOf(AssertionError.class);
        index.add(HASH, 1, 1);
        assertThatThrownBy(() -> index.move(HASH, 1, 1, 0, 1)).isInstanceOf(AssertionError.class);
    }

    @Test
    void sameEntryTwiceIsRefused() {
        index.add(HASH, 1, 1);
        assertThatThrownBy(() -> index.add(HASH, 1, 1)).isInstanceOf(AssertionError.class);
    }

    @Test
    void searchDoesNotOutliveAChange() {
        index.add(HASH, 1, 1);
        index.add(HASH, 2, 2);
        assertThat(index.find(HASH)).isTrue();
        index.add(HASH, 3, 3);
        assertThatThrownBy(index::findNext).isInstanceOf(AssertionError.class);
        assertThatThrownBy(index::place).isInstanceOf(AssertionError.class);
        assertThat(index.find(HASH)).isTrue();
        index.remove(HASH, 1, 1);
        assertThatThrownBy(index::ordinal).isInstanceOf(AssertionError.class);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4})
    void randomChangesAgreeWithAMapOfLists(int kind) {
        for (int seed = 0; seed < 6; seed++) {
            new RandomChanges(kind, seed).run();
        }
    }

    /** In tables in which clusters run over the end, that shrink, and of which nothing is left. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3, 9, 40, 100})
    void onlyWhatIsWantedStaysInASegment(int percent) {
        SplittableRandom random = new SplittableRandom(percent);
        for (int entries : new int[] {1, 26, 150, 700}) {
            KeyIndex index = new KeyIndex();
            Map<Long, Integer> wanted = new HashMap<>();
            long last = HASH + (-1L >>> 11);
            for (int i = 1; i <= entries; i++) {
                long hash = i % 5 == 0 ? last - i : HASH + (random.nextLong() >>> 11);
                boolean isWanted = random.nextInt(100) < percent;
                index.add(hash, i, isWanted ? 1 : 0);
                if (isWanted) {
                    wanted.put(hash, i);
                }
            }
            index.add(0, 7, 0);
            assertThat(index.keepIn(2, (place, ordinal) -> false)).isZero();
            assertThat(index.keepIn(1, (place, ordinal) -> ordinal == 1)).isEqualTo(entries - wanted.size());
            assertThat(index.size()).isEqualTo(wanted.size() + 1);
            assertThat(entries(index, 0)).containsExactly(new Entry(7, 0));
            Map<Long, Integer> visited = new HashMap<>();
            assertThat(index.visitSegment(1, (hash, place, ordinal) -> visited.put(hash, place)))
                    .isEqualTo(wanted.size());
            assertThat(visited).isEqualTo(wanted);
            wanted.forEach(
                    (hash, place) -> assertThat(index.remove(hash, place, 1)).isTrue());
            assertThat(index.size()).isEqualTo(1);
        }
    }

    @Test
    void manyEqualHashesAreFoundOneAfterTheOther() {
        for (long hash : new long[] {HASH, HASH + (-1L >>> 11), HASH + (1L << 52)}) {
            KeyIndex index = new KeyIndex();
            int count = 3_000;
            for (int i = 1; i <= count; i++) {
                index.add(hash, i, -i);
            }
            assertThat(new HashSet<>(entries(index, hash))).hasSize(count);
            assertThat(index.find(hash - 1)).isFalse();
            assertThat(index.find(hash + 1)).isFalse();
            for (int i = 1; i <= count; i++) {
                assertThat(index.remove(hash, i, -i)).isTrue();
            }
            assertThat(index.size()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {100_000, 300_000, 1_000_000, 3_000_000})
    void entryCostsAtMost32BytesAndLessComesBackWhenItGoes(int entries) {
        SplittableRandom random = new SplittableRandom(entries);
        for (int i = 1; i <= entries; i++) {
            index.add(random.nextLong(), i, i);
            if (i > 100_000 && i % 10_000 == 0) {
                assertThat(index.bytes() / (double) i).as("at %d", i).isLessThanOrEqualTo(32);
            }
        }
        assertThat(index.bytes() / (double) entries).isBetween(16.0, 32.0);
        assertThat(index.size()).isEqualTo(entries);

        SplittableRandom again = new SplittableRandom(entries);
        int left = entries / 10;
        for (int i = 1; i <= entries - left; i++) {
            assertThat(index.remove(again.nextLong(), i, i)).isTrue();
        }
        assertThat(index.bytes()).as("a page a segment at least").isLessThanOrEqualTo(60L * left + (3 << 19));
        for (int i = entries - left + 1; i <= entries; i++) {
            assertThat(index.find(again.nextLong())).isTrue();
            assertThat(index.place()).isEqualTo(i);
        }
    }

    @Test
    void segmentsAreVisitedInTheOrderOfTheHashes() {
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 1; i <= 50_000; i++) {
            index.add(random.nextLong(), i, i);
        }
        long total = 0;
        for (int segment = 0; segment < index.segments(); segment++) {
            List<Long> hashes = new ArrayList<>();
            int count = index.visitSegment(segment, (hash, place, ordinal) -> hashes.add(hash));
            assertThat(hashes).hasSize(count);
            long expected = segment;
            assertThat(hashes).allMatch(hash -> hash >>> 53 == expected);
            total += count;
        }
        assertThat(total).isEqualTo(50_000);
    }

    @Test
    void clearDropsEverything() {
        for (int i = 1; i <= 10_000; i++) {
            index.add((long) i << 40, i, i);
        }
        index.clear();
        assertThat(index.size()).isZero();
        assertThat(index.bytes()).isZero();
        assertThat(index.find(1L << 40)).isFalse();
        assertThat(index.visitSegment(0, (hash, place, ordinal) -> {})).isZero();
        index.add(1L << 40, 1, 1);
        assertThat(entries(index, 1L << 40)).containsExactly(new Entry(1, 1));
    }

    private static List<Entry> entries(KeyIndex index, long hash) {
        List<Entry> entries = new ArrayList<>();
        for (boolean more = index.find(hash); more; more = index.findNext()) {
            entries.add(new Entry(index.place(), index.ordinal()));
        }
        return entries;
    }

    private static void forEach(KeyIndex index, KeyIndex.Visitor visitor) {
        for (int segment = 0; segment < index.segments(); segment++) {
            index.visitSegment(segment, visitor);
        }
    }

    private record Entry(int place, int ordinal) {}

    /** Adds, moves and removes against a map of lists: in turn more of the former and more of the latter. */
    private static final class RandomChanges {

        private final int kind;
        private final SplittableRandom random;
        private final KeyIndex index = new KeyIndex();
        private final Map<Long, List<Entry>> model = new HashMap<>();
        private final List<Long> hashes = new ArrayList<>();

        RandomChanges(int kind, int seed) {
            this.kind = kind;
            this.random = new SplittableRandom(seed);
        }

        void run() {
            for (int step = 0; step < 6_000; step++) {
                boolean grows = step / 1_500 % 2 == 0;
                int turn = random.nextInt(10);
                if (hashes.isEmpty() || turn < (grows ? 6 : 2)) {
                    add();
                } else {
                    change(turn < 8);
                }
                if (step % 500 == 0) {
                    check();
                }
            }
            check();
            while (!hashes.isEmpty()) {
                change(false);
            }
            check();
        }

        /** From well mixed over crowded (one segment, few homes, about the end of the table) to all the same. */
        private long hash() {
            return switch (kind) {
                case 0 -> random.nextLong();
                case 1 -> HASH + (random.nextLong() >>> 11);
                case 2 -> HASH + ((long) random.nextInt(4) << 51) + random.nextInt(50);
                case 3 -> HASH + (-1L >>> 11) - random.nextInt(400) * (1L << 44);
                default -> HASH + (-1L >>> 11);
            };
        }

        private void add() {
            long hash = hash();
            List<Entry> there = model.computeIfAbsent(hash, absent -> new ArrayList<>());
            boolean again = !there.isEmpty() && random.nextInt(4) == 0;
            Entry entry = again ? there.get(random.nextInt(there.size())) : entry();
            boolean isThere = there.contains(entry);
            assertThat(index.contains(hash, entry.place(), entry.ordinal())).isEqualTo(isThere);
            assertThat(index.addUnlessThere(hash, entry.place(), entry.ordinal()))
                    .isEqualTo(!isThere);
            if (!isThere) {
                there.add(entry);
                hashes.add(hash);
            }
        }

        private void change(boolean move) {
            int chosen = random.nextInt(hashes.size());
            long hash = hashes.get(chosen);
            List<Entry> there = model.get(hash);
            Entry old = there.get(random.nextInt(there.size()));
            Entry moved = entry();
            if (!move) {
                there.remove(old);
                hashes.set(chosen, hashes.get(hashes.size() - 1));
                hashes.remove(hashes.size() - 1);
                assertThat(index.remove(hash, old.place(), old.ordinal())).isTrue();
            } else if (!there.contains(moved)) {
                assertThat(index.move(hash, moved.place(), moved.ordinal(), old.place(), old.ordinal()))
                        .isFalse();
                there.set(there.indexOf(old), moved);
                assertThat(index.move(hash, old.place(), old.ordinal(), moved.place(), moved.ordinal()))
                        .isTrue();
            }
            if (random.nextInt(20) == 0) {
                long other = hash();
                assertThat(new HashSet<>(entries(index, other)))
                        .isEqualTo(new HashSet<>(model.getOrDefault(other, List.of())));
            }
        }

        private Entry entry() {
            return new Entry(1 + random.nextInt(1_000), random.nextInt());
        }

        private void check() {
            assertThat(index.size()).isEqualTo(hashes.size());
            model.forEach((hash, there) -> {
                List<Entry> found = entries(index, hash);
                assertThat(found).hasSize(there.size());
                assertThat(new HashSet<>(found)).isEqualTo(new HashSet<>(there));
            });
            Map<Long, Set<Entry>> visited = new HashMap<>();
            forEach(
                    index,
                    (hash, place, ordinal) -> assertThat(visited.computeIfAbsent(hash, absent -> new HashSet<>())
                                    .add(new Entry(place, ordinal)))
                            .isTrue());
            visited.forEach((hash, there) -> assertThat(there).isEqualTo(new HashSet<>(model.get(hash))));
            assertThat(visited.values().stream().mapToInt(Set::size).sum()).isEqualTo(hashes.size());
        }
    }
}
