package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.ConsumerOptions;
import io.tickwheel.engine.Lease;
import io.tickwheel.engine.LeaseConsumer;
import io.tickwheel.engine.LeaseRequest;
import io.tickwheel.engine.NeverAgainException;
import io.tickwheel.engine.PayloadCodec;
import io.tickwheel.engine.RetryPolicy;
import io.tickwheel.engine.Threads;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerHandler;
import io.tickwheel.engine.TryAgainAtException;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.PastAttempt;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import io.tickwheel.testkit.ManualClock;
import io.tickwheel.testkit.ManualThreads;
import io.tickwheel.testkit.MemoryTimerStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

/** A consumer inside the program leases timers and works on them. Its handler runs when the test says so, and time passes while it runs. */
class LeaseConsumerTest {

    private static final Instant START = Instant.parse("2030-01-01T00:00:00Z");
    private static final ConsumerOptions FOUR = ConsumerOptions.DEFAULTS.withConcurrency(4);

    private final ManualClock clock = new ManualClock(START);
    private final ManualThreads manual = new ManualThreads(clock, new SplittableRandom(1));
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private final List<String> handled = new ArrayList<>();
    private final SplittableRandom random = new SplittableRandom(2);
    private boolean hasThreads = true;

    /** Keeps what the handler is to do until the test has it done. */
    private final Threads threads = new Threads() {
        @Override
        public Executor serial(String name) {
            return manual.serial(name);
        }

        @Override
        public Executor readers() {
            return Runnable::run;
        }

        @Override
        public Executor handlers() {
            return task -> {
                if (!hasThreads) {
                    throw new OutOfMemoryError("unable to create native thread");
                }
                tasks.add(task);
            };
        }

        @Override
        public Running run(String name, Loop loop) {
            return manual.run(name, loop);
        }

        @Override
        public void close() {
            manual.close();
        }
    };

    private final Tickwheel engine = Tickwheel.builder(new MemoryTimerStore())
            .clock(clock)
            .threads(threads)
            .random(random::nextLong)
            .retry(RetryPolicy.fixed(3, Duration.ofSeconds(7)))
            .open();

    private LeaseConsumer consume(ConsumerOptions options) {
        return consume(options, attempt -> handled.add(attempt.key()));
    }

    private LeaseConsumer consume(ConsumerOptions options, TimerHandler handler) {
        LeaseConsumer consumer = engine.consume("q", options, handler);
        manual.runUntilIdle();
        return consumer;
    }

    private <T> T settled(CompletableFuture<T> answer) {
        manual.runUntilIdle();
        assertThat(answer).as("answered").isDone();
        return answer.join();
    }

    private void schedule(int timers) {
        for (int i = 0; i < timers; i++) {
            settled(engine.schedule("q", "k" + i, Duration.ZERO));
        }
        manual.advance(Duration.ofSeconds(1));
    }

    private TimerView view(String key) {
        return settled(engine.find("q", key)).orElseThrow();
    }

    private void runTask() {
        tasks.remove().run();
        manual.advance(Duration.ofSeconds(1));
    }

    private void runTasks() {
        while (!tasks.isEmpty()) {
            runTask();
        }
    }

    private long claimed() {
        return settled(engine.queues()).get(0).claimed();
    }

    private List<Lease> lease() {
        CompletableFuture<List<Lease>> answer =
                engine.lease(LeaseRequest.of("q").withMax(100));
        manual.advance(Duration.ofSeconds(1));
        return settled(answer);
    }

    @Test
    void everyTimerIsHandledOnceAndAcknowledged() {
        consume(FOUR);
        schedule(10);
        assertThat(tasks).as("at once").hasSize(4);
        assertThat(claimed()).isEqualTo(4);
        runTasks();
        assertThat(handled).hasSize(10).doesNotHaveDuplicates();
        assertThat(engine.liveCount()).isZero();
        assertThat(view("k3").state()).isEqualTo(TimerState.COMPLETED);
        assertThat(engine.stats().running()).isZero();
    }

    @Test
    void consumerLeasesAsManyAsItIsTold() {
        consume(FOUR.withMax(7));
        schedule(10);
        assertThat(tasks).hasSize(4);
        assertThat(claimed()).isEqualTo(7);
        runTask();
        assertThat(tasks).hasSize(4);
        runTasks();
        assertThat(handled).hasSize(10).doesNotHaveDuplicates();
        assertThat(engine.liveCount()).isZero();
    }

    @Test
    void exceptionIsAFailedAttemptWithItsReason() {
        consume(FOUR, attempt -> {
            handled.add(attempt.key() + attempt.number());
            if (attempt.number() == 1) {
                throw new IllegalStateException("not yet");
            }
        });
        schedule(1);
        runTask();
        assertThat(view("k0").state()).isEqualTo(TimerState.PENDING);
        assertThat(view("k0").history())
                .extracting(PastAttempt::reason)
                .containsExactly("java.lang.IllegalStateException: not yet");
        manual.advance(Duration.ofSeconds(7));
        runTask();
        assertThat(handled).containsExactly("k01", "k02");
        assertThat(view("k0").state()).isEqualTo(TimerState.COMPLETED);
    }

    @Test
    void exceptionsOfHandlersMeanWhatTheyMeanThere() {
        Instant later = START.plusSeconds(60);
        consume(FOUR, attempt -> {
            handled.add(attempt.key() + attempt.number());
            if (attempt.key().equals("k0")) {
                throw new NeverAgainException("no such order");
            }
            if (clock.now().isBefore(later)) {
                throw new TryAgainAtException("closed", later);
            }
        });
        schedule(2);
        runTasks();
        assertThat(view("k0").state()).isEqualTo(TimerState.DEAD);
        assertThat(view("k0").history()).extracting(PastAttempt::reason).containsExactly("no such order");
        assertThat(view("k1").attemptAt()).isEqualTo(later);
        assertThat(view("k1").attempts()).isZero();
        manual.advance(Duration.ofSeconds(60));
        runTasks();
        assertThat(handled).containsExactlyInAnyOrder("k01", "k11", "k11");
        assertThat(view("k1").state()).isEqualTo(TimerState.COMPLETED);
    }

    @Test
    void interruptedHandlerHasFailed() {
        consume(FOUR, attempt -> {
            throw new InterruptedException();
        });
        schedule(1);
        runTask();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(view("k0").history()).extracting(PastAttempt::reason).containsExactly("interrupted");
    }

    @Test
    void attemptForWhichThereIsNoThreadHasFailed() {
        hasThreads = false;
        consume(FOUR);
        schedule(1);
        assertThat(view("k0").history())
                .singleElement()
                .satisfies(past -> assertThat(past.reason()).contains("native thread"));
        hasThreads = true;
        manual.advance(Duration.ofSeconds(7));
        runTasks();
        assertThat(handled).containsExactly("k0");
    }

    @Test
    void payloadsAreReadForTheHandler() {
        PayloadCodec<String> codec = new PayloadCodec<>() {
            @Override
            public String contentType() {
                return "text/plain";
            }

            @Override
            public byte[] encode(String value) {
                return value.getBytes(StandardCharsets.UTF_8);
            }

            @Override
            public String decode(byte[] payload) {
                return new String(payload, StandardCharsets.UTF_8);
            }
        };
        engine.consume("q", FOUR, codec, (attempt, text) -> handled.add(text));
        settled(engine.schedule("q", "k0", Duration.ZERO, "hello".getBytes(StandardCharsets.UTF_8)));
        manual.advance(Duration.ofSeconds(1));
        runTasks();
        assertThat(handled).containsExactly("hello");
    }

    /** Also those that wait for their turn. */
    @Test
    void leasesOfWhatIsHeldAreExtended() {
        consume(ConsumerOptions.DEFAULTS.withConcurrency(1).withMax(2).withTtl(Duration.ofSeconds(1)), attempt -> {
            handled.add(attempt.key() + attempt.number());
            manual.advance(Duration.ofMinutes(5));
        });
        schedule(2);
        runTasks();
        assertThat(handled).containsExactlyInAnyOrder("k01", "k11");
        assertThat(engine.liveCount()).isZero();
        assertThat(engine.stats().started()).as("leases").isEqualTo(2);
        assertThat(view("k0").history()).hasSize(1).allMatch(PastAttempt::hasSucceeded);
        assertThat(view("k1").history()).hasSize(1).allMatch(PastAttempt::hasSucceeded);
    }

    @Test
    void leasesAreExtendedAlsoWhenAPollIsRefused() {
        consume(ConsumerOptions.DEFAULTS.withConcurrency(1).withMax(2).withTtl(Duration.ofSeconds(1)), attempt -> {
            manual.advance(Duration.ofMillis(300));
            engine.handle("q", other -> handled.add("handler " + other.key()));
            manual.advance(Duration.ofMinutes(5));
            handled.add(attempt.key());
        });
        schedule(1);
        runTasks();
        assertThat(handled).containsExactly("k0");
        assertThat(view("k0").history()).hasSize(1).allMatch(PastAttempt::hasSucceeded);
    }

    /** It waits for its turn, and its lease is not extended any more. */
    @Test
    void whatIsCancelledBeforeItsTurnIsNotBegun() {
        consume(ConsumerOptions.DEFAULTS.withConcurrency(1).withMax(2).withTtl(Duration.ofSeconds(3)));
        schedule(2);
        assertThat(claimed()).isEqualTo(2);
        assertThat(settled(engine.cancel("q", "k1")).outcome()).isEqualTo(Cancelled.Outcome.LAST_ATTEMPT_RUNNING);
        manual.advance(Duration.ofMillis(1_500));
        assertThat(settled(engine.cancel("q", "k1")).outcome()).isEqualTo(Cancelled.Outcome.CANCELLED);
        runTasks();
        assertThat(handled).containsExactly("k0");
        assertThat(view("k1").state()).isEqualTo(TimerState.CANCELLED);
        schedule(3);
        runTasks();
        assertThat(handled).containsExactlyInAnyOrder("k0", "k0", "k1", "k2");
        assertThat(engine.stats().running()).isZero();
    }

    @Test
    void whatHasNotBegunIsGivenBackByAClose() {
        LeaseConsumer consumer =
                consume(ConsumerOptions.DEFAULTS.withConcurrency(2).withMax(5));
        schedule(6);
        assertThat(tasks).hasSize(2);
        assertThat(claimed()).isEqualTo(5);
        CompletableFuture<Void> closed = consumer.closeAsync();
        manual.runUntilIdle();
        assertThat(closed).as("two were handed over").isNotDone();
        assertThat(lease()).hasSize(4).allMatch(lease -> lease.attempt().number() == 1);
        runTasks();
        assertThat(handled).isEmpty();
        assertThat(closed).isDone();
        assertThat(lease()).hasSize(2).allMatch(lease -> lease.attempt().number() == 1);
        assertThat(engine.stats().running()).isEqualTo(6);
        assertThat(settled(consumer.closeAsync())).isNull();
    }

    @Test
    void pollOfAClosedConsumerTakesNothing() {
        LeaseConsumer consumer = consume(FOUR);
        assertThat(settled(consumer.closeAsync())).isNull();
        schedule(1);
        manual.advance(Duration.ofSeconds(90));
        assertThat(tasks).isEmpty();
        assertThat(lease()).hasSize(1);
    }

    @Test
    void closeWaitsForWhatRuns() {
        List<CompletableFuture<Void>> closed = new ArrayList<>();
        List<LeaseConsumer> consumers = new ArrayList<>();
        consumers.add(consume(FOUR, attempt -> {
            closed.add(consumers.get(0).closeAsync());
            manual.advance(Duration.ofSeconds(29));
            assertThat(closed.get(0)).isNotDone();
            handled.add(attempt.key());
        }));
        schedule(1);
        runTask();
        assertThat(closed.get(0)).isDone();
        assertThat(handled).containsExactly("k0");
        assertThat(view("k0").state()).isEqualTo(TimerState.COMPLETED);
    }

    /** Its lease expires, and others have the timer. */
    @Test
    void closeWaitsNoLongerThanItIsTold() {
        List<Attempt> others = new ArrayList<>();
        List<LeaseConsumer> consumers = new ArrayList<>();
        consumers.add(consume(FOUR.withDrain(Duration.ofSeconds(40)), attempt -> {
            CompletableFuture<Void> closed = consumers.get(0).closeAsync();
            manual.advance(Duration.ofSeconds(40).minusMillis(1));
            assertThat(closed).isNotDone();
            manual.advance(Duration.ofMillis(2));
            assertThat(closed).isDone();
            manual.advance(Duration.ofSeconds(31));
            lease().forEach(lease -> others.add(lease.attempt()));
        }));
        schedule(1);
        runTask();
        assertThat(others)
                .singleElement()
                .satisfies(again -> assertThat(again.number()).isEqualTo(2));
        assertThat(view("k0").state()).isEqualTo(TimerState.CLAIMED);
    }

    @Test
    void idleConsumerCostsNoTurns() {
        consume(FOUR);
        manual.advance(Duration.ofSeconds(1));
        clock.advance(Duration.ofSeconds(50));
        int turns = 0;
        while (manual.step()) {
            turns++;
        }
        assertThat(turns).as("turns in 50 s").isZero();
        manual.advance(Duration.ofHours(1));
        schedule(1);
        runTasks();
        assertThat(handled).containsExactly("k0");
    }

    @Test
    void consumerGoesOnWhenAHandlerIsRemoved() {
        engine.handle("q", attempt -> handled.add("handler " + attempt.key()));
        manual.runUntilIdle();
        consume(FOUR);
        schedule(1);
        runTasks();
        assertThat(handled).containsExactly("handler k0");
        engine.removeHandler("q");
        manual.advance(Duration.ofSeconds(2));
        schedule(1);
        runTasks();
        assertThat(handled).containsExactly("handler k0", "k0");
    }

    @Test
    void closeOfTheEngineEndsAConsumer() {
        LeaseConsumer consumer = consume(FOUR);
        schedule(1);
        settled(engine.closeAsync());
        assertThat(settled(consumer.closeAsync())).isNull();
        tasks.remove().run();
        assertThatThrownBy(() -> engine.consume("q", FOUR, attempt -> {})).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void optionsOutOfRangeAreRefused() {
        assertThatThrownBy(() -> FOUR.withConcurrency(0)).hasMessage("concurrency is 0, must be 1 to 1000");
        assertThatThrownBy(() -> FOUR.withConcurrency(1_001)).hasMessage("concurrency is 1001, must be 1 to 1000");
        assertThatThrownBy(() -> FOUR.withMax(3)).hasMessage("max is 3, must be 4, the concurrency, to 1000");
        assertThatThrownBy(() -> FOUR.withMax(1_001)).hasMessage("max is 1001, must be 4, the concurrency, to 1000");
        assertThatThrownBy(() -> FOUR.withTtl(Duration.ofMillis(999))).hasMessageContaining("ttl is PT0.999S");
        assertThatThrownBy(() -> FOUR.withDrain(Duration.ofMillis(-1))).hasMessageContaining("drain is PT-0.001S");
        assertThatThrownBy(() -> engine.consume("no queue", FOUR, attempt -> {}))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
