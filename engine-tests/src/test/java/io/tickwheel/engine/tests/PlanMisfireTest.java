package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.TimerRequest;
import io.tickwheel.recurrence.Misfire;
import io.tickwheel.recurrence.Overlap;
import io.tickwheel.store.Changed;
import io.tickwheel.store.TimerState;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Runs of plans that are missed, or moved, while nobody looks. */
final class PlanMisfireTest extends PlanScene {

    @Test
    void missedRunsAreOne() {
        schedule(EACH_MINUTE.withOverlap(Overlap.ALLOW));
        away(400);
        assertThat(until(410)).containsExactly("k #1 of 60 at 400");
        assertThat(until(420)).containsExactly("k #2 of 420 at 420");
    }

    @Test
    void missedRunsAreLeftOut() {
        schedule(EACH_MINUTE.withMisfire(Misfire.SKIP));
        away(425);
        assertThat(until(440)).containsExactly("k #1 of 420 at 425");
        assertThat(until(480)).containsExactly("k #2 of 480 at 480");
    }

    @Test
    void missedRunsAllStart() {
        schedule(EACH_MINUTE.withMisfire(Misfire.ALL).withOverlap(Overlap.ALLOW));
        away(250);
        assertThat(until(255))
                .containsExactly("k #1 of 60 at 250", "k #2 of 120 at 250", "k #3 of 180 at 250", "k #4 of 240 at 250");
        assertThat(until(300)).containsExactly("k #5 of 300 at 300");
    }

    /** Left out for the run before it is none of those that were missed. */
    @Test
    void missedRunsAllStartOneAfterTheOther() {
        holds = true;
        schedule(EACH_MINUTE.withMisfire(Misfire.ALL));
        away(250);
        assertThat(until(251)).containsExactly("k #1 of 60 at 250");
        endRun();
        assertThat(until(252)).containsExactly("k #2 of 120 at 251");
        endRun();
        assertThat(until(253)).containsExactly("k #3 of 180 at 252");
        assertThat(until(260)).isEmpty();
        endRun();
        assertThat(taken()).as("the one of 240 was not missed").isEmpty();
        assertThat(until(301)).containsExactly("k #4 of 300 at 300");
    }

    /** A run that expires has ended, and the next one need not wait until its plan looks by itself. */
    @Test
    void missedRunsThatExpireDoNotHoldUpThoseBehindThem() {
        settled(engine.schedule(TimerRequest.recurring("q", "k", EACH_MINUTE.withMisfire(Misfire.ALL))
                .withExpireAfter(Duration.ofSeconds(200))));
        away(600);
        assertThat(until(600)).containsExactly("k #7 of 420 at 600", "k #8 of 480 at 600");
        assertThat(run(6).orElseThrow().state()).isEqualTo(TimerState.EXPIRED);
    }

    @Test
    void aRescheduleMovesTheNextRunOnly() {
        schedule(EACH_MINUTE);
        settled(engine.reschedule("q", "k", NOW.plusSeconds(200)));
        assertThat(until(239)).containsExactly("k #1 of 200 at 200");
        assertThat(until(240)).containsExactly("k #2 of 240 at 240");
        settled(engine.reschedule("q", "k", NOW.plusSeconds(250)));
        assertThat(until(300)).containsExactly("k #3 of 250 at 250");
        assertThat(until(360)).containsExactly("k #4 of 360 at 360");
    }

    @Test
    void aMovedRunThatIsMissedStandsForAllThatWereMissed() {
        schedule(EACH_MINUTE.withOverlap(Overlap.ALLOW));
        settled(engine.reschedule("q", "k", NOW.plusSeconds(30)));
        away(500);
        assertThat(until(530)).containsExactly("k #1 of 30 at 500");
        assertThat(until(540)).containsExactly("k #2 of 540 at 540");
    }

    /** The grid stays: a run that is moved to an earlier time is the one that would have come later. */
    @Test
    void aRunThatIsMovedForwardIsNotMadeAgain() {
        schedule(EACH_MINUTE.withCount(2));
        settled(engine.reschedule("q", "k", NOW.plusSeconds(5)));
        assertThat(until(119)).containsExactly("k #1 of 5 at 5");
        assertThat(until(300)).containsExactly("k #2 of 120 at 120");
        assertThat(find("k").orElseThrow().state()).isEqualTo(TimerState.COMPLETED);
    }

    @Test
    void aRunBesideThePlanChangesNothingOfIt() {
        schedule(EACH_MINUTE);
        until(10);
        Changed answer = settled(engine.runNow("q", "k"));
        assertThat(answer.outcome()).isEqualTo(Changed.Outcome.CHANGED);
        assertThat(answer.timer().key().key()).startsWith("k\u001fnow-");
        assertThat(taken()).containsExactly("k beside of 10 at 10");
        assertThat(find(answer.timer().key().key()).orElseThrow().state()).isEqualTo(TimerState.COMPLETED);
        assertThat(until(60)).containsExactly("k #1 of 60 at 60");
        settled(engine.schedule("q", "plain", Duration.ofDays(1)));
        settled(engine.runNow("q", "plain"));
        assertThat(taken()).containsExactly("plain beside of 60 at 60");
    }
}
