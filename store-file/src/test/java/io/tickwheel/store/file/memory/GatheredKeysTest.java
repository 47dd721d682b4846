package io.tickwheel.store.file.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class GatheredKeysTest {

    private final GatheredKeys gathered = new GatheredKeys();

    private record Entry(long hash, int place, int ordinal) {}

    private Set<Entry> take(int segment, int expected) {
        Set<Entry> taken = new HashSet<>();
        assertThat(gathered.take(segment, (hash, place, ordinal) -> {
                    assertThat(KeyIndex.segment(hash)).isEqualTo(segment);
                    assertThat(taken.add(new Entry(hash, place, ordinal))).isTrue();
                }))
                .isEqualTo(expected);
        return taken;
    }

    @Test
    void nothingIsGatheredAtFirst() {
        assertThat(gathered.size()).isZero();
        assertThat(gathered.next(0)).isEqualTo(-1);
        assertThat(take(7, 0)).isEmpty();
    }

    /** Few a segment, and so many in one that there are several pages; three times, so that pages are used again. */
    @Test
    void entriesAreTakenOutWithThoseOfTheirSegment() {
        SplittableRandom random = new SplittableRandom(1);
        for (int round = 0; round < 3; round++) {
            Map<Integer, Set<Entry>> model = new HashMap<>();
            for (int i = 0; i < 5_000; i++) {
                long hash = i % 5 == 0 ? random.nextLong() >>> 12 : random.nextLong();
                Entry entry = new Entry(hash, 1 + random.nextInt(9), random.nextInt());
                gathered.add(entry.hash, entry.place, entry.ordinal);
                model.computeIfAbsent(KeyIndex.segment(hash), segment -> new HashSet<>())
                        .add(entry);
            }
            assertThat(gathered.size()).isEqualTo(5_000);
            int visited = 0;
            for (int segment = gathered.next(0); segment >= 0; segment = gathered.next(segment)) {
                Set<Entry> expected = model.get(segment);
                assertThat(take(segment, expected.size())).isEqualTo(expected);
                visited++;
            }
            assertThat(visited).isEqualTo(model.size());
            assertThat(gathered.size()).isZero();
        }
    }
}
