package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Bulk;
import io.tickwheel.engine.BulkRequest;
import io.tickwheel.engine.Delivery;
import io.tickwheel.engine.Destination;
import io.tickwheel.engine.EngineListener;
import io.tickwheel.engine.Lease;
import io.tickwheel.engine.LeaseGoneException;
import io.tickwheel.engine.LeaseRequest;
import io.tickwheel.engine.OverloadedException;
import io.tickwheel.engine.QueueChange;
import io.tickwheel.engine.QueueNotPulledException;
import io.tickwheel.engine.QueueSettings;
import io.tickwheel.engine.RateLimit;
import io.tickwheel.engine.RetryPolicy;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TickwheelBuilder;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.engine.WaitingQueue;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.PastAttempt;
import io.tickwheel.store.QueueCounts;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.TimerQuery;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerStore;
import io.tickwheel.store.TimerView;
import io.tickwheel.testkit.ManualClock;
import io.tickwheel.testkit.ManualThreads;
import io.tickwheel.testkit.MemoryTimerStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Consumers lease the timers of a queue that has neither a handler nor a target. */
class LeasesTest {

    private static final Instant START = Instant.parse("2030-01-01T00:00:00Z");
    private static final Destination HELD = new Destination("held", "x");
    private static final Duration TTL = Duration.ofSeconds(30);
    private static final LeaseRequest TEN = LeaseRequest.of("q").withMax(10);

    private ManualClock clock = new ManualClock(START);
    private ManualThreads threads = new ManualThreads(clock, new SplittableRandom(1));
    private final SplittableRandom random = new SplittableRandom(2);
    private final List<Attempt> pushed = new ArrayList<>();
    private final List<Delivery> running = new ArrayList<>();
    private final List<String> told = new ArrayList<>();
    private int keptBytes;

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

    private Tickwheel open(TimerStore store) {
        return open(store, builder -> builder);
    }

    private Tickwheel open(TimerStore store, UnaryOperator<TickwheelBuilder> options) {
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

    private <T> T settled(CompletableFuture<T> answer) {
        threads.runUntilIdle();
        assertThat(answer).as("answered").isDone();
        return answer.join();
    }

    private void gone(CompletableFuture<?> answer) {
        threads.runUntilIdle();
        assertThat(answer).as("answered").isDone();
        assertThatThrownBy(answer::join).hasCauseInstanceOf(LeaseGoneException.class);
    }

    private void schedule(Tickwheel engine, String queue, int from, int to, Duration delay) {
        List<CompletableFuture<Scheduled>> answers = new ArrayList<>();
        for (int i = from; i < to; i++) {
            answers.add(engine.schedule(queue, "k" + i, delay));
        }
        threads.runUntilIdle();
        assertThat(answers).allMatch(CompletableFuture::isDone);
    }

    private void schedule(Tickwheel engine, int timers) {
        schedule(engine, "q", 0, timers, Duration.ZERO);
    }

    /** What a poll brings within a second, though none of it waits. */
    private List<Lease> lease(Tickwheel engine, LeaseRequest request) {
        CompletableFuture<List<Lease>> answer = engine.lease(request);
        threads.runUntilIdle();
        if (!answer.isDone()) {
            threads.advance(Duration.ofSeconds(1));
        }
        assertThat(answer).isDone();
        return answer.join();
    }

    private Lease one(Tickwheel engine) {
        List<Lease> leases = lease(engine, LeaseRequest.of("q"));
        assertThat(leases).hasSize(1);
        return leases.get(0);
    }

    private static List<String> keys(List<Lease> leases) {
        return leases.stream().map(lease -> lease.attempt().key()).toList();
    }

    private TimerView view(Tickwheel engine, String key) {
        return settled(engine.find("q", key)).orElseThrow();
    }

    @Test
    void leaseIsAnAttemptThatIsAcknowledged() {
        Tickwheel engine = open(new MemoryTimerStore());
        settled(engine.schedule(TimerRequest.after("q", "k", Duration.ofSeconds(1))
                .withText("do it")
                .withHeaders(Map.of("A", "b"))));
        assertThat(lease(engine, TEN)).as("not due yet").isEmpty();
        threads.advance(Duration.ofSeconds(2));
        Instant now = clock.now();
        Lease lease = settled(engine.lease(TEN.withTtl(Duration.ofSeconds(40)))).get(0);
        assertThat(lease.expiresAt()).isEqualTo(now.plusSeconds(40));
        Attempt attempt = lease.attempt();
        assertThat(attempt.text()).isEqualTo("do it");
        assertThat(attempt.headers()).containsEntry("A", "b");
        assertThat(attempt.number()).isEqualTo(1);
        assertThat(attempt.version()).isEqualTo(1);
        assertThat(attempt.lateness()).isPositive();
        assertThat(lease.id()).startsWith(attempt.id() + ".");
        assertThat(view(engine, "k").state()).isEqualTo(TimerState.CLAIMED);
        assertThat(engine.stats().running()).isEqualTo(1);
        assertThat(lease(engine, TEN)).as("leased already").isEmpty();
        settled(engine.acknowledge(lease.id()));
        TimerView completed = view(engine, "k");
        assertThat(completed.state()).isEqualTo(TimerState.COMPLETED);
        assertThat(completed.history()).hasSize(1);
        gone(engine.acknowledge(lease.id()));
        assertThat(told).containsExactly("started k", "delivered k");
        assertThat(keptBytes).as("what was kept of the content meanwhile").isZero();
        assertThat(engine.stats().running()).isZero();
    }

    @Test
    void noMoreThanAskedForComeOldestFirst() {
        Tickwheel engine = open(new MemoryTimerStore());
        schedule(engine, 25);
        threads.advance(Duration.ofSeconds(2));
        Set<String> ids = new HashSet<>();
        List<Integer> sizes = new ArrayList<>();
        List<String> all = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            List<Lease> leases = lease(engine, TEN);
            sizes.add(leases.size());
            all.addAll(keys(leases));
            leases.forEach(lease -> ids.add(lease.id()));
        }
        assertThat(sizes).containsExactly(10, 10, 5, 0);
        assertThat(ids).hasSize(25);
        assertThat(all).doesNotHaveDuplicates().startsWith("k0", "k1");
    }

    @Test
    void pollWaitsForTheFirstTimerAndNoLonger() {
        Tickwheel engine = open(new MemoryTimerStore());
        CompletableFuture<List<Lease>> poll = engine.lease(TEN.withWait(Duration.ofSeconds(20)));
        schedule(engine, "q", 0, 3, Duration.ofSeconds(5));
        threads.advance(Duration.ofSeconds(5).minusMillis(1));
        assertThat(poll).isNotDone();
        threads.advance(Duration.ofMillis(1));
        assertThat(keys(settled(poll))).hasSize(3);

        CompletableFuture<List<Lease>> empty = engine.lease(TEN.withWait(Duration.ofSeconds(20)));
        threads.advance(Duration.ofSeconds(20).minusNanos(1));
        assertThat(empty).isNotDone();
        threads.advance(Duration.ofNanos(1));
        assertThat(empty).isCompletedWithValue(List.of());
    }

    @Test
    void waitingPollCostsNoTurns() {
        MemoryTimerStore store = new MemoryTimerStore();
        Tickwheel engine = open(store);
        CompletableFuture<List<Lease>> poll = engine.lease(TEN.withWait(Duration.ofSeconds(60)));
        threads.runUntilIdle();
        clock.advance(Duration.ofSeconds(59));
        int turns = 0;
        while (threads.step()) {
            turns++;
        }
        assertThat(turns).as("turns in 59 s").isZero();
        threads.advance(Duration.ofSeconds(1));
        assertThat(poll).isCompletedWithValue(List.of());
    }

    @Test
    void consumersTakeTurns() {
        Tickwheel engine = open(new MemoryTimerStore());
        int[] got = new int[2];
        List<CompletableFuture<List<Lease>>> polls = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            polls.add(engine.lease(TEN.withWait(Duration.ofSeconds(60))));
            threads.runUntilIdle();
        }
        for (int timer = 0; timer < 20; timer++) {
            schedule(engine, "q", timer, timer + 1, Duration.ZERO);
            threads.advance(Duration.ofMillis(1));
            for (int i = 0; i < 2; i++) {
                if (polls.get(i).isDone()) {
                    got[i] += polls.get(i).join().size();
                    polls.set(i, engine.lease(TEN.withWait(Duration.ofSeconds(60))));
                    threads.runUntilIdle();
                }
            }
        }
        assertThat(got).containsExactly(10, 10);
    }

    @Test
    void firstPollIsFilledBeforeTheSecondAndNothingIsLeftOver() {
        Tickwheel engine = open(new MemoryTimerStore());
        CompletableFuture<List<Lease>> first = engine.lease(TEN.withWait(TTL));
        CompletableFuture<List<Lease>> second = engine.lease(TEN.withWait(TTL));
        schedule(engine, "q", 0, 13, Duration.ofSeconds(1));
        threads.advance(Duration.ofSeconds(1));
        assertThat(first.join().size() + second.join().size()).isEqualTo(13);
        assertThat(Math.max(first.join().size(), second.join().size())).isEqualTo(10);
    }

    @Test
    void acknowledgementOfAnExpiredLeaseCountsForNothing() {
        Tickwheel engine = open(new MemoryTimerStore());
        schedule(engine, 1);
        Lease first = one(engine);
        threads.advance(TTL.minusMillis(1));
        assertThat(view(engine, "k0").state()).isEqualTo(TimerState.CLAIMED);
        clock.advance(Duration.ofMillis(1));
        gone(engine.acknowledge(first.id()));
        gone(engine.nack(first.id(), "late"));
        gone(engine.extend(first.id(), TTL));
        gone(engine.bury(first.id(), "late"));
        TimerView expired = view(engine, "k0");
        assertThat(expired.state()).isEqualTo(TimerState.PENDING);
        assertThat(expired.attempts()).isEqualTo(1);
        assertThat(expired.history()).extracting(PastAttempt::reason).containsExactly("its lease expired");
        Lease second = one(engine);
        assertThat(second.attempt().number()).isEqualTo(2);
        assertThat(second.id()).isNotEqualTo(first.id());
        gone(engine.acknowledge(first.id()));
        settled(engine.acknowledge(second.id()));
        assertThat(view(engine, "k0").state()).isEqualTo(TimerState.COMPLETED);
        assertThat(told).contains("failed k0: its lease expired");
    }

    @Test
    void acknowledgementIsLateAlsoWhileTheLoopIsBusyWithOthersThatExpire() {
        Tickwheel engine = open(new MemoryTimerStore());
        schedule(engine, 5_000);
        List<Lease> leases = new ArrayList<>();
        CompletableFuture<List<Lease>> poll;
        do {
            poll = engine.lease(LeaseRequest.of("q").withMax(1_000));
            threads.runUntilIdle();
            leases.addAll(poll.join());
        } while (!poll.join().isEmpty());
        assertThat(leases).hasSize(5_000);
        clock.advance(TTL);
        List<CompletableFuture<Void>> answers = new ArrayList<>();
        for (int i = leases.size() - 1; i >= 0; i--) {
            answers.add(engine.acknowledge(leases.get(i).id()));
        }
        threads.runUntilIdle();
        assertThat(answers).allMatch(CompletableFuture::isCompletedExceptionally);
        assertThat(engine.liveCount()).isEqualTo(5_000);
    }

    @Test
    void timerWhoseLeasesExpireDies() {
        Tickwheel engine = open(new MemoryTimerStore());
        schedule(engine, 1);
        for (int attempt = 1; attempt <= 3; attempt++) {
            assertThat(one(engine).attempt().number()).isEqualTo(attempt);
            threads.advance(TTL);
        }
        assertThat(view(engine, "k0").state()).isEqualTo(TimerState.DEAD);
        assertThat(lease(engine, TEN)).isEmpty();
        assertThat(told).contains("dead k0: its lease expired");
    }

    @Test
    void extendedLeaseLastsFromThatMoment() {
        Tickwheel engine = open(new MemoryTimerStore());
        schedule(engine, 1);
        Lease lease = one(engine);
        for (int i = 0; i < 5; i++) {
            threads.advance(Duration.ofSeconds(29));
            Instant until = settled(engine.extend(lease.id(), TTL));
            assertThat(until).isEqualTo(clock.now().plus(TTL));
        }
        threads.advance(TTL.minusMillis(1));
        settled(engine.acknowledge(lease.id()));
        assertThat(view(engine, "k0").attempts()).isEqualTo(1);
        assertThatThrownBy(() -> engine.extend(lease.id(), Duration.ofMillis(999)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("ttl is PT0.999S, must be PT1S to PT1H");
    }

    @Test
    void nackWaitsAsItSaysOrAsThePolicyDoes() {
        Tickwheel engine = open(new MemoryTimerStore());
        schedule(engine, 1);
        settled(engine.nack(one(engine).id(), "busy"));
        long next = view(engine, "k0").attemptAtMs();
        assertThat(next).isEqualTo(clock.wallMs() + 7_000);
        threads.advance(Duration.ofSeconds(7));
        settled(engine.nack(one(engine).id(), Duration.ofSeconds(2), "again"));
        assertThat(view(engine, "k0").attemptAtMs()).isEqualTo(clock.wallMs() + 2_000);
        threads.advance(Duration.ofSeconds(2));
        Lease last = one(engine);
        settled(engine.nack(last.id(), Duration.ZERO, "no"));
        TimerView dead = view(engine, "k0");
        assertThat(dead.state()).isEqualTo(TimerState.DEAD);
        assertThat(dead.history()).extracting(PastAttempt::reason).containsExactly("busy", "again", "no");
        gone(engine.nack(last.id(), "no"));
        assertThatThrownBy(() -> engine.nack(last.id(), Duration.ofDays(31), ""))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void buriedTimerIsDeadAtOnce() {
        Tickwheel engine = open(new MemoryTimerStore());
        schedule(engine, 1);
        Lease lease = one(engine);
        settled(engine.bury(lease.id(), "cannot be read"));
        assertThat(view(engine, "k0").state()).isEqualTo(TimerState.DEAD);
        assertThat(told).contains("dead k0: cannot be read");
        gone(engine.bury(lease.id(), "again"));
    }

    @Test
    void unknownLeaseIsGone() {
        Tickwheel engine = open(new MemoryTimerStore());
        schedule(engine, 1);
        String id = one(engine).id();
        for (String other :
                List.of("", ".", "x", id + "0", id.substring(0, id.length() - 1), id.substring(id.indexOf('.')))) {
            gone(engine.acknowledge(other));
        }
        settled(engine.acknowledge(id));
    }

    @Test
    void leaseOfACancelledTimerCannotBeExtended() {
        Tickwheel engine = open(new MemoryTimerStore());
        schedule(engine, 2);
        Lease first = one(engine);
        Lease second = one(engine);
        assertThat(settled(engine.cancel("q", first.attempt().key())).outcome())
                .isEqualTo(Cancelled.Outcome.LAST_ATTEMPT_RUNNING);
        gone(engine.extend(first.id(), TTL));
        settled(engine.acknowledge(first.id()));
        assertThat(view(engine, first.attempt().key()).state()).isEqualTo(TimerState.COMPLETED);

        Bulk bulk = engine.start(BulkRequest.cancel(TimerQuery.of("q")));
        threads.advance(Duration.ofSeconds(1));
        assertThat(bulk.progress().changed()).isEqualTo(1);
        gone(engine.extend(second.id(), TTL));
        threads.advance(TTL);
        assertThat(view(engine, second.attempt().key()).state()).isEqualTo(TimerState.CANCELLED);
        gone(engine.acknowledge(second.id()));
        assertThat(lease(engine, TEN)).isEmpty();
    }

    @Test
    void replacedTimerIsLeasedAnewAndTheOldLeaseCountsForNothing() {
        Tickwheel engine = open(new MemoryTimerStore());
        schedule(engine, 1);
        Lease old = one(engine);
        schedule(engine, 1);
        Lease anew = one(engine);
        assertThat(anew.attempt().version()).isEqualTo(2);
        gone(engine.acknowledge(old.id()));
        assertThat(view(engine, "k0").state()).isEqualTo(TimerState.CLAIMED);
        settled(engine.acknowledge(anew.id()));
        assertThat(view(engine, "k0").state()).isEqualTo(TimerState.COMPLETED);
        assertThat(engine.stats().running()).isZero();
    }

    /** Who is answered that it was done must not find the timer as if nothing had been asked. */
    @Test
    void nothingCanBeAskedOfTheLeaseOfAReplacedTimer() {
        Tickwheel engine = open(new MemoryTimerStore());
        List<Function<String, CompletableFuture<?>>> asked = List.of(
                id -> engine.nack(id, "busy"),
                id -> engine.nack(id, Duration.ZERO, "busy"),
                id -> engine.bury(id, "no use"),
                id -> engine.extend(id, TTL),
                engine::acknowledge);
        for (Function<String, CompletableFuture<?>> each : asked) {
            schedule(engine, 1);
            Lease old = one(engine);
            schedule(engine, 1);
            gone(each.apply(old.id()));
            gone(each.apply(old.id()));
            assertThat(view(engine, "k0").attempts()).isZero();
        }
        Lease anew = one(engine);
        settled(engine.bury(anew.id(), "no use"));
        assertThat(view(engine, "k0").state()).isEqualTo(TimerState.DEAD);
        assertThat(engine.stats().running()).isZero();
    }

    @Test
    void reasonThatIsNoUnicodeIsRefusedAndTheLeaseIsHeld() {
        Tickwheel engine = open(new MemoryTimerStore());
        schedule(engine, 1);
        String id = one(engine).id();
        List<ThrowingCallable> calls = List.of(
                () -> engine.nack(id, "no \ud800"),
                () -> engine.nack(id, Duration.ZERO, "no \ud800"),
                () -> engine.bury(id, "no \ud800"));
        for (ThrowingCallable each : calls) {
            assertThatThrownBy(each)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("reason has half of a surrogate pair at 3, must be valid Unicode");
        }
        settled(engine.nack(id, "\ud83d\ude00"));
        assertThat(view(engine, "k0").attempts()).isEqualTo(1);
    }

    /** What an exception says is not refused: its attempt has failed all the same. */
    @Test
    void exceptionWhoseMessageIsNoUnicodeIsAFailedAttempt() {
        Tickwheel engine = open(new MemoryTimerStore());
        engine.handle("handled", attempt -> {
            throw new IllegalStateException("no \ud800");
        });
        schedule(engine, "handled", 0, 1, Duration.ZERO);
        threads.advance(Duration.ofSeconds(1));
        TimerView failed = settled(engine.find("handled", "k0")).orElseThrow();
        assertThat(failed.history())
                .singleElement()
                .satisfies(past -> assertThat(past.reason()).startsWith("java.lang.IllegalStateException: no "));
    }

    /** That was the last attempt: to give it back ends it. */
    @Test
    void leaseOfACancelledTimerIsGivenBack() {
        Tickwheel engine = open(new MemoryTimerStore());
        List<Function<String, CompletableFuture<?>>> asked =
                List.of(id -> engine.nack(id, "busy"), id -> engine.bury(id, "no use"));
        for (Function<String, CompletableFuture<?>> each : asked) {
            schedule(engine, 1);
            Lease last = one(engine);
            settled(engine.cancel("q", "k0"));
            settled(each.apply(last.id()));
            assertThat(view(engine, "k0").state()).isEqualTo(TimerState.CANCELLED);
            assertThat(settled(engine.cancel("q", "k0")).outcome()).isEqualTo(Cancelled.Outcome.CANCELLED);
            gone(each.apply(last.id()));
        }
        assertThat(lease(engine, TEN)).isEmpty();
    }

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
        threads.advance(Duration.ofSeconds(1));
        assertThat(pushed).hasSize(200);
        assertThat(lease(engine, TEN)).as("it is loaded again").hasSize(10);
    }

    @Test
    void hungPushesDoNotStopLeasesNorTheOtherWayRound() {
        Tickwheel engine = open(new MemoryTimerStore());
        schedule(engine, "pushed", 0, 600, Duration.ZERO);
        threads.advance(Duration.ofSeconds(2));
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

    @Test
    void withdrawnPollLeavesNoWishBehind() {
        Tickwheel engine = open(new MemoryTimerStore());
        CompletableFuture<List<Lease>> poll = engine.lease(TEN.withWait(TTL));
        threads.runUntilIdle();
        poll.cancel(false);
        threads.runUntilIdle();
        schedule(engine, 5);
        threads.advance(Duration.ofSeconds(1));
        assertThat(told).isEmpty();
        assertThat(view(engine, "k0").state()).isEqualTo(TimerState.PENDING);
        assertThat(lease(engine, TEN))
                .hasSize(5)
                .allMatch(lease -> lease.attempt().number() == 1);
    }

    @Test
    void answeredPollLeavesNoWishBehind() {
        Tickwheel engine = open(new MemoryTimerStore());
        schedule(engine, 3);
        assertThat(lease(engine, TEN.withWait(TTL))).hasSize(3);
        schedule(engine, "q", 3, 6, Duration.ZERO);
        threads.advance(Duration.ofSeconds(3));
        assertThat(view(engine, "k4").state()).isEqualTo(TimerState.PENDING);
        assertThat(engine.stats().running()).isEqualTo(3);
    }

    @Test
    void answerThatNobodyTakesIsGivenBack() {
        for (int seed = 0; seed < 200; seed++) {
            threads = new ManualThreads(clock, new SplittableRandom(seed));
            Tickwheel engine = open(new MemoryTimerStore());
            schedule(engine, 5);
            CompletableFuture<List<Lease>> poll = engine.lease(TEN.withTtl(Duration.ofHours(1)));
            for (int steps = new SplittableRandom(seed).nextInt(12); steps > 0; steps--) {
                threads.step();
            }
            boolean taken = !poll.cancel(false);
            threads.advance(Duration.ofMillis(10));
            List<Lease> again = lease(engine, TEN);
            assertThat(again).as("seed %d", seed).hasSize(taken ? 0 : 5);
            assertThat(again).allMatch(lease -> lease.attempt().number() == 1);
            settled(engine.closeAsync());
        }
    }

    @Test
    void largeContentsComeInSeveralAnswers() {
        Tickwheel engine = open(new MemoryTimerStore(), builder -> builder.attemptBytes(64 << 20));
        byte[] payload = new byte[1 << 20];
        for (int i = 0; i < 10; i++) {
            settled(engine.schedule("q", "k" + i, Duration.ZERO, payload));
        }
        assertThat(lease(engine, TEN)).hasSize(4);
        assertThat(lease(engine, TEN)).hasSize(4);
        assertThat(lease(engine, TEN)).hasSize(2);
    }

    @Test
    void contentThatIsNotGivenYetIsBounded() {
        Tickwheel engine = open(new MemoryTimerStore(), builder -> builder.attemptBytes(1 << 20));
        for (int i = 0; i < 4; i++) {
            settled(engine.schedule("q", "k" + i, Duration.ZERO, new byte[700_000]));
        }
        for (int i = 0; i < 4; i++) {
            assertThat(lease(engine, TEN)).hasSize(1);
        }
        assertThat(engine.stats().running()).isEqualTo(4);
    }

    @Test
    void expiredTimerIsNotLeased() {
        Tickwheel engine = open(new MemoryTimerStore());
        settled(engine.schedule(TimerRequest.after("q", "k0", Duration.ZERO).withExpireAfter(Duration.ofSeconds(40))));
        settled(engine.schedule(TimerRequest.after("q", "k1", Duration.ZERO).withExpireAfter(Duration.ofSeconds(10))));
        assertThat(lease(engine, TEN)).hasSize(2);
        threads.advance(TTL);
        assertThat(view(engine, "k0").state()).isEqualTo(TimerState.PENDING);
        assertThat(view(engine, "k1").state()).isEqualTo(TimerState.EXPIRED);
        threads.advance(TTL);
        assertThat(lease(engine, TEN)).isEmpty();
        assertThat(view(engine, "k0").state()).isEqualTo(TimerState.EXPIRED);
    }

    @Test
    void closeAnswersPollsAndLeasesComeBackWithTheNextOpening() {
        MemoryTimerStore store = new MemoryTimerStore();
        Tickwheel engine = open(store);
        schedule(engine, 3);
        Lease lease = one(engine);
        CompletableFuture<List<Lease>> poll =
                engine.lease(LeaseRequest.of("other").withWait(Duration.ofSeconds(60)));
        threads.runUntilIdle();
        CompletableFuture<Void> closed = engine.closeAsync();
        threads.runUntilIdle();
        assertThat(poll).isCompletedWithValue(List.of());
        assertThat(closed).as("no lease is waited for").isCompleted();
        assertThat(engine.acknowledge(lease.id())).isCompletedExceptionally();
        threads = new ManualThreads(clock, new SplittableRandom(5));
        Tickwheel next = open(store);
        List<Lease> again = lease(next, TEN);
        assertThat(again).hasSize(3);
        gone(next.acknowledge(lease.id()));
        assertThat(again).extracting(Lease::id).doesNotContain(lease.id());
    }

    @Test
    void tooManyPollsAreRefused() {
        Tickwheel engine = open(new MemoryTimerStore());
        List<CompletableFuture<List<Lease>>> polls = new ArrayList<>();
        for (int i = 0; i < 10_001; i++) {
            polls.add(engine.lease(TEN.withWait(TTL)));
        }
        threads.runUntilIdle();
        assertThat(polls.subList(0, 10_000)).noneMatch(CompletableFuture::isDone);
        assertThatThrownBy(polls.get(10_000)::join).hasCauseInstanceOf(OverloadedException.class);
        polls.get(5_000).cancel(false);
        threads.runUntilIdle();
        assertThat(engine.lease(TEN.withWait(TTL))).isNotDone();
        threads.advance(TTL);
        assertThat(polls.get(0)).isCompletedWithValue(List.of());
    }

    @Test
    void hundredThousandLeasesAreHeld() {
        Tickwheel engine = open(new MemoryTimerStore(), builder -> builder.loadedTimers(200_000));
        List<CompletableFuture<Scheduled>> scheduled = new ArrayList<>();
        for (int i = 0; i < 100_000; i++) {
            scheduled.add(engine.schedule("q", "k" + i, Duration.ofSeconds(1)));
            if (i % 1_000 == 999) {
                threads.runUntilIdle();
            }
        }
        assertThat(scheduled).allMatch(CompletableFuture::isDone);
        List<Lease> leases = new ArrayList<>();
        for (int polls = 0; polls < 2_000 && leases.size() < 100_000; polls++) {
            CompletableFuture<List<Lease>> poll = engine.lease(LeaseRequest.of("q")
                    .withMax(1_000)
                    .withWait(Duration.ofSeconds(5))
                    .withTtl(Duration.ofHours(1)));
            threads.runUntilIdle();
            if (!poll.isDone()) {
                threads.advance(Duration.ofSeconds(5));
            }
            leases.addAll(poll.join());
        }
        assertThat(leases).hasSize(100_000);
        assertThat(engine.stats().running()).isEqualTo(100_000);
        List<CompletableFuture<Void>> answers = new ArrayList<>();
        for (Lease lease : leases) {
            answers.add(engine.acknowledge(lease.id()));
            if (answers.size() % 1_000 == 0) {
                threads.runUntilIdle();
            }
        }
        assertThat(answers).allMatch(CompletableFuture::isDone).noneMatch(CompletableFuture::isCompletedExceptionally);
        threads.runUntilIdle();
        assertThat(engine.stats().running()).isZero();
        assertThat(engine.liveCount()).isZero();
    }

    @Test
    void requestsOutOfRangeAreRefused() {
        for (UnaryOperator<LeaseRequest> bad : List.<UnaryOperator<LeaseRequest>>of(
                request -> request.withMax(0),
                request -> request.withMax(1_001),
                request -> request.withWait(Duration.ofMillis(-1)),
                request -> request.withWait(Duration.ofSeconds(60).plusMillis(1)),
                request -> request.withTtl(Duration.ofMillis(999)),
                request -> request.withTtl(Duration.ofHours(1).plusMillis(1)))) {
            assertThatThrownBy(() -> bad.apply(TEN))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("must be");
        }
        assertThatThrownBy(() -> LeaseRequest.of("no queue")).isInstanceOf(IllegalArgumentException.class);
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
