package io.tickwheel.store.redis.link;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class BackoffTest {

    private static final long MS = 1_000_000;
    private static final int LOTS = 10_000;

    private final SplittableRandom random = new SplittableRandom(1);

    /** The shortest and the longest of many that come behind so many failures. */
    private long[] shortestAndLongest(int failures) {
        long shortest = Long.MAX_VALUE;
        long longest = 0;
        for (int lot = 0; lot < LOTS; lot++) {
            Backoff backoff = new Backoff(random.split());
            for (int i = 0; i < failures; i++) {
                backoff.nextNanos();
            }
            long nanos = backoff.nextNanos();
            shortest = Math.min(shortest, nanos);
            longest = Math.max(longest, nanos);
        }
        return new long[] {shortest, longest};
    }

    @Test
    void eachIsTwiceAsLongUpToABoundAndHalfOfItIsDrawn() {
        long[] most = {50 * MS, 100 * MS, 200 * MS, 400 * MS, 800 * MS, 1_000 * MS, 1_000 * MS, 1_000 * MS};
        for (int failures = 0; failures < most.length; failures++) {
            long[] found = shortestAndLongest(failures);
            long tolerance = most[failures] / 100;
            assertThat(found[0])
                    .as("the shortest behind %s failures", failures)
                    .isBetween(most[failures] / 2 + 1, most[failures] / 2 + tolerance);
            assertThat(found[1])
                    .as("the longest behind %s failures", failures)
                    .isBetween(most[failures] - tolerance, most[failures]);
        }
    }

    @Test
    void whatGoesWellMakesTheNextOneShort() {
        Backoff backoff = new Backoff(random);
        for (int i = 0; i < 10; i++) {
            backoff.nextNanos();
        }
        backoff.reset();
        assertThat(backoff.nextNanos()).isLessThanOrEqualTo(50 * MS);
    }
}
