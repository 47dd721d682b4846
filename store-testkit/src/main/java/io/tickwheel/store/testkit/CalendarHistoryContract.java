package io.tickwheel.store.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.ChangeCommand;
import io.tickwheel.store.Changed;
import io.tickwheel.store.ClaimedTimer;
import io.tickwheel.store.PastAttempt;
import io.tickwheel.store.TimerPage;
import io.tickwheel.store.TimerQuery;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The last attempts of a timer are remembered with it. */
public abstract class CalendarHistoryContract extends CalendarCompleteContract {

    /** As long as they can be. */
    private static final String LONGEST = "é".repeat(PastAttempt.MOST_REASON_BYTES / 2);

    private static PastAttempt failed(int number) {
        return new PastAttempt(number, 1_000L * number, 7, 3, 503, "answered 503");
    }

    private static PastAttempt answered(int number, String excerpt) {
        return new PastAttempt(number, 1_000L * number, 7, 3, 503, "answered 503", excerpt);
    }

    private void assertHistory(PastAttempt... attempts) {
        settle();
        for (int openings = 0; openings < 2; openings++) {
            assertThat(find("a"))
                    .singleElement()
                    .satisfies(view -> assertThat(view.history()).containsExactly(attempts));
            crash();
        }
    }

    @Test
    void nothingIsRememberedOfATimerThatWasNotTried() {
        schedule(timer("a", 1));
        assertHistory();
    }

    @Test
    void attemptThatEndsATimerIsRemembered() {
        loadAll();
        schedule(timer("a", 1));
        PastAttempt only = new PastAttempt(1, -5, 0, 0, 0, "");
        calendar.finish(claim("a").handle(), TimerState.COMPLETED, only);
        assertHistory(only);
    }

    @Test
    void attemptsAreRememberedThroughRetriesAndDeath() {
        loadAll();
        schedule(timer("a", 1));
        PastAttempt longest = new PastAttempt(
                65_535, Long.MAX_VALUE, PastAttempt.MOST_LATE_MS, PastAttempt.MOST_DURATION_MS, 65_535, LONGEST);
        calendar.retry(claim("a").handle(), 2, failed(1));
        assertHistory(failed(1));
        loadAll();
        ClaimedTimer second = claim("a");
        assertThat(second.view().history()).containsExactly(failed(1));
        calendar.retry(second.handle(), 3, longest);
        assertHistory(failed(1), longest);
        loadAll();
        calendar.finish(claim("a").handle(), TimerState.DEAD, failed(3));
        assertHistory(failed(1), longest, failed(3));
        Reply<TimerPage> page = new Reply<>();
        calendar.list(TimerQuery.of("q").withState(TimerState.DEAD), page);
        settle();
        assertThat(page.get().timers())
                .singleElement()
                .satisfies(view -> assertThat(view.history()).containsExactly(failed(1), longest, failed(3)));
    }

    @Test
    void theLastOnesAreRemembered() {
        loadAll();
        schedule(timer("a", 1));
        List<PastAttempt> all = new ArrayList<>();
        for (int number = 1; number <= PastAttempt.REMEMBERED + 3; number++) {
            PastAttempt past = new PastAttempt(number, number, 0, 0, 0, LONGEST.substring(number));
            all.add(past);
            calendar.retry(claim("a").handle(), 1 + number, past);
        }
        PastAttempt[] last = all.subList(3, all.size()).toArray(PastAttempt[]::new);
        assertThat(last).hasSize(PastAttempt.REMEMBERED);
        assertHistory(last);
    }

    @Test
    void whatIsNotAnAttemptLeavesTheHistoryAsItIs() {
        loadAll();
        schedule(timer("a", 1));
        calendar.retry(claim("a").handle(), 2, failed(1));
        calendar.postpone(claim("a").handle(), 3);
        ClaimedTimer claimed = claim("a");
        calendar.release(claimed.handle());
        index.timers.add(claimed.handle());
        calendar.reroute(claim("a").handle(), 7);
        calendar.retry(claim("a").handle(), 4);
        assertHistory(failed(1));
    }

    @ParameterizedTest
    @EnumSource(
            value = TimerState.class,
            names = {"COMPLETED", "DEAD", "EXPIRED"})
    void lastAttemptOfACancelledTimerIsRemembered(TimerState outcome) {
        loadAll();
        schedule(timer("a", 1));
        calendar.retry(claim("a").handle(), 2, failed(1));
        ClaimedTimer claimed = claim("a");
        cancel("a");
        assertThat(find("a")).singleElement().extracting(TimerView::history).isEqualTo(List.of(failed(1)));
        calendar.finish(claimed.handle(), outcome, failed(2));
        assertHistory(failed(1), failed(2));
    }

    @Test
    void lastAttemptThatWouldBeTriedAgainIsRemembered() {
        loadAll();
        schedule(timer("a", 1));
        ClaimedTimer claimed = claim("a");
        cancel("a");
        calendar.retry(claimed.handle(), 2, failed(1));
        assertHistory(failed(1));
        assertThat(find("a")).singleElement().extracting(TimerView::state).isEqualTo(TimerState.CANCELLED);
    }

    @Test
    void cancelledTimerKeepsWhatIsRemembered() {
        loadAll();
        schedule(timer("a", 1));
        calendar.retry(claim("a").handle(), 2, failed(1));
        cancel("a");
        assertHistory(failed(1));
    }

    @Test
    void changedTimerKeepsWhatIsRemembered() {
        loadAll();
        schedule(timer("a", 1));
        calendar.retry(claim("a").handle(), 2, failed(1));
        changed(ChangeCommand.reschedule(key("a"), 3));
        assertHistory(failed(1));
        loadAll();
        calendar.finish(claim("a").handle(), TimerState.DEAD, failed(2));
        changed(ChangeCommand.redrive(key("a"), 4));
        assertHistory(failed(1), failed(2));
    }

    private void changed(ChangeCommand command) {
        Reply<Changed> reply = new Reply<>();
        calendar.change(command, reply);
        settle();
        assertThat(reply.get().outcome()).isEqualTo(Changed.Outcome.CHANGED);
    }

    @Test
    void excerptsAreRememberedWithTheirAttempts() {
        loadAll();
        schedule(timer("a", 1));
        PastAttempt first = answered(1, "out of \0 stock\r\n\"é\ud83d\ude00");
        calendar.retry(claim("a").handle(), 2, first);
        assertHistory(first);
        loadAll();
        ClaimedTimer second = claim("a");
        assertThat(second.view().history()).containsExactly(first);
        calendar.retry(second.handle(), 3, failed(2));
        assertHistory(first, failed(2));
        loadAll();
        calendar.postpone(claim("a").handle(), 4);
        ClaimedTimer claimed = claim("a");
        calendar.release(claimed.handle());
        index.timers.add(claimed.handle());
        calendar.reroute(claim("a").handle(), 7);
        calendar.retry(claim("a").handle(), 5, answered(3, "3"));
        changed(ChangeCommand.reschedule(key("a"), 6));
        assertHistory(first, failed(2), answered(3, "3"));
        loadAll();
        calendar.finish(claim("a").handle(), TimerState.DEAD, answered(4, LONGEST));
        PastAttempt[] all = {first, failed(2), answered(3, "3"), answered(4, LONGEST)};
        assertHistory(all);
        changed(ChangeCommand.redrive(key("a"), 7));
        assertHistory(all);
        loadAll();
        calendar.finish(claim("a").handle(), TimerState.COMPLETED, failed(5));
        assertHistory(first, failed(2), answered(3, "3"), answered(4, LONGEST), failed(5));
    }

    @ParameterizedTest
    @EnumSource(
            value = TimerState.class,
            names = {"COMPLETED", "DEAD", "EXPIRED"})
    void excerptOfTheAttemptThatEndsATimerIsRemembered(TimerState outcome) {
        loadAll();
        schedule(timer("a", 1));
        schedule(timer("b", 1));
        calendar.finish(claim("a").handle(), outcome, answered(1, "the end"));
        ClaimedTimer last = claim("b");
        cancel("b");
        calendar.finish(last.handle(), outcome, answered(1, LONGEST));
        settle();
        assertThat(find("b"))
                .singleElement()
                .satisfies(view -> assertThat(view.history()).containsExactly(answered(1, LONGEST)));
        assertHistory(answered(1, "the end"));
        assertThat(find("b"))
                .singleElement()
                .satisfies(view -> assertThat(view.history()).containsExactly(answered(1, LONGEST)));
    }

    /** Also when all are as long as they can be: each goes with the attempt that it is of, and with no other. */
    @Test
    void anAttemptIsForgottenWithItsExcerpt() {
        loadAll();
        schedule(timer("a", 1));
        List<PastAttempt> all = new ArrayList<>();
        for (int number = 1; number <= 3 * PastAttempt.REMEMBERED; number++) {
            boolean isLong = number <= PastAttempt.REMEMBERED;
            String excerpt = isLong ? LONGEST : number % 3 == 0 ? "" : "of " + number;
            PastAttempt past = new PastAttempt(number, number, 0, 0, 0, isLong ? LONGEST : "", excerpt);
            all.add(past);
            calendar.retry(claim("a").handle(), 1 + number, past);
            if (number % PastAttempt.REMEMBERED == 1) {
                assertHistory(last(all));
                loadAll();
            }
        }
        assertHistory(last(all));
        loadAll();
        PastAttempt ended = answered(99, "the last");
        all.add(ended);
        calendar.finish(claim("a").handle(), TimerState.DEAD, ended);
        assertHistory(last(all));
    }

    @Test
    void eightAttemptsWithAllThatTheyCanHaveAreRemembered() {
        loadAll();
        schedule(timer("a", 1));
        List<PastAttempt> all = new ArrayList<>();
        for (int number = 1; number <= PastAttempt.REMEMBERED; number++) {
            PastAttempt past = new PastAttempt(number, number, 0, 0, 0, LONGEST, LONGEST);
            all.add(past);
            calendar.retry(claim("a").handle(), 1 + number, past);
        }
        assertHistory(last(all));
        loadAll();
        ClaimedTimer ninth = claim("a");
        assertThat(ninth.view().history()).containsExactlyElementsOf(all);
        cancel("a");
        calendar.finish(ninth.handle(), TimerState.COMPLETED, all.get(0));
        all.add(all.get(0));
        assertHistory(last(all));
    }

    private static PastAttempt[] last(List<PastAttempt> all) {
        return all.subList(Math.max(0, all.size() - PastAttempt.REMEMBERED), all.size())
                .toArray(PastAttempt[]::new);
    }

    @Test
    void newTimerOfTheKeyHasNoHistory() {
        loadAll();
        schedule(timer("a", 1));
        calendar.retry(claim("a").handle(), 2, failed(1));
        schedule(timer("a", 3));
        assertHistory();
        loadAll();
        calendar.finish(claim("a").handle(), TimerState.COMPLETED, failed(1));
        schedule(timer("a", 4));
        assertHistory();
    }
}
