package io.tickwheel.store.redis.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.Scheduled.Previous;
import io.tickwheel.store.redis.faults.FaultAnswer.Kind;
import io.tickwheel.store.redis.faults.FaultReport.Broken;
import org.junit.jupiter.api.Test;

/** The judge of the fault tests finds what is wrong, and nothing else. */
final class FaultJudgeTest {

    private final FaultLedger ledger = new FaultLedger();

    private FaultWish made(String token, long dueAtMs, long atMs, Previous previous, long version) {
        FaultWish wish = ledger.wished("k", token, dueAtMs, atMs);
        wish.answered(new FaultAnswer(Kind.MADE, previous, token, version), atMs + 1);
        return wish;
    }

    private void answered(String token, Kind kind, long atMs) {
        ledger.wished("k", token, 1_000, atMs).answered(new FaultAnswer(kind, Previous.NONE, "-", 0), atMs + 1);
    }

    private FaultDelivery came(String token, String node, int attempt, long atMs) {
        FaultDelivery delivery = new FaultDelivery(node, "k", token, token, 1, attempt, 1_000, atMs);
        ledger.delivered(delivery);
        ledger.handled(delivery, atMs);
        return delivery;
    }

    private void befell(FaultCause.Kind kind, String node, long fromMs, long toMs) {
        ledger.cause(new FaultCause(kind, node, fromMs, toMs));
    }

    private void assertOnly(Broken kind) {
        FaultReport report = ledger.judge();
        for (Broken each : Broken.values()) {
            assertThat(report.number(each))
                    .as(each + ": " + report.details(ledger))
                    .isEqualTo(each == kind ? 1 : 0);
        }
    }

    private void assertClean() {
        assertThat(ledger.judge().isClean()).as(ledger.judge().details(ledger)).isTrue();
    }

    @Test
    void timerThatCameIsFine() {
        made("a", 1_000, 0, Previous.NONE, 1);
        came("a", "n", 1, 1_000);
        assertClean();
    }

    @Test
    void timerThatNeverCameIsLost() {
        made("a", 1_000, 0, Previous.NONE, 1);
        assertOnly(Broken.LOST);
    }

    @Test
    void timerThatWasGoneBeforeItCameIsLost() {
        made("a", 1_000, 0, Previous.NONE, 1);
        made("b", 1_000, 10, Previous.NONE, 2);
        came("b", "n", 1, 1_000);
        assertOnly(Broken.LOST);
    }

    @Test
    void timerThatIsNotFoundIsLost() {
        made("a", 1_000, 0, Previous.NONE, 1);
        answered("", Kind.NOT_FOUND, 10);
        assertOnly(Broken.LOST);
    }

    @Test
    void timerIsEarlyByOneMillisecond() {
        made("a", 1_000, 0, Previous.NONE, 1);
        came("a", "n", 1, 999);
        assertOnly(Broken.EARLY);
    }

    @Test
    void cancelledTimerMustNotCome() {
        made("a", 1_000, 0, Previous.NONE, 1);
        answered("", Kind.CANCELLED, 10);
        assertClean();
        came("a", "n", 1, 1_000);
        assertOnly(Broken.CANCELLED_AND_FIRED);
    }

    @Test
    void timerThatWasTooLateToCancelMustCome() {
        made("a", 1_000, 0, Previous.NONE, 1);
        answered("", Kind.TOO_LATE, 1_001);
        assertOnly(Broken.LOST);
    }

    @Test
    void lastAttemptMayComeAndNoOther() {
        made("a", 1_000, 0, Previous.NONE, 1);
        answered("", Kind.LAST_ATTEMPT_RUNNING, 1_001);
        assertClean();
        came("a", "n", 1, 1_010);
        assertClean();
        befell(FaultCause.Kind.KILLED, "n", 1_011, 1_020);
        came("a", "other", 2, 2_000);
        assertOnly(Broken.CANCELLED_AND_FIRED);
    }

    @Test
    void timerThatCameBeforeItWasCancelledIsAContradiction() {
        made("a", 1_000, 0, Previous.NONE, 1);
        came("a", "n", 1, 1_000);
        answered("", Kind.CANCELLED, 4_000);
        assertOnly(Broken.CONTRADICTION);
    }

    @Test
    void replacedTimerMustNotCome() {
        made("a", 1_000, 0, Previous.NONE, 1);
        made("b", 1_000, 10, Previous.PENDING, 2);
        came("b", "n", 1, 1_000);
        assertClean();
        came("a", "n", 1, 1_001);
        assertOnly(Broken.STALE);
    }

    @Test
    void timerThatWasReplacedWhileItRanMayCome() {
        made("a", 1_000, 0, Previous.NONE, 1);
        made("b", 1_000, 1_000, Previous.CLAIMED, 2);
        came("a", "n", 1, 1_002);
        came("b", "n", 1, 1_003);
        assertClean();
    }

    @Test
    void versionsRiseByOne() {
        made("a", 1_000, 0, Previous.NONE, 1);
        made("b", 1_000, 10, Previous.PENDING, 3);
        came("b", "n", 1, 1_000);
        assertOnly(Broken.CONTRADICTION);
    }

    @Test
    void timerOfUnknownOutcomeMayComeOrNot() {
        answered("a", Kind.UNKNOWN, 0);
        assertClean();
        came("a", "n", 1, 1_000);
        assertClean();
    }

    @Test
    void retryOfAnUnknownScheduleMustCome() {
        answered("a", Kind.UNKNOWN, 0);
        made("b", 1_000, 10, Previous.PENDING, 2);
        assertOnly(Broken.LOST);
    }

    @Test
    void cancelOfUnknownOutcomeMayHaveEndedIt() {
        made("a", 1_000, 0, Previous.NONE, 1);
        answered("", Kind.UNKNOWN, 10);
        assertClean();
    }

    @Test
    void refusedTimerMustNotCome() {
        answered("a", Kind.REFUSED, 0);
        came("a", "n", 1, 1_000);
        assertOnly(Broken.CONTRADICTION);
    }

    @Test
    void repeatNeedsACause() {
        made("a", 1_000, 0, Previous.NONE, 1);
        came("a", "n", 1, 1_000);
        came("a", "m", 2, 5_000);
        befell(FaultCause.Kind.KILLED, "m", 1_000, 1_010);
        assertOnly(Broken.UNEXPLAINED_DUPLICATE);
        befell(FaultCause.Kind.KILLED, "n", 1_000, 1_010);
        assertClean();
        assertThat(ledger.judge().tiedDuplicates).isEqualTo(1);
    }

    @Test
    void causeLongAfterTheEndOfAnAttemptIsNone() {
        made("a", 1_000, 0, Previous.NONE, 1);
        came("a", "n", 1, 1_000);
        came("a", "m", 2, 5_000);
        befell(FaultCause.Kind.KILLED, "n", 3_001, 3_010);
        assertOnly(Broken.UNEXPLAINED_DUPLICATE);
    }

    @Test
    void attemptOfANodeThatStoodStillMayCallItsHandlerLate() {
        made("a", 1_000, 0, Previous.NONE, 1);
        came("a", "m", 2, 2_500);
        came("a", "n", 1, 9_000);
        assertOnly(Broken.UNEXPLAINED_DUPLICATE);
        befell(FaultCause.Kind.STOPPED, "n", 1_100, 9_000);
        assertClean();
    }

    @Test
    void timerThatNobodyAskedForIsAContradiction() {
        came("a", "n", 1, 1_000);
        assertOnly(Broken.CONTRADICTION);
    }
}
