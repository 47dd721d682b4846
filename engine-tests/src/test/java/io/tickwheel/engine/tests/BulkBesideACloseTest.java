package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.engine.Bulk;
import io.tickwheel.engine.BulkProgress;
import io.tickwheel.engine.BulkRequest;
import io.tickwheel.engine.Clock;
import io.tickwheel.engine.DeadCounts;
import io.tickwheel.engine.RetryPolicy;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.store.StoreUnavailableException;
import io.tickwheel.store.TimerQuery;
import io.tickwheel.testkit.ManualClock;
import io.tickwheel.testkit.ManualThreads;
import io.tickwheel.testkit.MemoryTimerStore;
import java.time.Duration;
import java.time.Instant;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Bulk runs and counts that are asked for while an engine closes: whoever asks is refused or answered, and the close waits for none of them. */
final class BulkBesideACloseTest {

    private static final TimerQuery ALL = TimerQuery.of("q");

    private final ManualClock time = new ManualClock(Instant.parse("2030-01-01T00:00:00Z"));
    private final ManualThreads threads = new ManualThreads(time, new SplittableRandom(1));

    /** Runs when somebody looks at the clock next. */
    private Runnable atNextLook = () -> {};

    /** Runs when somebody measures time next. */
    private Runnable atNextMeasure = () -> {};

    private final Clock clock = new Clock() {

        @Override
        public Instant now() {
            Runnable now = atNextLook;
            atNextLook = () -> {};
            now.run();
            return time.now();
        }

        @Override
        public long monoNanos() {
            Runnable now = atNextMeasure;
            atNextMeasure = () -> {};
            now.run();
            return time.monoNanos();
        }
    };

    private final Tickwheel engine = Tickwheel.builder(new MemoryTimerStore())
            .clock(clock)
            .threads(threads)
            .random(new SplittableRandom(2)::nextLong)
            .retry(RetryPolicy.fixed(1, Duration.ofSeconds(1)))
            .drainTimeout(Duration.ofSeconds(10))
            .open();

    /** The engine closes, and its loop ends, while a run is made of what was asked. */
    private void closeWhileAsked() {
        threads.runUntilIdle();
        atNextLook = () -> {
            CompletableFuture<Void> closed = engine.closeAsync();
            threads.runUntilIdle();
            assertThat(closed).isCompleted();
        };
    }

    @Test
    void runThatIsAskedForBesideTheEndIsRefused() {
        closeWhileAsked();
        assertThatThrownBy(() -> engine.start(BulkRequest.cancel(ALL)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the engine is closed");
        assertThat(engine.bulks()).isEmpty();
    }

    @Test
    void countThatIsAskedForBesideTheEndIsRefused() {
        closeWhileAsked();
        assertThatThrownBy(() -> engine.countDead(ALL))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the engine is closed");
    }

    /** Adds what is asked for in the last turn of the loop, when it has looked what there is for the last time. */
    private <T> T addedInTheLastTurn(Supplier<T> asking) throws Exception {
        threads.runUntilIdle();
        CountDownLatch asks = new CountDownLatch(1);
        CountDownLatch isLastTurn = new CountDownLatch(1);
        atNextLook = () -> {
            asks.countDown();
            await(isLastTurn);
        };
        CompletableFuture<T> asked = CompletableFuture.supplyAsync(asking);
        await(asks);
        CompletableFuture<Void> closed = engine.closeAsync();
        assertThat(threads.step()).as("it learns that it is to close").isTrue();
        atNextMeasure = () -> {
            isLastTurn.countDown();
            asked.join();
        };
        threads.runUntilIdle();
        assertThat(closed).isCompleted();
        return asked.get(60, TimeUnit.SECONDS);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void runThatIsAddedInTheLastTurnEnds() throws Exception {
        Bulk run = addedInTheLastTurn(() -> engine.start(BulkRequest.cancel(ALL)));
        assertThat(run.done()).isCompleted();
        assertThat(run.progress().state()).isEqualTo(BulkProgress.State.FAILED);
        assertThat(run.progress().failure()).isEqualTo("the engine is closed");
    }

    @Test
    void countThatIsAddedInTheLastTurnEnds() throws Exception {
        CompletableFuture<DeadCounts> count = addedInTheLastTurn(() -> engine.countDead(ALL));
        assertThat(count)
                .isCompletedExceptionally()
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .havingCause()
                .withMessageContaining("the engine is closed");
    }

    @Test
    void countThatBeginsWhileTheEngineClosesDoesNotHoldItUp() {
        for (int i = 0; i < 3_000; i++) {
            var unused = engine.schedule("q", "k" + i, Duration.ZERO);
        }
        engine.handle("q", attempt -> {
            throw new IllegalArgumentException("no");
        });
        threads.advance(Duration.ofSeconds(1));
        atNextLook = () -> {
            var unused = engine.closeAsync();
        };
        CompletableFuture<DeadCounts> count = engine.countDead(ALL);
        threads.runUntilIdle();
        assertThat(count)
                .isCompletedExceptionally()
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(StoreUnavailableException.class)
                .withMessage("the dead timers were not counted: STOPPED");
        assertThat(engine.closeAsync()).isCompleted();
    }
}
