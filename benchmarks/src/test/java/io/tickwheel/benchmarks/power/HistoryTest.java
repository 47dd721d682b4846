package io.tickwheel.benchmarks.power;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.benchmarks.power.Verdict.Kind;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The judge of the power cuts: it sees what it is there for, and nothing where all is well. */
final class HistoryTest {

    private final History history = new History();

    @Test
    void whatIsDeliveredCancelledReplacedAndPendingAddsUp() {
        happens("open 0", "schedule a t1 10", "made a 1 i1 10 NONE", "came t1 a i1 1 10 10", "took t1 10");
        happens("schedule b t2 9000", "made b 1 i2 9000 NONE", "cancel b", "cancelled b CANCELLED i2 1 9000 CANCELLED");
        happens("schedule c t3 9000", "made c 1 i3 9000 NONE", "schedule c t4 9500", "made c 2 i4 9500 PENDING");
        happens("cut 5000 frozen", "open 5001", "healed 5002", "find c", "found c i4 2 9500 PENDING", "counted 1 1");
        assertThat(history.conclude())
                .isEqualTo("4 accepted = 1 delivered + 1 cancelled + 1 replaced + 1 pending + 0 lost");
        assertFinds();
    }

    @Test
    void anAcceptedTimerThatIsNotThereAfterTheCutIsLost() {
        happens(
                "open 0",
                "schedule a t1 9000",
                "made a 1 i1 9000 NONE",
                "cut 5 frozen",
                "open 6",
                "find a",
                "found a -");
        assertFinds(Kind.LOST);
    }

    @Test
    void anAcceptedReplaceThatIsUndoneIsLost() {
        happens(
                "open 0",
                "schedule a t1 9000",
                "made a 1 i1 9000 NONE",
                "schedule a t2 9500",
                "made a 2 i2 9500 PENDING");
        happens("cut 5 frozen", "open 6", "find a", "found a i1 1 9000 PENDING");
        assertFinds(Kind.LOST);
    }

    @Test
    void aTimerThatNeverCameIsLostAtTheEnd() {
        happens("open 0", "schedule a t1 10", "made a 1 i1 10 NONE", "cut 5 frozen", "open 6", "healed 5000");
        history.conclude();
        assertFinds(Kind.LOST);
    }

    @Test
    void aCancelThatIsUndoneIsSeen() {
        happens("open 0", "schedule a t1 9000", "made a 1 i1 9000 NONE");
        happens("cancel a", "cancelled a CANCELLED i1 1 9000 CANCELLED", "cut 5 frozen", "open 6");
        happens("came t1 a i1 1 9000 9000");
        assertFinds(Kind.UNCANCELLED);
    }

    @Test
    void aReplacedVersionThatComesIsSeen() {
        happens(
                "open 0",
                "schedule a t1 9000",
                "made a 1 i1 9000 NONE",
                "schedule a t2 9500",
                "made a 2 i2 9500 PENDING");
        happens("cut 5 frozen", "open 6", "came t1 a i1 1 9000 9000");
        assertFinds(Kind.STALE);
    }

    @Test
    void anUnknownOutcomeExcusesBothCourses() {
        happens("open 0", "schedule a t1 9000", "cut 5 frozen", "open 6", "find a", "found a -");
        happens("schedule b t2 9000", "made b 1 i2 9000 NONE", "cancel b", "cut 7 frozen", "open 8");
        happens("find b", "found b i2 1 9000 PENDING", "came t2 b i2 1 9000 9000");
        assertFinds();
    }

    @Test
    void whatAnAnswerHasShownIsNotTakenBack() {
        happens("open 0", "schedule a t1 9000", "made a 1 i1 9000 NONE", "cancel a", "cut 5 frozen", "open 6");
        happens("find a", "found a i1 1 9000 CANCELLED", "came t1 a i1 1 9000 9000");
        assertFinds(Kind.UNCANCELLED);
    }

    @Test
    void whatComesTooSoonOrUnaskedIsSeen() {
        happens("open 0", "schedule a t1 9000", "made a 1 i1 9000 NONE", "came t1 a i1 1 9000 8999");
        happens("came t9 z i9 1 10 10");
        assertFinds(Kind.EARLY, Kind.UNKNOWN);
    }

    @Test
    void whatWasTakenLongBeforeTheCutMustNotComeAgain() {
        happens("open 0", "schedule a t1 10", "made a 1 i1 10 NONE", "came t1 a i1 1 10 10", "took t1 10");
        happens("cut 5000 frozen", "open 5001", "came t1 a i1 1 10 5002");
        assertFinds(Kind.REPEATED);
    }

    @Test
    void whatWasTakenJustBeforeTheCutMayComeAgain() {
        happens("open 0", "schedule a t1 10", "made a 1 i1 10 NONE", "came t1 a i1 1 10 10", "took t1 10");
        happens("cut 20 frozen", "open 21", "came t1 a i1 1 10 22", "took t1 22");
        assertFinds();
    }

    @Test
    void anAnswerFromAProcessWithoutPowerIsNone() {
        happens(
                "open 0",
                "schedule a t1 9000",
                "cut 5 running",
                "made a 1 i1 9000 NONE",
                "open 6",
                "find a",
                "found a -");
        assertFinds();
    }

    @Test
    void aTimerTakenByAProcessWithoutPowerMayBeCompletedAndMayBeThere() {
        happens(
                "open 0",
                "schedule a t1 10",
                "schedule b t2 10",
                "cut 20 running",
                "came t1 a i1 1 10 20",
                "took t1 21",
                "came t2 b i2 1 10 20",
                "took t2 21",
                "open 30",
                "find a",
                "found a i1 1 10 COMPLETED",
                "find b",
                "found b i2 1 10 PENDING");
        assertFinds();
    }

    @Test
    void aCommandThatFailsWithPowerAndAStoreThatDoesNotOpenAreSeen() {
        happens("open 0", "schedule a t1 9000", "unknown a", "cut 5 frozen", "open 6", "refused corrupt");
        assertFinds(Kind.UNANSWERED, Kind.REFUSED);
    }

    @Test
    void aTimerThatTheStoreCountsAndNobodyKnowsIsSeen() {
        happens("open 0", "counted 1 0");
        assertFinds(Kind.UNKNOWN);
    }

    private void happens(String... lines) {
        for (String line : lines) {
            history.apply(List.of(line.split(" ", -1)));
        }
    }

    private void assertFinds(Kind... kinds) {
        assertThat(Kind.values())
                .filteredOn(kind -> history.verdict().number(kind) > 0)
                .as(() -> String.join("; ", history.verdict().examples()))
                .containsExactlyInAnyOrder(kinds);
    }
}
