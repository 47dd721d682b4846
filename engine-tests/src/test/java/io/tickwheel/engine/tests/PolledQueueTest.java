package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.ConsumerOptions;
import io.tickwheel.engine.EngineListener;
import io.tickwheel.engine.Lease;
import io.tickwheel.engine.LeaseConsumer;
import io.tickwheel.engine.LeaseRequest;
import io.tickwheel.engine.QueueChange;
import io.tickwheel.engine.QueueSettings;
import io.tickwheel.engine.RateLimit;
import io.tickwheel.engine.Tickwheel;
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

/** What polls that are gone leave to the next one, and what the next one finds of timers that were not at hand. */
final class PolledQueueTest {

    private static final LeaseRequest TEN =
            LeaseRequest.of("q").withMax(10).withWait(Duration.ofSeconds(20)).withTtl(Duration.ofMinutes(10));

    private final ManualClock clock = new ManualClock(Instant.parse("2030-01-01T00:00:00Z"));
    private final ManualThreads threads = new ManualThreads(clock, new SplittableRandom(1));
    private final List<String> leased = new ArrayList<>();
    private int released;

    private Tickwheel open() {
        WatchedStore store = new WatchedStore(new MemoryTimerStore());
        store.before("release", (calendar, arguments) -> {
            released++;
            return false;
        });
        Tickwheel engine = Tickwheel.builder(store)
                .clock(clock)
                .threads(threads)
                .random(new SplittableRandom(2)::nextLong)
                .listener(new EngineListener() {
                    @Override
                    public void started(Attempt attempt) {
                        leased.add(attempt.key());
                    }
                })
                .open();
        threads.runUntilIdle();
        return engine;
    }

    private <T> T settled(CompletableFuture<T> answer) {
        threads.runUntilIdle();
        assertThat(answer).as("answered").isDone();
        return answer.join();
    }

    private void schedule(Tickwheel engine, int timers) {
        for (int i = 0; i < timers; i++) {
            settled(engine.schedule("q", "k" + i, Duration.ZERO));
        }
    }

    /** What a poll brings within a moment. */
    private List<Lease> lease(Tickwheel engine) {
        CompletableFuture<List<Lease>> answer = engine.lease(TEN);
        threads.advance(Duration.ofMillis(300));
        return settled(answer);
    }

    @Test
    void closedConsumerLeavesNoPollBehind() {
        Tickwheel engine = open();
        LeaseConsumer consumer = engine.consume("q", ConsumerOptions.DEFAULTS, attempt -> {});
        threads.runUntilIdle();
        settled(consumer.closeAsync());
        schedule(engine, 3);
        threads.advance(Duration.ofSeconds(1));
        assertThat(leased).as("for nobody").isEmpty();
        assertThat(lease(engine)).hasSize(3).allMatch(lease -> lease.attempt().number() == 1);
    }

    /** A poll goes away at each step from its beginning to its answer. */
    @Test
    void whatWasGatheredForAPollThatIsGoneTakesNothingOfTheRate() {
        int undone = 0;
        for (int steps = 0; steps < 12; steps++) {
            leased.clear();
            released = 0;
            Tickwheel engine = open();
            settled(engine.changeQueue("q", QueueChange.set(QueueSettings.NONE.withRate(new RateLimit(1, 1)))));
            schedule(engine, 1);
            CompletableFuture<List<Lease>> gone = engine.lease(TEN);
            for (int step = 0; step < steps; step++) {
                threads.step();
            }
            gone.cancel(false);
            threads.runUntilIdle();
            if (leased.isEmpty() && released > 0) {
                undone++;
                assertThat(lease(engine)).as("gone after %d steps", steps).hasSize(1);
            }
            settled(engine.closeAsync());
        }
        assertThat(undone).as("polls that went away with a timer").isPositive();
    }

    /** Of what nobody asks for two timers are kept at hand; both are cancelled. */
    @Test
    void pollGetsTimersOfWhichNoneIsAtHandAnyMore() {
        Tickwheel engine = open();
        schedule(engine, 10);
        CompletableFuture<List<Lease>> first = engine.lease(TEN.withMax(1));
        assertThat(settled(first)).hasSize(1);
        threads.advance(Duration.ofSeconds(3));
        settled(engine.cancel("q", "k1"));
        settled(engine.cancel("q", "k2"));
        assertThat(lease(engine)).hasSize(7);
    }

    @Test
    void leaseThatWasGivenBetweenTwoMillisecondsEndsNoSooner() {
        Tickwheel engine = open();
        schedule(engine, 1);
        threads.advance(Duration.ofNanos(1_700_000));
        List<Lease> leases = settled(engine.lease(TEN.withMax(1)));
        assertThat(leases).hasSize(1);
        threads.advance(TEN.ttl().minusNanos(1));
        settled(engine.acknowledge(leases.get(0).id()));
        assertThat(engine.liveCount()).isZero();
    }
}
