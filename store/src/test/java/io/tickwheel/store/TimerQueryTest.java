package io.tickwheel.store;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** A changed copy differs in what was changed, whichever comes first. */
final class TimerQueryTest {

    private static final TimerCursor PLACE = new TimerCursor(5, 7);

    private static final TimerQuery ALL = new TimerQuery("q", TimerState.DEAD, "eu-", 3, 9, 50, PLACE);

    @Test
    void eachCopyKeepsTheRest() {
        assertThat(ALL.withState(TimerState.PENDING))
                .isEqualTo(new TimerQuery("q", TimerState.PENDING, "eu-", 3, 9, 50, PLACE));
        assertThat(ALL.withKeyPrefix("us-")).isEqualTo(new TimerQuery("q", TimerState.DEAD, "us-", 3, 9, 50, PLACE));
        assertThat(ALL.withDue(4, 8)).isEqualTo(new TimerQuery("q", TimerState.DEAD, "eu-", 4, 8, 50, PLACE));
        assertThat(ALL.withLimit(60)).isEqualTo(new TimerQuery("q", TimerState.DEAD, "eu-", 3, 9, 60, PLACE));
        TimerCursor other = new TimerCursor(6, 1);
        assertThat(ALL.withAfter(other)).isEqualTo(new TimerQuery("q", TimerState.DEAD, "eu-", 3, 9, 50, other));
    }
}
