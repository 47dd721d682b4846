package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Delivery;
import io.tickwheel.engine.Destination;
import io.tickwheel.engine.InvalidNameException;
import io.tickwheel.engine.QueueChange;
import io.tickwheel.engine.RetryPolicy;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerDetails;
import io.tickwheel.engine.TimerPlans;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.recurrence.Misfire;
import io.tickwheel.recurrence.Overlap;
import io.tickwheel.recurrence.Recurrence;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.Changed;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import io.tickwheel.testkit.ManualClock;
import io.tickwheel.testkit.ManualThreads;
import io.tickwheel.testkit.MemoryTimerStore;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** Recurring timers: plans make runs, one after the other. Seconds are those since the beginning of the test. */
class PlansTest {

    private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");
    private static final Recurrence EACH_MINUTE = Recurrence.fixedRate(Duration.ofMinutes(1));

    private final ManualClock clock = new ManualClock(NOW);
    private ManualThreads threads = new ManualThreads(clock, new SplittableRandom(1));
    private final MemoryTimerStore store = new MemoryTimerStore();
    private final List<String> started = new ArrayList<>();
    private final List<Delivery> running = new ArrayList<>();
    private boolean holds;
    private Tickwheel engine = open();

    private Tickwheel open() {
        return Tickwheel.builder(store)
                .clock(clock)
                .threads(threads)
                .random(() -> 0)
                .retry(RetryPolicy.fixed(2, Duration.ofSeconds(20)).withJitter(0))
                .target("t", this::deliver)
                .queueDestination("q", new Destination("t", ""))
                .open();
    }

    private void deliver(Attempt attempt, Delivery delivery) {
        String run = attempt.run().isPresent() ? "#" + attempt.run().getAsLong() : "beside";
        long dueAt = Duration.between(NOW, attempt.dueAt()).toSeconds();
        started.add(attempt.key() + " " + run + " of " + dueAt + " at " + second());
        if (holds) {
            running.add(delivery);
        } else {
            delivery.acknowledge();
        }
    }

    private long second() {
        return Duration.between(NOW, clock.now()).toSeconds();
    }

    private <T> T settled(CompletableFuture<T> answer) {
        threads.runUntilIdle();
        assertThat(answer).as("answered").isDone();
        return answer.join();
    }

    private Scheduled schedule(Recurrence recurrence) {
        return settled(engine.schedule(TimerRequest.recurring("q", "k", recurrence)));
    }

    /** Until so many seconds have passed since the beginning of the test; returns what has started. */
    private List<String> until(long second) {
        threads.runUntilIdle();
        threads.advance(Duration.between(clock.now(), NOW.plusSeconds(second)));
        return taken();
    }

    private List<String> taken() {
        threads.runUntilIdle();
        List<String> taken = List.copyOf(started);
        started.clear();
        return taken;
    }

    /** While nothing is done: the process stands still. */
    private void away(long untilSecond) {
        clock.advance(Duration.between(clock.now(), NOW.plusSeconds(untilSecond)));
    }

    private void endRun() {
        running.remove(0).acknowledge();
        threads.runUntilIdle();
    }

    private Optional<TimerView> find(String key) {
        return settled(engine.find("q", key));
    }

    private Optional<TimerView> run(long number) {
        return find(TimerPlans.runKey("k", number));
    }

    private long dueSecond() {
        return Duration.between(NOW, find("k").orElseThrow().dueAt()).toSeconds();
    }

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
    void aRunIsPassedOverWhileTheOneBeforeGoesOn() {
        holds = true;
        schedule(EACH_MINUTE);
        assertThat(until(200)).containsExactly("k #1 of 60 at 60");
        endRun();
        assertThat(taken()).isEmpty();
        assertThat(until(240)).containsExactly("k #2 of 240 at 240");
        running.remove(0).fail("no");
        assertThat(until(300)).containsExactly("k #2 of 240 at 260");
        assertThat(dueSecond()).isEqualTo(360);
    }

    @Test
    void whatIsPassedOverDoesNotCount() {
        holds = true;
        schedule(EACH_MINUTE.withCount(2));
        assertThat(until(250)).hasSize(1);
        endRun();
        assertThat(until(300)).containsExactly("k #2 of 300 at 300");
        assertThat(find("k").orElseThrow().state()).isEqualTo(TimerState.COMPLETED);
    }

    @Test
    void aRunWaitsForTheOneBefore() {
        holds = true;
        schedule(EACH_MINUTE.withOverlap(Overlap.QUEUE));
        assertThat(until(150)).containsExactly("k #1 of 60 at 60");
        endRun();
        assertThat(taken()).containsExactly("k #2 of 120 at 150");
        endRun();
        assertThat(until(180)).containsExactly("k #3 of 180 at 180");
    }

    /** Nobody tells it of a run that was cancelled. */
    @Test
    void whatWaitsLooksByItself() {
        schedule(EACH_MINUTE.withOverlap(Overlap.QUEUE).withMisfire(Misfire.ALL));
        holds = true;
        assertThat(until(65)).hasSize(1);
        running.remove(0).fail("no");
        assertThat(until(70)).isEmpty();
        assertThat(until(90)).containsExactly("k #1 of 60 at 85");
        running.remove(0).fail("no");
        threads.runUntilIdle();
        assertThat(run(1).orElseThrow().state()).isEqualTo(TimerState.DEAD);
        assertThat(until(120)).containsExactly("k #2 of 120 at 120");
        running.remove(0).postpone("later", clock.now().plusSeconds(1_000));
        assertThat(until(400)).isEmpty();
        settled(engine.cancel("q", TimerPlans.runKey("k", 2)));
        List<String> next = until(460);
        assertThat(next).hasSize(1);
        assertThat(next.get(0)).startsWith("k #3 of 180 at ");
    }

    @Test
    void runsStartBesideEachOther() {
        holds = true;
        schedule(EACH_MINUTE.withOverlap(Overlap.ALLOW));
        assertThat(until(180)).hasSize(3);
    }

    @Test
    void aDelayBeginsAtTheEndOfTheRunBefore() {
        holds = true;
        schedule(Recurrence.fixedDelay(Duration.ofSeconds(30)).withCount(3));
        assertThat(until(100)).containsExactly("k #1 of 30 at 30");
        endRun();
        assertThat(until(129)).isEmpty();
        assertThat(until(130)).containsExactly("k #2 of 130 at 130");
        endRun();
        assertThat(until(160)).containsExactly("k #3 of 160 at 160");
        assertThat(find("k").orElseThrow().state()).isEqualTo(TimerState.COMPLETED);
    }

    @Test
    void aDelayGoesOnAfterARestart() {
        holds = true;
        schedule(Recurrence.fixedDelay(Duration.ofSeconds(30)));
        assertThat(until(40)).hasSize(1);
        running.clear();
        restart();
        assertThat(until(101)).containsExactly("k #1 of 30 at 100");
        endRun();
        assertThat(until(130)).isEmpty();
        assertThat(until(131)).containsExactly("k #2 of 131 at 131");
    }

    private void restart() {
        CompletableFuture<Void> closed = engine.closeAsync();
        threads.runUntilIdle();
        if (!closed.isDone()) {
            threads.advance(Duration.ofSeconds(60));
        }
        threads = new ManualThreads(clock, new SplittableRandom(2));
        engine = open();
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
    void numbersGoOnInThePlanThatTakesThePlaceOfAnother() {
        holds = true;
        schedule(EACH_MINUTE.withOverlap(Overlap.ALLOW));
        assertThat(until(120)).hasSize(2);
        schedule(EACH_MINUTE.withCount(2));
        assertThat(until(180)).isEmpty();
        endRun();
        endRun();
        assertThat(until(240)).containsExactly("k #3 of 240 at 240");
        endRun();
        assertThat(until(600)).containsExactly("k #4 of 300 at 300");
        assertThat(find("k").orElseThrow().state()).isEqualTo(TimerState.COMPLETED);
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
    void noRunHasTheNumberOfOneThatIsKnown() {
        holds = true;
        schedule(EACH_MINUTE.withOverlap(Overlap.ALLOW));
        assertThat(until(300)).hasSize(5);
        settled(engine.cancel("q", "k"));
        schedule(EACH_MINUTE.withOverlap(Overlap.ALLOW));
        assertThat(until(420)).containsExactly("k #6 of 360 at 360", "k #7 of 420 at 420");
        assertThat(settled(engine.runs("q", "k")))
                .extracting(run -> run.key().key())
                .containsExactly(
                        TimerPlans.runKey("k", 7),
                        TimerPlans.runKey("k", 6),
                        TimerPlans.runKey("k", 5),
                        TimerPlans.runKey("k", 4),
                        TimerPlans.runKey("k", 3),
                        TimerPlans.runKey("k", 2),
                        TimerPlans.runKey("k", 1));
    }

    /** It is the fifth, and those that are looked at first have ended. */
    @Test
    void aRunThatACancelledPlanHasLeftIsTheRunBefore() {
        schedule(EACH_MINUTE);
        assertThat(until(240)).hasSize(4);
        holds = true;
        assertThat(until(300)).containsExactly("k #5 of 300 at 300");
        settled(engine.cancel("q", "k"));
        schedule(EACH_MINUTE);
        assertThat(until(430)).isEmpty();
        endRun();
        assertThat(until(480)).containsExactly("k #6 of 480 at 480");
        settled(engine.cancel("q", "k"));
        schedule(EACH_MINUTE.withOverlap(Overlap.QUEUE));
        assertThat(until(550)).isEmpty();
        endRun();
        assertThat(taken()).containsExactly("k #7 of 540 at 550");
    }

    /** Has the run that goes on fail for good, and purges it. */
    private void purgeRun(long number, long atSecond) {
        assertThat(until(atSecond)).hasSize(1);
        running.remove(0).fail("no");
        assertThat(until(atSecond + 20)).hasSize(1);
        running.remove(0).fail("no");
        threads.runUntilIdle();
        settled(engine.purge("q", TimerPlans.runKey("k", number)));
        assertThat(run(number)).isEmpty();
    }

    /** One between them is not known any more. */
    @Test
    void aRunBehindAPurgedOneIsTheRunBefore() {
        schedule(EACH_MINUTE);
        assertThat(until(180)).hasSize(3);
        holds = true;
        purgeRun(4, 240);
        assertThat(until(300)).containsExactly("k #5 of 300 at 300");
        settled(engine.cancel("q", "k"));
        schedule(EACH_MINUTE);
        assertThat(until(430)).isEmpty();
        endRun();
        assertThat(until(480)).containsExactly("k #6 of 480 at 480");
    }

    @Test
    void aRunOfWhichNoneBeforeIsKnownIsTheRunBefore() {
        schedule(EACH_MINUTE);
        holds = true;
        purgeRun(1, 60);
        assertThat(until(120)).containsExactly("k #2 of 120 at 120");
        settled(engine.cancel("q", "k"));
        schedule(EACH_MINUTE.withOverlap(Overlap.QUEUE));
        assertThat(until(190)).isEmpty();
        endRun();
        assertThat(taken()).containsExactly("k #3 of 180 at 190");
    }

    /** It goes on, though no attempt runs now. */
    @Test
    void aRunThatWaitsForItsNextAttemptIsTheRunBefore() {
        schedule(EACH_MINUTE);
        holds = true;
        purgeRun(1, 60);
        assertThat(until(120)).hasSize(1);
        running.remove(0).postpone("later", clock.now().plusSeconds(130));
        settled(engine.cancel("q", "k"));
        schedule(EACH_MINUTE);
        assertThat(until(249)).isEmpty();
        assertThat(until(250)).containsExactly("k #2 of 120 at 250");
        endRun();
        assertThat(until(300)).containsExactly("k #3 of 300 at 300");
    }

    @Test
    void aPlanThatStopsWhileItLooksForRunsStaysAsItIs() {
        schedule(EACH_MINUTE);
        settled(engine.cancel("q", "k"));
        schedule(EACH_MINUTE);
        clock.advance(Duration.ofSeconds(60));
        threads.step();
        restart();
        assertThat(until(61)).containsExactly("k #1 of 60 at 60");
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
