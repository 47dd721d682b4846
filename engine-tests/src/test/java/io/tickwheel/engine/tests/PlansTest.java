package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.InvalidNameException;
import io.tickwheel.engine.RetryPolicy;
import io.tickwheel.engine.TimerDetails;
import io.tickwheel.engine.TimerPlans;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.recurrence.Overlap;
import io.tickwheel.recurrence.Recurrence;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.TimerState;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Recurring timers: plans make runs, one after the other. */
final class PlansTest extends PlanScene {

    @Test
    void runsComeAtTheirNominalTimes() {
        schedule(EACH_MINUTE);
        assertThat(until(59)).isEmpty();
        assertThat(until(60)).containsExactly("k #1 of 60 at 60");
        assertThat(until(180)).containsExactly("k #2 of 120 at 120", "k #3 of 180 at 180");
        assertThat(find("k").orElseThrow().state()).isEqualTo(TimerState.PENDING);
        assertThat(run(3).orElseThrow().state()).isEqualTo(TimerState.COMPLETED);
        assertThat(run(4)).isEmpty();
        assertThat(engine.stats().delivered()).isEqualTo(3);
    }

    @Test
    void runsHaveWhatTheirPlanDelivers() {
        List<Attempt> attempts = new ArrayList<>();
        engine.handle("h", attempts::add);
        settled(engine.schedule(TimerRequest.recurring("h", "k", EACH_MINUTE)
                .withText("hello")
                .withHeaders(java.util.Map.of("a", "b"))
                .withRetry(RetryPolicy.fixed(7, Duration.ofSeconds(1)))
                .withTouchable()));
        until(60);
        assertThat(attempts).hasSize(1);
        assertThat(attempts.get(0).key()).isEqualTo("k");
        assertThat(attempts.get(0).run()).hasValue(1);
        assertThat(attempts.get(0).timer().key()).isEqualTo(TimerPlans.runKey("k", 1));
        assertThat(attempts.get(0).text()).isEqualTo("hello");
        assertThat(attempts.get(0).headers()).containsEntry("a", "b");
    }

    @Test
    void aPlanEndsAfterItsLastRun() {
        schedule(EACH_MINUTE.withCount(2));
        assertThat(until(600)).containsExactly("k #1 of 60 at 60", "k #2 of 120 at 120");
        assertThat(find("k").orElseThrow().state()).isEqualTo(TimerState.COMPLETED);
        assertThat(engine.liveCount()).isZero();
        schedule(EACH_MINUTE.withUntil(NOW.plusSeconds(721)));
        assertThat(until(1_200)).hasSize(2);
        assertThat(find("k").orElseThrow().state()).isEqualTo(TimerState.COMPLETED);
        assertThat(engine.liveCount()).isZero();
    }

    @Test
    void aCancelledPlanStartsNoRun() {
        holds = true;
        schedule(EACH_MINUTE.withOverlap(Overlap.ALLOW));
        assertThat(until(60)).hasSize(1);
        assertThat(settled(engine.cancel("q", "k")).outcome()).isEqualTo(Cancelled.Outcome.CANCELLED);
        assertThat(until(600)).isEmpty();
        assertThat(run(1).orElseThrow().state()).isEqualTo(TimerState.CLAIMED);
        settled(engine.cancel("q", TimerPlans.runKey("k", 1)));
        running.remove(0).fail("no");
        threads.runUntilIdle();
        assertThat(run(1).orElseThrow().state()).isEqualTo(TimerState.CANCELLED);
        assertThat(engine.liveCount()).isZero();
    }

    @Test
    void lastRunsAreShownAndNoMore() {
        schedule(EACH_MINUTE);
        assertThat(until(600)).hasSize(10);
        assertThat(settled(engine.runs("q", "k")))
                .hasSize(8)
                .last()
                .matches(run -> run.key().key().equals(TimerPlans.runKey("k", 3)));
    }

    @Test
    void planWithTheContentOfAnotherTimerStaysOne() {
        settled(engine.schedule(
                TimerRequest.after("q", "other", Duration.ofHours(1)).withText("hello")));
        TimerDetails other = settled(engine.read("q", "other")).orElseThrow();
        settled(engine.schedule(TimerRequest.recurring("q", "k", EACH_MINUTE).withContentOf(other)));
        assertThat(until(120)).containsExactly("k #1 of 60 at 60", "k #2 of 120 at 120");
        assertThat(settled(engine.read("q", "k")).orElseThrow().content().payload())
                .isEqualTo(other.content().payload());
    }

    @Test
    void aPlanThatIsKeptStaysAsItIs() {
        Scheduled first = schedule(EACH_MINUTE);
        until(60);
        Scheduled second = settled(
                engine.schedule(TimerRequest.recurring("q", "k", EACH_MINUTE).withOnConflict(OnConflict.KEEP)));
        assertThat(second.outcome()).isEqualTo(Scheduled.Outcome.KEPT);
        assertThat(second.timer().id()).isEqualTo(first.timer().id());
        assertThat(until(120)).containsExactly("k #2 of 120 at 120");
    }

    @Test
    void theNextTimesEndWithTheLastRun() {
        schedule(EACH_MINUTE.withCount(3));
        until(60);
        assertThat(settled(engine.preview("q", "k", 5))).containsExactly(NOW.plusSeconds(120), NOW.plusSeconds(180));
    }

    @Test
    void theNextTimesEndWithTheYear9999() {
        Instant last = Instant.parse("9999-12-31T23:59:00Z");
        schedule(EACH_MINUTE.withFrom(last));
        assertThat(settled(engine.preview("q", "k", 5))).containsExactly(last);
    }

    @Test
    void theNextTimesAreShown() {
        schedule(Recurrence.cron("0 0 9 * * *", ZoneId.of("UTC")).withCount(2));
        Instant first = NOW.plus(Duration.ofHours(9));
        assertThat(settled(engine.preview("q", "k", 5))).containsExactly(first, first.plus(Duration.ofDays(1)));
        assertThat(settled(engine.preview("q", "k", 1))).containsExactly(first);
        assertThatThrownBy(() -> engine.preview("q", "k", 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("number of times is 0, must be 1 to 1000");
    }

    @Test
    void keysOfRunsCannotBeMade() {
        assertThatThrownBy(() -> TimerRequest.after("q", TimerPlans.runKey("k", 1), Duration.ZERO))
                .isInstanceOf(InvalidNameException.class)
                .hasMessageContaining("control character");
        for (String key : List.of(
                "k\u001f",
                "k\u001f0",
                "k\u001f01",
                "k\u001fx",
                "k\u001fnow-",
                "k\u001f1\u001f1",
                "\u001f1",
                "k\u001f9223372036854775808")) {
            assertThatThrownBy(() -> engine.find("q", key)).isInstanceOf(InvalidNameException.class);
        }
        assertThat(find(TimerPlans.runKey("k".repeat(512), Long.MAX_VALUE))).isEmpty();
        assertThatThrownBy(() -> TimerPlans.runKey("k", 0)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void closingEndsWhilePlansMove() {
        for (int i = 0; i < 50; i++) {
            settled(engine.schedule(TimerRequest.recurring("q", "k" + i, EACH_MINUTE)));
        }
        clock.advance(Duration.ofSeconds(60));
        for (int i = 0; i < 4; i++) {
            threads.step();
        }
        restart();
        until(61);
        for (int i = 0; i < 50; i++) {
            assertThat(find(TimerPlans.runKey("k" + i, 1))).isPresent();
            assertThat(find(TimerPlans.runKey("k" + i, 2))).isEmpty();
        }
    }
}
