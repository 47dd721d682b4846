package io.tickwheel.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.testkit.SeedHunt;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Proves the simulation: each bug that is planted into the scripts, or into the link, is found by some of its courses. */
@Tag("simulated")
final class RedisSimulationFindsBugsTest {

    private static final int SEEDS = 10_000;

    @Test
    void everyPlantedBugIsFound() {
        Set<RedisBug> planted = EnumSet.complementOf(EnumSet.of(RedisBug.NONE));
        SeedHunt hunt = new SeedHunt(RedisSimulationFindsBugsTest.class, SEEDS);
        Map<RedisBug, Long> found;
        try (SimulatedRedis redis = new SimulatedRedis()) {
            found = hunt.find(planted, RedisBug.class, (seed, bug) -> isFound(redis, seed, bug));
        }
        System.out.println(hunt.describe(found));
        assertThat(planted).hasSizeGreaterThan(15);
        assertThat(found.keySet()).isEqualTo(planted);
    }

    private static boolean isFound(SimulatedRedis redis, long seed, RedisBug bug) {
        RedisCourse course = new RedisCourse(redis, seed, bug);
        try {
            course.run();
            return false;
        } catch (AssertionError found) {
            return true;
        }
    }
}
