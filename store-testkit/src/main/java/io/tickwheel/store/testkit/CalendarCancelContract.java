package io.tickwheel.store.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.Cancelled;
import io.tickwheel.store.ClaimedTimer;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.QueueCounts;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.TimerPage;
import io.tickwheel.store.TimerQuery;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A cancel is final: no further attempt starts, whatever becomes of the one that runs. */
public abstract class CalendarCancelContract extends CalendarRetryContract {

    private ClaimedTimer cancelWhileClaimed() {
        schedule(timer("a", 1_000));
        loadAll();
        ClaimedTimer claimed = claim("a");
        Cancelled cancelled = cancel("a");
        assertThat(cancelled.outcome()).isEqualTo(Cancelled.Outcome.LAST_ATTEMPT_RUNNING);
        assertThat(cancelled.timer()).isEqualTo(claimed.view());
        return claimed;
    }

    /** The same before and after a restart, and nothing is left to deliver. */
    private void assertStands(Cancelled.Outcome outcome, TimerState state) {
        for (int openings = 0; openings < 2; openings++) {
            assertThat(find("a")).extracting(TimerView::state).containsExactly(state);
            Cancelled again = cancel("a");
            assertThat(again.outcome()).isEqualTo(outcome);
            assertThat(again.timer()).extracting(TimerView::state).isEqualTo(state);
            assertThat(calendar.liveCount()).isZero();
            loadAll();
            assertThat(index.timers).isEmpty();
            restart();
        }
    }

    @Test
    void cancelWhileAnAttemptRunsIsShownUntilThatEnds() {
        ClaimedTimer claimed = cancelWhileClaimed();
        assertThat(find("a")).containsExactly(claimed.view());
        Cancelled again = cancel("a");
        assertThat(again.outcome()).isEqualTo(Cancelled.Outcome.LAST_ATTEMPT_RUNNING);
        assertThat(again.timer()).isEqualTo(claimed.view());
        calendar.finish(claimed.handle(), TimerState.COMPLETED);
        settle();
        assertStands(Cancelled.Outcome.TOO_LATE, TimerState.COMPLETED);
    }

    /** Nobody waits for it any more. */
    @Test
    void timerOfALastAttemptIsNotLive() {
        ClaimedTimer claimed = cancelWhileClaimed();
        assertThat(calendar.liveCount()).isZero();
        Reply<List<QueueCounts>> counts = new Reply<>();
        calendar.queues(counts);
        Reply<TimerPage> page = new Reply<>();
        calendar.list(TimerQuery.of("q"), page);
        Reply<TimerPage> pageOfClaimed = new Reply<>();
        calendar.list(TimerQuery.of("q").withState(TimerState.CLAIMED), pageOfClaimed);
        settle();
        assertThat(counts.get().stream().filter(each -> each.claimed() + each.pending() + each.dead() > 0))
                .isEmpty();
        assertThat(page.get().timers()).isEmpty();
        assertThat(pageOfClaimed.get().timers()).isEmpty();
        calendar.finish(claimed.handle(), TimerState.DEAD);
    }

    @ParameterizedTest
    @EnumSource(
            value = TimerState.class,
            names = {"DEAD", "EXPIRED"})
    void lastAttemptThatFailsForGoodLeavesTheTimerCancelled(TimerState outcome) {
        ClaimedTimer claimed = cancelWhileClaimed();
        calendar.finish(claimed.handle(), outcome);
        settle();
        assertThat(find("a")).extracting(TimerView::attempts).containsExactly(1);
        assertStands(Cancelled.Outcome.CANCELLED, TimerState.CANCELLED);
    }

    @ParameterizedTest
    @EnumSource(
            value = TimerState.class,
            names = {"COMPLETED", "DEAD", "EXPIRED"})
    void whetherAnOutcomeCountsIsToldOnce(TimerState outcome) {
        List<Boolean> counted = new ArrayList<>();
        calendar.finish(cancelWhileClaimed().handle(), outcome, null, counted::add);
        settle();
        assertThat(counted).as("of a last attempt").containsExactly(outcome == TimerState.COMPLETED);
        schedule(timer("b", 1_000));
        loadAll();
        calendar.finish(claim("b").handle(), outcome, null, counted::add);
        settle();
        assertThat(counted).hasSize(2).last().isEqualTo(true);
    }

    @Test
    void noAttemptFollowsTheLastOne() {
        ClaimedTimer claimed = cancelWhileClaimed();
        calendar.retry(claimed.handle(), 2_000);
        settle();
        assertThat(find("a")).extracting(TimerView::attempts).containsExactly(1);
        assertStands(Cancelled.Outcome.CANCELLED, TimerState.CANCELLED);
    }

    @Test
    void lastAttemptThatIsPostponedDoesNotCount() {
        ClaimedTimer claimed = cancelWhileClaimed();
        assertThat(calendar.postpone(claimed.handle(), 2_000)).isFalse();
        settle();
        assertThat(find("a")).extracting(TimerView::attempts).containsExactly(0);
        assertStands(Cancelled.Outcome.CANCELLED, TimerState.CANCELLED);
    }

    @Test
    void lastAttemptThatDidNotStartDoesNotCount() {
        ClaimedTimer claimed = cancelWhileClaimed();
        calendar.release(claimed.handle());
        settle();
        assertThat(find("a")).extracting(TimerView::attempts).containsExactly(0);
        assertStands(Cancelled.Outcome.CANCELLED, TimerState.CANCELLED);
    }

    @Test
    void lastAttemptOfUnknownRouteDoesNotCount() {
        ClaimedTimer claimed = cancelWhileClaimed();
        calendar.reroute(claimed.handle(), 7);
        settle();
        assertThat(find("a")).extracting(TimerView::attempts).containsExactly(0);
        assertStands(Cancelled.Outcome.CANCELLED, TimerState.CANCELLED);
    }

    @Test
    void cancelOutlivesTheProcessThatMadeTheLastAttempt() {
        cancelWhileClaimed();
        crash();
        assertStands(Cancelled.Outcome.CANCELLED, TimerState.CANCELLED);
    }

    @Test
    void outcomeOfALastAttemptOutlivesACrash() {
        ClaimedTimer claimed = cancelWhileClaimed();
        calendar.finish(claimed.handle(), TimerState.COMPLETED);
        settle();
        crash();
        assertStands(Cancelled.Outcome.TOO_LATE, TimerState.COMPLETED);
    }

    /** The old one is not live, so that each rule but the one for a key that was ever used makes a new one. */
    @ParameterizedTest
    @EnumSource(OnConflict.class)
    void cancelledKeyIsScheduledAnewWhileItsLastAttemptRuns(OnConflict rule) {
        ClaimedTimer claimed = cancelWhileClaimed();
        Scheduled scheduled = schedule(timer("a", 5_000, rule));
        boolean kept = rule == OnConflict.ONCE;
        assertThat(scheduled.outcome()).isEqualTo(kept ? Scheduled.Outcome.KEPT : Scheduled.Outcome.CREATED);
        assertThat(scheduled.previous()).isEqualTo(Scheduled.Previous.CLAIMED);
        assertThat(find("a"))
                .extracting(TimerView::state)
                .containsExactly(kept ? TimerState.CLAIMED : TimerState.PENDING);
        assertThat(calendar.finish(claimed.handle(), TimerState.COMPLETED))
                .as("whether the end of the old one counts")
                .isEqualTo(kept);
        settle();
        assertThat(find("a"))
                .extracting(TimerView::state)
                .containsExactly(kept ? TimerState.COMPLETED : TimerState.PENDING);
        assertThat(calendar.liveCount()).isEqualTo(kept ? 0 : 1);
        if (!kept) {
            ClaimedTimer next = claim("a");
            assertThat(next.view().version()).isEqualTo(2);
            assertThat(next.view().attempts()).isEqualTo(1);
            calendar.finish(next.handle(), TimerState.COMPLETED);
        }
    }

    @Test
    void claimHoldsUntilItsTimerIsReplaced() {
        schedule(timer("a", 1_000));
        loadAll();
        ClaimedTimer claimed = claim("a");
        assertThat(calendar.holds(claimed.handle())).isTrue();
        schedule(timer("a", 9_000, OnConflict.KEEP));
        schedule(timer("b", 1_000));
        assertThat(calendar.holds(claimed.handle()))
                .as("once its key was asked for in vain")
                .isTrue();
        Reply<Scheduled> replaced = begin(timer("a", 9_000));
        assertThat(calendar.holds(claimed.handle()))
                .as("before the replace is known to be decided")
                .isEqualTo(!decidesAtOnce());
        settle();
        assertThat(replaced.get().previous()).isEqualTo(Scheduled.Previous.CLAIMED);
        assertThat(calendar.holds(claimed.handle())).as("once it was replaced").isFalse();
        assertThat(calendar.retry(claimed.handle(), 2_000)).isFalse();
        ClaimedTimer next = claim("a");
        assertThat(calendar.holds(next.handle())).as("the next one").isTrue();
        calendar.finish(next.handle(), TimerState.COMPLETED);
    }

    /** Its end says how the last attempt went, and that none runs any more. */
    @Test
    void claimOfALastAttemptHoldsUntilItsKeyIsScheduledAnew() {
        ClaimedTimer claimed = cancelWhileClaimed();
        assertThat(calendar.holds(claimed.handle())).isTrue();
        schedule(timer("a", 9_000, OnConflict.ONCE));
        assertThat(calendar.holds(claimed.handle()))
                .as("once its key was asked for in vain")
                .isTrue();
        schedule(timer("a", 9_000));
        assertThat(calendar.holds(claimed.handle())).isFalse();
        assertThat(calendar.finish(claimed.handle(), TimerState.DEAD)).isFalse();
    }

    @Test
    void noClaimHoldsOnceTheCalendarHasFailed() {
        schedule(timer("a", 1_000));
        loadAll();
        ClaimedTimer claimed = claim("a");
        calendar.fail(new IllegalStateException("as a test wants it"));
        assertThat(calendar.holds(claimed.handle())).isFalse();
        crash();
    }
}
