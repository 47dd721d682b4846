package io.tickwheel.store.redis.loading;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class BoundsTest {

    private static final int PARTITIONS = 20;

    private final Bounds bounds = new Bounds();
    private final TreeMap<Integer, Long> expected = new TreeMap<>();

    private void set(int partition, long boundMs) {
        bounds.set(partition, boundMs);
        if (boundMs == Bounds.NONE) {
            expected.remove(partition);
        } else {
            expected.put(partition, boundMs);
        }
    }

    private void assertSame() {
        assertThat(bounds.size()).isEqualTo(expected.size());
        assertThat(bounds.isEmpty()).isEqualTo(expected.isEmpty());
        assertThat(bounds.partitions()).containsExactly(expected.keySet().toArray(new Integer[0]));
        int number = 0;
        for (int partition : expected.keySet()) {
            assertThat(bounds.partition(number)).isEqualTo(partition);
            assertThat(bounds.boundMs(number)).isEqualTo(expected.get(partition));
            number++;
        }
        for (int p = 0; p < PARTITIONS; p++) {
            assertThat(bounds.get(p)).isEqualTo(expected.getOrDefault(p, Bounds.NONE));
        }
        assertThat(bounds.firstMs())
                .isEqualTo(
                        expected.values().stream().mapToLong(each -> each).min().orElse(Bounds.NONE));
    }

    @Test
    void theyAreWhatAModelSays() {
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 3_000; i++) {
            // Few different bounds: two partitions often have the lowest one.
            set(random.nextInt(PARTITIONS), random.nextInt(3) == 0 ? Bounds.NONE : random.nextInt(-3, 4));
            if (random.nextInt(3) > 0) {
                assertSame();
            }
        }
    }

    @Test
    void nothingIsLeftOfThemWhenTheyAreCleared() {
        set(3, 7);
        set(5, 6);
        set(5, 8);
        bounds.clear();
        expected.clear();
        assertSame();
        set(4, 9);
        assertSame();
    }
}
