package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/**
 * Random lives in which the log, a checkpoint and the loop come between each other at every operation on the disk.
 * {@code -Dtickwheel.seeds=100000} runs more of them, {@code -Dtickwheel.seed=17} one again.
 */
final class InterleavingsTest {

    private static final int SEEDS = 1_000;

    @Test
    void nothingThatWasShownIsEverTakenBack() {
        long one = Long.getLong("tickwheel.seed", -1);
        long end = one >= 0 ? one + 1 : Long.getLong("tickwheel.seeds", SEEDS);
        for (long seed = Math.max(0, one); seed < end; seed++) {
            run(seed);
        }
    }

    @Test
    void sameSeedGivesSameCourse() {
        for (long seed = 0; seed < 50; seed++) {
            RandomLives once = run(seed);
            RandomLives again = run(seed);
            assertThat(again.store().disk.traceHash())
                    .isEqualTo(once.store().disk.traceHash());
        }
    }

    private static RandomLives run(long seed) {
        RandomLives lives = RandomLives.inPieces(seed);
        try {
            lives.run();
            return lives;
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(
                    "seed " + seed + ", again with -Dtest=InterleavingsTest -Dtickwheel.seed=" + seed + "\n"
                            + e.getMessage() + "\n"
                            + String.join("\n", lives.store().disk.trace()),
                    e);
        } finally {
            lives.store().abandon();
        }
    }
}
