package io.tickwheel.store.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.Cancelled;
import io.tickwheel.store.ChangeCommand;
import io.tickwheel.store.Changed;
import io.tickwheel.store.ClaimedTimer;
import io.tickwheel.store.IdMismatchException;
import io.tickwheel.store.Lane;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.PastAttempt;
import io.tickwheel.store.PendingTimer;
import io.tickwheel.store.QueueCounts;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.SpawnCommand;
import io.tickwheel.store.Spawned;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoredTimer;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A plan makes a run and comes again, in one step. */
public abstract class CalendarSpawnContract extends CalendarHistoryContract {

    private static final long ROUTE = 7;

    /** The key of the first run of plan {@code a}. */
    private static final String RUN = "a\u001f1";

    private static final PastAttempt FAILED = new PastAttempt(1, 1_000, 7, 3, 503, "answered 503");

    private ClaimedTimer claimPlan() {
        schedule(plan(1_000));
        loadAll();
        return claim("a");
    }

    /** A timer of another route than its queue's. */
    private static ScheduleCommand plan(long dueAtMs) {
        return new ScheduleCommand(
                key("a"), dueAtMs, "plan, first".getBytes(StandardCharsets.UTF_8), ROUTE, OnConflict.REPLACE, 5, null);
    }

    private static ScheduleCommand run(String key, long dueAtMs) {
        return timer(key, dueAtMs, OnConflict.KEEP);
    }

    private static SpawnCommand spawning(PendingTimer plan, long nextMs, String content, String run, long runAtMs) {
        return new SpawnCommand(plan, nextMs, content.getBytes(StandardCharsets.UTF_8), run(run, runAtMs));
    }

    private static SpawnCommand skipping(PendingTimer plan, long nextMs, String content) {
        return new SpawnCommand(plan, nextMs, content.getBytes(StandardCharsets.UTF_8), null);
    }

    private Reply<Spawned> begin(SpawnCommand command) {
        Reply<Spawned> reply = new Reply<>();
        calendar.spawn(command, reply);
        return reply;
    }

    private Spawned spawn(SpawnCommand command) {
        Reply<Spawned> reply = begin(command);
        settle();
        return reply.get();
    }

    private IdMismatchException spawnInVain(SpawnCommand command) {
        Reply<Spawned> reply = begin(command);
        settle();
        assertThat(reply.failure()).isInstanceOf(IdMismatchException.class);
        return (IdMismatchException) Objects.requireNonNull(reply.failure());
    }

    private static Scheduled run(Spawned spawned) {
        return Objects.requireNonNull(spawned.run());
    }

    private String content(String key) {
        Reply<List<StoredTimer>> reply = new Reply<>();
        calendar.read(key(key), reply);
        settle();
        assertThat(reply.get()).hasSize(1);
        return new String(reply.get().get(0).content(), StandardCharsets.UTF_8);
    }

    private QueueCounts counts() {
        Reply<List<QueueCounts>> reply = new Reply<>();
        calendar.queues(reply);
        settle();
        return reply.get().stream()
                .filter(each -> each.queue().equals("q"))
                .findFirst()
                .orElseThrow();
    }

    private void assertCounts(long pending, long claimed, long dead) {
        QueueCounts counts = counts();
        assertThat(List.of(counts.pending(), counts.claimed(), counts.dead()))
                .as("pending, claimed and dead timers")
                .containsExactly(pending, claimed, dead);
        assertThat(calendar.liveCount()).isEqualTo(pending + claimed);
    }

    private void assertNoRun() {
        assertThat(find(RUN)).isEmpty();
    }

    @Test
    void planMakesARunAndComesAgain() {
        ClaimedTimer claimed = claimPlan();
        Spawned spawned = spawn(spawning(claimed.handle(), 61_000, "plan, next", RUN, 1_500));
        TimerView plan = spawned.plan();
        assertThat(plan.id()).isEqualTo(claimed.view().id());
        assertThat(plan.version()).isEqualTo(1);
        assertThat(plan.state()).isEqualTo(TimerState.PENDING);
        assertThat(plan.attempts()).isZero();
        assertThat(plan.dueAtMs()).isEqualTo(61_000);
        assertThat(plan.attemptAtMs()).isEqualTo(61_000);
        Scheduled run = run(spawned);
        assertThat(run.outcome()).isEqualTo(Scheduled.Outcome.CREATED);
        assertThat(run.previous()).isEqualTo(Scheduled.Previous.NONE);
        assertThat(run.requestHash()).isEqualTo(1_500);
        assertThat(run.timer().version()).isEqualTo(1);
        assertThat(run.timer().dueAtMs()).isEqualTo(1_500);
        for (int openings = 0; openings < 2; openings++) {
            assertThat(find("a")).containsExactly(plan);
            assertThat(find(RUN)).containsExactly(run.timer());
            assertThat(content("a")).isEqualTo("plan, next");
            assertThat(content(RUN)).isEqualTo(RUN + "@1500");
            assertCounts(2, 0, 0);
            loadAll();
            assertThat(loaded("a").attemptAtMs()).isEqualTo(61_000);
            assertThat(loaded("a").lane()).isEqualTo(new Lane("q", ROUTE));
            assertThat(loaded(RUN).attemptAtMs()).isEqualTo(1_500);
            assertThat(loaded(RUN).lane()).isEqualTo(new Lane("q", Lane.QUEUE_ROUTE));
            restart();
        }
        loadAll();
        ClaimedTimer first = claim(RUN);
        assertThat(first.view().attempts()).isEqualTo(1);
        assertThat(first.content()).asString(StandardCharsets.UTF_8).isEqualTo(RUN + "@1500");
        ClaimedTimer again = claim("a");
        assertThat(again.view().attempts()).isEqualTo(1);
        assertThat(again.content()).asString(StandardCharsets.UTF_8).isEqualTo("plan, next");
        calendar.finish(first.handle(), TimerState.COMPLETED);
        calendar.finish(again.handle(), TimerState.COMPLETED);
    }

    @Test
    void planMakesOneRunAfterTheOther() {
        ClaimedTimer claimed = claimPlan();
        for (int i = 1; i <= 5; i++) {
            spawn(spawning(claimed.handle(), 1_000 + i, "plan after " + i, "a\u001f" + i, 2_000 + i));
            restart();
            loadAll();
            claimed = claim("a");
            assertThat(claimed.view().attempts()).isEqualTo(1);
            assertThat(claimed.view().dueAtMs()).isEqualTo(1_000 + i);
            assertThat(claimed.content()).asString(StandardCharsets.UTF_8).isEqualTo("plan after " + i);
            assertCounts(i, 1, 0);
        }
        calendar.finish(claimed.handle(), TimerState.COMPLETED);
        settle();
        assertCounts(5, 0, 0);
    }

    @Test
    void stepIsThereAfterACrash() {
        ClaimedTimer claimed = claimPlan();
        Spawned spawned = spawn(spawning(claimed.handle(), 61_000, "plan, next", RUN, 1_500));
        crash();
        assertThat(find("a")).containsExactly(spawned.plan());
        assertThat(find(RUN)).containsExactly(run(spawned).timer());
        assertThat(content("a")).isEqualTo("plan, next");
        loadAll();
        assertThat(loaded(RUN).attemptAtMs()).isEqualTo(1_500);
    }

    /** The process dies before anything was answered: both are there, or neither. */
    @Test
    void unansweredStepIsMadeAsAWholeOrNotAtAll() {
        ClaimedTimer claimed = claimPlan();
        begin(spawning(claimed.handle(), 61_000, "plan, next", RUN, 1_500));
        crash();
        boolean made = !find(RUN).isEmpty();
        assertThat(find("a")).extracting(TimerView::dueAtMs).containsExactly(made ? 61_000L : 1_000L);
        assertThat(content("a")).isEqualTo(made ? "plan, next" : "plan, first");
        loadAll();
        assertThat(index.timers).hasSize(made ? 2 : 1);
    }

    @Test
    void skippedRunJustMovesThePlan() {
        ClaimedTimer claimed = claimPlan();
        Spawned spawned = spawn(skipping(claimed.handle(), 61_000, "plan, skipped"));
        assertThat(spawned.run()).isNull();
        restart();
        assertThat(find("a")).containsExactly(spawned.plan());
        assertThat(spawned.plan().dueAtMs()).isEqualTo(61_000);
        assertThat(content("a")).isEqualTo("plan, skipped");
        assertCounts(1, 0, 0);
        loadAll();
        assertThat(claim("a").view().attempts()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 5_000, 300_000})
    void contentOfThePlanChangesInSize(int bytes) {
        ClaimedTimer claimed = claimPlan();
        String content = "c".repeat(bytes);
        spawn(spawning(claimed.handle(), 2_000, content, RUN, 1_500));
        restart();
        loadAll();
        ClaimedTimer again = claim("a");
        assertThat(again.content()).asString(StandardCharsets.UTF_8).isEqualTo(content);
        calendar.retry(again.handle(), 3_000);
        assertThat(content("a")).isEqualTo(content);
    }

    @Test
    void attemptsOfThePlanDoNotCountAndAreRemembered() {
        schedule(plan(1_000));
        loadAll();
        calendar.retry(claim("a").handle(), 2_000, FAILED);
        ClaimedTimer claimed = claim("a");
        assertThat(claimed.view().attempts()).isEqualTo(2);
        Spawned spawned = spawn(spawning(claimed.handle(), 61_000, "plan, next", RUN, 1_500));
        assertThat(spawned.plan().attempts()).isZero();
        assertThat(spawned.plan().dueAtMs()).isEqualTo(61_000);
        assertThat(spawned.plan().history()).containsExactly(FAILED);
        assertThat(run(spawned).timer().history()).isEmpty();
        restart();
        assertThat(find("a")).containsExactly(spawned.plan());
    }

    @Test
    void runIsFarAheadAndThePlanFarther() {
        long years = ScheduleCommand.FARTHEST_DUE_MS;
        ClaimedTimer claimed = claimPlan();
        Spawned spawned = spawn(spawning(claimed.handle(), years, "plan, next", RUN, years - 1));
        restart();
        assertThat(find("a")).containsExactly(spawned.plan());
        assertThat(find(RUN)).containsExactly(run(spawned).timer());
        loadAll();
        assertThat(index.timers).isEmpty();
    }

    // ---- a run that is there

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void liveRunStaysAndThePlanComesAgain(boolean whileItRuns) {
        Scheduled before = schedule(run(RUN, 700));
        ClaimedTimer plan = claimPlan();
        ClaimedTimer running = whileItRuns ? claim(RUN) : null;
        Scheduled run = run(spawn(spawning(plan.handle(), 61_000, "plan, next", RUN, 1_500)));
        assertThat(run.outcome()).isEqualTo(Scheduled.Outcome.KEPT);
        assertThat(run.previous()).isEqualTo(whileItRuns ? Scheduled.Previous.CLAIMED : Scheduled.Previous.PENDING);
        assertThat(run.requestHash()).isEqualTo(700);
        assertThat(run.timer().id()).isEqualTo(before.timer().id());
        assertThat(find(RUN)).containsExactly(run.timer());
        assertThat(content("a")).isEqualTo("plan, next");
        assertCounts(whileItRuns ? 1 : 2, whileItRuns ? 1 : 0, 0);
        if (running != null) {
            assertThat(calendar.finish(running.handle(), TimerState.COMPLETED)).isTrue();
            settle();
        }
        restart();
        assertThat(find("a")).extracting(TimerView::dueAtMs).containsExactly(61_000L);
    }

    @ParameterizedTest
    @EnumSource(
            value = TimerState.class,
            names = {"COMPLETED", "DEAD", "EXPIRED"})
    void runThatHasEndedIsMadeAnew(TimerState outcome) {
        ClaimedTimer plan = claimPlan();
        schedule(run(RUN, 700));
        calendar.finish(claim(RUN).handle(), outcome);
        settle();
        Scheduled run = run(spawn(spawning(plan.handle(), 61_000, "plan, next", RUN, 1_500)));
        assertThat(run.outcome()).isEqualTo(Scheduled.Outcome.CREATED);
        assertThat(run.previous())
                .isEqualTo(outcome == TimerState.DEAD ? Scheduled.Previous.DEAD : Scheduled.Previous.NONE);
        assertThat(run.timer().version()).isEqualTo(2);
        for (int openings = 0; openings < 2; openings++) {
            assertThat(find(RUN)).containsExactly(run.timer());
            assertCounts(2, 0, 0);
            restart();
        }
    }

    /** It was cancelled, and is not live. */
    @Test
    void runIsMadeAnewWhileItsLastAttemptRuns() {
        ClaimedTimer plan = claimPlan();
        schedule(run(RUN, 700));
        ClaimedTimer last = claim(RUN);
        assertThat(cancel(RUN).outcome()).isEqualTo(Cancelled.Outcome.LAST_ATTEMPT_RUNNING);
        Scheduled run = run(spawn(spawning(plan.handle(), 61_000, "plan, next", RUN, 1_500)));
        assertThat(run.outcome()).isEqualTo(Scheduled.Outcome.CREATED);
        assertThat(run.previous()).isEqualTo(Scheduled.Previous.CLAIMED);
        calendar.finish(last.handle(), TimerState.COMPLETED);
        settle();
        assertThat(find(RUN)).containsExactly(run.timer());
        assertCounts(2, 0, 0);
    }

    @Test
    void runIsAPlanItself() {
        ClaimedTimer plan = claimPlan();
        spawn(spawning(plan.handle(), 61_000, "plan, next", RUN, 1_500));
        ClaimedTimer run = claim(RUN);
        Spawned spawned = spawn(spawning(run.handle(), 9_000, "run, next", RUN + "\u001f1", 1_700));
        assertThat(spawned.plan().key()).isEqualTo(key(RUN));
        assertThat(run(spawned).outcome()).isEqualTo(Scheduled.Outcome.CREATED);
        restart();
        assertCounts(3, 0, 0);
        assertThat(find(RUN + "\u001f1")).containsExactly(run(spawned).timer());
    }

    // ---- claims that are over

    @Test
    void planThatWasCancelledMeanwhileJustEnds() {
        ClaimedTimer claimed = claimPlan();
        assertThat(cancel("a").outcome()).isEqualTo(Cancelled.Outcome.LAST_ATTEMPT_RUNNING);
        IdMismatchException reason = spawnInVain(spawning(claimed.handle(), 61_000, "plan, next", RUN, 1_500));
        for (int openings = 0; openings < 2; openings++) {
            assertNoRun();
            assertThat(find("a")).singleElement().satisfies(view -> {
                assertThat(view.state()).isEqualTo(TimerState.CANCELLED);
                assertThat(view.attempts()).isZero();
                assertThat(view.dueAtMs()).isEqualTo(1_000);
                assertThat(view).isEqualTo(reason.timer());
            });
            assertThat(calendar.liveCount()).isZero();
            loadAll();
            assertThat(index.timers).isEmpty();
            restart();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void planThatWasReplacedMeanwhileMakesNothing(boolean skipped) {
        ClaimedTimer claimed = claimPlan();
        Scheduled other = schedule(timer("a", 7_000));
        SpawnCommand command = skipped
                ? skipping(claimed.handle(), 61_000, "plan, next")
                : spawning(claimed.handle(), 61_000, "plan, next", RUN, 1_500);
        assertThat(spawnInVain(command).timer()).isEqualTo(other.timer());
        for (int openings = 0; openings < 2; openings++) {
            assertNoRun();
            assertThat(find("a")).containsExactly(other.timer());
            assertThat(content("a")).isEqualTo("a@7000");
            assertCounts(1, 0, 0);
            restart();
        }
        loadAll();
        assertThat(claim("a").view().version()).isEqualTo(2);
    }

    /** The engine asks only when it has been answered, and a store that asks twice must not make two. */
    @Test
    void commandsThatCameBeforeDecide() {
        ClaimedTimer claimed = claimPlan();
        Reply<Cancelled> cancelled = new Reply<>();
        calendar.cancel(key("a"), cancelled);
        Reply<Spawned> vain = begin(spawning(claimed.handle(), 61_000, "plan, next", RUN, 1_500));
        settle();
        assertThat(cancelled.get().outcome()).isEqualTo(Cancelled.Outcome.LAST_ATTEMPT_RUNNING);
        assertThat(vain.failure()).isInstanceOf(IdMismatchException.class);
        assertNoRun();
    }

    @Test
    void commandsThatComeBehindSeeTheStep() {
        ClaimedTimer claimed = claimPlan();
        Reply<Spawned> spawned = begin(spawning(claimed.handle(), 61_000, "plan, next", RUN, 1_500));
        Reply<List<TimerView>> run = new Reply<>();
        calendar.find(key(RUN), run);
        Reply<Scheduled> kept = begin(run(RUN, 5_000));
        Reply<Changed> moved = new Reply<>();
        calendar.change(ChangeCommand.reschedule(key("a"), 62_000), moved);
        settle();
        assertThat(run.get()).containsExactly(run(spawned.get()).timer());
        assertThat(kept.get().outcome()).isEqualTo(Scheduled.Outcome.KEPT);
        assertThat(moved.get().outcome()).isEqualTo(Changed.Outcome.CHANGED);
        restart();
        assertThat(find("a")).extracting(TimerView::dueAtMs).containsExactly(62_000L);
    }

    @Test
    void planAndItsRunCanBeCancelledAlone() {
        ClaimedTimer claimed = claimPlan();
        spawn(spawning(claimed.handle(), 61_000, "plan, next", RUN, 1_500));
        assertThat(cancel("a").outcome()).isEqualTo(Cancelled.Outcome.CANCELLED);
        restart();
        assertThat(find(RUN)).extracting(TimerView::state).containsExactly(TimerState.PENDING);
        assertThat(cancel(RUN).outcome()).isEqualTo(Cancelled.Outcome.CANCELLED);
        loadAll();
        assertThat(index.timers).isEmpty();
    }

    @Test
    void keysOfRunsAreOfTheirOwnQueue() {
        ClaimedTimer claimed = claimPlan();
        schedule(new ScheduleCommand(new TimerKey("other", RUN), 3_000, new byte[0], OnConflict.REPLACE, 0));
        schedule(new ScheduleCommand(new TimerKey("q\u001fq", RUN), 4_000, new byte[0], OnConflict.REPLACE, 0));
        Scheduled run = run(spawn(spawning(claimed.handle(), 61_000, "plan, next", RUN, 1_500)));
        assertThat(run.outcome()).isEqualTo(Scheduled.Outcome.CREATED);
        restart();
        assertThat(find(new TimerKey("other", RUN)))
                .extracting(TimerView::dueAtMs)
                .containsExactly(3_000L);
        assertThat(find(new TimerKey("q\u001fq", RUN)))
                .extracting(TimerView::dueAtMs)
                .containsExactly(4_000L);
    }

    @Test
    void failedCalendarMakesNothing() {
        ClaimedTimer claimed = claimPlan();
        calendar.fail(new IllegalStateException("as a test wants it"));
        Reply<Spawned> reply = begin(spawning(claimed.handle(), 61_000, "plan, next", RUN, 1_500));
        assertThat(reply.failure()).isInstanceOf(StoreException.class);
        crash();
        assertNoRun();
        assertThat(find("a")).extracting(TimerView::dueAtMs).containsExactly(1_000L);
    }
}
