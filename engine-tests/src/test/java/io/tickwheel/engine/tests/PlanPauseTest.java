package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.engine.QueueChange;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.recurrence.Recurrence;
import io.tickwheel.store.Changed;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.TimerState;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** Plans, and queues of plans, that are paused and resumed. */
final class PlanPauseTest extends PlanScene {

    @Test
    void aPausedPlanStartsNoRun() {
        Scheduled made = schedule(EACH_MINUTE);
        until(60);
        settled(engine.pausePlan("q", "k"));
        settled(engine.pausePlan("q", "k"));
        assertThat(settled(engine.preview("q", "k", 3))).isEmpty();
        assertThat(until(1_000)).isEmpty();
        settled(engine.resumePlan("q", "k"));
        settled(engine.resumePlan("q", "k"));
        assertThat(settled(engine.preview("q", "k", 2)))
                .containsExactly(NOW.plusSeconds(1_020), NOW.plusSeconds(1_080));
        assertThat(until(1_080)).containsExactly("k #2 of 1020 at 1020", "k #3 of 1080 at 1080");
        assertThat(find("k").orElseThrow().id()).isEqualTo(made.timer().id());
    }

    @Test
    void aTouchLeavesAPausedPlanPaused() {
        settled(engine.schedule(TimerRequest.recurring("q", "k", EACH_MINUTE).withTouchable()));
        settled(engine.pausePlan("q", "k"));
        Changed touched = settled(engine.touch("q", "k"));
        assertThat(touched.outcome()).isEqualTo(Changed.Outcome.CHANGED);
        assertThat(touched.timer().dueAt()).isEqualTo(TimerRequest.LAST_DUE);
        assertThat(until(1_000)).isEmpty();
        settled(engine.resumePlan("q", "k"));
        assertThat(until(1_010)).isEmpty();
        settled(engine.touch("q", "k"));
        assertThat(until(1_069)).isEmpty();
        assertThat(until(1_070)).containsExactly("k #1 of 1070 at 1070");
    }

    @Test
    void aPausedPlanThatWaitsIsNotBroughtForward() {
        holds = true;
        schedule(Recurrence.fixedDelay(Duration.ofSeconds(30)));
        assertThat(until(40)).hasSize(1);
        settled(engine.pausePlan("q", "k"));
        endRun();
        assertThat(until(500)).isEmpty();
        settled(engine.resumePlan("q", "k"));
        assertThat(until(501)).containsExactly("k #2 of 70 at 500");
    }

    @Test
    void aPlanThatIsResumedWhenItsTimesAreOverHasEnded() {
        schedule(EACH_MINUTE.withUntil(NOW.plusSeconds(150)));
        assertThat(until(60)).containsExactly("k #1 of 60 at 60");
        settled(engine.pausePlan("q", "k"));
        assertThat(until(1_000)).isEmpty();
        Changed answer = settled(engine.resumePlan("q", "k"));
        assertThat(answer.outcome()).isEqualTo(Changed.Outcome.CHANGED);
        assertThat(until(1_001)).isEmpty();
        assertThat(find("k").orElseThrow().state()).isEqualTo(TimerState.CANCELLED);
    }

    @Test
    void onlyPlansArePaused() {
        settled(engine.schedule("q", "plain", Duration.ofDays(1)));
        CompletableFuture<Changed> answer = engine.pausePlan("q", "plain");
        threads.runUntilIdle();
        assertThatThrownBy(answer::join)
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(IllegalArgumentException.class);
        assertThat(settled(engine.pausePlan("q", "none")).outcome()).isEqualTo(Changed.Outcome.NOT_FOUND);
        assertThat(settled(engine.preview("q", "plain", 1))).isEmpty();
        assertThat(settled(engine.runs("q", "none"))).isEmpty();
    }

    @Test
    void aPausedQueueStartsNoRun() {
        schedule(EACH_MINUTE);
        settled(engine.changeQueue("q", QueueChange.pause()));
        assertThat(until(300)).isEmpty();
        assertThat(run(1)).isEmpty();
        assertThat(dueSecond()).isEqualTo(60);
        settled(engine.changeQueue("q", QueueChange.resume()));
        assertThat(until(301)).containsExactly("k #1 of 60 at 300");
        assertThat(until(360)).containsExactly("k #2 of 360 at 360");
    }
}
