package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.engine.Lease;
import io.tickwheel.engine.LeaseGoneException;
import io.tickwheel.engine.LeaseRequest;
import io.tickwheel.engine.tests.MailedNodes.Node;
import io.tickwheel.store.StoreUnavailableException;
import io.tickwheel.store.TimerState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Polls and leases at any node while mail is lost, in lives that are drawn. */
final class AnyNodeLivesTest extends LendingNodes {

    /** Whatever is lost, each timer is acknowledged once in the end, no attempt is counted twice that nobody saw, and nothing leaks. */
    @Test
    void whateverIsLostAllComesInTheEnd() {
        for (long seed = 0; seed < 40; seed++) {
            new Life(seed, 0).run();
        }
    }

    @Test
    void whateverIsLostOrLateAllComesInTheEnd() {
        for (long seed = 100; seed < 140; seed++) {
            new Life(seed, 4_000).run();
        }
    }

    private final class Life {

        private final long seed;
        private final int latestMs;
        private final SplittableRandom random;
        private final Map<String, Integer> acknowledged = new HashMap<>();

        /** Acknowledged, or not: the answer was lost. */
        private final Set<String> perhaps = new HashSet<>();

        private final List<CompletableFuture<List<Lease>>> polls = new ArrayList<>();

        /** @param latestMs how long mail is on its way at most */
        Life(long seed, int latestMs) {
            this.seed = seed;
            this.latestMs = latestMs;
            this.random = new SplittableRandom(seed);
            nodes(seed, 3);
        }

        void run() {
            SplittableRandom losses = random.split();
            int oneOf = 3 + random.nextInt(10);
            all.loss = (from, to, kind) -> losses.nextInt(oneOf) == 0;
            Map<String, Node> timers = new HashMap<>();
            for (int i = 0; i < 60; i++) {
                Node owner = all.node(random.nextInt(3));
                schedule(owner, "k" + i, Duration.ofMillis(random.nextInt(20_000)));
                timers.put("k" + i, owner);
            }
            for (int step = 0; step < 120; step++) {
                LeaseRequest request = LeaseRequest.of("q")
                        .withMax(1 + random.nextInt(5))
                        .withTtl(Duration.ofSeconds(2 + random.nextInt(2)))
                        .withWait(Duration.ofMillis(random.nextInt(3_000)));
                polls.add(all.node(random.nextInt(2)).engine().lease(request));
                if (random.nextInt(5) == 0) {
                    polls.get(random.nextInt(polls.size())).cancel(false);
                }
                all.claimsTake = Duration.ofMillis(random.nextInt(4) == 0 ? random.nextInt(900) : 0);
                int mailMs = latestMs == 0 || random.nextInt(3) > 0 ? 0 : random.nextInt(latestMs);
                all.mailTakesMs = kind -> mailMs;
                standStillOrGoOn();
                all.threads.advance(Duration.ofMillis(random.nextInt(400)));
                consume();
            }
            nothingIsLost();
            all.mailTakesMs = kind -> 0;
            all.claimsTake = Duration.ZERO;
            all.nodes.forEach(Node::goOn);
            for (int step = 0; step < 60; step++) {
                polls.add(a.engine().lease(TEN));
                all.threads.advance(Duration.ofSeconds(1));
                consume();
            }
            perhaps.addAll(acknowledged.keySet());
            assertThat(perhaps).as("seed %d", seed).isEqualTo(timers.keySet());
            assertThat(acknowledged.values()).as("seed %d", seed).allMatch(times -> times == 1);
            timers.forEach((key, owner) ->
                    assertThat(state(owner, key)).as("seed %d, %s", seed, key).isEqualTo(TimerState.COMPLETED));
            nothingLeaks();
        }

        private void standStillOrGoOn() {
            int draw = random.nextInt(15);
            if (draw == 0) {
                all.node(1 + random.nextInt(2)).standStill();
            } else if (draw < 5) {
                all.nodes.forEach(Node::goOn);
            }
        }

        private void consume() {
            List<CompletableFuture<List<Lease>>> done =
                    polls.stream().filter(CompletableFuture::isDone).toList();
            polls.removeIf(CompletableFuture::isDone);
            for (CompletableFuture<List<Lease>> poll : done) {
                if (!poll.isCancelled()) {
                    poll.join().forEach(this::acknowledge);
                }
            }
        }

        private void acknowledge(Lease lease) {
            Node drawn = all.node(random.nextInt(3));
            Node asked = drawn.standsStill() ? a : drawn;
            CompletableFuture<Void> answer = asked.engine().acknowledge(lease.id());
            all.threads.runUntilIdle();
            if (!answer.isDone()) {
                all.threads.advance(Duration.ofSeconds(2));
            }
            assertThat(answer).as("seed %d", seed).isDone();
            if (!answer.isCompletedExceptionally()) {
                acknowledged.merge(lease.attempt().key(), 1, Integer::sum);
            } else {
                assertThatThrownBy(answer::join).cause().satisfies(reason -> {
                    if (reason instanceof StoreUnavailableException away) {
                        assertThat(away.outcomeUnknown()).isTrue();
                        perhaps.add(lease.attempt().key());
                    } else {
                        assertThat(reason).isInstanceOf(LeaseGoneException.class);
                    }
                });
            }
        }
    }
}
