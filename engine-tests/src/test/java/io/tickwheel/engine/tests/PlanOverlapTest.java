package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.TimerPlans;
import io.tickwheel.recurrence.Misfire;
import io.tickwheel.recurrence.Overlap;
import io.tickwheel.recurrence.Recurrence;
import io.tickwheel.store.TimerState;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Runs of plans that are due while the run before goes on, whoever has left that. */
final class PlanOverlapTest extends PlanScene {

    @Test
    void aRunIsPassedOverWhileTheOneBeforeGoesOn() {
        holds = true;
        schedule(EACH_MINUTE);
        assertThat(until(200)).containsExactly("k #1 of 60 at 60");
        endRun();
        assertThat(taken()).isEmpty();
        assertThat(until(240)).containsExactly("k #2 of 240 at 240");
        running.remove(0).fail("no");
        assertThat(until(300)).containsExactly("k #2 of 240 at 260");
        assertThat(dueSecond()).isEqualTo(360);
    }

    @Test
    void whatIsPassedOverDoesNotCount() {
        holds = true;
        schedule(EACH_MINUTE.withCount(2));
        assertThat(until(250)).hasSize(1);
        endRun();
        assertThat(until(300)).containsExactly("k #2 of 300 at 300");
        assertThat(find("k").orElseThrow().state()).isEqualTo(TimerState.COMPLETED);
    }

    @Test
    void aRunWaitsForTheOneBefore() {
        holds = true;
        schedule(EACH_MINUTE.withOverlap(Overlap.QUEUE));
        assertThat(until(150)).containsExactly("k #1 of 60 at 60");
        endRun();
        assertThat(taken()).containsExactly("k #2 of 120 at 150");
        endRun();
        assertThat(until(180)).containsExactly("k #3 of 180 at 180");
    }

    /** Nobody tells it of a run that was cancelled. */
    @Test
    void whatWaitsLooksByItself() {
        schedule(EACH_MINUTE.withOverlap(Overlap.QUEUE).withMisfire(Misfire.ALL));
        holds = true;
        assertThat(until(65)).hasSize(1);
        running.remove(0).fail("no");
        assertThat(until(70)).isEmpty();
        assertThat(until(90)).containsExactly("k #1 of 60 at 85");
        running.remove(0).fail("no");
        threads.runUntilIdle();
        assertThat(run(1).orElseThrow().state()).isEqualTo(TimerState.DEAD);
        assertThat(until(120)).containsExactly("k #2 of 120 at 120");
        running.remove(0).postpone("later", clock.now().plusSeconds(1_000));
        assertThat(until(400)).isEmpty();
        settled(engine.cancel("q", TimerPlans.runKey("k", 2)));
        List<String> next = until(460);
        assertThat(next).hasSize(1);
        assertThat(next.get(0)).startsWith("k #3 of 180 at ");
    }

    @Test
    void runsStartBesideEachOther() {
        holds = true;
        schedule(EACH_MINUTE.withOverlap(Overlap.ALLOW));
        assertThat(until(180)).hasSize(3);
    }

    @Test
    void aDelayBeginsAtTheEndOfTheRunBefore() {
        holds = true;
        schedule(Recurrence.fixedDelay(Duration.ofSeconds(30)).withCount(3));
        assertThat(until(100)).containsExactly("k #1 of 30 at 30");
        endRun();
        assertThat(until(129)).isEmpty();
        assertThat(until(130)).containsExactly("k #2 of 130 at 130");
        endRun();
        assertThat(until(160)).containsExactly("k #3 of 160 at 160");
        assertThat(find("k").orElseThrow().state()).isEqualTo(TimerState.COMPLETED);
    }

    @Test
    void aDelayGoesOnAfterARestart() {
        holds = true;
        schedule(Recurrence.fixedDelay(Duration.ofSeconds(30)));
        assertThat(until(40)).hasSize(1);
        running.clear();
        restart();
        assertThat(until(101)).containsExactly("k #1 of 30 at 100");
        endRun();
        assertThat(until(130)).isEmpty();
        assertThat(until(131)).containsExactly("k #2 of 131 at 131");
    }

    @Test
    void numbersGoOnInThePlanThatTakesThePlaceOfAnother() {
        holds = true;
        schedule(EACH_MINUTE.withOverlap(Overlap.ALLOW));
        assertThat(until(120)).hasSize(2);
        schedule(EACH_MINUTE.withCount(2));
        assertThat(until(180)).isEmpty();
        endRun();
        endRun();
        assertThat(until(240)).containsExactly("k #3 of 240 at 240");
        endRun();
        assertThat(until(600)).containsExactly("k #4 of 300 at 300");
        assertThat(find("k").orElseThrow().state()).isEqualTo(TimerState.COMPLETED);
    }

    @Test
    void noRunHasTheNumberOfOneThatIsKnown() {
        holds = true;
        schedule(EACH_MINUTE.withOverlap(Overlap.ALLOW));
        assertThat(until(300)).hasSize(5);
        settled(engine.cancel("q", "k"));
        schedule(EACH_MINUTE.withOverlap(Overlap.ALLOW));
        assertThat(until(420)).containsExactly("k #6 of 360 at 360", "k #7 of 420 at 420");
        assertThat(settled(engine.runs("q", "k")))
                .extracting(run -> run.key().key())
                .containsExactly(
                        TimerPlans.runKey("k", 7),
                        TimerPlans.runKey("k", 6),
                        TimerPlans.runKey("k", 5),
                        TimerPlans.runKey("k", 4),
                        TimerPlans.runKey("k", 3),
                        TimerPlans.runKey("k", 2),
                        TimerPlans.runKey("k", 1));
    }

    /** It is the fifth, and those that are looked at first have ended. */
    @Test
    void aRunThatACancelledPlanHasLeftIsTheRunBefore() {
        schedule(EACH_MINUTE);
        assertThat(until(240)).hasSize(4);
        holds = true;
        assertThat(until(300)).containsExactly("k #5 of 300 at 300");
        settled(engine.cancel("q", "k"));
        schedule(EACH_MINUTE);
        assertThat(until(430)).isEmpty();
        endRun();
        assertThat(until(480)).containsExactly("k #6 of 480 at 480");
        settled(engine.cancel("q", "k"));
        schedule(EACH_MINUTE.withOverlap(Overlap.QUEUE));
        assertThat(until(550)).isEmpty();
        endRun();
        assertThat(taken()).containsExactly("k #7 of 540 at 550");
    }

    /** Has the run that goes on fail for good, and purges it. */
    private void purgeRun(long number, long atSecond) {
        assertThat(until(atSecond)).hasSize(1);
        running.remove(0).fail("no");
        assertThat(until(atSecond + 20)).hasSize(1);
        running.remove(0).fail("no");
        threads.runUntilIdle();
        settled(engine.purge("q", TimerPlans.runKey("k", number)));
        assertThat(run(number)).isEmpty();
    }

    /** One between them is not known any more. */
    @Test
    void aRunBehindAPurgedOneIsTheRunBefore() {
        schedule(EACH_MINUTE);
        assertThat(until(180)).hasSize(3);
        holds = true;
        purgeRun(4, 240);
        assertThat(until(300)).containsExactly("k #5 of 300 at 300");
        settled(engine.cancel("q", "k"));
        schedule(EACH_MINUTE);
        assertThat(until(430)).isEmpty();
        endRun();
        assertThat(until(480)).containsExactly("k #6 of 480 at 480");
    }

    @Test
    void aRunOfWhichNoneBeforeIsKnownIsTheRunBefore() {
        schedule(EACH_MINUTE);
        holds = true;
        purgeRun(1, 60);
        assertThat(until(120)).containsExactly("k #2 of 120 at 120");
        settled(engine.cancel("q", "k"));
        schedule(EACH_MINUTE.withOverlap(Overlap.QUEUE));
        assertThat(until(190)).isEmpty();
        endRun();
        assertThat(taken()).containsExactly("k #3 of 180 at 190");
    }

    /** It goes on, though no attempt runs now. */
    @Test
    void aRunThatWaitsForItsNextAttemptIsTheRunBefore() {
        schedule(EACH_MINUTE);
        holds = true;
        purgeRun(1, 60);
        assertThat(until(120)).hasSize(1);
        running.remove(0).postpone("later", clock.now().plusSeconds(130));
        settled(engine.cancel("q", "k"));
        schedule(EACH_MINUTE);
        assertThat(until(249)).isEmpty();
        assertThat(until(250)).containsExactly("k #2 of 120 at 250");
        endRun();
        assertThat(until(300)).containsExactly("k #3 of 300 at 300");
    }

    @Test
    void aPlanThatStopsWhileItLooksForRunsStaysAsItIs() {
        schedule(EACH_MINUTE);
        settled(engine.cancel("q", "k"));
        schedule(EACH_MINUTE);
        clock.advance(Duration.ofSeconds(60));
        threads.step();
        restart();
        assertThat(until(61)).containsExactly("k #1 of 60 at 60");
    }
}
