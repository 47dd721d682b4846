package io.tickwheel.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

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
}
