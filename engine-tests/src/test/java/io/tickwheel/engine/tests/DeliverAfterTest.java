package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.BulkRequest;
import io.tickwheel.engine.LeaseRequest;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.store.TimerQuery;
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

/** Timers wait until they may be delivered, and commands do not. */
class DeliverAfterTest {

    private final ManualClock clock = new ManualClock(Instant.parse("2030-01-01T00:00:00Z"));
    private final ManualThreads threads = new ManualThreads(clock, new SplittableRandom(1));
    private final CompletableFuture<String> allowed = new CompletableFuture<>();
    private final List<String> delivered = new ArrayList<>();

    private Tickwheel held() {
        Tickwheel engine = Tickwheel.builder(new MemoryTimerStore())
                .clock(clock)
                .threads(threads)
                .random(new SplittableRandom(2)::nextLong)
                .deliverAfter(allowed)
                .open();
        engine.handle("q", attempt -> delivered.add(attempt.timer().key() + attempt.number()));
        assertThat(settled(engine.schedule("q", "k", Duration.ZERO))
                        .timer()
                        .key()
                        .key())
                .isEqualTo("k");
        threads.advance(Duration.ofHours(1));
        threads.runUntilIdle();
        return engine;
    }

    private <T> T settled(CompletableFuture<T> answer) {
        threads.runUntilIdle();
        assertThat(answer).isDone();
        return answer.join();
    }

    @Test
    void nothingIsDeliveredBefore() {
        Tickwheel engine = held();
        assertThat(delivered).isEmpty();
        assertThat(settled(engine.find("q", "k")).orElseThrow().attempts()).isZero();
        allowed.complete("yes");
        threads.runUntilIdle();
        assertThat(delivered).containsExactly("k1");
    }

    @Test
    void nothingIsLeasedAndNoBulkRunGoesOnBefore() {
        Tickwheel engine = held();
        settled(engine.schedule("pulled", "job", Duration.ZERO));
        settled(engine.schedule("other", "k", Duration.ofDays(1)));
        CompletableFuture<?> leases =
                engine.lease(new LeaseRequest("pulled", 1, Duration.ofSeconds(20), Duration.ofMinutes(1)));
        engine.start(BulkRequest.cancel(TimerQuery.of("other")));
        threads.advance(Duration.ofSeconds(10));
        threads.runUntilIdle();
        assertThat(leases).isNotDone();
        assertThat(engine.liveCount()).isEqualTo(3);
        allowed.complete("yes");
        assertThat((List<?>) settled(leases)).hasSize(1);
        threads.advance(Duration.ofSeconds(5));
        threads.runUntilIdle();
        assertThat(settled(engine.find("other", "k")).orElseThrow().state().isFinished())
                .isTrue();
    }

    @Test
    void nothingIsDeliveredEverWhenItFails() {
        Tickwheel engine = held();
        allowed.completeExceptionally(new IllegalStateException("no"));
        threads.advance(Duration.ofHours(1));
        threads.runUntilIdle();
        assertThat(delivered).isEmpty();
        assertThat(settled(engine.find("q", "k")).orElseThrow().attempts()).isZero();
        threads.advance(Duration.ofHours(1));
        threads.runUntilIdle();
        assertThat(delivered).as("however often the loop turns").isEmpty();
        CompletableFuture<?> closed = engine.closeAsync();
        threads.runUntilIdle();
        assertThat(closed).isCompleted();
    }
}
