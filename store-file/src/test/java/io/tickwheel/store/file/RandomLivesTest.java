package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.file.disk.SyncPolicy;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Random lives against the ledger. {@code -Dtickwheel.seeds=100000} runs more of them, {@code -Dtickwheel.seed=17} one again.
 */
@Tag("simulated")
class RandomLivesTest {

    private static final int SEEDS = 3_000;

    /** No more than this are needed until each {@link Sighting} was made. */
    private static final int ENOUGH_TO_SEE_ALL = 200;

    @Test
    void nothingThatWasShownIsEverTakenBack() {
        Long one = Long.getLong("tickwheel.seed");
        if (one != null) {
            run(one);
            return;
        }
        long seeds = Long.getLong("tickwheel.seeds", SEEDS);
        Map<Sighting, Integer> seen = new EnumMap<>(Sighting.class);
        long crashes = 0;
        long failures = 0;
        for (long seed = 0; seed < seeds; seed++) {
            RandomLives.Tally tally = run(seed);
            crashes += tally.crashes();
            failures += tally.failures();
            tally.sightings().forEach(sighting -> seen.merge(sighting, 1, Integer::sum));
        }
        assertThat(crashes).as("crashes").isGreaterThan(seeds / 2);
        assertThat(failures).as("I/O failures").isGreaterThan(seeds / 4);
        if (seeds >= ENOUGH_TO_SEE_ALL) {
            assertThat(seen.keySet()).as("seen, of %s", seen).containsExactlyInAnyOrder(Sighting.values());
        }
    }

    @Test
    void powerLossTakesNoMoreThanTheLastAnswersWithoutASyncForEach() {
        List<SyncPolicy> policies = List.of(SyncPolicy.NONE, SyncPolicy.interval(Duration.ofMillis(10)));
        long one = Long.getLong("tickwheel.seed", -1);
        long first = Math.max(0, one);
        long end = one >= 0 ? one + 1 : Long.getLong("tickwheel.seeds", SEEDS) / 4;
        for (long seed = first; seed < end; seed++) {
            run(seed, new RandomLives(seed, policies.get((int) (seed % 2))));
        }
    }

    @Test
    void sameSeedGivesSameCourse() {
        for (long seed = 0; seed < 50; seed++) {
            RandomLives once = new RandomLives(seed);
            RandomLives again = new RandomLives(seed);
            assertThat(again.run()).isEqualTo(once.run());
            assertThat(again.store().disk.traceHash())
                    .isEqualTo(once.store().disk.traceHash());
        }
    }

    private static RandomLives.Tally run(long seed) {
        return run(seed, new RandomLives(seed));
    }

    private static RandomLives.Tally run(long seed, RandomLives lives) {
        try {
            return lives.run();
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(
                    "seed " + seed + ", again with: mvn -pl store-file -am test -Dtest=RandomLivesTest"
                            + " -Dsurefire.failIfNoSpecifiedTests=false -Dtickwheel.seed=" + seed + "\n"
                            + e.getMessage()
                            + "\n"
                            + String.join("\n", lives.store().disk.trace()),
                    e);
        }
    }
}
