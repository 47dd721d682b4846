package io.tickwheel.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RetryPolicyTest {

    @Test
    void delayDoublesWithEachAttemptUpToAnHour() {
        RetryPolicy policy = new RetryPolicy(100, Duration.ofSeconds(1));
        assertThat(policy.delayMs(1, 0)).isEqualTo(1_000);
        assertThat(policy.delayMs(2, 0)).isEqualTo(2_000);
        assertThat(policy.delayMs(12, 0)).isEqualTo(2_048_000);
        assertThat(policy.delayMs(13, 0)).isEqualTo(3_600_000);
        assertThat(policy.delayMs(100, 0)).isEqualTo(3_600_000);
    }

    @Test
    void lastTenthOfTheDelayIsDrawnAtRandom() {
        RetryPolicy policy = new RetryPolicy(3, Duration.ofSeconds(1));
        SplittableRandom random = new SplittableRandom(1);
        List<Long> delays =
                random.longs(1_000).map(bits -> policy.delayMs(1, bits)).boxed().toList();
        assertThat(delays).allMatch(delay -> delay >= 900 && delay <= 1_000);
        assertThat(delays).anyMatch(delay -> delay < 910).anyMatch(delay -> delay > 990);
    }

    @Test
    void valuesOutOfRangeAreRefusedByName() {
        assertThatThrownBy(() -> new RetryPolicy(0, Duration.ofSeconds(1))).hasMessageContaining("maxAttempts is 0");
        assertThatThrownBy(() -> new RetryPolicy(1_001, Duration.ofSeconds(1))).hasMessageContaining("1001");
        assertThatThrownBy(() -> new RetryPolicy(1, Duration.ofNanos(1)))
                .hasMessageContaining("backoff is PT0.000000001S");
        assertThatThrownBy(() -> new RetryPolicy(1, Duration.ofHours(2))).hasMessageContaining("PT2H");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 3, 999, 1_000, 60_000, 1_234_567, 3_600_000})
    void delaysDoubleUpToTheCap(long backoffMs) {
        RetryPolicy policy = new RetryPolicy(1_000, Duration.ofMillis(backoffMs));
        double fullMs = backoffMs;
        for (int attempts = 1; attempts < 1_000; attempts++) {
            double expectedMs = Math.min(3_600_000, fullMs);
            for (long random : new long[] {0, 1, -1, Long.MIN_VALUE, Long.MAX_VALUE}) {
                assertThat((double) policy.delayMs(attempts, random))
                        .as("after %s attempts", attempts)
                        .isBetween(0.9 * expectedMs, expectedMs);
            }
            assertThat(policy.delayMs(attempts, 0)).isEqualTo((long) expectedMs);
            fullMs *= 2;
        }
    }
}
