package io.tickwheel.wheel;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random calls, compared after each with a sorted list of what must happen. */
class HierarchicalWheelModelTest {
    private static final int SEEDS = 100;
    private static final int OPERATIONS = 3_000;

    @ParameterizedTest
    @ValueSource(
            longs = {
                0,
                1,
                0xFFF0,
                (1L << 24) - 3,
                (1L << 32) - 100,
                (1L << 40) - 100_000,
                (1L << 62) - 1_000_000,
                1L << 62,
                Long.MAX_VALUE - (1L << 41),
                Long.MAX_VALUE - (1L << 20)
            })
    void everyCallDoesWhatTheModelSays(long startTick) {
        for (long seed = 0; seed < SEEDS; seed++) {
            WheelModel model = new WheelModel(startTick, seed);
            try {
                model.run(OPERATIONS);
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("start tick " + startTick + ", seed " + seed + ", " + model, e);
            }
        }
    }
}
