package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Lease;
import io.tickwheel.engine.QueueChange;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.engine.WaitingQueue;
import io.tickwheel.engine.tests.MailedNodes.Node;
import io.tickwheel.store.TimerState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A poll at any node is answered with what is due at any node. */
final class AnyNodeLeasesTest extends LendingNodes {

    @Test
    void pollThatDoesNotWaitIsAnsweredWithWhatIsDueElsewhere() {
        schedule(b, "x");
        schedule(b, "y");

        List<Lease> leases = lease(a, TEN);

        assertThat(keys(leases)).containsExactly("x", "y");
        assertThat(leases)
                .allMatch(lease -> lease.expiresAt().equals(all.clock.now().plus(TEN.ttl())));
        assertThat(state(b, "x")).isEqualTo(TimerState.CLAIMED);
        leases.forEach(lease -> all.join(a.engine().acknowledge(lease.id())));
        assertThat(state(b, "x")).isEqualTo(TimerState.COMPLETED);
        nothingLeaks();
    }

    @Test
    void pollThatDoesNotWaitIsAnsweredAtOnceWhenNothingIsDueAnywhere() {
        schedule(b, "x", Duration.ofSeconds(1));
        Instant before = all.clock.now();
        assertThat(lease(a, TEN)).isEmpty();
        assertThat(all.clock.now()).isEqualTo(before);
    }

    @Test
    void waitingPollIsAnsweredInTheMomentInWhichATimerIsDueElsewhere() {
        CompletableFuture<List<Lease>> poll = a.engine().lease(WAITING);
        schedule(b, "x", Duration.ofSeconds(30));

        all.threads.advance(Duration.ofMillis(29_999));
        assertThat(poll).isNotDone();
        all.threads.advance(Duration.ofMillis(1));
        assertThat(poll).isDone();
        assertThat(keys(all.join(poll))).containsExactly("x");
    }

    @Test
    void contentsComeAlongWhateverTheirSize() {
        byte[] payload = new byte[1_000_000];
        new SplittableRandom(7).nextBytes(payload);
        all.join(b.engine()
                .schedule(TimerRequest.after("q", "x", Duration.ZERO)
                        .withPayload(payload, "image/png")
                        .withHeaders(Map.of("n", "v"))));
        schedule(b, "y");

        List<Lease> leases = lease(a, TEN);

        assertThat(keys(leases)).containsExactly("x", "y");
        Lease large = leases.stream()
                .filter(lease -> lease.attempt().key().equals("x"))
                .findFirst()
                .orElseThrow();
        assertThat(large.attempt().payload()).isEqualTo(payload);
        assertThat(large.attempt().contentType()).isEqualTo("image/png");
        assertThat(large.attempt().headers()).isEqualTo(Map.of("n", "v"));
        assertThat(large.attempt().number()).isEqualTo(1);
    }

    @Test
    void leasesThatAreGivenBackAreDueAgainAndNoAttemptCounts() {
        schedule(b, "x");
        for (Node node : List.of(a, b)) {
            List<Lease> leases = lease(node, TEN);
            assertThat(keys(leases)).containsExactly("x");
            assertThat(leases.get(0).attempt().number()).isEqualTo(1);
            node.engine().giveBack(leases);
            all.threads.runUntilIdle();
            assertThat(state(b, "x")).isEqualTo(TimerState.PENDING);
            gone(node.engine().acknowledge(leases.get(0).id()));
            node.engine().giveBack(leases);
        }
        Lease last = lease(a, TEN).get(0);
        assertThat(last.attempt().number()).isEqualTo(1);
        all.join(a.engine().acknowledge(last.id()));
        assertThat(state(b, "x")).isEqualTo(TimerState.COMPLETED);
        nothingLeaks();
    }

    @Test
    void attemptComesAlongWithItsTimesAndItsNumber() {
        Instant dueAt = all.clock.now();
        schedule(b, "x");
        all.join(a.engine().nack(lease(a, TEN).get(0).id(), Duration.ofSeconds(10), "not yet"));
        all.threads.advance(Duration.ofSeconds(12));

        Attempt second = lease(a, TEN).get(0).attempt();

        assertThat(second.number()).isEqualTo(2);
        assertThat(second.dueAt()).isEqualTo(dueAt);
        assertThat(second.attemptAt()).isEqualTo(dueAt.plusSeconds(10));
        assertThat(second.lateness()).isEqualTo(Duration.ofSeconds(12));
    }

    /** As many as of this node: what a consumer is given at once is bounded. */
    @Test
    void largeContentsOfOthersComeInSeveralAnswersToo() {
        for (int i = 0; i < 6; i++) {
            all.join(b.engine().schedule("q", "k" + i, Duration.ZERO, new byte[1 << 20]));
        }
        assertThat(lease(a, TEN)).hasSize(4);
        assertThat(lease(a, TEN)).hasSize(2);
    }

    @Test
    void allThatIsDueAnywhereComesToTheOneNodeThatIsAsked() {
        nodes(2, 3);
        Set<String> expected = new HashSet<>();
        for (int i = 0; i < 300; i++) {
            schedule(all.node(i % 3), "k" + i, Duration.ofMillis(i * 37 % 5_000));
            expected.add("k" + i);
        }
        List<String> got = new ArrayList<>();
        while (got.size() < 300) {
            CompletableFuture<List<Lease>> poll = a.engine().lease(WAITING);
            all.threads.advance(Duration.ofMillis(50));
            if (poll.isDone()) {
                for (Lease lease : all.join(poll)) {
                    got.add(lease.attempt().key());
                    assertThat(lease.attempt().number()).isEqualTo(1);
                    all.join(all.node(got.size() % 3).engine().acknowledge(lease.id()));
                }
            } else {
                poll.cancel(false);
            }
        }
        assertThat(got).containsExactlyInAnyOrderElementsOf(expected);
        nothingLeaks();
    }

    @Test
    void noMoreIsTakenThanPollsWant() {
        nodes(3, 3);
        for (int i = 0; i < 20; i++) {
            schedule(all.node(1), "b" + i);
            schedule(all.node(2), "c" + i);
        }
        int[] back = counted(BACK);
        assertThat(lease(a, TEN)).hasSize(10);
        assertThat(back[0]).as("taken for nobody").isZero();
        int claimed = 0;
        for (Node node : all.nodes) {
            claimed += node.engine().stats().running();
        }
        assertThat(claimed).isEqualTo(10);
        assertThat(lease(a, TEN.withMax(1_000))).hasSize(30);
    }

    @Test
    void pollsWhoseLeasesLastDifferentlyEachGetTheirOwn() {
        CompletableFuture<List<Lease>> brief =
                a.engine().lease(WAITING.withMax(1).withTtl(Duration.ofSeconds(5)));
        CompletableFuture<List<Lease>> lasting =
                a.engine().lease(WAITING.withMax(1).withTtl(Duration.ofMinutes(5)));
        schedule(b, "x");
        schedule(b, "y");
        all.threads.advance(Duration.ofSeconds(1));
        Instant now = all.clock.now();
        assertThat(all.join(brief).get(0).expiresAt()).isBefore(now.plusSeconds(6));
        assertThat(all.join(lasting).get(0).expiresAt()).isAfter(now.plusSeconds(290));
    }

    /** What own polls want they get, and a take waits behind them. */
    @Test
    void takeStandsBehindThePollsThatCameBefore() {
        CompletableFuture<List<Lease>> own = b.engine().lease(WAITING.withMax(1));
        CompletableFuture<List<Lease>> other = a.engine().lease(WAITING.withMax(1));
        all.threads.runUntilIdle();
        schedule(b, "x");
        assertThat(own).isDone();
        assertThat(other).isNotDone();
        schedule(b, "y");
        assertThat(other).isDone();
    }

    @Test
    void nodesThatAskAreServedByTurns() {
        nodes(4, 3);
        List<CompletableFuture<List<Lease>>> polls = new ArrayList<>();
        Map<Integer, Integer> got = new HashMap<>();
        for (int i = 0; i < 40; i++) {
            for (int node = 0; node < 2; node++) {
                polls.add(all.node(node).engine().lease(WAITING.withMax(1)));
            }
        }
        all.threads.runUntilIdle();
        for (int i = 0; i < 40; i++) {
            schedule(all.node(2), "k" + i);
        }
        for (int i = 0; i < polls.size(); i++) {
            if (polls.get(i).isDone()) {
                got.merge(i % 2, 1, Integer::sum);
            }
        }
        assertThat(got.get(0) + got.get(1)).isEqualTo(40);
        assertThat(got.get(0)).isBetween(10, 30);
    }

    @Test
    void pausedQueueIsNotOffered() {
        all.join(b.engine().changeQueue("q", QueueChange.pause()));
        schedule(b, "x");
        CompletableFuture<List<Lease>> poll = a.engine().lease(WAITING);
        all.threads.advance(Duration.ofSeconds(10));
        assertThat(all.mails).isLessThan(6);
        all.join(b.engine().changeQueue("q", QueueChange.resume()));
        assertThat(keys(all.join(poll))).containsExactly("x");
    }

    @Test
    void thousandPollsThatWaitSendNothing() {
        schedule(b, "later", Duration.ofHours(1));
        List<CompletableFuture<List<Lease>>> polls = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            polls.add(a.engine().lease(WAITING));
        }
        all.threads.runUntilIdle();
        int before = all.mails;
        assertThat(before).isLessThanOrEqualTo(4);
        all.threads.advance(Duration.ofSeconds(19));
        assertThat(all.mails).isEqualTo(before);
        assertThat(polls).noneMatch(CompletableFuture::isDone);
        all.threads.advance(Duration.ofSeconds(38));
        assertThat(all.mails - before).as("asked anew each 20 s").isLessThanOrEqualTo(4);
    }

    @Test
    void nobodyIsAskedAnyMoreFiveSecondsAfterTheLastPoll() {
        lease(a, TEN);
        lease(b, TEN);
        all.threads.advance(Duration.ofSeconds(6));
        int before = all.mails;
        all.threads.advance(Duration.ofMinutes(5));
        assertThat(all.mails).isEqualTo(before);
        // And the owner keeps nothing loaded.
        schedule(b, "x");
        all.threads.advance(Duration.ofSeconds(10));
        assertThat(all.mails).isEqualTo(before);
    }

    /** Its timers hold no place of others for ever. */
    @Test
    void queueThatOnlyAnotherNodeAskedForHasNoTargetAfterwards() {
        schedule(b, "x");
        assertThat(keys(lease(a, TEN))).containsExactly("x");
        schedule(b, "y");
        all.threads.advance(Duration.ofSeconds(3));
        assertThat(b.engine().stats().waiting())
                .extracting(WaitingQueue::reason)
                .containsExactly(WaitingQueue.Reason.UNASKED);
        all.threads.advance(Duration.ofSeconds(15));
        assertThat(b.engine().stats().waiting())
                .extracting(WaitingQueue::reason)
                .containsExactly(WaitingQueue.Reason.NO_TARGET);
    }

    @Test
    void nodeThatComesIsAskedToo() {
        CompletableFuture<List<Lease>> poll = a.engine().lease(WAITING);
        all.threads.runUntilIdle();
        Node c = all.start();
        schedule(c, "x");
        assertThat(keys(all.join(poll))).containsExactly("x");
    }

    @Test
    void pollWhoseConsumerHasGoneGivesBackWhatCame() {
        schedule(b, "x");
        CompletableFuture<List<Lease>> poll = a.engine().lease(WAITING);
        // The consumer goes while the answer is on its way.
        all.loss = (from, to, kind) -> {
            if (kind == GIVE) {
                poll.cancel(false);
            }
            return false;
        };
        all.threads.runUntilIdle();
        assertThat(poll).isCancelled();
        nothingIsLost();
        List<Lease> again = lease(a, TEN);
        assertThat(keys(again)).containsExactly("x");
        assertThat(again.get(0).attempt().number()).isEqualTo(1);
        all.join(b.engine().acknowledge(again.get(0).id()));
        nothingLeaks();
    }

    /** It stood still for a while, or its heartbeat came late: its own view of the others has not changed. */
    @Test
    void nodeThatWasMissedForAMomentIsAskedAsBefore() {
        for (int i = 0; i < 10; i++) {
            schedule(b, "k" + i);
            all.join(a.engine().acknowledge(lease(a, TEN).get(0).id()));
        }
        a.misses(b);
        schedule(b, "x");
        List<Lease> leases = lease(a, TEN);
        assertThat(keys(leases)).containsExactly("x");
        all.join(a.engine().acknowledge(leases.get(0).id()));
        nothingLeaks();
    }

    /** The owner claims for a take no longer than for a quarter of a second: what comes later is for the next take. */
    @Test
    void claimsThatTakeLongReachThePollOfAnotherNode() {
        for (int millis : new int[] {100, 249, 250, 251, 300, 500, 750, 900, 1_200, 2_000}) {
            nodes(millis, 2);
            for (int i = 0; i < 5; i++) {
                schedule(b, "x" + i, Duration.ofSeconds(1));
            }
            all.claimsTake = Duration.ofMillis(millis);
            CompletableFuture<List<Lease>> poll = a.engine().lease(WAITING);
            all.threads.advance(Duration.ofMillis(1_000 + millis));
            assertThat(poll).as("claims that take %d ms", millis).isDone();
            assertThat(keys(all.join(poll))).containsExactly("x0", "x1", "x2", "x3", "x4");
            assertThat(all.join(poll)).allMatch(lease -> lease.attempt().number() == 1);
            all.join(poll).forEach(lease -> all.join(a.engine().acknowledge(lease.id())));
            all.claimsTake = Duration.ZERO;
            nothingLeaks();
        }
    }

    /** As it has gone, or wants no more by then. */
    @Test
    void claimThatComesTooLateForANodeThatDoesNotAskAgainIsDueAgain() {
        schedule(b, "x", Duration.ofSeconds(1));
        all.claimsTake = Duration.ofMillis(600);
        CompletableFuture<List<Lease>> poll = a.engine().lease(WAITING);
        all.threads.advance(Duration.ofMillis(1_100));
        poll.cancel(false);
        all.threads.advance(Duration.ofMillis(499));
        assertThat(state(b, "x")).isEqualTo(TimerState.CLAIMED);
        all.threads.advance(Duration.ofMillis(252));
        assertThat(state(b, "x")).isEqualTo(TimerState.PENDING);
        all.claimsTake = Duration.ZERO;
        List<Lease> leases = lease(b, TEN);
        assertThat(keys(leases)).containsExactly("x");
        assertThat(leases.get(0).attempt().number()).isEqualTo(1);
        all.join(b.engine().acknowledge(leases.get(0).id()));
        nothingLeaks();
    }

    /** Whatever else was kept when it came. */
    @Test
    void claimThatComesTooLateIsKeptAsLongAsTheOneBeforeIt() {
        schedule(b, "x", Duration.ofSeconds(1));
        schedule(b, "y", Duration.ofMillis(1_200));
        all.claimsTake = Duration.ofMillis(600);
        CompletableFuture<List<Lease>> poll = a.engine().lease(TEN.withWait(WAITING.waitFor()));
        all.threads.advance(Duration.ofMillis(1_300));
        poll.cancel(false);
        all.threads.advance(Duration.ofMillis(600));
        assertThat(state(b, "x")).isEqualTo(TimerState.PENDING);
        assertThat(state(b, "y")).as("100 ms after it came").isEqualTo(TimerState.CLAIMED);
        all.threads.advance(Duration.ofMillis(160));
        assertThat(state(b, "y")).isEqualTo(TimerState.PENDING);
        all.claimsTake = Duration.ZERO;
        lease(b, TEN).forEach(lease -> all.join(b.engine().acknowledge(lease.id())));
        nothingLeaks();
    }

    @Test
    void pollIsGivenNoLeaseThatLastsForTheTimeOfAnother() {
        CompletableFuture<List<Lease>> first = a.engine().lease(WAITING);
        CompletableFuture<List<Lease>> second = a.engine().lease(WAITING.withTtl(Duration.ofSeconds(60)));
        all.whenRead = (node, kind) -> {
            if (kind == TAKE) {
                first.cancel(false);
            }
        };
        schedule(b, "x");
        all.threads.advance(Duration.ofSeconds(1));
        assertThat(second).isCompleted();
        assertThat(second.join()).hasSize(1);
        all.threads.advance(Duration.ofSeconds(58));
        all.join(a.engine().acknowledge(second.join().get(0).id()));
        nothingLeaks();
    }

    /** The node that has the timers was polled itself before, and is not any more. */
    @Test
    void timersAreLoadedForAsLongAsAnotherNodeAsks() {
        assertThat(lease(b, TEN)).isEmpty();
        all.threads.advance(Duration.ofSeconds(3));
        CompletableFuture<List<Lease>> poll = a.engine().lease(WAITING);
        all.threads.advance(Duration.ofSeconds(15));
        schedule(b, "x");
        assertThat(keys(all.join(poll))).containsExactly("x");
    }
}
