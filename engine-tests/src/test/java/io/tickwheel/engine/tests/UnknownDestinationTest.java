package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Delivery;
import io.tickwheel.engine.Destination;
import io.tickwheel.engine.EngineListener;
import io.tickwheel.engine.LeaseRequest;
import io.tickwheel.engine.RetryPolicy;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.testkit.ManualClock;
import io.tickwheel.testkit.ManualThreads;
import io.tickwheel.testkit.MemoryTimerStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How many attempts start while nobody knows whether their destination is to be reached. */
final class UnknownDestinationTest {

    private final ManualClock clock = new ManualClock(Instant.parse("2030-01-01T00:00:00Z"));
    private final ManualThreads threads = new ManualThreads(clock, new SplittableRandom(1));
    private final List<Delivery> hung = new ArrayList<>();
    private final Set<String> attempted = new HashSet<>();
    private final List<String> order = new ArrayList<>();
    private boolean hangs;
    private boolean isDown;
    private int attempts;

    private final Tickwheel engine = Tickwheel.builder(new MemoryTimerStore())
            .clock(clock)
            .threads(threads)
            .random(() -> 0)
            .target("t", this::deliver)
            .listener(new EngineListener() {
                @Override
                public void started(Attempt attempt) {
                    order.add("started");
                }
            })
            .open();

    @AfterEach
    void close() {
        done(engine.closeAsync());
    }

    private void deliver(Attempt attempt, Delivery delivery) {
        attempts++;
        attempted.add(attempt.key());
        if (hangs) {
            hung.add(delivery);
        } else if (isDown) {
            delivery.unreachable("nobody is there");
        } else {
            delivery.acknowledge();
        }
    }

    private void scheduleAtOnce(int count) {
        for (int i = 0; i < count; i++) {
            done(engine.schedule(TimerRequest.at("q", "k" + i, clock.now().plusSeconds(1))
                    .withRetry(RetryPolicy.fixed(1, Duration.ofMillis(10)))
                    .withDestination(new Destination("t", "somewhere"))));
        }
        threads.advance(Duration.ofSeconds(1));
    }

    private List<Delivery> takeHung() {
        List<Delivery> taken = List.copyOf(hung);
        hung.clear();
        return taken;
    }

    @Test
    void burstIntoAnOutageThatWasNotKnownCostsTwentyAttempts() {
        isDown = true;
        hangs = true;
        scheduleAtOnce(200);
        hangs = false;
        assertThat(hung).hasSize(20);
        threads.advance(Duration.ofMillis(900));
        takeHung().forEach(attempt -> attempt.unreachable("nobody is there"));
        threads.advance(Duration.ofSeconds(1));
        assertThat(attempts).as("twenty, and after 100, 300 and 700 ms").isEqualTo(23);
        isDown = false;
        threads.advance(Duration.ofSeconds(2));
        assertThat(engine.stats().dead()).isEqualTo(23);
        assertThat(attempts).isEqualTo(200);
    }

    @Test
    void firstThatReachesSomebodyLetsTheOthersStartAtOnce() {
        hangs = true;
        scheduleAtOnce(200);
        assertThat(hung).hasSize(20);
        hung.remove(7).acknowledge();
        threads.advance(Duration.ofMillis(1));
        assertThat(attempts).isEqualTo(200);
        takeHung().forEach(Delivery::acknowledge);
    }

    @Test
    void twentyMoreStartEachSecondWhereNoneEnds() {
        hangs = true;
        scheduleAtOnce(100);
        threads.advance(Duration.ofMillis(999));
        assertThat(hung).hasSize(20);
        threads.advance(Duration.ofMillis(1));
        assertThat(hung).hasSize(40);
        threads.advance(Duration.ofSeconds(3));
        assertThat(hung).hasSize(100);
        takeHung().forEach(Delivery::acknowledge);
    }

    @Test
    void destinationThatWasThereIsUnknownAfterAMinute() {
        scheduleAtOnce(1);
        threads.advance(Duration.ofSeconds(58));
        hangs = true;
        scheduleAtOnce(100);
        assertThat(hung).as("a minute less a millisecond or so").hasSize(100);
        takeHung().forEach(Delivery::acknowledge);
        threads.advance(Duration.ofSeconds(59));
        scheduleAtOnce(100);
        assertThat(hung).hasSize(20);
        takeHung().forEach(Delivery::acknowledge);
        threads.advance(Duration.ofMillis(1));
        assertThat(hung).hasSize(80);
        takeHung().forEach(Delivery::acknowledge);
    }

    @Test
    void cancelledTimersGiveTheirPlacesToOthersWhileNothingIsKnown() {
        hangs = true;
        scheduleAtOnce(100);
        assertThat(hung).hasSize(20);
        for (int i = 0; i < 90; i++) {
            if (!attempted.contains("k" + i)) {
                done(engine.cancel("q", "k" + i));
            }
        }
        threads.advance(Duration.ofSeconds(1));
        assertThat(hung).as("the last ten").hasSize(30);
        takeHung().forEach(Delivery::acknowledge);
    }

    @Test
    void handlersAreKnown() {
        engine.handle("h", attempt -> order.add("handled"));
        expectManyToBeHandledAtOnce();
    }

    @Test
    void handlerIsKnownThatComesWhileALeaseOfItsQueueIsHeld() {
        done(engine.schedule("h", "leased", Duration.ZERO));
        var leases = engine.lease(LeaseRequest.of("h").withTtl(Duration.ofHours(1)));
        done(leases);
        assertThat(leases.join()).hasSize(1);
        threads.advance(Duration.ofMinutes(10));
        order.clear();
        engine.handle("h", attempt -> order.add("handled"));
        expectManyToBeHandledAtOnce();
    }

    private void expectManyToBeHandledAtOnce() {
        for (int i = 0; i < 100; i++) {
            done(engine.schedule("h", "k" + i, Duration.ofSeconds(1)));
        }
        threads.advance(Duration.ofSeconds(1));
        assertThat(order.indexOf("handled"))
                .as("started before the first has ended")
                .isGreaterThan(20);
        assertThat(order).hasSize(200);
    }

    private void done(CompletableFuture<?> command) {
        threads.runUntilIdle();
        assertThat(command).isCompleted();
    }
}
