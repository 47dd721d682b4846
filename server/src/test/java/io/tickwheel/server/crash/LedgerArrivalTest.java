package io.tickwheel.server.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.server.crash.LedgerReport.Count;
import io.tickwheel.server.crash.LedgerViolation.Kind;
import io.tickwheel.store.Scheduled.Previous;
import io.tickwheel.store.TimerState;
import org.junit.jupiter.api.Test;

/** The checker finds what came early, twice, or uncalled for. */
final class LedgerArrivalTest {

    private final LedgerHistory history = new LedgerHistory();

    @Test
    void arrivalOneMillisecondBeforeItsTimeIsEarly() {
        history.put("a").in(100).at(0).made();
        history.arrives("a", 99);
        history.finds(Kind.EARLY);
    }

    @Test
    void arrivalInItsMillisecondIsNot() {
        history.put("a").in(100).at(0).made();
        history.arrives("a", 100);
        history.findsNothing();
    }

    @Test
    void arrivalOfAnUnansweredRequestIsMeasuredFromWhenItWasSent() {
        history.put("a").in(100).at(0).unknown();
        history.killAt(50);
        history.arrives("a", 99, 90);
        history.finds(Kind.EARLY);
    }

    @Test
    void arrivalBeforeTheTimeThatItNamesIsEarly() {
        history.put("a").in(100).at(0).unknown();
        history.killAt(50);
        history.arrives("a", 101, 102);
        history.finds(Kind.EARLY);
    }

    @Test
    void answerWithADueTimeShortOfTheDelayIsEarly() {
        history.put("a").in(100).at(0).madeDue(99, Previous.NONE);
        history.arrives("a", 100, 99);
        history.finds(Kind.EARLY);
    }

    @Test
    void answerWithADueTimeBeyondTheDelayIsAContradiction() {
        history.put("a").in(100).at(0).madeDue(103, Previous.NONE);
        history.arrives("a", 103, 103);
        history.finds(Kind.CONTRADICTION);
    }

    @Test
    void secondArrivalFromOneProcessIsNotTied() {
        history.put("a").in(100).at(0).made();
        history.arrives("a", 100);
        history.arrives("a", 110);
        history.finds(Kind.UNTIED_DUPLICATE);
    }

    @Test
    void secondArrivalAfterAKillIsTied() {
        history.put("a").in(100).at(0).made();
        history.arrives("a", 100);
        history.killAt(101);
        history.arrives("a", 110);
        assertThat(history.findsNothing().number(Count.TIED_DUPLICATES)).isOne();
    }

    @Test
    void secondArrivalLongAfterTheFirstCouldHaveBeenWrittenDownIsNotTied() {
        history.put("a").in(100).at(0).made();
        history.arrives("a", 100);
        history.killAt(100 + LedgerChecker.COMPLETION_MS + 1);
        history.arrives("a", 5_000);
        history.finds(Kind.UNTIED_DUPLICATE);
    }

    @Test
    void arrivalAfterTheTimerWasSeenCompletedIsResurrected() {
        history.put("a").in(100).at(0).made();
        history.arrives("a", 100);
        history.look().at(110).seen("a", TimerState.COMPLETED);
        history.killAt(120);
        history.arrives("a", 130);
        history.finds(Kind.RESURRECTED);
    }

    @Test
    void arrivalAfterANewTimerFoundTheKeyFreeIsResurrected() {
        history.put("a").in(100).at(0).made();
        history.arrives("a", 100);
        history.put("b").in(100).at(110).made(Previous.NONE);
        history.killAt(120);
        history.arrives("a", 130);
        history.arrives("b", 210);
        history.finds(Kind.RESURRECTED);
    }

    @Test
    void arrivalThatNobodyAskedForIsUnexpected() {
        history.arrives("a", 100);
        history.finds(Kind.UNEXPECTED);
    }

    @Test
    void arrivalUnderAnotherIdIsUnexpected() {
        history.put("a").in(100).at(0).made();
        history.arrivesAs("a", "id-of-another", 1, 100);
        history.finds(Kind.UNEXPECTED);
    }

    @Test
    void arrivalUnderAnotherVersionIsUnexpected() {
        history.put("a").in(100).at(0).made();
        history.arrivesAs("a", "id-a", 2, 100);
        history.finds(Kind.UNEXPECTED);
    }

    @Test
    void twoTimersOfTheSameIdAreUnexpected() {
        history.put("a").in(100).at(0).made();
        history.arrives("a", 100);
        history.put("b").in(100).at(110).unknown();
        history.killAt(120);
        history.arrivesAs("b", "id-a", 1, 210);
        history.finds(Kind.UNEXPECTED);
    }

    @Test
    void arrivalOfARefusedRequestIsUnexpected() {
        history.put("a").in(100).at(0).refused();
        history.arrives("a", 100);
        history.finds(Kind.UNEXPECTED, Kind.UNANSWERED);
    }
}
