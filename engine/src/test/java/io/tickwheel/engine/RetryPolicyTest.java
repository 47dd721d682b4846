package io.tickwheel.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RetryPolicyTest {

    @Test
    void delayDoublesWithEachAttemptUpToAnHour() {
        RetryPolicy policy = RetryPolicy.exponential(100, Duration.ofSeconds(1));
        assertThat(policy.delayMs(1, 0)).isEqualTo(1_000);
        assertThat(policy.delayMs(2, 0)).isEqualTo(2_000);
        assertThat(policy.delayMs(12, 0)).isEqualTo(2_048_000);
        assertThat(policy.delayMs(13, 0)).isEqualTo(3_600_000);
        assertThat(policy.delayMs(100, 0)).isEqualTo(3_600_000);
    }

    @Test
    void lastTenthOfTheDelayIsDrawnAtRandom() {
        RetryPolicy policy = RetryPolicy.exponential(3, Duration.ofSeconds(1));
        SplittableRandom random = new SplittableRandom(1);
        List<Long> delays =
                random.longs(1_000).map(bits -> policy.delayMs(1, bits)).boxed().toList();
        assertThat(delays).allMatch(delay -> delay >= 900 && delay <= 1_000);
        assertThat(delays).anyMatch(delay -> delay < 910).anyMatch(delay -> delay > 990);
    }

    @Test
    void valuesOutOfRangeAreRefusedByName() {
        Duration second = Duration.ofSeconds(1);
        RetryPolicy policy = RetryPolicy.exponential(2, second);
        assertThatThrownBy(() -> RetryPolicy.exponential(0, second)).hasMessageContaining("maxAttempts is 0");
        assertThatThrownBy(() -> RetryPolicy.exponential(1_001, second)).hasMessageContaining("1001");
        assertThatThrownBy(() -> RetryPolicy.exponential(1, Duration.ofNanos(1)))
                .hasMessageContaining("a delay is PT0.000000001S");
        assertThatThrownBy(() -> RetryPolicy.exponential(1, Duration.ofNanos(1_500_000)))
                .hasMessageContaining("whole milliseconds");
        assertThatThrownBy(() -> RetryPolicy.fixed(1, Duration.ofDays(31))).hasMessageContaining("PT744H");
        assertThatThrownBy(RetryPolicy::listed).hasMessageContaining("there are 0 delays");
        assertThatThrownBy(() ->
                        RetryPolicy.listed(Collections.nCopies(101, second).toArray(Duration[]::new)))
                .hasMessageContaining("there are 101 delays");
        assertThatThrownBy(() -> policy.withMaxBackoff(Duration.ofMillis(999)))
                .hasMessageContaining("maxBackoff is PT0.999S, must be PT1S to PT720H");
        for (double jitter : new double[] {-0.1, 1.1, Double.NaN}) {
            assertThatThrownBy(() -> policy.withJitter(jitter)).hasMessageContaining("jitter is " + jitter);
        }
        for (double factor : new double[] {0.9, 10.1, Double.NaN}) {
            assertThatThrownBy(() -> new RetryPolicy(2, List.of(second), factor, second, 0))
                    .hasMessageContaining("factor is " + factor);
        }
    }

    @Test
    void delayThatMillisecondsCannotCountIsRefusedByNameToo() {
        Duration forEver = Duration.ofSeconds(Long.MAX_VALUE);
        assertThatThrownBy(() -> RetryPolicy.fixed(2, forEver))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("a delay is " + forEver + ", must be ");
    }

    @Test
    void fixedIntervalIsExact() {
        RetryPolicy policy = RetryPolicy.fixed(5, Duration.ofSeconds(15));
        for (int attempts = 1; attempts < 1_000; attempts++) {
            assertThat(policy.delayMs(attempts, -attempts)).isEqualTo(15_000);
        }
    }

    @Test
    void listIsFollowedAndThenItsLastIsRepeated() {
        RetryPolicy policy = RetryPolicy.listed(Duration.ofSeconds(1), Duration.ofSeconds(30), Duration.ofSeconds(5));
        assertThat(policy.maxAttempts()).isEqualTo(4);
        assertThat(List.of(policy.delayMs(1, 7), policy.delayMs(2, 7), policy.delayMs(3, 7), policy.delayMs(4, 7)))
                .containsExactly(1_000L, 30_000L, 5_000L, 5_000L);
    }

    @Test
    void listMayGrowBehindItsEnd() {
        RetryPolicy policy =
                new RetryPolicy(9, List.of(Duration.ofSeconds(1), Duration.ofSeconds(2)), 3, Duration.ofSeconds(50), 0);
        assertThat(List.of(policy.delayMs(2, 7), policy.delayMs(3, 7), policy.delayMs(4, 7), policy.delayMs(5, 7)))
                .containsExactly(2_000L, 6_000L, 18_000L, 50_000L);
    }

    @Test
    void wholeDelayMayBeDrawnAtRandom() {
        RetryPolicy policy = RetryPolicy.fixed(3, Duration.ofMillis(10)).withJitter(1);
        SplittableRandom random = new SplittableRandom(1);
        assertThat(random.longs(1_000)
                        .map(bits -> policy.delayMs(1, bits))
                        .boxed()
                        .distinct())
                .containsExactlyInAnyOrder(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L);
    }

    @Test
    void delayLongerThanAnHourIsKept() {
        RetryPolicy policy = RetryPolicy.exponential(3, Duration.ofHours(2));
        assertThat(policy.delayMs(1, 0)).isEqualTo(7_200_000);
        assertThat(policy.delayMs(2, 0)).isEqualTo(7_200_000);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 3, 999, 1_000, 60_000, 1_234_567, 3_600_000})
    void delaysDoubleUpToTheCap(long backoffMs) {
        RetryPolicy policy = RetryPolicy.exponential(1_000, Duration.ofMillis(backoffMs));
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
