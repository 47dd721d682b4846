package io.tickwheel.store.file;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Random lives of a store in which all keys of a queue have one hash, so that only a look at the names tells them apart. */
@Tag("simulated")
final class CollisionsTest {

    private static final int SEEDS = 300;

    @Test
    void keysOfOneHashAreToldApart() {
        long seeds = Math.min(SEEDS, Long.getLong("tickwheel.seeds", SEEDS));
        for (long seed = 0; seed < seeds; seed++) {
            try {
                RandomLives.colliding(seed).run();
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
        }
    }
}
