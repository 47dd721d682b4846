package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.engine.Destination;
import io.tickwheel.engine.QueueChange;
import io.tickwheel.engine.QueueSettings;
import io.tickwheel.engine.QuotaExceededException;
import io.tickwheel.engine.RateLimit;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.store.Answer;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreUnavailableException;
import io.tickwheel.store.TimerState;
import io.tickwheel.testkit.ManualClock;
import io.tickwheel.testkit.ManualThreads;
import io.tickwheel.testkit.MemoryTimerStore;
import java.time.Duration;
import java.time.Instant;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A quota and a rate of a queue where something else comes in between: a finished timer, a failure, another rate. */
final class QueueLimitsTest {

    private final ManualClock clock = new ManualClock(Instant.parse("2030-01-01T00:00:00Z"));
    private final ManualThreads threads = new ManualThreads(clock, new SplittableRandom(1));
    private final WatchedStore store = new WatchedStore(new MemoryTimerStore());
    private int started;
    private final Tickwheel engine = Tickwheel.builder(store)
            .clock(clock)
            .threads(threads)
            .random(new SplittableRandom(2)::nextLong)
            .queueDestination("q", new Destination("t", ""))
            .target("t", (attempt, delivery) -> {
                started++;
                delivery.acknowledge();
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
}
