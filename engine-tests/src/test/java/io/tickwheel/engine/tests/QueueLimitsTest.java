package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.engine.Bulk;
import io.tickwheel.engine.BulkRequest;
import io.tickwheel.engine.Delivery;
import io.tickwheel.engine.Destination;
import io.tickwheel.engine.QueueChange;
import io.tickwheel.engine.QueueSettings;
import io.tickwheel.engine.QuotaExceededException;
import io.tickwheel.engine.RateLimit;
import io.tickwheel.engine.SlowStart;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.recurrence.Overlap;
import io.tickwheel.recurrence.Recurrence;
import io.tickwheel.store.Answer;
import io.tickwheel.store.LimitGrant;
import io.tickwheel.store.LimitRequest;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.QueueCounts;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreUnavailableException;
import io.tickwheel.store.TimerQuery;
import io.tickwheel.store.TimerState;
import io.tickwheel.testkit.ManualClock;
import io.tickwheel.testkit.ManualThreads;
import io.tickwheel.testkit.MemoryTimerStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A quota and a rate of a queue where something else comes in between: a finished timer, a failure, another rate. */
final class QueueLimitsTest {

    private final ManualClock clock = new ManualClock(Instant.parse("2030-01-01T00:00:00Z"));
    private final ManualThreads threads = new ManualThreads(clock, new SplittableRandom(1));
    private final WatchedStore store = new WatchedStore(new MemoryTimerStore());
    private int started;
    private boolean holds;
    private boolean rejects;
    private final Tickwheel engine = Tickwheel.builder(store)
            .clock(clock)
            .threads(threads)
            .random(new SplittableRandom(2)::nextLong)
            .queueDestination("q", new Destination("t", ""))
            .target("t", (attempt, delivery) -> {
                started++;
                if (rejects) {
                    delivery.reject("x");
                } else if (!holds) {
                    delivery.acknowledge();
                }
            })
            .open();

    private <T> T settled(CompletableFuture<T> answer) {
        threads.runUntilIdle();
        assertThat(answer).as("answered").isDone();
        return answer.join();
    }

    private void set(QueueSettings settings) {
        settled(engine.changeQueue("q", QueueChange.set(settings)));
    }

    private CompletableFuture<Scheduled> schedule(String key) {
        CompletableFuture<Scheduled> answer = engine.schedule("q", key, Duration.ofHours(1));
        threads.runUntilIdle();
        assertThat(answer).as("answered").isDone();
        return answer;
    }

    @Test
    void queueThatMayStartSoonDoesNotWaitForOneThatMayStartLate() {
        set(QueueSettings.NONE.withRate(new RateLimit(10, 1)));
        settled(engine.changeQueue("slow", QueueChange.set(QueueSettings.NONE.withRate(new RateLimit(0.01, 1)))));
        for (int i = 0; i < 2; i++) {
            settled(engine.schedule("q", "k" + i, Duration.ZERO));
            settled(engine.schedule(
                    TimerRequest.after("slow", "k" + i, Duration.ZERO).withDestination(new Destination("t", ""))));
        }
        threads.runUntilIdle();
        assertThat(started).as("one of each").isEqualTo(2);
        threads.advance(Duration.ofMillis(100));
        assertThat(started).isEqualTo(3);
        threads.advance(Duration.ofMillis(99_900));
        assertThat(started).isEqualTo(4);
    }

    @Test
    void quotaHoldsForAKeyWhoseTimerHasFinished() {
        settled(engine.schedule("q", "done", Duration.ZERO));
        threads.runUntilIdle();
        assertThat(settled(engine.find("q", "done")).orElseThrow().state()).isEqualTo(TimerState.COMPLETED);
        set(QueueSettings.NONE.withMaxPending(2));
        schedule("a").join();
        schedule("b").join();
        assertThatThrownBy(() -> Tickwheel.await(schedule("done"))).isInstanceOf(QuotaExceededException.class);
        assertThat(engine.liveCount()).isEqualTo(2);
        schedule("b").join();
    }

    /** Whoever asks again after a lost answer must not be told that nothing was done. */
    @Test
    void requestThatComesAgainIsAnsweredInAFullQueue() {
        TimerRequest once = TimerRequest.after("q", "once", Duration.ZERO)
                .withOnConflict(OnConflict.ONCE)
                .withRequestHash(7);
        set(QueueSettings.NONE.withMaxPending(2));
        String id = settled(engine.schedule(once)).timer().id();
        assertThat(settled(engine.find("q", "once")).orElseThrow().state()).isEqualTo(TimerState.COMPLETED);
        schedule("a").join();
        threads.advance(Duration.ofSeconds(1));
        schedule("b").join();
        assertThatThrownBy(() -> Tickwheel.await(schedule("c"))).isInstanceOf(QuotaExceededException.class);
        Scheduled again = settled(engine.schedule(once));
        assertThat(again.timer().id()).isEqualTo(id);
        assertThat(again.timer().state()).isEqualTo(TimerState.COMPLETED);
        assertThat(again.requestHash()).isEqualTo(7);
        assertThat(engine.liveCount()).isEqualTo(2);
    }

    @Test
    void timersAreCountedAnewAfterACountThatFailed() {
        set(QueueSettings.NONE.withMaxPending(2));
        store.before("queues", (calendar, arguments) -> {
            store.before("", (other, none) -> false);
            ((Answer<?>) arguments[0]).fail(new StoreUnavailableException("away", true));
            return true;
        });
        assertThatThrownBy(() -> Tickwheel.await(schedule("a")))
                .isInstanceOfSatisfying(
                        StoreUnavailableException.class,
                        e -> assertThat(e.outcomeUnknown()).isFalse());
        schedule("a").join();
        schedule("b").join();
        assertThatThrownBy(() -> Tickwheel.await(schedule("c"))).isInstanceOf(QuotaExceededException.class);
    }

    /** For twenty seconds nothing was due, which does not count at a rate that was set a moment ago. */
    @Test
    void rateCountsFromTheMomentAtWhichItIsSet() {
        for (int i = 0; i < 50; i++) {
            settled(engine.schedule("q", "k" + i, Duration.ofSeconds(20)));
        }
        set(QueueSettings.NONE.withRate(new RateLimit(1, 1)));
        threads.advance(Duration.ofSeconds(20).minusMillis(1));
        set(QueueSettings.NONE.withRate(new RateLimit(10, 100)));
        threads.advance(Duration.ofMillis(1));
        assertThat(started).isEqualTo(1);
        threads.advance(Duration.ofSeconds(1));
        assertThat(started).isBetween(10, 11);
    }

    /** A replica that does not follow answers no claim, while tokens come as ever. */
    @Test
    void claimsThatWaitForTheStoreAreNoMoreThanMayStartInAQuarterOfASecond() {
        set(QueueSettings.NONE.withRate(new RateLimit(20, 1)));
        for (int i = 0; i < 200; i++) {
            settled(engine.schedule("q", "k" + i, Duration.ofSeconds(1)));
        }
        List<Runnable> claims = new ArrayList<>();
        store.hold("claim", claims);
        threads.advance(Duration.ofSeconds(5));
        assertThat(started).isZero();
        assertThat(claims).hasSize(5);
        store.hold("", List.of());
        claims.forEach(Runnable::run);
        threads.runUntilIdle();
        assertThat(started).as("those, and the one that has a token").isEqualTo(6);
        threads.advance(Duration.ofSeconds(2));
        assertThat(started).isBetween(45, 46);
    }

    @Test
    void burstMayBeClaimedAtOnce() {
        set(QueueSettings.NONE.withRate(new RateLimit(1, 10)));
        for (int i = 0; i < 20; i++) {
            settled(engine.schedule("q", "k" + i, Duration.ofSeconds(60)));
        }
        List<Runnable> claims = new ArrayList<>();
        store.hold("claim", claims);
        threads.advance(Duration.ofSeconds(62));
        assertThat(claims).hasSize(10);
        store.hold("", List.of());
        claims.forEach(Runnable::run);
        threads.runUntilIdle();
        assertThat(started).as("those, and what came meanwhile").isBetween(11, 12);
    }

    /** What gathers while nothing is due is the burst of the rate, however fast the slow start is. */
    @Test
    void slowStartLetsNoMoreStartAtOnceThanTheRate() {
        set(QueueSettings.NONE.withRate(new RateLimit(10, 1)).withSlowStart(SlowStart.of(1_000)));
        for (int i = 0; i < 20; i++) {
            settled(engine.schedule("q", "k" + i, Duration.ofSeconds(10)));
        }
        threads.advance(Duration.ofSeconds(10));
        assertThat(started).isEqualTo(1);
        threads.advance(Duration.ofSeconds(2));
        assertThat(started).isEqualTo(20);
    }

    /** Else a pause of ten minutes would leave nothing of it. */
    @Test
    void slowStartThatIsSetInAPauseBeginsWhenThatEnds() {
        set(QueueSettings.NONE.withPaused(true).withSlowStart(SlowStart.of(10)));
        assertThat(settled(engine.queue("q")).orElseThrow().settings().slowStart())
                .isEqualTo(SlowStart.of(10));
        for (int i = 0; i < 500; i++) {
            settled(engine.schedule("q", "k" + i, Duration.ZERO));
        }
        threads.advance(Duration.ofMinutes(20));
        assertThat(started).isZero();
        set(QueueSettings.NONE.withPaused(false));
        threads.advance(Duration.ofSeconds(2));
        assertThat(started).isBetween(30, 50);
        set(QueueSettings.NONE.withRate(new RateLimit(1_000, 10)));
        threads.advance(Duration.ofSeconds(2));
        assertThat(started).as("another change does not begin it anew").isBetween(100, 140);
        set(QueueSettings.NONE.withPaused(true));
        threads.advance(Duration.ofMinutes(20));
        int before = started;
        set(QueueSettings.NONE.withPaused(false));
        threads.advance(Duration.ofSeconds(2));
        assertThat(started - before).isBetween(30, 50);
    }

    @Test
    void quotaThatIsSetAgainCountsAnew() {
        set(QueueSettings.NONE.withMaxPending(2));
        schedule("a").join();
        schedule("b").join();
        settled(engine.changeQueue("q", QueueChange.set(QueueSettings.NONE).clearing(QueueSettings.Field.MAX_PENDING)));
        schedule("c").join();
        schedule("d").join();
        schedule("e").join();
        set(QueueSettings.NONE.withMaxPending(4));
        assertThatThrownBy(() -> Tickwheel.await(schedule("f"))).isInstanceOf(QuotaExceededException.class);
        assertThat(engine.liveCount()).isEqualTo(5);
    }

    @Test
    void scheduleThatWasNotHeldAgainstItsQuotaIsNotApplied() {
        set(QueueSettings.NONE.withMaxPending(1));
        schedule("a").join();
        store.before("find", (calendar, arguments) -> {
            ((Answer<?>) arguments[1]).fail(new StoreUnavailableException("away", true));
            return true;
        });
        assertThatThrownBy(() -> Tickwheel.await(schedule("b")))
                .isInstanceOfSatisfying(
                        StoreUnavailableException.class,
                        e -> assertThat(e.outcomeUnknown()).isFalse());
    }

    @Test
    void attemptsThatRunCountInAQuota() {
        holds = true;
        settled(engine.schedule("q", "a", Duration.ZERO));
        assertThat(started).isEqualTo(1);
        set(QueueSettings.NONE.withMaxPending(1));
        assertThatThrownBy(() -> Tickwheel.await(schedule("b"))).isInstanceOf(QuotaExceededException.class);
    }

    @Test
    void runsOfAPlanCountInAQuota() {
        holds = true;
        set(QueueSettings.NONE.withMaxPending(4));
        settled(engine.schedule(TimerRequest.recurring(
                "q", "plan", Recurrence.fixedRate(Duration.ofSeconds(1)).withOverlap(Overlap.ALLOW))));
        threads.advance(Duration.ofSeconds(5));
        assertThat(engine.liveCount()).isEqualTo(6);
        assertThatThrownBy(() -> Tickwheel.await(schedule("a"))).isInstanceOf(QuotaExceededException.class);
    }

    @Test
    void runsThatAreAskedForCountInAQuota() {
        set(QueueSettings.NONE.withMaxPending(4).withPaused(true));
        settled(engine.schedule(TimerRequest.recurring("q", "plan", Recurrence.fixedRate(Duration.ofDays(1)))));
        for (int i = 0; i < 3; i++) {
            settled(engine.runNow("q", "plan"));
            clock.advance(Duration.ofMillis(1));
        }
        assertThat(engine.liveCount()).isEqualTo(4);
        assertThatThrownBy(() -> Tickwheel.await(schedule("a"))).isInstanceOf(QuotaExceededException.class);
    }

    @Test
    void whatIsRedrivenCountsInAQuota() {
        dead(3);
        set(QueueSettings.NONE.withMaxPending(4).withPaused(true));
        schedule("a").join();
        for (int i = 0; i < 3; i++) {
            settled(engine.redrive("q", "dead" + i));
        }
        assertThat(engine.liveCount()).isEqualTo(4);
        assertThatThrownBy(() -> Tickwheel.await(schedule("b"))).isInstanceOf(QuotaExceededException.class);
    }

    @Test
    void whatABulkRunRedrivesCountsInAQuota() {
        dead(3);
        set(QueueSettings.NONE.withMaxPending(4).withPaused(true));
        schedule("a").join();
        Bulk run = engine.start(BulkRequest.redrive(TimerQuery.of("q")));
        threads.advance(Duration.ofSeconds(2));
        assertThat(settled(run.done()).changed()).isEqualTo(3);
        assertThatThrownBy(() -> Tickwheel.await(schedule("b"))).isInstanceOf(QuotaExceededException.class);
    }

    /** The count was made before, and is answered after. */
    @Test
    @SuppressWarnings("unchecked")
    void whatIsRedrivenWhileAQuotaIsCountedCounts() {
        dead(2);
        set(QueueSettings.NONE.withMaxPending(3).withPaused(true));
        List<Answer<List<QueueCounts>>> asked = new ArrayList<>();
        List<List<QueueCounts>> counted = new ArrayList<>();
        store.before("queues", (calendar, arguments) -> {
            asked.add((Answer<List<QueueCounts>>) arguments[0]);
            calendar.queues(new Answer<>() {

                @Override
                public void accept(List<QueueCounts> counts) {
                    counted.add(counts);
                }

                @Override
                public void fail(StoreException reason) {
                    throw reason;
                }
            });
            return true;
        });
        CompletableFuture<Scheduled> first = engine.schedule("q", "a", Duration.ofHours(1));
        threads.runUntilIdle();
        assertThat(counted).hasSize(1);
        settled(engine.redrive("q", "dead0"));
        settled(engine.redrive("q", "dead1"));
        store.before("work", (calendar, arguments) -> {
            store.before("", (other, none) -> false);
            asked.get(0).accept(counted.get(0));
            return false;
        });
        settled(engine.find("q", "a"));
        assertThat(settled(first).outcome()).isEqualTo(Scheduled.Outcome.CREATED);
        assertThatThrownBy(() -> Tickwheel.await(schedule("b"))).isInstanceOf(QuotaExceededException.class);
        assertThat(engine.liveCount()).isEqualTo(3);
        settled(engine.cancel("q", "dead0"));
        threads.advance(Duration.ofMillis(100));
        assertThat(schedule("b")).as("once").isCompleted();
    }

    /** Other nodes would wait until they lapse. */
    @Test
    void borrowedSlotsAreGivenBackByAClose() {
        List<LimitRequest> asked = new ArrayList<>();
        List<Delivery> running = new ArrayList<>();
        Tickwheel node = Tickwheel.builder(new WatchedStore(new MemoryTimerStore()).limited((request, answer) -> {
                    asked.add(request);
                    answer.accept(new LimitGrant(request.slots(), 5_000_000_000L, 0, 0, 0));
                }))
                .clock(clock)
                .threads(threads)
                .random(new SplittableRandom(3)::nextLong)
                .queueDestination("q", new Destination("t", ""))
                .target("t", (attempt, delivery) -> running.add(delivery))
                .open();
        settled(node.changeQueue("q", QueueChange.set(QueueSettings.NONE.withConcurrency(4))));
        settled(node.schedule("q", "a", Duration.ZERO));
        assertThat(running).hasSize(1);
        assertThat(asked).hasSize(1).allMatch(request -> request.slots() == 1);
        CompletableFuture<Void> closed = node.closeAsync();
        running.get(0).acknowledge();
        threads.advance(Duration.ofSeconds(1));
        assertThat(closed).isCompleted();
        assertThat(asked.get(asked.size() - 1).slots()).isZero();
    }

    private void dead(int timers) {
        rejects = true;
        for (int i = 0; i < timers; i++) {
            settled(engine.schedule("q", "dead" + i, Duration.ZERO));
            assertThat(settled(engine.find("q", "dead" + i)).orElseThrow().state())
                    .isEqualTo(TimerState.DEAD);
        }
        rejects = false;
    }

    @Test
    void queueOfWhichSomethingIsConfiguredIsListed() {
        assertThat(settled(engine.queues())).containsExactly(new QueueCounts("q", 0, 0, 0));
    }
}
