package io.tickwheel.store.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.Cancelled;
import io.tickwheel.store.ChangeCommand;
import io.tickwheel.store.Changed;
import io.tickwheel.store.ClaimedTimer;
import io.tickwheel.store.IdMismatchException;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.QueueCounts;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoredTimer;
import io.tickwheel.store.TimerPage;
import io.tickwheel.store.TimerQuery;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A pending timer gets another due time, a dead one another life or none, and a command can be meant for one timer and no other. */
public abstract class CalendarChangeContract extends CalendarCancelContract {

    private static final long SOON = 2_000;
    private static final long LATER = 5_000;

    /** More than any calendar loads ahead of what is asked for. */
    private static final long BEYOND = HORIZON_MS + 24 * 3_600_000;

    private Changed change(ChangeCommand command) {
        Reply<Changed> reply = new Reply<>();
        calendar.change(command, reply);
        settle();
        return reply.get();
    }

    private void die(String key) {
        schedule(timer(key, 1));
        loadAll();
        calendar.finish(claim(key).handle(), TimerState.DEAD);
        settle();
    }

    private TimerView only(String key) {
        List<TimerView> found = find(key);
        assertThat(found).hasSize(1);
        return found.get(0);
    }

    private String content(String key) {
        Reply<List<StoredTimer>> reply = new Reply<>();
        calendar.read(key(key), reply);
        settle();
        return new String(reply.get().get(0).content(), StandardCharsets.UTF_8);
    }

    private QueueCounts counts() {
        Reply<List<QueueCounts>> reply = new Reply<>();
        calendar.queues(reply);
        settle();
        return reply.get().stream()
                .filter(each -> each.queue().equals("q"))
                .findFirst()
                .orElse(new QueueCounts("q", 0, 0, 0));
    }

    private List<String> listed() {
        Reply<TimerPage> page = new Reply<>();
        calendar.list(TimerQuery.of("q"), page);
        settle();
        return page.get().timers().stream().map(view -> view.key().key()).toList();
    }

    // ---- reschedule

    @Test
    void rescheduledTimerIsTheSameAtAnotherTime() {
        TimerView before = schedule(timer("a", SOON)).timer();
        Changed changed = change(ChangeCommand.reschedule(key("a"), LATER));
        assertThat(changed.outcome()).isEqualTo(Changed.Outcome.CHANGED);
        for (int openings = 0; openings < 2; openings++) {
            TimerView view = only("a");
            assertThat(view).isEqualTo(changed.timer());
            assertThat(view)
                    .isEqualTo(new TimerView(
                            key("a"), before.id(), before.version(), LATER, LATER, TimerState.PENDING, 0));
            assertThat(content("a")).isEqualTo("a@2000");
            assertThat(calendar.liveCount()).isEqualTo(1);
            assertThat(counts()).isEqualTo(new QueueCounts("q", 1, 0, 0));
            restart();
        }
        loadTo(LATER + 1);
        assertThat(claim("a").view().dueAtMs()).isEqualTo(LATER);
    }

    @ParameterizedTest
    @EnumSource(OnConflict.class)
    void rescheduledTimerStandsInConflictsByItsNewTime(OnConflict rule) {
        schedule(timer("a", SOON));
        change(ChangeCommand.reschedule(key("a"), LATER));
        boolean replaced = rule == OnConflict.REPLACE || rule == OnConflict.EARLIEST;
        Scheduled scheduled = schedule(timer("a", LATER - 1, rule));
        assertThat(scheduled.outcome() == Scheduled.Outcome.REPLACED).isEqualTo(replaced);
        assertThat(only("a").dueAtMs()).isEqualTo(replaced ? LATER - 1 : LATER);
    }

    /** The index holds its place by the time that it had. */
    @Test
    void loadedTimerThatIsRescheduledIsTakenBack() {
        schedule(timer("a", SOON));
        loadAll();
        loaded("a");
        change(ChangeCommand.reschedule(key("a"), BEYOND));
        assertThat(index.timers).isEmpty();
        loadTo(BEYOND + 1);
        assertThat(loaded("a").attemptAtMs()).isEqualTo(BEYOND);
        change(ChangeCommand.reschedule(key("a"), 3));
        assertThat(loaded("a").attemptAtMs()).isEqualTo(3);
        assertThat(claim("a").view().attempts()).isEqualTo(1);
    }

    @Test
    void noClaimIsGrantedForTheTimeBefore() {
        schedule(timer("a", SOON));
        loadAll();
        List<ClaimedTimer> granted = beginClaim("a");
        Reply<Changed> reply = new Reply<>();
        calendar.change(ChangeCommand.reschedule(key("a"), LATER), reply);
        settle();
        if (reply.get().outcome() == Changed.Outcome.CHANGED) {
            assertThat(granted).isEmpty();
            assertThat(loaded("a").attemptAtMs()).isEqualTo(LATER);
        } else {
            assertThat(reply.get().outcome()).isEqualTo(Changed.Outcome.WRONG_STATE);
            assertThat(granted).hasSize(1);
            assertThat(only("a").dueAtMs()).isEqualTo(SOON);
            calendar.finish(granted.get(0).handle(), TimerState.COMPLETED);
        }
    }

    @Test
    void attemptsThatWereMadeCountAfterAReschedule() {
        schedule(timer("a", SOON));
        loadAll();
        calendar.retry(claim("a").handle(), LATER);
        settle();
        change(ChangeCommand.reschedule(key("a"), 7));
        restart();
        loadAll();
        ClaimedTimer claimed = claim("a");
        assertThat(claimed.view().attempts()).isEqualTo(2);
        assertThat(claimed.view().dueAtMs()).isEqualTo(7);
        calendar.finish(claimed.handle(), TimerState.COMPLETED);
    }

    @Test
    void rescheduledTimerKeepsItsRoute() {
        loadAll();
        schedule(timer("a", SOON));
        calendar.reroute(claim("a").handle(), 7);
        settle();
        change(ChangeCommand.reschedule(key("a"), LATER));
        assertThat(loaded("a").lane().route()).isEqualTo(7);
        restart();
        loadAll();
        assertThat(loaded("a").lane().route()).isEqualTo(7);
    }

    @Test
    void rescheduledTimerCanBeCancelled() {
        schedule(timer("a", SOON));
        change(ChangeCommand.reschedule(key("a"), LATER));
        assertThat(cancel("a").outcome()).isEqualTo(Cancelled.Outcome.CANCELLED);
        restart();
        loadAll();
        assertThat(index.timers).isEmpty();
        assertThat(calendar.liveCount()).isZero();
    }

    @Test
    void rescheduleOutlivesACrash() {
        schedule(timer("a", SOON));
        change(ChangeCommand.reschedule(key("a"), LATER));
        crash();
        assertThat(only("a").dueAtMs()).isEqualTo(LATER);
        loadAll();
        assertThat(loaded("a").attemptAtMs()).isEqualTo(LATER);
    }

    @Test
    void onlyAPendingTimerIsRescheduled() {
        assertThat(change(ChangeCommand.reschedule(key("a"), LATER)))
                .isEqualTo(new Changed(Changed.Outcome.NOT_FOUND, null));
        schedule(timer("a", 1));
        loadAll();
        ClaimedTimer claimed = claim("a");
        assertThat(change(ChangeCommand.reschedule(key("a"), LATER)))
                .isEqualTo(new Changed(Changed.Outcome.WRONG_STATE, claimed.view()));
        calendar.finish(claimed.handle(), TimerState.COMPLETED);
        settle();
        assertThat(change(ChangeCommand.reschedule(key("a"), LATER)))
                .isEqualTo(new Changed(Changed.Outcome.WRONG_STATE, only("a")));
        die("b");
        assertThat(change(ChangeCommand.reschedule(key("b"), LATER)))
                .isEqualTo(new Changed(Changed.Outcome.WRONG_STATE, only("b")));
        assertThat(calendar.liveCount()).isZero();
    }

    // ---- dead timers

    @Test
    void redrivenTimerLivesAgainAndNoAttemptCounts() {
        die("a");
        TimerView dead = only("a");
        Changed changed = change(ChangeCommand.redrive(key("a"), LATER));
        assertThat(changed.outcome()).isEqualTo(Changed.Outcome.CHANGED);
        assertThat(changed.timer())
                .isEqualTo(new TimerView(key("a"), dead.id(), dead.version(), LATER, LATER, TimerState.PENDING, 0));
        assertThat(counts()).isEqualTo(new QueueCounts("q", 1, 0, 0));
        assertThat(calendar.liveCount()).isEqualTo(1);
        assertThat(change(ChangeCommand.redrive(key("a"), LATER)).outcome()).isEqualTo(Changed.Outcome.WRONG_STATE);
        restart();
        assertThat(find("a")).containsExactly(changed.timer());
        loadAll();
        ClaimedTimer claimed = claim("a");
        assertThat(claimed.view().attempts()).isEqualTo(1);
        assertThat(claimed.content()).asString(StandardCharsets.UTF_8).isEqualTo("a@1");
        calendar.finish(claimed.handle(), TimerState.DEAD);
        settle();
        assertThat(counts()).isEqualTo(new QueueCounts("q", 0, 0, 1));
    }

    @Test
    void redrivenTimerCanHaveAnotherContentAndRoute() {
        die("a");
        change(ChangeCommand.redrive(key("a"), LATER).withContent("other".getBytes(StandardCharsets.UTF_8), 9));
        assertThat(content("a")).isEqualTo("other");
        crash();
        loadAll();
        assertThat(loaded("a").lane().route()).isEqualTo(9);
        ClaimedTimer claimed = claim("a");
        assertThat(claimed.content()).asString(StandardCharsets.UTF_8).isEqualTo("other");
        calendar.finish(claimed.handle(), TimerState.COMPLETED);
    }

    @Test
    void purgedTimerIsForgotten() {
        die("a");
        die("b");
        TimerView dead = only("a");
        assertThat(change(ChangeCommand.purge(key("a")))).isEqualTo(new Changed(Changed.Outcome.CHANGED, dead));
        for (int openings = 0; openings < 2; openings++) {
            assertThat(find("a")).isEmpty();
            assertThat(cancel("a").outcome()).isEqualTo(Cancelled.Outcome.NOT_FOUND);
            assertThat(change(ChangeCommand.purge(key("a"))).outcome()).isEqualTo(Changed.Outcome.NOT_FOUND);
            assertThat(listed()).containsExactly("b");
            assertThat(counts()).isEqualTo(new QueueCounts("q", 0, 0, 1));
            crash();
        }
        Scheduled again = schedule(timer("a", LATER));
        assertThat(again.previous()).isEqualTo(Scheduled.Previous.NONE);
        assertThat(again.timer().version()).isEqualTo(1);
        assertThat(again.timer().id()).isNotEqualTo(dead.id());
    }

    @ParameterizedTest
    @EnumSource(
            value = ChangeCommand.Change.class,
            names = {"REDRIVE", "PURGE"})
    void onlyADeadTimerIsRedrivenOrPurged(ChangeCommand.Change what) {
        ChangeCommand command =
                what == ChangeCommand.Change.PURGE ? ChangeCommand.purge(key("a")) : ChangeCommand.redrive(key("a"), 9);
        assertThat(change(command)).isEqualTo(new Changed(Changed.Outcome.NOT_FOUND, null));
        schedule(timer("a", 1));
        assertThat(change(command)).isEqualTo(new Changed(Changed.Outcome.WRONG_STATE, only("a")));
        loadAll();
        ClaimedTimer claimed = claim("a");
        assertThat(change(command)).isEqualTo(new Changed(Changed.Outcome.WRONG_STATE, claimed.view()));
        cancel("a");
        assertThat(change(command)).isEqualTo(new Changed(Changed.Outcome.WRONG_STATE, claimed.view()));
        calendar.finish(claimed.handle(), TimerState.DEAD);
        settle();
        assertThat(change(command)).isEqualTo(new Changed(Changed.Outcome.WRONG_STATE, only("a")));
        assertThat(only("a").state()).isEqualTo(TimerState.CANCELLED);
    }

    @ParameterizedTest
    @EnumSource(OnConflict.class)
    void scheduleOverADeadTimerSaysSo(OnConflict rule) {
        die("a");
        Scheduled scheduled = schedule(timer("a", LATER, rule));
        boolean kept = rule == OnConflict.ONCE;
        assertThat(scheduled.outcome()).isEqualTo(kept ? Scheduled.Outcome.KEPT : Scheduled.Outcome.CREATED);
        assertThat(scheduled.previous()).isEqualTo(Scheduled.Previous.DEAD);
        assertThat(counts()).isEqualTo(kept ? new QueueCounts("q", 0, 0, 1) : new QueueCounts("q", 1, 0, 0));
        assertThat(only("a").version()).isEqualTo(kept ? 1 : 2);
    }

    // ---- for one timer and no other

    private void assertMismatch(Consumer<Reply<?>> command, @Nullable TimerView standing) {
        Reply<Object> reply = new Reply<>();
        command.accept(reply);
        settle();
        assertThat(reply.failure())
                .isInstanceOfSatisfying(
                        IdMismatchException.class, e -> assertThat(e.timer()).isEqualTo(standing));
    }

    @SuppressWarnings("unchecked")
    private void assertAllMismatch(String expected, @Nullable TimerView standing) {
        assertMismatch(reply -> calendar.cancel(key("a"), expected, null, (Reply<Cancelled>) reply), standing);
        assertMismatch(
                reply -> calendar.change(
                        ChangeCommand.reschedule(key("a"), 9).withExpectedId(expected), (Reply<Changed>) reply),
                standing);
        assertMismatch(
                reply -> calendar.change(
                        ChangeCommand.redrive(key("a"), 9).withExpectedId(expected), (Reply<Changed>) reply),
                standing);
        assertMismatch(
                reply ->
                        calendar.change(ChangeCommand.purge(key("a")).withExpectedId(expected), (Reply<Changed>) reply),
                standing);
        for (OnConflict rule : OnConflict.values()) {
            assertMismatch(
                    reply -> calendar.schedule(timer("a", 9, rule).withExpectedId(expected), (Reply<Scheduled>) reply),
                    standing);
        }
        assertThat(find("a")).isEqualTo(standing == null ? List.of() : List.of(standing));
    }

    @Test
    void nothingIsDoneToAnotherTimerThanTheOneThatWasMeant() {
        assertAllMismatch("no-id", null);
        String first = schedule(timer("a", SOON)).timer().id();
        TimerView second = schedule(timer("a", LATER)).timer();
        assertThat(second.id()).isNotEqualTo(first);
        for (String other : List.of(first, "no-id", "", second.id() + "0", "0" + second.id())) {
            assertAllMismatch(other, second);
        }
        restart();
        loadAll();
        ClaimedTimer claimed = claim("a");
        assertAllMismatch(first, claimed.view());
        calendar.finish(claimed.handle(), TimerState.DEAD);
        settle();
        assertAllMismatch(first, only("a"));
    }

    @SuppressWarnings("unchecked")
    private void assertChangedSince(ChangeCommand command) {
        assertMismatch(reply -> calendar.change(command, (Reply<Changed>) reply), only("a"));
    }

    @Test
    void timerThatHasChangedSinceIsLeftAsItIs() {
        TimerView seen = schedule(timer("a", SOON)).timer();
        change(ChangeCommand.reschedule(key("a"), LATER).withExpected(seen));
        assertThat(only("a").dueAtMs()).isEqualTo(LATER);
        assertChangedSince(ChangeCommand.reschedule(key("a"), 1).withExpected(seen));
        change(ChangeCommand.reschedule(key("a"), 1).withExpected(only("a")));
        loadAll();
        calendar.finish(claim("a").handle(), TimerState.DEAD);
        settle();
        TimerView dead = only("a");
        byte[] other = "other".getBytes(StandardCharsets.UTF_8);
        change(ChangeCommand.redrive(key("a"), 2).withContent(other, 9).withExpected(dead));
        assertChangedSince(ChangeCommand.redrive(key("a"), 3).withExpected(dead));
        restart();
        loadAll();
        calendar.finish(claim("a").handle(), TimerState.DEAD);
        settle();
        assertChangedSince(
                ChangeCommand.redrive(key("a"), 3).withContent(other, 9).withExpected(dead));
        assertChangedSince(ChangeCommand.purge(key("a")).withExpected(dead));
        assertThat(content("a")).isEqualTo("other");
        change(ChangeCommand.purge(key("a")).withExpected(only("a")));
        assertThat(find("a")).isEmpty();
    }

    @Test
    void theTimerThatWasMeantIsChanged() {
        String id = schedule(timer("a", SOON)).timer().id();
        assertThat(change(ChangeCommand.reschedule(key("a"), LATER).withExpectedId(id))
                        .outcome())
                .isEqualTo(Changed.Outcome.CHANGED);
        Scheduled replaced = schedule(timer("a", 1).withExpectedId(id));
        assertThat(replaced.outcome()).isEqualTo(Scheduled.Outcome.REPLACED);
        String next = replaced.timer().id();
        loadAll();
        calendar.finish(claim("a").handle(), TimerState.DEAD);
        settle();
        assertThat(change(ChangeCommand.redrive(key("a"), SOON).withExpectedId(next))
                        .outcome())
                .isEqualTo(Changed.Outcome.CHANGED);
        Reply<Cancelled> cancelled = new Reply<>();
        calendar.cancel(key("a"), next, null, cancelled);
        settle();
        assertThat(cancelled.get().outcome()).isEqualTo(Cancelled.Outcome.CANCELLED);
        Scheduled after = schedule(timer("a", LATER).withExpectedId(next));
        assertThat(after.outcome()).as("in the place of a finished one").isEqualTo(Scheduled.Outcome.CREATED);
        assertThat(Objects.requireNonNull(after.timer()).version()).isEqualTo(3);
    }

    @Test
    void runningAttemptOfTheTimerThatWasMeantIsItsLastOne() {
        schedule(timer("a", 1));
        loadAll();
        ClaimedTimer claimed = claim("a");
        Reply<Cancelled> cancelled = new Reply<>();
        calendar.cancel(key("a"), claimed.view().id(), null, cancelled);
        settle();
        assertThat(cancelled.get().outcome()).isEqualTo(Cancelled.Outcome.LAST_ATTEMPT_RUNNING);
        assertThat(calendar.retry(claimed.handle(), LATER)).isFalse();
    }
}
