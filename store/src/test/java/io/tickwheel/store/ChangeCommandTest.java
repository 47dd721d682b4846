package io.tickwheel.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.ChangeCommand.Change;
import org.junit.jupiter.api.Test;

/** A changed copy differs in what was changed, and is for the timer that the first one is for. */
final class ChangeCommandTest {

    private static final TimerKey KEY = new TimerKey("q", "k");
    private static final TimerView SEEN = new TimerView(KEY, "1a", 1, 5, 6, TimerState.DEAD, 2);
    private static final TimerView TRIED_SINCE = new TimerView(KEY, "1a", 1, 5, 7, TimerState.DEAD, 3);
    private static final TimerView OTHER = new TimerView(KEY, "1b", 1, 5, 6, TimerState.DEAD, 2);

    @Test
    void whatWasSeenIsExpectedWhateverIsSaidBehindIt() {
        ChangeCommand command = ChangeCommand.redrive(KEY, 77)
                .withExpected(SEEN)
                .withContent(new byte[] {1}, 9)
                .withDurability(Durability.SYNC);
        assertThat(command.isForAnother(SEEN)).isFalse();
        assertThat(command.isForAnother(TRIED_SINCE)).isTrue();
        assertThat(command.isForAnother(OTHER)).isTrue();
        assertThat(command.isForAnother(null)).isTrue();
        assertThat(command.change()).isEqualTo(Change.REDRIVE);
        assertThat(command.dueAtMs()).isEqualTo(77);
        assertThat(command.content()).containsExactly(1);
        assertThat(command.route()).isEqualTo(9);
        assertThat(command.durability()).isEqualTo(Durability.SYNC);
    }

    @Test
    void anIdAloneIsThatOfTheTimerHoweverItHasChanged() {
        ChangeCommand command =
                ChangeCommand.redrive(KEY, 77).withExpected(OTHER).withExpectedId("1a");
        assertThat(command.isForAnother(SEEN)).isFalse();
        assertThat(command.isForAnother(TRIED_SINCE)).isFalse();
        assertThat(command.isForAnother(OTHER)).isTrue();
        assertThat(command.withExpectedId(null).isForAnother(null)).isFalse();
    }
}
