package io.tickwheel.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Random courses of some nodes on simulated servers, against a ledger. {@code -Dtickwheel.redis.seeds=100000} runs more of them,
 * {@code -Dtickwheel.redis.seed=17} one again.
 */
final class RedisSimulationTest {

    private static final int SEEDS = 800;

    private static SimulatedRedis redis;

    @BeforeAll
    static void start() {
        redis = new SimulatedRedis();
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    @Test
    void everyTimerHasItsDueWhateverGoesWrong() {
        Long one = Long.getLong("tickwheel.redis.seed");
        long first = one == null ? 0 : one;
        long end = one == null ? Long.getLong("tickwheel.redis.seeds", SEEDS) : one + 1;
        long grants = 0;
        for (long seed = first; seed < end; seed++) {
            grants += run(seed);
        }
        assertThat(grants).as("grants").isGreaterThanOrEqualTo(end - first);
    }

    @Test
    void sameSeedGivesSameCourse() {
        for (long seed = 0; seed < 40; seed++) {
            RedisCourse once = new RedisCourse(redis, seed, RedisBug.NONE);
            once.run();
            RedisCourse again = new RedisCourse(redis, seed, RedisBug.NONE);
            again.run();
            assertThat(again.world().traceHash())
                    .as("seed %s", seed)
                    .isEqualTo(once.world().traceHash());
        }
    }

    private static int run(long seed) {
        RedisCourse course = new RedisCourse(redis, seed, RedisBug.NONE);
        try {
            course.run();
            return course.world().ledger.grants();
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(
                    "seed " + seed + ", again with: mvn -pl store-redis -am test -Dtest=RedisSimulationTest"
                            + " -Dsurefire.failIfNoSpecifiedTests=false -Dtickwheel.redis.seed=" + seed + "\n"
                            + course + "\n" + e.getMessage() + "\n"
                            + course.world().trace(),
                    e);
        }
    }
}
