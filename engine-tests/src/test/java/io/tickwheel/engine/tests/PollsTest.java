package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.engine.Lease;
import io.tickwheel.engine.LeaseRequest;
import io.tickwheel.engine.OverloadedException;
import io.tickwheel.engine.QueueSettings;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.store.TimerState;
import io.tickwheel.testkit.ManualThreads;
import io.tickwheel.testkit.MemoryTimerStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** What polls for leases bring, how long they wait, and what they leave behind. */
final class PollsTest extends LeaseScene {

    /** How a program ends a poll that it does not want any more. */
    private static final List<Consumer<CompletableFuture<List<Lease>>>> ENDS = List.of(
            poll -> poll.cancel(false),
            poll -> poll.completeExceptionally(new TimeoutException()),
            poll -> poll.complete(List.of()),
            poll -> poll.completeExceptionally(new IllegalStateException("no consumer")));

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

    /** A while after the first one, the queue would not be asked for any more. */
    @Test
    void pollThatComesSoonAfterAnotherWaitsAsLongAsItSays() {
        Tickwheel engine = open(new MemoryTimerStore());
        assertThat(lease(engine, TEN)).isEmpty();
        threads.advance(Duration.ofSeconds(3));
        CompletableFuture<List<Lease>> poll = engine.lease(TEN.withWait(Duration.ofSeconds(60)));
        threads.advance(Duration.ofSeconds(30));
        schedule(engine, "q", 0, 1, Duration.ZERO);
        threads.runUntilIdle();
        assertThat(keys(settled(poll))).containsExactly("k0");
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

    /** Also when it does so with {@code orTimeout} or {@code completeOnTimeout}, which complete the future as is done here. */
    @Test
    void withdrawnPollLeavesNoWishBehind() {
        for (Consumer<CompletableFuture<List<Lease>>> end : ENDS) {
            Tickwheel engine = open(new MemoryTimerStore());
            CompletableFuture<List<Lease>> poll = engine.lease(TEN.withWait(TTL));
            threads.runUntilIdle();
            end.accept(poll);
            threads.runUntilIdle();
            schedule(engine, 5);
            threads.advance(Duration.ofSeconds(1));
            assertThat(told).isEmpty();
            assertThat(view(engine, "k0").state()).isEqualTo(TimerState.PENDING);
            assertThat(lease(engine, TEN))
                    .hasSize(5)
                    .allMatch(lease -> lease.attempt().number() == 1);
            settled(engine.closeAsync());
            told.clear();
        }
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
            boolean taken = poll.isDone();
            ENDS.get(seed % ENDS.size()).accept(poll);
            threads.advance(Duration.ofMillis(10));
            List<Lease> again = lease(engine, TEN);
            assertThat(again).as("seed %d", seed).hasSize(taken ? 0 : 5);
            assertThat(again).allMatch(lease -> lease.attempt().number() == 1);
            settled(engine.closeAsync());
        }
    }

    @Test
    void answerThatNobodyTakesCountsInNoConcurrency() {
        for (int seed = 0; seed < 50; seed++) {
            threads = new ManualThreads(clock, new SplittableRandom(seed));
            Tickwheel engine =
                    open(new MemoryTimerStore(), builder -> builder.queue("q", QueueSettings.NONE.withConcurrency(1)));
            schedule(engine, 2);
            CompletableFuture<List<Lease>> poll = engine.lease(TEN);
            for (int steps = seed % 12; steps > 0; steps--) {
                threads.step();
            }
            boolean taken = poll.isDone();
            poll.cancel(false);
            threads.advance(Duration.ofMillis(10));
            assertThat(lease(engine, TEN)).as("seed %d", seed).hasSize(taken ? 0 : 1);
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
        assertThat(polls.get(10_000)).isDone();
        assertThatThrownBy(polls.get(10_000)::join).hasCauseInstanceOf(OverloadedException.class);
        polls.get(5_000).cancel(false);
        threads.runUntilIdle();
        assertThat(engine.lease(TEN.withWait(TTL))).isNotDone();
        threads.advance(TTL);
        assertThat(polls.get(0)).isCompletedWithValue(List.of());
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
}
