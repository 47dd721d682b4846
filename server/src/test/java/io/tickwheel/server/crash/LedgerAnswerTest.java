package io.tickwheel.server.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.server.crash.LedgerViolation.Kind;
import io.tickwheel.store.Scheduled.Previous;
import io.tickwheel.store.TimerState;
import org.junit.jupiter.api.Test;

/** The checker finds answers that cannot all be true, and those that are missing. */
final class LedgerAnswerTest {

    private final LedgerHistory history = new LedgerHistory();

    @Test
    void pendingAfterItsCancelIsAContradiction() {
        history.put("a").in(100).at(0).made();
        history.cancel().at(50).cancelled("a");
        history.killAt(60);
        history.look().at(70).seen("a", TimerState.PENDING);
        history.finds(Kind.CONTRADICTION);
    }

    @Test
    void cancelledAndForgottenAfterItsCancelAreNot() {
        history.put("a").in(100).at(0).made();
        history.cancel().at(50).cancelled("a");
        history.look().at(60).seen("a", TimerState.CANCELLED);
        history.killAt(65);
        history.look().at(70).notFound();
        history.findsNothing();
    }

    @Test
    void oldVersionSeenAfterItsReplaceIsAContradiction() {
        history.put("a").in(100).at(0).made();
        history.put("b").in(100).at(50).made(Previous.PENDING);
        history.killAt(60);
        history.look().at(70).seen("a", TimerState.PENDING);
        history.arrives("b", 150);
        history.finds(Kind.CONTRADICTION);
    }

    @Test
    void pendingAfterItCameIsAContradiction() {
        history.put("a").in(100).at(0).made();
        history.arrives("a", 100);
        history.look().at(110).seen("a", TimerState.PENDING);
        history.finds(Kind.CONTRADICTION);
    }

    @Test
    void pendingAfterItCameAndAKillIsNot() {
        history.put("a").in(100).at(0).made();
        history.arrives("a", 100);
        history.killAt(105);
        history.look().at(110).seen("a", TimerState.PENDING);
        history.arrives("a", 115);
        history.findsNothing();
    }

    @Test
    void completedBeforeItCameIsLost() {
        history.put("a").in(100).at(0).made();
        history.look().at(50).seen("a", TimerState.COMPLETED);
        history.finds(Kind.LOST);
    }

    @Test
    void replaceOfACancelledTimerIsAContradiction() {
        history.put("a").in(100).at(0).made();
        history.cancel().at(50).cancelled("a");
        history.put("b").in(100).at(60).made(Previous.PENDING);
        history.arrives("b", 160);
        history.finds(Kind.CONTRADICTION);
    }

    @Test
    void unknownReplaceThatIsSeenUndoneIsSettled() {
        history.put("a").in(100).at(0).made();
        history.put("b").in(100).at(50).unknown();
        history.killAt(60);
        history.look().at(70).seen("a", TimerState.PENDING);
        history.arrives("b", 150);
        history.finds(Kind.CONTRADICTION);
    }

    @Test
    void unknownCancelThatIsSeenUndoneIsSettled() {
        history.put("a").in(100).at(0).made();
        history.cancel().at(50).unknown();
        history.killAt(60);
        history.look().at(70).seen("a", TimerState.PENDING);
        history.finds(Kind.LOST);
    }

    @Test
    void versionThatDoesNotRiseIsAContradiction() {
        history.put("a").in(100).at(0).made();
        history.version(1);
        history.put("b").in(100).at(50).made(Previous.PENDING);
        history.arrives("b", 150);
        history.finds(Kind.CONTRADICTION);
    }

    @Test
    void missingAnswerOfALiveServerIsReported() {
        history.put("a").in(100).at(0).unknown();
        history.arrives("a", 100);
        history.finds(Kind.UNANSWERED);
    }

    @Test
    void missingAnswerOfAKilledServerIsNot() {
        history.put("a").in(100).at(0).unknown();
        history.killAt(10);
        history.arrives("a", 100);
        history.findsNothing();
    }

    @Test
    void requestAfterOneOfUnknownOutcomeInTheSameLifetimeIsAFaultOfTheTest() {
        history.put("a").in(100).at(0).unknown();
        history.put("b").in(100).at(50).made();
        assertThatThrownBy(history::check).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void summaryNamesWhatWasTriedAndFound() {
        history.put("a").in(100).at(0).made();
        history.put("b").in(100).at(50).made(Previous.PENDING);
        history.cancel().at(60).cancelled("b");
        history.killAt(70);
        assertThat(history.check().summary())
                .startsWith("timers 2, acked 2, cancelled 1, replaced 1, cancelled while an attempt ran 0, too late 0,")
                .contains("kills 1, duplicates tied to a kill 0, lost 0, early 0, cancelled and fired 0, stale 0,");
    }
}
