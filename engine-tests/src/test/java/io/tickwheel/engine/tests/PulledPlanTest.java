package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Lease;
import io.tickwheel.engine.LeaseRequest;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.recurrence.Recurrence;
import io.tickwheel.store.TimerState;
import io.tickwheel.testkit.ManualClock;
import io.tickwheel.testkit.ManualThreads;
import io.tickwheel.testkit.MemoryTimerStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A recurring timer in a queue that consumers ask for: its runs are leased, and it makes them while somebody asks. */
class PulledPlanTest {

    private final ManualClock clock = new ManualClock(Instant.parse("2030-01-01T00:00:00Z"));
    private final ManualThreads threads = new ManualThreads(clock, new SplittableRandom(1));
    private final Tickwheel engine = Tickwheel.builder(new MemoryTimerStore())
            .clock(clock)
            .threads(threads)
            .random(new SplittableRandom(2)::nextLong)
            .open();

    private <T> T settled(CompletableFuture<T> answer) {
        threads.runUntilIdle();
        assertThat(answer).as("answered").isDone();
        return answer.join();
    }

    private void schedule() {
        settled(engine.schedule(TimerRequest.recurring("q", "k", Recurrence.fixedRate(Duration.ofMinutes(1)))));
    }

    private List<Lease> poll(int max) {
        CompletableFuture<List<Lease>> answer =
                engine.lease(LeaseRequest.of("q").withMax(max).withWait(Duration.ofSeconds(60)));
        threads.advance(Duration.ofSeconds(61));
        return settled(answer);
    }

    @Test
    void eachLeaseIsTheNextRun() {
        schedule();
        for (int number = 1; number <= 20; number++) {
            // Were the claim of the plan still wanted, or counted, the poll would get nothing.
            List<Lease> leases = poll(1 + number % 2);
            assertThat(leases).as("run %d", number).hasSize(1);
            assertThat(leases.get(0).attempt().run()).hasValue(number);
            assertThat(leases.get(0).attempt().key()).isEqualTo("k");
            assertThat(engine.stats().running()).isEqualTo(1);
            settled(engine.acknowledge(leases.get(0).id()));
            assertThat(engine.stats().running()).isZero();
        }
        assertThat(settled(engine.find("q", "k")).orElseThrow().state()).isEqualTo(TimerState.PENDING);
        assertThat(engine.liveCount()).isEqualTo(1);
    }

    /** The poll gets the run, and what it asked for the plan is undone. */
    @Test
    void nothingIsHeldForThePlanWhenItsRunIsLeased() {
        schedule();
        assertThat(poll(1)).hasSize(1);
        for (int i = 0; i < 5; i++) {
            settled(engine.schedule("q", "other" + i, Duration.ZERO));
        }
        CompletableFuture<List<Lease>> others =
                engine.lease(LeaseRequest.of("q").withMax(10));
        threads.advance(Duration.ofMillis(300));
        assertThat(settled(others))
                .extracting(lease -> lease.attempt().key())
                .containsExactlyInAnyOrder("other0", "other1", "other2", "other3", "other4");
    }

    /** Nobody would take its runs: then they are missed ones. */
    @Test
    void planWaitsWhileNobodyAsks() {
        schedule();
        threads.advance(Duration.ofMinutes(10));
        assertThat(settled(engine.runs("q", "k"))).isEmpty();
        assertThat(engine.liveCount()).isEqualTo(1);
        CompletableFuture<List<Lease>> answer =
                engine.lease(LeaseRequest.of("q").withMax(10).withWait(Duration.ofSeconds(1)));
        threads.advance(Duration.ofSeconds(2));
        List<Lease> leases = settled(answer);
        assertThat(leases).as("one for all that were missed").hasSize(1);
        settled(engine.acknowledge(leases.get(0).id()));
        assertThat(poll(10)).as("the next one at its time").hasSize(1);
    }
}
