package io.tickwheel.wheel;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("simulated")
class WheelTimerModelTest {
    private static final int SEEDS = Integer.getInteger("tickwheel.model.seeds", 1_500);
    private static final int OPERATIONS = 200;

    @Test
    void timerDoesWhatTheModelDoes() {
        for (long seed = 0; seed < SEEDS; seed++) {
            TimerModel model = new TimerModel(seed);
            try {
                model.run(OPERATIONS);
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed + ", " + model, e);
            }
        }
    }
}
