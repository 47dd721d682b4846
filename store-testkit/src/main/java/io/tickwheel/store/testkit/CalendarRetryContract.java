package io.tickwheel.store.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.Cancelled;
import io.tickwheel.store.ClaimedTimer;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.TimerState;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** A timer whose attempt has not succeeded is pending again, for another time. */
public abstract class CalendarRetryContract extends CalendarContentContract {

    @Test
    void retriedTimerIsPendingAgainAndKeepsItsAttempts() {
        loadAll();
        schedule(timer("a", 1));
        assertThat(calendar.retry(claim("a").handle(), 9_000)).isTrue();
        assertThat(loaded("a").attemptAtMs()).isEqualTo(9_000);
        restart();
        loadAll();
        assertThat(loaded("a").attemptAtMs()).isEqualTo(9_000);
        assertThat(claim("a").view().attempts()).isEqualTo(2);
    }

    @Test
    void contentIsTheSameAtEachAttempt() {
        loadAll();
        schedule(timer("a", 1));
        ClaimedTimer claimed = claim("a");
        byte[] content = claimed.content();
        assertThat(content).asString(StandardCharsets.UTF_8).isEqualTo("a@1");
        calendar.retry(claimed.handle(), 2);
        ClaimedTimer retried = claim("a");
        assertThat(retried.content()).as("after a retry").isEqualTo(content);
        calendar.release(retried.handle());
        index.timers.add(retried.handle());
        ClaimedTimer released = claim("a");
        assertThat(released.content()).as("after a release").isEqualTo(content);
        calendar.reroute(released.handle(), 7);
        ClaimedTimer rerouted = claim("a");
        assertThat(rerouted.content()).as("after it changed its lane").isEqualTo(content);
        calendar.retry(rerouted.handle(), 3);
        restart();
        loadAll();
        assertThat(claim("a").content()).as("after a restart").isEqualTo(content);
    }

    @Test
    void retryCanBeCancelled() {
        loadAll();
        schedule(timer("a", 1));
        calendar.retry(claim("a").handle(), 9_000);
        assertThat(cancel("a").outcome()).isEqualTo(Cancelled.Outcome.CANCELLED);
        restart();
        loadAll();
        assertThat(index.timers).isEmpty();
    }

    @Test
    void postponedAttemptDoesNotCount() {
        loadAll();
        schedule(timer("a", 1));
        calendar.retry(claim("a").handle(), 2);
        assertThat(calendar.postpone(claim("a").handle(), 9_000)).isTrue();
        settle();
        assertThat(find("a")).singleElement().satisfies(view -> {
            assertThat(view.state()).isEqualTo(TimerState.PENDING);
            assertThat(view.attempts()).isEqualTo(1);
            assertThat(view.dueAtMs()).as("when it was first due").isEqualTo(1);
            assertThat(view.attemptAtMs()).isEqualTo(9_000);
        });
        assertThat(loaded("a").attemptAtMs()).isEqualTo(9_000);
        restart();
        loadAll();
        assertThat(claim("a").view().attempts()).isEqualTo(2);
    }

    @Test
    void firstAttemptCanBePostponedAgainAndAgain() {
        loadAll();
        schedule(timer("a", 1));
        for (int times = 1; times <= 3; times++) {
            ClaimedTimer claimed = claim("a");
            assertThat(claimed.view().attempts()).isEqualTo(1);
            assertThat(claimed.content()).asString(StandardCharsets.UTF_8).isEqualTo("a@1");
            calendar.postpone(claimed.handle(), 1 + times);
        }
        assertThat(claim("a").view().attempts()).isEqualTo(1);
    }

    @Test
    void postponedTimerIsKeptOrReplacedByWhenItWasFirstDue() {
        loadAll();
        schedule(timer("a", 1_000));
        calendar.postpone(claim("a").handle(), 9_000);
        settle();
        assertThat(schedule(timer("a", 5_000, OnConflict.EARLIEST)).outcome()).isEqualTo(Scheduled.Outcome.KEPT);
        assertThat(schedule(timer("a", 5_000, OnConflict.LATEST)).outcome()).isEqualTo(Scheduled.Outcome.REPLACED);
    }

    @Test
    void timerThatWasReplacedMeanwhileIsNotPostponed() {
        loadAll();
        schedule(timer("a", 1));
        ClaimedTimer claimed = claim("a");
        schedule(timer("a", 7_000));
        assertThat(calendar.postpone(claimed.handle(), 9_000)).isFalse();
        settle();
        assertThat(find("a")).singleElement().satisfies(view -> {
            assertThat(view.version()).isEqualTo(2);
            assertThat(view.attemptAtMs()).isEqualTo(7_000);
        });
    }
}
