package io.tickwheel.store.file.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.store.file.run.RunFormat.Tier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class TierTest {

    private static final long DAY_MS = 86_400_000L;

    @Test
    void tierGoesByHowFarAheadATimerIsDue() {
        long now = 1_763_765_000_000L;
        assertThat(Tier.of(Long.MIN_VALUE, false, now)).isEqualTo(Tier.NEAR);
        assertThat(Tier.of(now, false, now)).isEqualTo(Tier.NEAR);
        assertThat(Tier.of(now + 2 * DAY_MS - 1, false, now)).isEqualTo(Tier.NEAR);
        assertThat(Tier.of(now + 2 * DAY_MS, false, now)).isEqualTo(Tier.MID);
        assertThat(Tier.of(now + 64 * DAY_MS - 1, false, now)).isEqualTo(Tier.MID);
        assertThat(Tier.of(now + 64 * DAY_MS, false, now)).isEqualTo(Tier.FAR);
        assertThat(Tier.of(Long.MAX_VALUE, false, now)).isEqualTo(Tier.FAR);
        assertThat(Tier.of(now, true, now)).isEqualTo(Tier.DEAD);
    }

    /** Clocks can be set anywhere. */
    @Test
    void nothingIsFarAtTheEndOfTime() {
        assertThat(Tier.of(Long.MAX_VALUE - 1, false, Long.MAX_VALUE)).isEqualTo(Tier.NEAR);
        assertThat(Tier.of(Long.MAX_VALUE - 1, false, Long.MAX_VALUE - 3 * DAY_MS))
                .isEqualTo(Tier.MID);
        assertThat(Tier.of(5, false, Long.MAX_VALUE)).isEqualTo(Tier.NEAR);
    }

    @ParameterizedTest
    @EnumSource
    void tierIsKnownByItsNumber(Tier tier) {
        assertThat(Tier.ofNumber(tier.number())).isEqualTo(tier);
        assertThatThrownBy(() -> Tier.ofNumber(tier.number() - 4)).hasMessageContaining("unknown tier");
        assertThatThrownBy(() -> Tier.ofNumber(tier.number() + 4)).hasMessageContaining("unknown tier");
    }
}
