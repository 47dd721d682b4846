package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.engine.Bulk;
import io.tickwheel.engine.BulkProgress;
import io.tickwheel.engine.BulkRequest;
import io.tickwheel.engine.BulkView;
import io.tickwheel.engine.DeadCounts;
import io.tickwheel.engine.Delivery;
import io.tickwheel.engine.Destination;
import io.tickwheel.engine.QueueChange;
import io.tickwheel.engine.QueueSettings;
import io.tickwheel.engine.RetryPolicy;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TickwheelBuilder;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.store.PastAttempt;
import io.tickwheel.store.QueueCounts;
import io.tickwheel.store.TimerQuery;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import io.tickwheel.testkit.ManualClock;
import io.tickwheel.testkit.ManualThreads;
import io.tickwheel.testkit.MemoryTimerStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Many timers of a queue are cancelled, redriven, purged or counted; and dead ones are kept as long as was said. */
final class BulkTest {

    private static final TimerQuery ALL = TimerQuery.of("q");
    private static final int MOST_STORED = Bulk.MOST_REMEMBERED + Bulk.MOST_RUNNING;

    private final ManualClock clock = new ManualClock(Instant.parse("2030-01-01T00:00:00Z"));
    private final ManualThreads threads = new ManualThreads(clock, new SplittableRandom(1));
    private final MemoryTimerStore store = new MemoryTimerStore();
    private final List<String> delivered = new ArrayList<>();
    private final List<Delivery> held = new ArrayList<>();
    private String failure = "";
    private boolean holds;
    private Tickwheel engine = open(30, 100_000);

    private Tickwheel open(int days, int deadPerQueue) {
        TickwheelBuilder builder = Tickwheel.builder(store)
                .clock(clock)
                .threads(threads)
                .random(new AtomicLong()::getAndIncrement)
                .retry(RetryPolicy.fixed(1, Duration.ofSeconds(1)))
                .deadTimers(Duration.ofDays(days), deadPerQueue)
                .queueDestination("q", new Destination("t", ""))
                .target("t", (attempt, delivery) -> {
                    if (holds) {
                        held.add(delivery);
                    } else if (failure.isEmpty()) {
                        delivered.add(attempt.key());
                        delivery.acknowledge();
                    } else {
                        delivery.answered(503);
                        delivery.fail(failure);
                    }
                });
        return builder.open();
    }

    private <T> T settled(CompletableFuture<T> answer) {
        threads.runUntilIdle();
        assertThat(answer).as("answered").isDone();
        return answer.join();
    }

    private BulkProgress ended(BulkRequest request) {
        Bulk run = engine.start(request);
        threads.advance(Duration.ofSeconds(2));
        return settled(run.done());
    }

    private void pending(String prefix, int number) {
        for (int i = 0; i < number; i++) {
            settled(engine.schedule("q", prefix + i, Duration.ofHours(1)));
        }
    }

    private void dead(String prefix, int number, String reason) {
        failure = reason;
        for (int i = 0; i < number; i++) {
            settled(engine.schedule("q", prefix + i, Duration.ZERO));
        }
        threads.runUntilIdle();
        failure = "";
        clock.advance(Duration.ofMillis(1));
    }

    private QueueCounts counts() {
        return settled(engine.queues()).stream()
                .filter(queue -> queue.queue().equals("q"))
                .findFirst()
                .orElse(new QueueCounts("q", 0, 0, 0));
    }

    @Test
    void cancelsWhatFitsAndNothingElse() {
        pending("a", 3);
        pending("b", 1_200);
        dead("b-dead", 2, "x");
        BulkProgress end = ended(BulkRequest.cancel(ALL.withKeyPrefix("b")).withPerSecond(100_000));
        assertThat(end.state()).isEqualTo(BulkProgress.State.DONE);
        assertThat(end.matched()).isEqualTo(1_200);
        assertThat(end.changed()).isEqualTo(1_200);
        assertThat(end.passed()).isZero();
        assertThat(end.endedAt()).isNotNull();
        assertThat(counts()).isEqualTo(new QueueCounts("q", 3, 0, 2));
    }

    @Test
    void lastAttemptThatRunsCountsAsCancelled() {
        holds = true;
        settled(engine.schedule("q", "a", Duration.ZERO));
        threads.runUntilIdle();
        assertThat(held).hasSize(1);
        BulkProgress end = ended(BulkRequest.cancel(ALL.withState(TimerState.CLAIMED)));
        assertThat(end.changed()).isEqualTo(1);
        held.get(0).fail("x");
        threads.runUntilIdle();
        assertThat(settled(engine.find("q", "a")))
                .get()
                .extracting(TimerView::state)
                .isEqualTo(TimerState.CANCELLED);
    }

    @Test
    void dryRunCountsAndChangesNothing() {
        dead("a", 3, "HTTP 503");
        dead("b", 2, "no connection to shop:80");
        pending("c", 4);
        BulkProgress end = ended(BulkRequest.purge(ALL).asDryRun());
        assertThat(end.matched()).isEqualTo(5);
        assertThat(end.changed()).isZero();
        assertThat(end.reasons()).isEqualTo(Map.of("HTTP 503", 3L, "no connection to shop:80", 2L));
        assertThat(ended(BulkRequest.cancel(ALL).asDryRun()).matched()).isEqualTo(4);
        assertThat(counts()).isEqualTo(new QueueCounts("q", 4, 0, 5));
    }

    @Test
    void deadTimersAreCountedByReasonAndTheCountIsNotListed() {
        dead("a", 3, "HTTP 503");
        dead("b", 2, "HTTP 400");
        CompletableFuture<DeadCounts> counts = engine.countDead(ALL.withKeyPrefix("a"));
        assertThat(settled(counts)).isEqualTo(new DeadCounts(3, Map.of("HTTP 503", 3L)));
        assertThat(settled(engine.countDead(ALL)).dead()).isEqualTo(5);
        assertThat(engine.bulks()).isEmpty();
        for (int i = 0; i < Bulk.MOST_RUNNING; i++) {
            assertThat(engine.countDead(ALL)).isNotDone();
        }
        assertThatThrownBy(() -> engine.countDead(ALL))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("16 counts go on, must be fewer than 16 for another one");
        threads.runUntilIdle();
        assertThat(settled(engine.countDead(ALL)).dead()).isEqualTo(5);
    }

    @Test
    void reasonsBeyondTheMostAreCountedTogether() {
        for (int i = 0; i < BulkProgress.MOST_REASONS + 7; i++) {
            dead("k" + i + "-", 1, "reason " + i);
        }
        Map<String, Long> reasons = ended(BulkRequest.purge(ALL).asDryRun()).reasons();
        assertThat(reasons).hasSize(BulkProgress.MOST_REASONS + 1).containsEntry(BulkProgress.OTHER_REASONS, 7L);
    }

    @Test
    void redrivesAtTheRateThatIsAskedForAndEachOnce() {
        dead("a", 100, "HTTP 503");
        Bulk run = engine.start(BulkRequest.redrive(ALL).withPerSecond(10));
        threads.advance(Duration.ofMillis(4_950));
        assertThat(delivered.size()).isBetween(48, 51);
        assertThat(run.progress().state()).isEqualTo(BulkProgress.State.RUNNING);
        threads.advance(Duration.ofMillis(4_900));
        assertThat(run.progress().state()).isEqualTo(BulkProgress.State.RUNNING);
        threads.advance(Duration.ofMillis(200));
        assertThat(settled(run.done()).changed()).isEqualTo(100);
        assertThat(delivered).hasSize(100).doesNotHaveDuplicates();
        assertThat(counts().dead()).isZero();
    }

    /** Else it would go on for ever: on a later page it would find what it has redriven from an earlier one. */
    @Test
    void whatDiesAgainIsNotRedrivenAgain() {
        dead("a", 1_100, "x");
        failure = "y";
        Bulk run = engine.start(BulkRequest.redrive(ALL).withPerSecond(100));
        threads.advance(Duration.ofSeconds(30));
        assertThat(settled(run.done()).changed()).isEqualTo(1_100);
        assertThat(settled(engine.find("q", "a3"))).get().satisfies(view -> {
            assertThat(view.state()).isEqualTo(TimerState.DEAD);
            assertThat(view.history()).extracting(PastAttempt::reason).containsExactly("x", "y");
            assertThat(view.history()).extracting(PastAttempt::status).containsExactly(503, 503);
        });
    }

    @Test
    void redrivesByReason() {
        dead("a", 3, "HTTP 503");
        dead("b", 2, "HTTP 400");
        BulkProgress end = ended(BulkRequest.redrive(ALL).withReason("HTTP 5").withPerSecond(100_000));
        assertThat(end.changed()).isEqualTo(3);
        threads.advance(Duration.ofSeconds(1));
        assertThat(delivered).containsExactlyInAnyOrder("a0", "a1", "a2");
    }

    @Test
    void purges() {
        dead("a", 3, "x");
        pending("b", 1);
        assertThat(ended(BulkRequest.purge(ALL)).changed()).isEqualTo(3);
        assertThat(counts()).isEqualTo(new QueueCounts("q", 1, 0, 0));
        assertThat(settled(engine.find("q", "a1"))).isEmpty();
    }

    @Test
    void runIsStoppedWithWhatItHasDone() {
        dead("a", 100, "x");
        Bulk run = engine.start(BulkRequest.purge(ALL).withPerSecond(10));
        threads.advance(Duration.ofSeconds(3));
        run.stop();
        threads.advance(Duration.ofSeconds(1));
        BulkProgress end = settled(run.done());
        assertThat(end.state()).isEqualTo(BulkProgress.State.STOPPED);
        assertThat(end.changed()).isBetween(29L, 32L);
        assertThat(counts().dead()).isEqualTo(100 - end.changed());
        threads.advance(Duration.ofSeconds(3));
        assertThat(counts().dead()).isEqualTo(100 - end.changed());
    }

    @Test
    void timerThatIsAnotherByThenIsPassedOver() {
        pending("a", 100);
        long soon = clock.now().plus(Duration.ofMinutes(90)).toEpochMilli();
        Bulk run = engine.start(BulkRequest.cancel(ALL.withDue(0, soon)).withPerSecond(10));
        threads.advance(Duration.ofMillis(300));
        settled(engine.schedule("q", "a8", Duration.ofHours(2)));
        settled(engine.cancel("q", "a7"));
        threads.advance(Duration.ofSeconds(11));
        BulkProgress end = settled(run.done());
        assertThat(end.passed()).isEqualTo(1);
        assertThat(end.changed()).isEqualTo(99);
        assertThat(settled(engine.find("q", "a8")))
                .get()
                .extracting(TimerView::state)
                .isEqualTo(TimerState.PENDING);
        assertThat(settled(engine.list(ALL)).timers()).hasSize(1);
    }

    /** It has died of something else since the page was read. */
    @Test
    void timerThatDiedAnewIsNotPurgedWithTheOthers() {
        dead("a", 30, "HTTP 503");
        Bulk run = engine.start(BulkRequest.purge(ALL).withReason("HTTP 503").withPerSecond(30));
        threads.advance(Duration.ofMillis(100));
        failure = "HTTP 404";
        settled(engine.redrive("q", "a29"));
        threads.advance(Duration.ofSeconds(3));
        assertThat(settled(run.done()).changed()).isEqualTo(29);
        assertThat(settled(run.done()).passed()).isEqualTo(1);
        assertThat(settled(engine.find("q", "a29")))
                .get()
                .satisfies(view -> assertThat(view.history())
                        .extracting(PastAttempt::reason)
                        .containsExactly("HTTP 503", "HTTP 404"));
    }

    /** The list is read again for each second of the run. */
    @Test
    void timerThatWasRescheduledOutOfTheTimeIsNotCancelled() {
        pending("a", 40);
        long soon = clock.now().plus(Duration.ofHours(2)).toEpochMilli();
        Bulk run = engine.start(BulkRequest.cancel(ALL.withDue(0, soon)).withPerSecond(10));
        threads.advance(Duration.ofMillis(300));
        settled(engine.reschedule("q", "a35", Duration.ofDays(10)));
        threads.advance(Duration.ofSeconds(10));
        assertThat(settled(run.done()).changed()).isEqualTo(39);
        assertThat(settled(engine.find("q", "a35")))
                .get()
                .extracting(TimerView::state)
                .isEqualTo(TimerState.PENDING);
    }

    @Test
    void runIsSuspendedWithItsEngine() {
        dead("a", 10, "x");
        Bulk run = engine.start(BulkRequest.purge(ALL).withPerSecond(1));
        threads.advance(Duration.ofSeconds(3));
        settled(engine.closeAsync());
        assertThat(settled(run.done()).state()).isEqualTo(BulkProgress.State.SUSPENDED);
        assertThatThrownBy(() -> engine.start(BulkRequest.purge(ALL)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
    }

    @Test
    void runsAreListedAndForgotten() {
        for (int i = 0; i < Bulk.MOST_REMEMBERED + 3; i++) {
            ended(BulkRequest.purge(ALL));
        }
        Bulk youngest = engine.start(BulkRequest.purge(ALL));
        assertThat(engine.bulks().get(0)).isSameAs(youngest);
        assertThat(engine.bulks()).hasSize(Bulk.MOST_REMEMBERED + 1);
    }

    @Test
    void storedRunsAreListedWithTheYoungestFirst() {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Bulk run = engine.start(BulkRequest.purge(ALL));
            threads.advance(Duration.ofSeconds(2));
            ids.add(0, run.id());
        }
        assertThat(settled(engine.bulkRuns())).extracting(BulkView::id).isEqualTo(ids);
    }

    /** The list of them has a bound, and those that go on stay in it, however old they are. */
    @Test
    void storedRunsThatGoOnAreNotForgottenForOthers() {
        pending("a", 500);
        Bulk oldest = engine.start(BulkRequest.cancel(ALL).withPerSecond(1));
        threads.advance(Duration.ofSeconds(2));
        for (int i = 0; i < MOST_STORED + 2; i++) {
            ended(BulkRequest.purge(ALL));
        }
        assertThat(settled(engine.bulkRuns())).hasSize(MOST_STORED);
        assertThat(oldest.progress().state()).isEqualTo(BulkProgress.State.RUNNING);
        settled(engine.closeAsync());
        engine = open(30, 100_000);
        assertThat(settled(engine.bulkRun(oldest.id()))).isPresent();
        assertThat(settled(engine.bulkRuns())).hasSize(MOST_STORED);
    }

    /** They are timers too, which are forgotten after a week, or for others. */
    @Test
    void runsThatAreForgottenCountAsTimersNoMore() {
        settled(engine.schedule("q", "far", Duration.ofDays(100)));
        for (int i = 0; i < Bulk.MOST_REMEMBERED + Bulk.MOST_RUNNING + 3; i++) {
            ended(BulkRequest.purge(ALL));
        }
        assertThat(engine.liveCount()).isEqualTo(1);
        threads.advance(Duration.ofDays(8));
        assertThat(engine.liveCount()).isEqualTo(1);
    }

    @Test
    void onlySoManyGoOnAtOnce() {
        dead("a", 100, "x");
        for (int i = 0; i < Bulk.MOST_RUNNING; i++) {
            engine.start(BulkRequest.purge(ALL).withPerSecond(1));
        }
        assertThatThrownBy(() -> engine.start(BulkRequest.purge(ALL)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("16 bulk runs go on, must be fewer than 16 for another one");
    }

    @Test
    void badRequestsAreRefusedByName() {
        assertThatThrownBy(() -> BulkRequest.cancel(ALL.withState(TimerState.DEAD)))
                .hasMessage("state is DEAD, must be PENDING or CLAIMED to be cancelled");
        assertThatThrownBy(() -> BulkRequest.redrive(ALL.withState(TimerState.PENDING)))
                .hasMessage("state is PENDING, must be DEAD in a REDRIVE");
        assertThatThrownBy(() -> BulkRequest.purge(ALL).withPerSecond(0))
                .hasMessage("perSecond is 0, must be 1 to 100000");
        assertThatThrownBy(() -> engine.start(BulkRequest.purge(TimerQuery.of(""))))
                .isInstanceOf(IllegalArgumentException.class);
    }

    // ---- how long dead timers are kept

    @Test
    void deadTimersAreKeptForTheirTime() {
        dead("old", 3, "x");
        threads.stall(Duration.ofDays(15));
        dead("young", 2, "x");
        threads.stall(Duration.ofDays(15).minusHours(2));
        threads.advance(Duration.ofSeconds(10));
        assertThat(counts().dead()).isEqualTo(5);
        threads.advance(Duration.ofMinutes(130));
        assertThat(counts().dead()).isEqualTo(2);
        assertThat(settled(engine.find("q", "young0"))).isPresent();
    }

    @Test
    void timerThatDiesAfterALookThatFoundNoneIsPurgedToo() {
        threads.advance(Duration.ofHours(3));
        dead("late", 1, "x");
        threads.advance(Duration.ofDays(29));
        assertThat(counts().dead()).isEqualTo(1);
        threads.advance(Duration.ofDays(2));
        assertThat(counts().dead()).isZero();
    }

    /** It was due long ago, and died just now. */
    @Test
    void timeCountsFromTheDeath() {
        settled(engine.schedule(TimerRequest.at("q", "a", clock.now().minus(Duration.ofDays(100)))));
        threads.runUntilIdle();
        assertThat(delivered).containsExactly("a");
        failure = "x";
        settled(engine.schedule(TimerRequest.at("q", "b", clock.now().minus(Duration.ofDays(100)))));
        threads.advance(Duration.ofHours(3));
        assertThat(counts().dead()).isEqualTo(1);
    }

    /** It began long before it ended. */
    @Test
    void timeCountsFromTheEndOfTheLastAttempt() {
        failure = "x";
        settled(engine.schedule(
                TimerRequest.after("q", "a", Duration.ZERO).withRetry(RetryPolicy.listed(Duration.ofDays(1)))));
        threads.runUntilIdle();
        holds = true;
        threads.advance(Duration.ofDays(1));
        threads.stall(Duration.ofDays(24));
        held.remove(0).fail("x");
        threads.advance(Duration.ofDays(29));
        assertThat(counts().dead()).isEqualTo(1);
        threads.advance(Duration.ofDays(2));
        assertThat(counts().dead()).isZero();
    }

    @Test
    void ofEachQueueOnlySoManyDeadTimersAreKept() {
        settled(engine.closeAsync());
        engine = open(30, 10);
        dead("a", 12, "x");
        settled(engine.changeQueue("r", QueueChange.set(QueueSettings.NONE.withTarget(new Destination("t", "")))));
        failure = "x";
        for (int i = 0; i < 12; i++) {
            settled(engine.schedule("r", "b" + i, Duration.ZERO));
        }
        threads.advance(Duration.ofHours(2));
        assertThat(settled(engine.queues()))
                .containsExactly(new QueueCounts("q", 0, 0, 10), new QueueCounts("r", 0, 0, 10));
    }

    @Test
    void deadTimersOfAQueueAreKeptAsIsSetOfIt() {
        dead("a", 12, "x");
        settled(engine.changeQueue("q", QueueChange.set(QueueSettings.NONE.withDeadPerQueue(7))));
        threads.advance(Duration.ofHours(2));
        assertThat(counts().dead()).isEqualTo(7);
        settled(engine.changeQueue("q", QueueChange.set(QueueSettings.NONE.withDeadFor(Duration.ofHours(5)))));
        threads.advance(Duration.ofHours(2));
        assertThat(counts().dead()).isEqualTo(7);
        threads.advance(Duration.ofHours(3));
        assertThat(counts().dead()).isZero();
    }

    @Test
    void runsAreNoTimersOfAnybodyAfterAStart() {
        settled(engine.schedule("q", "far", Duration.ofDays(100)));
        ended(BulkRequest.purge(ALL));
        settled(engine.closeAsync());
        engine = open(30, 100_000);
        threads.runUntilIdle();
        assertThat(engine.liveCount()).isEqualTo(1);
    }

    @Test
    void onlySoManyDeadTimersOfAQueueAreKept() {
        settled(engine.closeAsync());
        engine = open(30, 10);
        dead("a", 1_300, "x");
        dead("b", 10, "x");
        threads.advance(Duration.ofHours(2));
        assertThat(counts().dead()).isEqualTo(10);
        assertThat(settled(engine.list(ALL)).timers())
                .allSatisfy(view -> assertThat(view.key().key()).startsWith("b"));
    }
}
