package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.StoreException;
import io.tickwheel.store.testkit.SeedHunt;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Rivals against their ledgers. {@code -Dtickwheel.rivals=100000} runs more of them, {@code -Dtickwheel.rival=17} one again.
 */
@Tag("simulated")
class RivalsTest {

    private static final int SEEDS = 500;
    private static final int PLANTED_SEEDS = 6_000;

    @Test
    void atMostOneOwnerGoesOnAndNothingThatAnyoneAnsweredIsLost() {
        long one = Long.getLong("tickwheel.rival", -1);
        long seeds = one >= 0 ? one + 1 : Long.getLong("tickwheel.rivals", SEEDS);
        Map<Rivals.Sight, Integer> seen = new EnumMap<>(Rivals.Sight.class);
        for (long seed = Math.max(0, one); seed < seeds; seed++) {
            run(seed).forEach((sight, times) -> seen.merge(sight, times, Integer::sum));
        }
        if (one < 0) {
            System.out.println("rivals: " + seen);
            assertThat(seen.keySet()).containsExactlyInAnyOrder(Rivals.Sight.values());
        }
    }

    @Test
    @Tag("full")
    void everyPlantedBugIsFound() {
        Set<PlantedRival.Bug> planted = EnumSet.complementOf(EnumSet.of(PlantedRival.Bug.NONE));
        SeedHunt hunt = new SeedHunt(RivalsTest.class, PLANTED_SEEDS);
        Map<PlantedRival.Bug, Long> found = hunt.find(planted, PlantedRival.Bug.class, RivalsTest::isFound);
        System.out.println(hunt.describe(found));
        assertThat(found.keySet()).isEqualTo(planted);
    }

    @Test
    void nothingIsFoundWhereNothingIsPlanted() {
        assertThat(LongStream.range(0, 20).filter(seed -> isFound(seed, PlantedRival.Bug.NONE)))
                .isEmpty();
    }

    private static boolean isFound(long seed, PlantedRival.Bug bug) {
        try {
            new Rivals(seed, path -> PlantedRival.plant(path, bug)).run();
            return false;
        } catch (AssertionError | StoreException found) {
            if (Boolean.getBoolean("tickwheel.rivals.show")) {
                System.out.println(bug + " " + seed + ": " + found.getMessage());
            }
            return true;
        }
    }

    private static Map<Rivals.Sight, Integer> run(long seed) {
        try {
            return new Rivals(seed).run();
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(
                    "seed " + seed + ", again with: mvn -pl store-file -am test -Dtest=RivalsTest"
                            + " -Dsurefire.failIfNoSpecifiedTests=false -Dtickwheel.rival=" + seed + "\n"
                            + e.getMessage(),
                    e);
        }
    }
}
