package io.tickwheel.store.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.ChangeCommand;
import io.tickwheel.store.Changed;
import io.tickwheel.store.ClaimedTimer;
import io.tickwheel.store.CompleteCommand;
import io.tickwheel.store.IdMismatchException;
import io.tickwheel.store.PastAttempt;
import io.tickwheel.store.QueueCounts;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import java.util.List;
import org.junit.jupiter.api.Test;

/** An attempt that began before a crash may succeed after it, unless its timer was tried again or has ended. */
public abstract class CalendarCompleteContract extends CalendarChangeContract {

    private static final long LATER = 5_000;

    /** Whatever the clock of a store says. */
    private static final long NOT_YET = 4_000_000_000_000L;

    private static PastAttempt failed(int number) {
        return new PastAttempt(number, 1_000L * number, 7, 3, 503, "answered 503");
    }

    private static CompleteCommand completion(ClaimedTimer claimed) {
        TimerView view = claimed.view();
        int attempt = view.attempts();
        PastAttempt ended = new PastAttempt(attempt, 77, 0, 0, 0, "");
        return new CompleteCommand(view.key(), view.id(), attempt, claimed.token(), ended, null);
    }

    private Reply<Changed> begin(ClaimedTimer claimed) {
        Reply<Changed> reply = new Reply<>();
        calendar.complete(completion(claimed), reply);
        return reply;
    }

    private Changed complete(ClaimedTimer claimed) {
        Reply<Changed> reply = begin(claimed);
        settle();
        return reply.get();
    }

    private TimerView only() {
        List<TimerView> found = find("a");
        assertThat(found).hasSize(1);
        return found.get(0);
    }

    private ClaimedTimer claimed() {
        schedule(timer("a", 1));
        loadAll();
        return claim("a");
    }

    private void assertRefused(ClaimedTimer claimed) {
        TimerView before = only();
        assertThat(complete(claimed)).isEqualTo(new Changed(Changed.Outcome.WRONG_STATE, before));
        assertThat(only()).isEqualTo(before);
    }

    private QueueCounts counts() {
        Reply<List<QueueCounts>> reply = new Reply<>();
        calendar.queues(reply);
        settle();
        return reply.get().stream().findFirst().orElse(new QueueCounts("q", 0, 0, 0));
    }

    @Test
    void attemptOfBeforeACrashCompletesItsTimer() {
        ClaimedTimer before = claimed();
        crash();
        Changed completed = complete(before);
        assertThat(completed.outcome()).isEqualTo(Changed.Outcome.CHANGED);
        PastAttempt ended = completion(before).ended();
        for (int openings = 0; openings < 3; openings++) {
            assertThat(only()).isEqualTo(completed.timer());
            assertThat(only())
                    .isEqualTo(new TimerView(
                            key("a"), before.view().id(), 1, 1, 1, TimerState.COMPLETED, 1, List.of(ended)));
            assertThat(calendar.liveCount()).isZero();
            assertThat(counts()).isEqualTo(new QueueCounts("q", 0, 0, 0));
            loadAll();
            assertThat(index.timers).isEmpty();
            assertRefused(before);
            if (openings == 0) {
                crash();
            } else {
                restart();
            }
        }
    }

    @Test
    void loadedTimerIsTakenBackWhenItIsCompleted() {
        ClaimedTimer before = claimed();
        crash();
        loadAll();
        loaded("a");
        complete(before);
        assertThat(index.timers).isEmpty();
    }

    /** Also of a timer that failed before, whose attempts are remembered. */
    @Test
    void laterAttemptCompletesItsTimer() {
        calendar.retry(claimed().handle(), 2, failed(1));
        loadAll();
        ClaimedTimer second = claim("a");
        crash();
        assertThat(complete(second).outcome()).isEqualTo(Changed.Outcome.CHANGED);
        assertThat(only().history())
                .containsExactly(failed(1), completion(second).ended());
        assertThat(only().attempts()).isEqualTo(2);
    }

    @Test
    void timerThatIsClaimedAgainIsNotCompleted() {
        ClaimedTimer before = claimed();
        crash();
        loadAll();
        ClaimedTimer again = claim("a");
        assertRefused(before);
        assertThat(calendar.finish(again.handle(), TimerState.COMPLETED)).isTrue();
        settle();
        assertRefused(before);
    }

    @Test
    void timerThatWasTriedAgainIsNotCompleted() {
        ClaimedTimer before = claimed();
        crash();
        loadAll();
        calendar.retry(claim("a").handle(), LATER, failed(attemptAfterACrash()));
        settle();
        assertRefused(before);
        crash();
        assertRefused(before);
    }

    /** A claim that was no attempt changes nothing. */
    @Test
    void claimThatWasGivenBackDoesNotCount() {
        ClaimedTimer before = claimed();
        crash();
        loadAll();
        ClaimedTimer again = claim("a");
        assertThat(calendar.release(again.handle())).isTrue();
        index.timers.add(again.handle());
        settle();
        assertThat(complete(before).outcome()).isEqualTo(Changed.Outcome.CHANGED);
    }

    @Test
    void attemptThatHasEndedCompletesNothing() {
        ClaimedTimer first = claimed();
        calendar.retry(first.handle(), LATER, failed(1));
        settle();
        assertRefused(first);
        crash();
        assertRefused(first);
        loadAll();
        ClaimedTimer second = claim("a");
        assertRefused(first);
        calendar.finish(second.handle(), TimerState.DEAD, failed(2));
        settle();
        assertRefused(first);
        assertRefused(second);
        Reply<Changed> redriven = new Reply<>();
        calendar.change(ChangeCommand.redrive(key("a"), LATER), redriven);
        settle();
        assertThat(redriven.get().outcome()).isEqualTo(Changed.Outcome.CHANGED);
        assertRefused(first);
        assertRefused(second);
        crash();
        assertRefused(first);
    }

    /** It was asked for again, and is delivered at its new time. */
    @Test
    void timerThatWasRescheduledIsNotCompleted() {
        ClaimedTimer before = claimed();
        crash();
        Reply<Changed> rescheduled = new Reply<>();
        calendar.change(ChangeCommand.reschedule(key("a"), NOT_YET), rescheduled);
        settle();
        assertThat(rescheduled.get().outcome()).isEqualTo(Changed.Outcome.CHANGED);
        assertRefused(before);
        assertThat(only().state()).isEqualTo(TimerState.PENDING);
        crash();
        assertRefused(before);
    }

    @Test
    void otherTimerOfTheKeyIsNotCompleted() {
        ClaimedTimer before = claimed();
        crash();
        schedule(timer("a", 2));
        Reply<Changed> reply = begin(before);
        settle();
        assertThat(reply.failure()).isInstanceOf(IdMismatchException.class);
        assertThat(only().state()).isEqualTo(TimerState.PENDING);
        loadAll();
        loaded("a");
    }

    @Test
    void unknownTimerIsNotCompleted() {
        TimerView view = new TimerView(key("a"), "no-id", 1, 1, 1, TimerState.CLAIMED, 1);
        ClaimedTimer unknown = new ClaimedTimer(claimed().handle(), view, new byte[0], 1);
        Reply<Changed> reply = begin(unknown);
        settle();
        assertThat(reply.failure()).isInstanceOf(IdMismatchException.class);
        assertThat(find("a")).hasSize(1);
    }

    @Test
    void cancelledTimerIsNotCompletedAfterACrash() {
        ClaimedTimer before = claimed();
        crash();
        cancel("a");
        assertRefused(before);
        assertThat(only().state()).isEqualTo(TimerState.CANCELLED);
    }

    /** Of a claim that waits and a completion, one wins. */
    @Test
    void claimAndCompletionAreOneAfterTheOther() {
        ClaimedTimer before = claimed();
        crash();
        loadAll();
        List<ClaimedTimer> granted = beginClaim("a");
        Reply<Changed> reply = begin(before);
        settle();
        assertThat(granted).hasSize(reply.get().outcome() == Changed.Outcome.CHANGED ? 0 : 1);
        granted.forEach(claim ->
                assertThat(calendar.finish(claim.handle(), TimerState.EXPIRED)).isTrue());
        settle();
        assertThat(only().state()).isEqualTo(granted.isEmpty() ? TimerState.COMPLETED : TimerState.EXPIRED);
    }

    /** What is answered is durable, and what is not answered is there as a whole or not at all. */
    @Test
    void completionOutlivesACrashOrWasNone() {
        ClaimedTimer before = claimed();
        crash();
        Reply<Changed> reply = begin(before);
        boolean isAnswered = reply.isGiven();
        crash();
        TimerState state = only().state();
        assertThat(state).isIn(TimerState.PENDING, TimerState.COMPLETED);
        assertThat(isAnswered && state == TimerState.PENDING).isFalse();
        assertThat(only().history()).hasSize(state == TimerState.COMPLETED ? 1 : 0);
    }
}
