package io.tickwheel.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.benchmarks.wheel.SplitMix;
import java.time.Duration;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class DelaysTest {

    private static final Duration LEAST = Duration.ofSeconds(1);
    private static final Duration MOST = Duration.ofSeconds(10_000);

    @Test
    void delaysStayWithinTheirBounds() {
        for (Delays delays : new Delays[] {Delays.uniform(LEAST, MOST), Delays.logUniform(LEAST, MOST)}) {
            assertThat(delays.atMs(0)).isEqualTo(1_000);
            assertThat(delays.atMs(-1)).isEqualTo(10_000_000);
        }
    }

    @Test
    void halfOfTheLogarithmicDelaysAreBelowTheGeometricMean() {
        assertThat(shareBelow(Delays.logUniform(LEAST, MOST), 100_000)).isBetween(0.49, 0.51);
        assertThat(shareBelow(Delays.uniform(LEAST, MOST), 5_000_000)).isBetween(0.49, 0.51);
    }

    private static double shareBelow(Delays delays, long boundMs) {
        int count = 100_000;
        return (double) LongStream.range(0, count)
                        .filter(number -> delays.atMs(SplitMix.at(number)) < boundMs)
                        .count()
                / count;
    }
}
