package io.tickwheel.benchmarks.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class SplitMixTest {

    @Test
    void numbersAreThoseOfTheJdk() {
        SplitMix random = new SplitMix(42);
        SplittableRandom expected = new SplittableRandom(42);
        for (int i = 0; i < 1_000; i++) {
            assertThat(random.next()).isEqualTo(expected.nextLong());
        }
    }

    @Test
    void halvesReachFromZeroToTheBound() {
        assertThat(SplitMix.lower(0L, 10_000_000)).isZero();
        assertThat(SplitMix.lower(-1L, 10_000_000)).isEqualTo(9_999_999);
        assertThat(SplitMix.upper(0L, 3_599_000_000L)).isZero();
        assertThat(SplitMix.upper(-1L, 3_599_000_000L)).isBetween(3_598_999_998L, 3_598_999_999L);
    }

    @Test
    void delaysOfAPairAreOneSecondToOneHour() {
        assertThat(PairMeasurement.delayNanos(0L)).isEqualTo(1_000_000_000L);
        assertThat(PairMeasurement.delayNanos(-1L)).isBetween(3_599_999_000_000L, 3_600_000_000_000L);
    }
}
