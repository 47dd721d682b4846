package io.tickwheel.engine.neighbour;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** How long takes may be on their way. */
final class TakeLimitsTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final TakeLimits limits = new TakeLimits();

    private long ms(long node, boolean isLarge, Duration ttl) {
        return limits.of(node, isLarge, ttl).toMillis();
    }

    private long ms() {
        return ms(1, false, MINUTE);
    }

    private void came(long node, long afterMs) {
        limits.came(node, Duration.ofMillis(afterMs).toNanos());
    }

    @Test
    void whatComesInTimeChangesNothing() {
        assertThat(ms()).isEqualTo(1_000);
        came(1, 1_000);
        came(1, 0);
        assertThat(ms()).isEqualTo(1_000);
    }

    @Test
    void whatComesLateGivesTheNextOneTwiceAsLong() {
        came(1, 1_001);
        assertThat(ms()).isEqualTo(2_002);
        came(1, 3_000);
        assertThat(ms()).isEqualTo(6_000);
        came(1, 2_999);
        assertThat(ms()).as("the last one was in time, and no quick one").isEqualTo(5_998);
        came(1, 5_998);
        assertThat(ms()).isEqualTo(5_998);
    }

    @Test
    void noneMayTakeLongerThanTenSeconds() {
        came(1, 5_500);
        assertThat(ms()).isEqualTo(10_000);
        limits.came(1, Long.MAX_VALUE);
        assertThat(ms()).isEqualTo(10_000);
        came(1, 10_000);
        assertThat(ms()).isEqualTo(10_000);
    }

    @Test
    void limitGoesBackStepByStepWhenTheyComeSoon() {
        came(1, 4_000);
        came(1, 10);
        assertThat(ms()).isEqualTo(7_000);
        came(1, 10);
        assertThat(ms()).isEqualTo(6_125);
        came(1, 2_800);
        assertThat(ms()).as("no shorter than twice as long as it took").isEqualTo(5_600);
        for (int i = 0; i < 13; i++) {
            came(1, 10);
        }
        assertThat(ms()).isEqualTo(1_000);
    }

    /** It has come from the future: that is no clock of ours. */
    @Test
    void numberThatIsNoTimeOfOursIsAsIfItHadComeAtOnce() {
        limits.came(1, Long.MIN_VALUE);
        assertThat(ms()).isEqualTo(1_000);
        came(1, 4_000);
        limits.came(1, -1);
        assertThat(ms()).isEqualTo(7_000);
    }

    @Test
    void eachNodeHasItsOwnUntilItIsGone() {
        came(1, 2_000);
        came(2, 3_000);
        assertThat(ms(1, false, MINUTE)).isEqualTo(4_000);
        assertThat(ms(2, false, MINUTE)).isEqualTo(6_000);
        assertThat(ms(3, false, MINUTE)).isEqualTo(1_000);
        limits.gone(2);
        assertThat(ms(1, false, MINUTE)).isEqualTo(4_000);
        assertThat(ms(2, false, MINUTE)).isEqualTo(1_000);
    }

    @Test
    void leaseHasHalfOfItsTimeLeftWhenItComes() {
        came(1, 4_000);
        assertThat(ms(1, false, Duration.ofMillis(15_998))).isEqualTo(7_999);
        assertThat(ms(1, false, Duration.ofSeconds(16))).isEqualTo(8_000);
        assertThat(ms(1, false, Duration.ofSeconds(3))).isEqualTo(1_500);
        assertThat(ms(1, false, Duration.ofMillis(1_500))).as("or a second").isEqualTo(1_000);
    }

    @Test
    void whatIsLargeMayAlwaysTakeTenSeconds() {
        assertThat(ms(1, true, MINUTE)).isEqualTo(10_000);
        assertThat(ms(1, true, Duration.ofSeconds(19))).isEqualTo(9_500);
        assertThat(ms(1, true, Duration.ofMillis(1_500))).isEqualTo(1_000);
    }
}
