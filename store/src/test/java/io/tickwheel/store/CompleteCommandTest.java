package io.tickwheel.store;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Of which timer an attempt was that has succeeded elsewhere. */
final class CompleteCommandTest {

    private static final long STARTED_MS = 1_000;

    private final CompleteCommand command = new CompleteCommand(
            new TimerKey("q", "k"), "1a", 2, 7, new PastAttempt(2, STARTED_MS, 0, 0, 200, ""), null);

    @Test
    void attemptIsOfATimerThatWasDueWhenItBegan() {
        assertThat(command.isOfItsTime(STARTED_MS - 1)).isTrue();
        assertThat(command.isOfItsTime(STARTED_MS)).as("the very millisecond").isTrue();
        assertThat(command.isOfItsTime(STARTED_MS + 1)).as("rescheduled since").isFalse();
    }
}
