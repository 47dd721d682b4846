package io.tickwheel.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Proves the simulation: each bug that is planted into the scripts, or into the link, is found by some of its courses. */
@Tag("simulated")
final class RedisSimulationFindsBugsTest {

    private static final int SEEDS = 3_000;

    @Test
    void everyPlantedBugIsFound() {
        Map<RedisBug, Long> found = new EnumMap<>(RedisBug.class);
        Set<RedisBug> planted = EnumSet.complementOf(EnumSet.of(RedisBug.NONE));
        try (SimulatedRedis redis = new SimulatedRedis()) {
            for (RedisBug bug : planted) {
                LongStream.range(0, SEEDS)
                        .filter(seed -> isFound(redis, seed, bug))
                        .findFirst()
                        .ifPresent(seed -> found.put(bug, seed));
            }
        }
        System.out.println("planted bugs: found " + found.size() + " of " + planted.size()
                + ", each with the first seed that shows it: " + found);
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
