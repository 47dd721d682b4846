package io.tickwheel.engine.rule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Nothing is early, and no due time leaves its range. */
final class DueTimesTest {

    @Test
    void partsOfAMillisecondCountAsAWholeOne() {
        assertThat(DueTimes.ceilMs(Instant.ofEpochMilli(7))).isEqualTo(7);
        assertThat(DueTimes.ceilMs(Instant.ofEpochMilli(7).plusNanos(1))).isEqualTo(8);
        assertThat(DueTimes.ceilMs(Instant.ofEpochMilli(-7).plusNanos(999_999))).isEqualTo(-6);
        assertThat(DueTimes.ceilMs(Duration.ofMillis(7))).isEqualTo(7);
        assertThat(DueTimes.ceilMs(Duration.ofMillis(7).plusNanos(1))).isEqualTo(8);
        assertThat(DueTimes.ceilMs(Duration.ZERO)).isZero();
    }

    @Test
    void endsOfTheRangeAreTaken() {
        assertThat(DueTimes.ceilMs(DueTimes.FIRST)).isEqualTo(DueTimes.FIRST.toEpochMilli());
        assertThat(DueTimes.ceilMs(DueTimes.LAST)).isEqualTo(DueTimes.LAST.toEpochMilli());
    }

    @Test
    void whatLiesBeyondTheRangeIsRefusedHoweverLittleThatIs() {
        for (Instant due : new Instant[] {
            DueTimes.FIRST.minusNanos(1), DueTimes.LAST.plusNanos(1), DueTimes.LAST.plusMillis(1), Instant.MAX
        }) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> DueTimes.ceilMs(due))
                    .withMessage(
                            "due time is " + due + ", must be from 0000-01-01T00:00:00Z to 9999-12-31T23:59:59.999Z");
        }
    }
}
