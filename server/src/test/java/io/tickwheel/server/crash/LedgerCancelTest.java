package io.tickwheel.server.crash;

import io.tickwheel.server.crash.LedgerViolation.Kind;
import io.tickwheel.store.Scheduled.Previous;
import io.tickwheel.store.TimerState;
import org.junit.jupiter.api.Test;

/** The checker finds what came although it was cancelled or replaced. */
final class LedgerCancelTest {

    private final LedgerHistory history = new LedgerHistory();

    @Test
    void arrivalAfterTheCancelIsAViolation() {
        history.put("a").in(100).at(0).made();
        history.cancel().at(50).cancelled("a");
        history.arrives("a", 100);
        history.finds(Kind.CANCELLED_AND_FIRED);
    }

    @Test
    void arrivalBeforeTheCancelIsAViolation() {
        history.put("a").in(100).at(0).made();
        history.arrives("a", 100);
        history.cancel().at(150).cancelled(null);
        history.finds(Kind.CANCELLED_AND_FIRED);
    }

    @Test
    void arrivalAfterALaterKillIsAViolation() {
        history.put("a").in(100).at(0).made();
        history.cancel().at(50).cancelled("a");
        history.killAt(60);
        history.arrives("a", 100);
        history.finds(Kind.CANCELLED_AND_FIRED);
    }

    @Test
    void arrivalWhoseAttemptAKillCutOffBeforeTheCancelIsNot() {
        history.put("a").in(100).at(0).made();
        history.arrives("a", 100);
        history.killAt(101);
        history.cancel().at(150).cancelled("a");
        history.findsNothing();
    }

    @Test
    void arrivalAfterACancelOfUnknownOutcomeIsNot() {
        history.put("a").in(100).at(0).made();
        history.cancel().at(50).unknown();
        history.killAt(60);
        history.arrives("a", 100);
        history.findsNothing();
    }

    @Test
    void arrivalAfterACancelOfUnknownOutcomeThatWasRepeatedIsAViolation() {
        history.put("a").in(100).at(0).made();
        history.cancel().at(50).unknown();
        history.killAt(60);
        history.cancel().at(70).cancelled("a");
        history.arrives("a", 100);
        history.finds(Kind.CANCELLED_AND_FIRED);
    }

    @Test
    void arrivalOfALastAttemptIsNot() {
        history.put("a").in(100).at(0).made();
        history.cancel().at(101).lastAttempt("a");
        history.arrives("a", 102);
        history.cancel().at(110).tooLate(TimerState.COMPLETED);
        history.findsNothing();
    }

    @Test
    void lastAttemptThatAKillCutOffIsCancelled() {
        history.put("a").in(100).at(0).made();
        history.arrives("a", 100);
        history.cancel().at(101).lastAttempt("a");
        history.killAt(102);
        history.look().at(110).seen("a", TimerState.CANCELLED);
        history.cancel().at(120).cancelled("a");
        history.findsNothing();
    }

    @Test
    void arrivalOfALaterProcessThanTheLastAttemptIsAViolation() {
        history.put("a").in(100).at(0).made();
        history.cancel().at(101).lastAttempt("a");
        history.killAt(102);
        history.arrives("a", 200);
        history.finds(Kind.CANCELLED_AND_FIRED);
    }

    @Test
    void timerThatIsPendingBehindItsLastAttemptIsAViolation() {
        history.put("a").in(100).at(0).made();
        history.cancel().at(101).lastAttempt("a");
        history.killAt(102);
        history.look().at(110).seen("a", TimerState.PENDING);
        history.finds(Kind.CONTRADICTION);
    }

    @Test
    void cancelThatIsTooLateWhileAnAttemptRunsIsAViolation() {
        history.put("a").in(100).at(0).made();
        history.arrives("a", 100);
        history.cancel().at(101).tooLate(TimerState.CLAIMED);
        history.finds(Kind.CONTRADICTION);
    }

    @Test
    void arrivalOfAnEarlierTimerOfTheKeyIsNot() {
        history.put("a").in(100).at(0).made();
        history.arrives("a", 100);
        history.put("b").in(100).at(150).made(Previous.NONE);
        history.cancel().at(160).cancelled("b");
        history.findsNothing();
    }

    @Test
    void oldVersionAfterItWasReplacedWhilePendingIsStale() {
        history.put("a").in(100).at(0).made();
        history.put("b").in(100).at(50).made(Previous.PENDING);
        history.arrives("a", 100);
        history.arrives("b", 150);
        history.finds(Kind.STALE);
    }

    @Test
    void oldVersionAfterALaterKillIsStale() {
        history.put("a").in(100).at(0).made();
        history.put("b").in(100).at(50).made(Previous.PENDING);
        history.killAt(60);
        history.arrives("a", 100);
        history.arrives("b", 150);
        history.finds(Kind.STALE);
    }

    @Test
    void runningAttemptOfAReplacedVersionIsNot() {
        history.put("a").in(100).at(0).made();
        history.put("b").in(100).at(100).made(Previous.CLAIMED);
        history.arrives("a", 101);
        history.arrives("b", 200);
        history.findsNothing();
    }

    @Test
    void furtherAttemptOfAVersionReplacedWhileClaimedIsStale() {
        history.put("a").in(100).at(0).made();
        history.arrives("a", 100);
        history.put("b").in(100).at(100).made(Previous.CLAIMED);
        history.killAt(110);
        history.arrives("a", 120);
        history.arrives("b", 200);
        history.finds(Kind.STALE);
    }

    @Test
    void oldVersionAfterAReplaceOfUnknownOutcomeIsNot() {
        history.put("a").in(100).at(0).made();
        history.put("b").in(100).at(50).unknown();
        history.killAt(60);
        history.arrives("a", 100);
        history.findsNothing();
    }

    @Test
    void oldVersionFromTheProcessAfterTheOneThatReplacedItIsStale() {
        history.put("a").in(100).at(0).made();
        history.put("b").in(100).at(50).unknown();
        history.killAt(60);
        history.arrives("a", 100);
        history.arrives("b", 150);
        history.finds(Kind.STALE);
    }

    @Test
    void versionThatAKillCutOffMayBeReplacedWhilePending() {
        history.put("a").in(100).at(0).made();
        history.arrives("a", 100);
        history.killAt(101);
        history.put("b").in(100).at(150).made(Previous.PENDING);
        history.arrives("b", 250);
        history.findsNothing();
    }
}
