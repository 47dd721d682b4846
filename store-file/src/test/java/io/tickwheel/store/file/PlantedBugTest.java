package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.StoreException;
import java.util.OptionalLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Proves the random lives: each bug that is planted below the store is found by some of them. */
class PlantedBugTest {

    private static final int SEEDS = 4_000;

    @Test
    void nothingIsFoundWhereNothingIsPlanted() {
        assertThat(LongStream.range(0, 500).filter(each -> isFound(each, PlantedDisk.Bug.NONE)))
                .isEmpty();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void plantedBugIsFound(PlantedDisk.Bug bug) {
        OptionalLong seed =
                LongStream.range(0, SEEDS).filter(each -> isFound(each, bug)).findFirst();
        assertThat(seed).as("first seed of %d that shows %s", SEEDS, bug).isPresent();
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
