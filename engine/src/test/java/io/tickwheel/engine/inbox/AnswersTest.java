package io.tickwheel.engine.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreFailedException;
import io.tickwheel.store.StoreFullException;
import io.tickwheel.store.StoreGoneException;
import io.tickwheel.store.StoreUnavailableException;
import org.junit.jupiter.api.Test;

/** What a caller is told of a command of several steps when one of them fails. */
final class AnswersTest {

    @Test
    void firstStepThatFailsHasChangedNothing() {
        StoreException full = new StoreFullException("no room");
        assertThat(Answers.notApplied(full)).isSameAs(full);
        StoreException away = new StoreUnavailableException("away", false);
        assertThat(Answers.notApplied(away)).isSameAs(away);
        assertThat(Answers.notApplied(new StoreUnavailableException("away", true)))
                .hasMessage("away")
                .isInstanceOfSatisfying(
                        StoreUnavailableException.class,
                        reason -> assertThat(reason.outcomeUnknown()).isFalse());
    }

    @Test
    void laterStepThatFailsLeavesWhatWasDoneBefore() {
        assertThat(Answers.perhapsApplied(new StoreFullException("no room")))
                .hasMessage("no room")
                .isInstanceOfSatisfying(
                        StoreUnavailableException.class,
                        reason -> assertThat(reason.outcomeUnknown()).isTrue());
        assertThat(Answers.perhapsApplied(new StoreUnavailableException("away", false)))
                .hasMessage("away")
                .isInstanceOfSatisfying(
                        StoreUnavailableException.class,
                        reason -> assertThat(reason.outcomeUnknown()).isTrue());
        assertThat(Answers.perhapsApplied(new StoreGoneException("gone", false)))
                .hasMessage("gone")
                .isInstanceOfSatisfying(
                        StoreGoneException.class,
                        reason -> assertThat(reason.outcomeUnknown()).isTrue());
        StoreFailedException failed = new StoreFailedException("broken", false, new IllegalStateException());
        assertThat(Answers.perhapsApplied(failed))
                .hasMessage("broken")
                .hasCause(failed)
                .isInstanceOfSatisfying(
                        StoreFailedException.class,
                        reason -> assertThat(reason.outcomeUnknown()).isTrue());
    }
}
