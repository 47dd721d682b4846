package io.tickwheel.store.file.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableSet;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Due times in arrays and in chunks that were drained from them, against a sorted set. */
final class DueHeapTest {

    private static final int CHUNK_BYTES = 128;
    private static final int COURSES = 200;
    private static final int STEPS = 300;

    private record Due(long dueAtMs, int ordinal) {}

    private static NavigableSet<Due> sorted() {
        return new TreeSet<>(Comparator.comparingLong(Due::dueAtMs).thenComparingInt(Due::ordinal));
    }

    private static void pollAll(DueHeap heap, List<Due> expected) {
        for (Due due : expected) {
            assertThat(heap.firstDueMs()).isEqualTo(due.dueAtMs);
            assertThat(heap.firstOrdinal()).isEqualTo(due.ordinal);
            heap.poll();
        }
        assertThat(heap.isEmpty()).isTrue();
    }

    /** Few due times, so that many are equal. */
    @Test
    void firstIsTheEarliestAndOfEqualOnesThatOfTheLowestOrdinal() {
        for (int course = 0; course < COURSES; course++) {
            SplittableRandom random = new SplittableRandom(course);
            DueHeap heap = new DueHeap(new ChunkPool(CHUNK_BYTES));
            NavigableSet<Due> expected = sorted();
            int adds = 2 + course % 7;
            for (int step = 0; step < STEPS; step++) {
                if (expected.isEmpty() || random.nextInt(10) < adds) {
                    Due due = new Due(random.nextInt(-5, 5), step);
                    heap.add(due.dueAtMs, due.ordinal);
                    expected.add(due);
                } else {
                    heap.poll();
                    expected.pollFirst();
                }
                assertThat(heap.size()).isEqualTo(expected.size());
                if (!expected.isEmpty()) {
                    assertThat(new Due(heap.firstDueMs(), heap.firstOrdinal()))
                            .as("course %d, step %d", course, step)
                            .isEqualTo(expected.first());
                }
            }
            List<Due> reversed = new ArrayList<>();
            expected.descendingSet().forEach(due -> reversed.add(new Due(~due.dueAtMs, ~due.ordinal)));
            if (course % 2 == 0) {
                pollAll(heap.reversed(), reversed);
            } else {
                pollAll(heap, List.copyOf(expected));
            }
        }
    }
}
