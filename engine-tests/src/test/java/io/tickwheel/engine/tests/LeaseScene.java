package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Delivery;
import io.tickwheel.engine.Destination;
import io.tickwheel.engine.EngineListener;
import io.tickwheel.engine.Lease;
import io.tickwheel.engine.LeaseGoneException;
import io.tickwheel.engine.LeaseRequest;
import io.tickwheel.engine.RetryPolicy;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TickwheelBuilder;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.TimerStore;
import io.tickwheel.store.TimerView;
import io.tickwheel.testkit.ManualClock;
import io.tickwheel.testkit.ManualThreads;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

/** An engine on a manual clock whose queue {@code q} has neither a handler nor a target, and {@code pushed} a target that holds on to what it gets. */
abstract class LeaseScene {

    private static final Instant START = Instant.parse("2030-01-01T00:00:00Z");
    static final Destination HELD = new Destination("held", "x");
    static final Duration TTL = Duration.ofSeconds(30);
    static final LeaseRequest TEN = LeaseRequest.of("q").withMax(10);

    ManualClock clock = new ManualClock(START);
    ManualThreads threads = new ManualThreads(clock, new SplittableRandom(1));
    private final SplittableRandom random = new SplittableRandom(2);
    final List<Attempt> pushed = new ArrayList<>();
    final List<Delivery> running = new ArrayList<>();
    final List<String> told = new ArrayList<>();
    int keptBytes;

    private final EngineListener listener = new EngineListener() {
        @Override
        public void started(Attempt attempt) {
            told.add("started " + attempt.key());
        }

        @Override
        public void delivered(Attempt attempt) {
            told.add("delivered " + attempt.key());
            keptBytes += attempt.payload().length + attempt.headers().size();
        }

        @Override
        public void failed(Attempt attempt, String reason) {
            told.add("failed " + attempt.key() + ": " + reason);
        }

        @Override
        public void dead(Attempt attempt, String reason) {
            told.add("dead " + attempt.key() + ": " + reason);
        }

        @Override
        public void expired(Attempt attempt) {
            told.add("expired " + attempt.key());
        }
    };

    Tickwheel open(TimerStore store) {
        return open(store, builder -> builder);
    }

    Tickwheel open(TimerStore store, UnaryOperator<TickwheelBuilder> options) {
        Tickwheel engine = options.apply(Tickwheel.builder(store)
                        .clock(clock)
                        .threads(threads)
                        .random(random::nextLong)
                        .listener(listener)
                        .retry(RetryPolicy.fixed(3, Duration.ofSeconds(7)))
                        .target("held", (attempt, delivery) -> {
                            pushed.add(attempt);
                            running.add(delivery);
                        })
                        .queueDestination("pushed", HELD))
                .open();
        threads.runUntilIdle();
        return engine;
    }

    <T> T settled(CompletableFuture<T> answer) {
        threads.runUntilIdle();
        assertThat(answer).as("answered").isDone();
        return answer.join();
    }

    void gone(CompletableFuture<?> answer) {
        threads.runUntilIdle();
        assertThat(answer).as("answered").isDone();
        assertThatThrownBy(answer::join).hasCauseInstanceOf(LeaseGoneException.class);
    }

    void schedule(Tickwheel engine, String queue, int from, int to, Duration delay) {
        List<CompletableFuture<Scheduled>> answers = new ArrayList<>();
        for (int i = from; i < to; i++) {
            answers.add(engine.schedule(queue, "k" + i, delay));
        }
        threads.runUntilIdle();
        assertThat(answers).allMatch(CompletableFuture::isDone);
    }

    void schedule(Tickwheel engine, int timers) {
        schedule(engine, "q", 0, timers, Duration.ZERO);
    }

    /** What a poll brings within a second, though none of it waits. */
    List<Lease> lease(Tickwheel engine, LeaseRequest request) {
        CompletableFuture<List<Lease>> answer = engine.lease(request);
        threads.runUntilIdle();
        if (!answer.isDone()) {
            threads.advance(Duration.ofSeconds(1));
        }
        assertThat(answer).isDone();
        return answer.join();
    }

    Lease one(Tickwheel engine) {
        List<Lease> leases = lease(engine, LeaseRequest.of("q"));
        assertThat(leases).hasSize(1);
        return leases.get(0);
    }

    static List<String> keys(List<Lease> leases) {
        return leases.stream().map(lease -> lease.attempt().key()).toList();
    }

    TimerView view(Tickwheel engine, String key) {
        return settled(engine.find("q", key)).orElseThrow();
    }
}
