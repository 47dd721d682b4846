package io.tickwheel.store.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.store.Calendar;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.ClaimedTimer;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.PendingTimer;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreLockedException;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * What every {@link Calendar} must do, as tests. An implementation extends this, says how its calendar is opened and how its
 * background work is run, and inherits them all.
 */
public abstract class CalendarContract extends CalendarQueryContract {

    private static final long FARTHEST_MS = ScheduleCommand.FARTHEST_DUE_MS;

    @Test
    void scheduledTimerIsFoundWithWhatWasAsked() {
        Scheduled scheduled = schedule(timer("a", 5_000));
        assertThat(scheduled.outcome()).isEqualTo(Scheduled.Outcome.CREATED);
        assertThat(scheduled.previous()).isEqualTo(Scheduled.Previous.NONE);
        assertThat(scheduled.timer().version()).isEqualTo(1);
        assertThat(scheduled.timer().dueAtMs()).isEqualTo(5_000);
        assertThat(scheduled.timer().state()).isEqualTo(TimerState.PENDING);
        assertThat(find("a")).containsExactly(scheduled.timer());
    }

    @Test
    void theEndsOfTheRangesAreTaken() {
        TimerKey shortest = new TimerKey("\u0005", "");
        TimerKey longest = new TimerKey("q", "\u20ac".repeat((ScheduleCommand.MAX_NAME_BYTES - 1) / 3));
        byte[] largest = new byte[ScheduleCommand.MAX_CONTENT_BYTES];
        largest[largest.length - 1] = 7;
        TimerView first = schedule(new ScheduleCommand(shortest, -FARTHEST_MS, largest, OnConflict.REPLACE, 0))
                .timer();
        TimerView last = schedule(new ScheduleCommand(longest, FARTHEST_MS, new byte[0], OnConflict.REPLACE, 0))
                .timer();
        restart();
        assertThat(find(shortest)).containsExactly(first);
        assertThat(find(longest)).containsExactly(last);
        loadAll();
        assertThat(claim("").content()).isEqualTo(largest);
    }

    @Test
    void unknownKeyIsNotFound() {
        assertThat(find("nobody")).isEmpty();
        assertThat(cancel("nobody").outcome()).isEqualTo(Cancelled.Outcome.NOT_FOUND);
    }

    @Test
    void answerWaitsUntilTheTimerIsDurable() {
        Reply<Scheduled> reply = begin(timer("a", 5_000));
        assertThat(reply.isGiven()).isFalse();
        calendar.work(10);
        assertThat(reply.isGiven()).as("before the disk has it").isFalse();
        settle();
        assertThat(reply.get().timer().state()).isEqualTo(TimerState.PENDING);
    }

    @Test
    void readWaitsUntilWhatItShowsIsDurable() {
        begin(timer("a", 5_000));
        Reply<List<TimerView>> reply = new Reply<>();
        calendar.find(key("a"), reply);
        calendar.work(10);
        assertThat(reply.isGiven()).isFalse();
        settle();
        assertThat(reply.get()).hasSize(1);
    }

    /** What is never answered holds its caller for ever, and the close of the engine. */
    @Test
    void calendarThatFailsAnswersAllThatIsUnderWay() {
        schedule(timer("before", 5_000));
        Reply<Scheduled> scheduled = begin(timer("a", 5_000));
        Reply<Cancelled> cancelled = new Reply<>();
        calendar.cancel(key("before"), cancelled);
        Reply<List<TimerView>> found = new Reply<>();
        calendar.find(key("before"), found);
        Reply<Scheduled> last = begin(timer("b", 5_000));
        calendar.fail(new IllegalStateException("as a test wants it"));
        assertThat(List.of(scheduled, cancelled, found, last))
                .allSatisfy(reply -> assertThat(reply.isGiven()).isTrue());
        crash();
    }

    @Test
    void idsAreUniqueAndWithoutDots() {
        String first = schedule(timer("a", 1)).timer().id();
        String replaced = schedule(timer("a", 2)).timer().id();
        String other = schedule(timer("b", 1)).timer().id();
        assertThat(List.of(first, replaced, other)).doesNotHaveDuplicates().noneMatch(id -> id.contains("."));
        restart();
        assertThat(schedule(timer("c", 1)).timer().id()).isNotIn(first, replaced, other);
    }

    @Test
    void replaceTellsOfThePreviousAndRaisesTheVersion() {
        schedule(timer("a", 5_000));
        Scheduled replaced = schedule(timer("a", 7_000));
        assertThat(replaced.outcome()).isEqualTo(Scheduled.Outcome.REPLACED);
        assertThat(replaced.previous()).isEqualTo(Scheduled.Previous.PENDING);
        assertThat(replaced.timer().version()).isEqualTo(2);
        loadAll();
        assertThat(loaded("a").attemptAtMs()).isEqualTo(7_000);
    }

    @Test
    void replacedTimerIsUnloaded() {
        loadAll();
        schedule(timer("a", 5_000));
        PendingTimer old = loaded("a");
        schedule(timer("a", 6_000));
        assertThat(index.timers).doesNotContain(old);
        assertThat(loaded("a").attemptAtMs()).isEqualTo(6_000);
    }

    @Test
    void conflictRulesDecideWhichTimerStays() {
        schedule(timer("a", 5_000));
        assertThat(schedule(timer("a", 6_000, OnConflict.KEEP)).outcome()).isEqualTo(Scheduled.Outcome.KEPT);
        assertThat(schedule(timer("a", 6_000, OnConflict.FAIL)).outcome()).isEqualTo(Scheduled.Outcome.CONFLICT);
        assertThat(schedule(timer("a", 5_000, OnConflict.EARLIEST)).outcome())
                .as("of two at the same time")
                .isEqualTo(Scheduled.Outcome.KEPT);
        assertThat(schedule(timer("a", 5_000, OnConflict.LATEST)).outcome())
                .as("of two at the same time")
                .isEqualTo(Scheduled.Outcome.KEPT);
        assertThat(schedule(timer("a", 6_000, OnConflict.EARLIEST)).timer().dueAtMs())
                .isEqualTo(5_000);
        assertThat(schedule(timer("a", 4_000, OnConflict.EARLIEST)).timer().dueAtMs())
                .isEqualTo(4_000);
        assertThat(schedule(timer("a", 3_000, OnConflict.LATEST)).timer().dueAtMs())
                .isEqualTo(4_000);
        Scheduled last = schedule(timer("a", 9_000, OnConflict.LATEST));
        assertThat(last.timer().dueAtMs()).isEqualTo(9_000);
        assertThat(last.timer().version()).isEqualTo(3);
        assertThat(last.requestHash()).isEqualTo(9_000);
    }

    @Test
    void keyUsedOnceIsKeptWhenFinishedToo() {
        loadAll();
        schedule(timer("a", 1, OnConflict.ONCE));
        calendar.finish(claim("a").handle(), TimerState.COMPLETED);
        Scheduled again = schedule(timer("a", 2, OnConflict.ONCE));
        assertThat(again.outcome()).isEqualTo(Scheduled.Outcome.KEPT);
        assertThat(again.timer().state()).isEqualTo(TimerState.COMPLETED);
        assertThat(again.requestHash()).isEqualTo(1);
        assertThat(schedule(timer("a", 3, OnConflict.KEEP)).outcome()).isEqualTo(Scheduled.Outcome.CREATED);
    }

    @Test
    void cancelledTimerIsUnloadedAndStaysCancelled() {
        loadAll();
        schedule(timer("a", 5_000));
        assertThat(cancel("a").outcome()).isEqualTo(Cancelled.Outcome.CANCELLED);
        assertThat(index.timers).isEmpty();
        assertThat(cancel("a").outcome()).as("again").isEqualTo(Cancelled.Outcome.CANCELLED);
        restart();
        loadAll();
        assertThat(index.timers).isEmpty();
        assertThat(cancel("a").outcome()).as("after a restart").isEqualTo(Cancelled.Outcome.CANCELLED);
    }

    @Test
    void claimBringsTheContentAndCountsTheAttempt() {
        loadAll();
        schedule(timer("a", 5_000));
        ClaimedTimer claimed = claim("a");
        assertThat(claimed.view().attempts()).isEqualTo(1);
        assertThat(claimed.content()).isEqualTo("a@5000".getBytes(StandardCharsets.UTF_8));
        calendar.finish(claimed.handle(), TimerState.COMPLETED);
        Cancelled tooLate = cancel("a");
        assertThat(tooLate.outcome()).isEqualTo(Cancelled.Outcome.TOO_LATE);
        assertThat(tooLate.timer()).extracting(TimerView::state).isEqualTo(TimerState.COMPLETED);
    }

    @Test
    void claimIsNotGrantedBeforeTheTimerIsDurable() {
        loadAll();
        begin(timer("a", 1));
        List<ClaimedTimer> granted = beginClaim("a");
        calendar.work(10);
        assertThat(granted).isEmpty();
        settle();
        assertThat(granted).hasSize(1);
    }

    @Test
    void claimThatACancelOvertookIsNotGranted() {
        loadAll();
        begin(timer("a", 1));
        List<ClaimedTimer> granted = beginClaim("a");
        Cancelled.Outcome outcome = cancel("a").outcome();
        boolean overtook = decidesAtOnce() || outcome == Cancelled.Outcome.CANCELLED;
        assertThat(outcome).isEqualTo(overtook ? Cancelled.Outcome.CANCELLED : Cancelled.Outcome.LAST_ATTEMPT_RUNNING);
        assertThat(granted).hasSize(overtook ? 0 : 1);
        assertThat(index.timers).isEmpty();
    }

    @Test
    void releasedTimerIsPendingAsBefore() {
        loadAll();
        schedule(timer("a", 1));
        ClaimedTimer claimed = claim("a");
        assertThat(calendar.release(claimed.handle())).isTrue();
        assertThat(find("a")).extracting(TimerView::state).containsExactly(TimerState.PENDING);
        index.timers.add(claimed.handle());
        assertThat(claim("a").view().attempts()).isEqualTo(1);
    }

    @Test
    void claimIsForgottenByACrash() {
        loadAll();
        schedule(timer("a", 1));
        claim("a");
        crash();
        loadAll();
        assertThat(claim("a").view().attempts()).isEqualTo(attemptAfterACrash());
    }

    @Test
    void replacedClaimEndsWithoutEffectOnTheNewTimer() {
        loadAll();
        schedule(timer("a", 1));
        ClaimedTimer old = claim("a");
        Scheduled replaced = schedule(timer("a", 2));
        assertThat(replaced.previous()).isEqualTo(Scheduled.Previous.CLAIMED);
        assertThat(calendar.finish(old.handle(), TimerState.COMPLETED)).isFalse();
        assertThat(find("a")).extracting(TimerView::state).containsExactly(TimerState.PENDING);
        ClaimedTimer current = claim("a");
        schedule(timer("a", 3));
        assertThat(calendar.retry(current.handle(), 99)).isFalse();
        assertThat(loaded("a").attemptAtMs()).isEqualTo(3);
    }

    @Test
    void finishedTimersAreNotLoadedAgain() {
        loadAll();
        for (TimerState state : List.of(TimerState.COMPLETED, TimerState.DEAD, TimerState.EXPIRED)) {
            schedule(timer(state.name(), 1));
            assertThat(calendar.finish(claim(state.name()).handle(), state)).isTrue();
        }
        restart();
        loadAll();
        assertThat(index.timers).isEmpty();
        for (TimerState state : List.of(TimerState.COMPLETED, TimerState.DEAD, TimerState.EXPIRED)) {
            assertThat(find(state.name())).extracting(TimerView::state).containsExactly(state);
        }
    }

    @Test
    void everythingAnsweredIsThereAfterACrash() {
        Set<String> pending = new LinkedHashSet<>();
        for (int i = 0; i < 100; i++) {
            schedule(timer("k" + i, i * 10_000L));
            if (i % 3 == 0) {
                cancel("k" + i);
            } else {
                pending.add("k" + i);
            }
        }
        crash();
        loadAll();
        assertThat(index.timers).extracting(timer -> timer.key().key()).containsExactlyInAnyOrderElementsOf(pending);
        // At first it may count some more than there are.
        settle();
        assertThat(calendar.liveCount()).isEqualTo(pending.size());
    }

    @Test
    void loadingIsBoundedAndContiguous() {
        for (int i = 0; i < 50; i++) {
            schedule(timer("k" + i, i * 15_000L));
        }
        assertThat(calendar.load(0, HORIZON_MS, 7)).isFalse();
        settleUndecided();
        assertThat(index.timers).hasSize(7);
        long loadedTo = calendar.loadedTo();
        assertThat(index.timers)
                .extracting(timer -> timer.key().key())
                .as("all that is due before loadedTo")
                .containsAll(keysDueBefore(loadedTo));
        loadAll();
        assertThat(index.timers).hasSize(50);
        assertThat(calendar.loadedTo()).isGreaterThanOrEqualTo(HORIZON_MS);
    }

    private static List<String> keysDueBefore(long endMs) {
        List<String> keys = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            if (i * 15_000L < endMs) {
                keys.add("k" + i);
            }
        }
        return keys;
    }

    @Test
    void timerScheduledIntoTheLoadedRangeIsLoadedAtOnceAndOnce() {
        loadAll();
        begin(timer("a", 100));
        settleUndecided();
        assertThat(calendar.loadedTo()).isGreaterThan(100);
        assertThat(index.timers).hasSize(1);
        loadAll();
        assertThat(index.timers).hasSize(1);
    }

    @Test
    void farTimerIsLoadedWhenItsTimeComes() {
        long yearMs = 366L * 24 * 3_600_000;
        loadAll();
        schedule(timer("far", yearMs));
        assertThat(index.timers).isEmpty();
        restart();
        loadTo(yearMs - 24 * 3_600_000);
        assertThat(index.timers).isEmpty();
        loadTo(yearMs + 1);
        assertThat(loaded("far").attemptAtMs()).isEqualTo(yearMs);
    }

    @Test
    void namesOfAnyUnicodeSurviveARestart() {
        String odd = "naïve/☃/𝄞 %2F";
        schedule(timer(odd, 1));
        restart();
        assertThat(find(odd)).hasSize(1);
    }

    @Test
    void largeContentSurvivesARestart() {
        byte[] content = new byte[3 << 20];
        content[content.length - 1] = 7;
        Reply<Scheduled> reply = new Reply<>();
        calendar.schedule(new ScheduleCommand(key("large"), 1, content, OnConflict.REPLACE, 0), reply);
        settle();
        assertThat(reply.get().outcome()).isEqualTo(Scheduled.Outcome.CREATED);
        restart();
        loadAll();
        assertThat(claim("large").content()).isEqualTo(content);
    }

    @Test
    void storeIsOpenOnce() {
        assertThatThrownBy(() -> open(new Index())).isInstanceOf(StoreLockedException.class);
    }
}
