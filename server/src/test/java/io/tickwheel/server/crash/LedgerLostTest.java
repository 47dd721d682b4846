package io.tickwheel.server.crash;

import io.tickwheel.server.crash.LedgerViolation.Kind;
import io.tickwheel.store.Scheduled.Previous;
import io.tickwheel.store.TimerState;
import org.junit.jupiter.api.Test;

/** The checker finds what was accepted and never came, and excuses only what may have ended it. */
final class LedgerLostTest {

    private final LedgerHistory history = new LedgerHistory();

    @Test
    void acceptedTimerThatNeverArrivesIsLost() {
        history.put("a").in(100).at(0).made();
        history.finds(Kind.LOST);
    }

    @Test
    void timerThatArrivesIsNot() {
        history.put("a").in(100).at(0).made();
        history.arrives("a", 101);
        history.findsNothing();
    }

    @Test
    void timerThatIsDueAfterTheEndIsNot() {
        history.put("a").in(2_000_000).at(0).made();
        history.findsNothing();
    }

    @Test
    void cancelledTimerIsNot() {
        history.put("a").in(100).at(0).made();
        history.cancel().at(50).cancelled("a");
        history.findsNothing();
    }

    @Test
    void timerThatWasTooLateToCancelAndNeverArrivesIs() {
        history.put("a").in(100).at(0).made();
        history.cancel().at(101).tooLate(TimerState.COMPLETED);
        history.finds(Kind.LOST);
    }

    @Test
    void replacedTimerIsNotWhenTheNewOneArrives() {
        history.put("a").in(100).at(0).made();
        history.put("b").in(100).at(50).made(Previous.PENDING);
        history.arrives("b", 150);
        history.findsNothing();
    }

    @Test
    void timerThatStoodInTheWayOfNothingAndNeverArrivedIs() {
        history.put("a").in(100).at(0).made();
        history.put("b").in(100).at(50).made(Previous.NONE);
        history.arrives("b", 150);
        history.finds(Kind.LOST);
    }

    @Test
    void timerThatIsNotFoundAndNeverArrivedIs() {
        history.put("a").in(100).at(0).made();
        history.look().at(50).notFound();
        history.finds(Kind.LOST);
    }

    @Test
    void timerThatWasGivenUpIs() {
        history.put("a").in(100).at(0).made();
        history.arrives("a", 100);
        history.look().at(150).seen("a", TimerState.DEAD);
        history.finds(Kind.LOST);
    }

    @Test
    void timerWithACancelOfUnknownOutcomeIsNot() {
        history.put("a").in(100).at(0).made();
        history.cancel().at(50).unknown();
        history.killAt(60);
        history.findsNothing();
    }

    @Test
    void timerWithACancelOfUnknownOutcomeThatTheServerDeniesIs() {
        history.put("a").in(100).at(0).made();
        history.cancel().at(50).unknown();
        history.killAt(60);
        history.cancel().at(150).tooLate(TimerState.COMPLETED);
        history.finds(Kind.LOST);
    }

    @Test
    void requestOfUnknownOutcomeThatNeverArrivesIsNot() {
        history.put("a").in(100).at(0).unknown();
        history.killAt(10);
        history.findsNothing();
    }

    @Test
    void timerWithAReplaceOfUnknownOutcomeIsNotWhenEitherArrives() {
        history.put("a").in(100).at(0).made();
        history.put("b").in(100).at(50).unknown();
        history.killAt(60);
        history.arrives("b", 150);
        history.findsNothing();
    }

    @Test
    void timerWithAReplaceOfUnknownOutcomeIsWhenNeitherArrives() {
        history.put("a").in(100).at(0).made();
        history.put("b").in(100).at(50).unknown();
        history.killAt(60);
        history.finds(Kind.LOST);
    }

    @Test
    void secondTimerOfAKeyIsToo() {
        history.put("a").in(100).at(0).made();
        history.arrives("a", 100);
        history.put("b").in(100).at(200).made(Previous.NONE);
        history.finds(Kind.LOST);
    }
}
