package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.StoreException;
import io.tickwheel.store.testkit.SeedHunt;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Proves the random lives: each bug that is planted below the store is found by some of them. */
@Tag("simulated")
class PlantedBugTest {

    private static final int SEEDS = 2_000;

    @Test
    void nothingIsFoundWhereNothingIsPlanted() {
        assertThat(LongStream.range(0, 20).filter(each -> isFound(each, PlantedDisk.Bug.NONE)))
                .isEmpty();
    }

    @Test
    @Tag("full")
    void everyPlantedBugIsFound() {
        Set<PlantedDisk.Bug> planted = EnumSet.complementOf(EnumSet.of(PlantedDisk.Bug.NONE));
        SeedHunt hunt = new SeedHunt(PlantedBugTest.class, SEEDS);
        Map<PlantedDisk.Bug, Long> found = hunt.find(planted, PlantedDisk.Bug.class, PlantedBugTest::isFound);
        System.out.println(hunt.describe(found));
        assertThat(planted).hasSizeGreaterThan(15);
        assertThat(found.keySet()).isEqualTo(planted);
    }

    private static boolean isFound(long seed, PlantedDisk.Bug bug) {
        try {
            new RandomLives(seed, path -> PlantedDisk.plant(path, bug)).run();
            return false;
        } catch (AssertionError | StoreException found) {
            return true;
        }
    }
}
