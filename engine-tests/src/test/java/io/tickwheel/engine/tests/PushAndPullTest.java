package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Delivery;
import io.tickwheel.engine.Lease;
import io.tickwheel.engine.LeaseRequest;
import io.tickwheel.engine.QueueChange;
import io.tickwheel.engine.QueueNotPulledException;
import io.tickwheel.engine.QueueSettings;
import io.tickwheel.engine.RateLimit;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.engine.WaitingQueue;
import io.tickwheel.store.QueueCounts;
import io.tickwheel.testkit.MemoryTimerStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What is pulled beside what is pushed: which queues may be asked for leases, and what both share. */
final class PushAndPullTest extends LeaseScene {

    @Test
    void pauseRateAndConcurrencyAreThoseOfTheQueue() {
        Tickwheel engine = open(new MemoryTimerStore());
        schedule(engine, 20);
        settled(engine.changeQueue("q", QueueChange.pause()));
        assertThat(lease(engine, TEN)).isEmpty();
        settled(engine.changeQueue("q", QueueChange.resume()));
        settled(engine.changeQueue("q", QueueChange.set(QueueSettings.NONE.withConcurrency(3))));
        List<Lease> three = lease(engine, TEN);
        assertThat(three).hasSize(3);
        assertThat(lease(engine, TEN)).isEmpty();
        CompletableFuture<List<Lease>> poll = engine.lease(TEN.withWait(TTL));
        threads.advance(Duration.ofSeconds(1));
        settled(engine.acknowledge(three.get(0).id()));
        threads.advance(Duration.ofSeconds(1));
        assertThat(settled(poll)).hasSize(1);
        settled(engine.changeQueue(
                "q",
                QueueChange.set(QueueSettings.NONE.withRate(new RateLimit(1, 2)))
                        .clearing(QueueSettings.Field.CONCURRENCY)));
        int leased = 0;
        for (int second = 0; second < 5; second++) {
            leased += lease(engine, TEN).size();
            threads.advance(Duration.ofSeconds(1));
        }
        assertThat(leased).isBetween(4, 7);
    }

    @Test
    void leasesCountInTheConcurrencyOfWhatIsPushed() {
        Tickwheel engine = open(new MemoryTimerStore());
        settled(engine.changeQueue("q", QueueChange.set(QueueSettings.NONE.withConcurrency(2))));
        schedule(engine, 1);
        Lease lease = one(engine);
        for (int i = 0; i < 3; i++) {
            settled(engine.schedule(
                    TimerRequest.after("q", "own" + i, Duration.ZERO).withDestination(HELD)));
        }
        threads.advance(Duration.ofSeconds(1));
        assertThat(pushed).as("one is leased").hasSize(1);
        settled(engine.acknowledge(lease.id()));
        threads.advance(Duration.ofSeconds(1));
        assertThat(pushed).hasSize(2);
    }

    @Test
    void timersWithADestinationOfTheirOwnArePushed() {
        Tickwheel engine = open(new MemoryTimerStore());
        schedule(engine, 1);
        settled(engine.schedule(TimerRequest.after("q", "own", Duration.ZERO).withDestination(HELD)));
        assertThat(keys(lease(engine, TEN))).containsExactly("k0");
        threads.advance(Duration.ofSeconds(1));
        assertThat(pushed).extracting(Attempt::key).containsExactly("own");
    }

    @Test
    void queueThatIsPushedRefusesPolls() {
        Tickwheel engine = open(new MemoryTimerStore());
        CompletableFuture<List<Lease>> refused = engine.lease(LeaseRequest.of("pushed"));
        threads.runUntilIdle();
        assertThatThrownBy(refused::join)
                .hasCauseInstanceOf(QueueNotPulledException.class)
                .hasMessageContaining("queue pushed has a handler or a target");
        CompletableFuture<List<Lease>> waits = engine.lease(TEN.withWait(TTL));
        threads.runUntilIdle();
        assertThat(waits).isNotDone();
        List<String> handled = new ArrayList<>();
        engine.handle("q", attempt -> handled.add(attempt.key()));
        threads.runUntilIdle();
        assertThat(waits).isDone();
        assertThatThrownBy(waits::join).hasCauseInstanceOf(QueueNotPulledException.class);
        schedule(engine, 1);
        threads.advance(Duration.ofSeconds(1));
        assertThat(handled).containsExactly("k0");
        engine.removeHandler("q");
        schedule(engine, 1);
        assertThat(lease(engine, TEN)).hasSize(1);
        assertThat(engine.stats().running()).isEqualTo(1);
    }

    @Test
    void handlerTakesOverWhatNobodyLeases() {
        Tickwheel engine = open(new MemoryTimerStore(), builder -> builder.loadedTimers(1_024));
        schedule(engine, 5_000);
        assertThat(lease(engine, TEN)).hasSize(10);
        threads.advance(Duration.ofSeconds(3));
        List<String> handled = new ArrayList<>();
        engine.handle("q", attempt -> handled.add(attempt.key()));
        threads.advance(Duration.ofSeconds(10));
        assertThat(handled).hasSize(4_990);
    }

    @Test
    void queueThatNobodyAsksForHoldsNoPlaceOfOthers() {
        MemoryTimerStore store = new MemoryTimerStore();
        Tickwheel engine = open(store, builder -> builder.loadedTimers(1_024));
        schedule(engine, 3_000);
        assertThat(lease(engine, TEN)).hasSize(10);
        threads.advance(Duration.ofMillis(2_500));
        assertThat(engine.stats().waiting())
                .extracting(WaitingQueue::queue, WaitingQueue::reason)
                .containsExactly(tuple("q", WaitingQueue.Reason.UNASKED));
        threads.advance(Duration.ofSeconds(5));
        assertThat(engine.stats().waiting())
                .extracting(WaitingQueue::queue, WaitingQueue::reason)
                .containsExactly(tuple("q", WaitingQueue.Reason.NO_TARGET));
        assertThat(store.loadedCount()).isZero();
        schedule(engine, "pushed", 0, 200, Duration.ofSeconds(1));
        threads.advance(Duration.ofSeconds(12));
        assertThat(pushed).hasSize(200);
        assertThat(lease(engine, TEN)).as("it is loaded again").hasSize(10);
    }

    @Test
    void hungPushesDoNotStopLeasesNorTheOtherWayRound() {
        Tickwheel engine = open(new MemoryTimerStore());
        schedule(engine, "pushed", 0, 600, Duration.ZERO);
        threads.advance(Duration.ofSeconds(15));
        int hung = pushed.size();
        assertThat(hung).isEqualTo(256);
        schedule(engine, 300);
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            leases.addAll(lease(engine, TEN.withTtl(Duration.ofHours(1))));
        }
        assertThat(leases).hasSize(300);
        running.forEach(Delivery::acknowledge);
        running.clear();
        threads.advance(Duration.ofSeconds(1));
        assertThat(pushed).hasSizeGreaterThan(hung + 200);
        assertThat(settled(engine.queues())).contains(new QueueCounts("q", 0, 300, 0));
    }

    @Test
    void leasesAreGivenWhileAllThatMayRunHangs() {
        Tickwheel engine =
                open(new MemoryTimerStore(), builder -> builder.attemptsInAll(4).attemptsPerQueue(4));
        schedule(engine, "pushed", 0, 20, Duration.ZERO);
        threads.advance(Duration.ofSeconds(2));
        assertThat(pushed).hasSize(4);
        schedule(engine, 20);
        assertThat(lease(engine, TEN)).hasSize(10);
        assertThat(lease(engine, TEN)).hasSize(10);
    }

    /** Another one is being claimed for it. */
    @Test
    void pollThatHasSomethingIsAnsweredWithItWhenItsQueueGetsAHandler() {
        WatchedStore store = new WatchedStore(new MemoryTimerStore());
        Tickwheel engine = open(store);
        schedule(engine, 2);
        int[] claims = {0};
        store.before("claim", (calendar, arguments) -> ++claims[0] == 2);
        CompletableFuture<List<Lease>> answer = engine.lease(TEN.withWait(Duration.ofSeconds(5)));
        threads.runUntilIdle();
        assertThat(claims[0]).isEqualTo(2);
        assertThat(answer).isNotDone();
        engine.handle("q", attempt -> {});
        assertThat(settled(answer)).hasSize(1);
    }
}
