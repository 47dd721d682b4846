package io.tickwheel.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OccupancyTest {
    @ParameterizedTest
    @ValueSource(
            ints = {
                1, 2, 3, 10, 32, 60, 63, 64, 65, 100, 128, 256, 3_600, 4_095, 4_096, 4_097, 8_192, 1 << 18, 1 << 20,
                1_000_003
            })
    void answersWhatASortedSetAnswers(int slots) {
        Occupancy occupancy = new Occupancy(slots);
        TreeSet<Integer> expected = new TreeSet<>();
        SplittableRandom random = new SplittableRandom(slots);
        for (int i = 0; i < 20_000; i++) {
            Integer nearest = expected.ceiling(random.nextInt(slots));
            if (random.nextInt(100) < (i / 2_000 % 2 == 0 ? 40 : 60) && nearest != null) {
                occupancy.vacate(nearest);
                expected.remove(nearest);
            } else {
                int slot = random.nextInt(slots) >>> random.nextInt(Integer.SIZE);
                occupancy.occupy(slot);
                expected.add(slot);
            }
            int from = random.nextInt(slots);
            assertThat(occupancy.isEmpty()).isEqualTo(expected.isEmpty());
            assertThat(occupancy.isOccupied(from)).isEqualTo(expected.contains(from));
            if (!expected.isEmpty()) {
                Integer next = expected.ceiling(from);
                assertThat(occupancy.first()).isEqualTo(expected.first());
                assertThat(occupancy.firstFrom(from)).isEqualTo(next == null ? expected.first() : next);
            }
        }
    }
}
