package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Lease;
import io.tickwheel.engine.LeaseRequest;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.engine.tests.MailedNodes.Node;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Large contents that nodes lend: how much of it is on its way to one of them, and to all. */
final class LendingRoomTest extends LendingNodes {

    private static final int MIB = 1 << 20;

    /** It has been stopped, or its machine has: what was given to it is not confirmed, and it is alive as far as is known. */
    @Test
    void nodeThatStandsStillHoldsUpNoOther() {
        for (int stopped = 1; stopped <= 3; stopped++) {
            nodes(stopped, 2 + stopped);
            for (Node node : all.nodes.subList(2, 2 + stopped)) {
                for (int i = 0; i < 16; i++) {
                    large(node.self() + "." + i, b, Duration.ofSeconds(1));
                    var unused = poll(node, node.self() + "." + i);
                }
            }
            List<CompletableFuture<List<Lease>>> polls = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                large("q" + i, b, Duration.ofMillis(1_050));
                polls.add(poll(a, "q" + i));
            }
            all.threads.runUntilIdle();
            all.loss = (from, to, kind) -> {
                if (kind == GIVE && to != a) {
                    to.standStill();
                }
                return false;
            };
            all.threads.advance(Duration.ofMillis(1_500));
            assertThat(b.engine().stats().running()).isGreaterThan(16);
            assertThat(polls)
                    .as("polls of the one that goes on, beside %d that stand still", stopped)
                    .allMatch(CompletableFuture::isDone);
        }
    }

    /** All of it passes through the connection on which that node hears Redis, which closes it when 32 MiB wait there. */
    @Test
    void lendersTogetherSendNoMoreToOneNodeThanItsConnectionMayHold() {
        for (int lenders : new int[] {1, 3, 9}) {
            nodes(lenders, lenders + 1);
            for (int lender = 1; lender <= lenders; lender++) {
                for (int i = 0; i < 6; i++) {
                    String queue = lender + "." + i;
                    large(queue, all.node(lender), Duration.ofSeconds(1));
                    var unused = poll(a, queue);
                }
            }
            all.threads.runUntilIdle();
            all.loss = (from, to, kind) -> from == a && kind != ASK && kind != TAKE;
            all.threads.advance(Duration.ofMillis(1_800));
            int lent = 0;
            for (Node node : all.nodes) {
                lent += node.engine().stats().running();
            }
            assertThat(lent).as("MiB that %d nodes lend", lenders).isBetween(4, 10);
        }
    }

    /** Three of the largest payload are more than a connection may hold: they come one after the other. */
    @Test
    void oneLenderAtATimeSendsWhatIsLarge() {
        for (int lenders : new int[] {1, 3}) {
            nodes(lenders, lenders + 1);
            List<CompletableFuture<List<Lease>>> polls = new ArrayList<>();
            for (int lender = 1; lender <= lenders; lender++) {
                largest("q" + lender, all.node(lender), MIB);
                polls.add(poll(a, "q" + lender));
            }
            all.threads.runUntilIdle();
            loses(GIVE);
            // When it has not come in time, it may be on its way all the same.
            for (int i = 0; i < 4; i++) {
                all.threads.advance(Duration.ofMillis(900));
                assertThat(lent()).as("large ones of %d nodes", lenders).isEqualTo(i == 0 ? 0 : 1);
            }
            nothingIsLost();
            all.threads.advance(Duration.ofSeconds(15));
            assertThat(polls).allMatch(CompletableFuture::isDone);
            polls.forEach(poll -> assertThat(all.join(poll))
                    .singleElement()
                    .matches(lease -> lease.attempt().number() == 1));
        }
    }

    /** A take that has made no room for it is given what is before it. */
    @Test
    void whatIsLargeDoesNotComeBehindWhatIsSmall() {
        nodes(1, 4);
        for (int lender = 1; lender <= 3; lender++) {
            String queue = "q" + lender;
            Node node = all.node(lender);
            all.join(node.engine().schedule(queue, "small", Duration.ofMillis(990), new byte[1]));
            largest(queue, node, 0);
            var unused = a.engine().lease(LeaseRequest.of(queue).withMax(2).withWait(Duration.ofSeconds(60)));
        }
        all.threads.runUntilIdle();
        loses(GIVE);
        all.clock.advance(Duration.ofSeconds(1));
        all.threads.advance(Duration.ofMillis(900));
        assertThat(lent()).as("three small ones, and large ones").isBetween(3, 4);
    }

    @Test
    void whatIsLargeMayBeOnItsWayForLonger() {
        largest("q", b, 0);
        CompletableFuture<List<Lease>> poll = poll(a, "q");
        whoIsGivenStandsStill();
        all.threads.advance(Duration.ofMillis(2_900));
        assertThat(a.standsStill()).isTrue();
        int[] taken = counted(TAKE);
        a.goOn();
        assertThat(all.join(poll)).hasSize(1);
        assertThat(taken[0]).as("takes of what has come").isZero();
    }

    /** Its node and Redis may have much to do: were it taken back sooner, it would be sent again and again, and never come. */
    @Test
    void whatIsLargeMayBeOnItsWayForTenSeconds() {
        largest("q", b, 0);
        CompletableFuture<List<Lease>> poll = poll(a, "q");
        whoIsGivenStandsStill();
        all.threads.advance(Duration.ofMillis(10_800));
        assertThat(a.standsStill()).isTrue();
        nothingIsLost();
        int[] taken = counted(TAKE);
        a.goOn();
        Lease lease = all.join(poll).get(0);
        assertThat(taken[0]).as("takes of what has come").isZero();
        all.join(b.engine().acknowledge(lease.id()));
        assertThat(b.engine().stats().running()).isZero();
    }

    /** It comes when it has been taken back, as it would have expired. */
    @Test
    void largeLeaseThatHasEndedOnItsWayIsGivenToNobody() {
        largest("q", b, 0);
        CompletableFuture<List<Lease>> poll = a.engine()
                .lease(LeaseRequest.of("q").withTtl(Duration.ofMillis(1_500)).withWait(Duration.ofSeconds(60)));
        whoIsGivenStandsStill();
        all.threads.advance(Duration.ofMillis(2_600));
        assertThat(a.standsStill()).isTrue();
        nothingIsLost();
        a.goOn();
        all.threads.runUntilIdle();
        assertThat(poll).isNotDone();
        all.threads.advance(Duration.ofSeconds(5));
        Lease lease = all.join(poll).get(0);
        assertThat(lease.attempt().number()).isEqualTo(1);
        all.join(a.engine().acknowledge(lease.id()));
    }

    /** The claim comes too late for its take, and is kept for the next one. */
    @Test
    void largeOneOfASlowStoreIsLent() {
        all.claimsTake = Duration.ofMillis(400);
        largest("q", b, MIB);
        CompletableFuture<List<Lease>> poll = poll(a, "q");
        all.threads.advance(Duration.ofSeconds(4));
        assertThat(all.join(poll)).hasSize(1);
    }

    /** With its headers it is more than nodes lend: a poll of its own node gets it, and no attempt was made before. */
    @Test
    void leaseThatNoMailCarriesStaysWithItsNode() {
        largest("q", b, 5 * MIB);
        CompletableFuture<List<Lease>> poll = poll(a, "q");
        int[] taken = counted(TAKE);
        all.threads.advance(Duration.ofSeconds(3));
        assertThat(poll).isNotDone();
        assertThat(taken[0]).as("takes in 3 s").isBetween(1, 6);
        assertThat(lease(b, LeaseRequest.of("q")))
                .singleElement()
                .matches(lease -> lease.attempt().number() == 1);
    }

    private int lent() {
        return all.nodes.stream()
                .mapToInt(node -> node.engine().stats().running())
                .sum();
    }

    private void whoIsGivenStandsStill() {
        all.loss = (from, to, kind) -> {
            if (kind == GIVE) {
                to.standStill();
            }
            return false;
        };
    }

    /** Of the largest payload. */
    private void largest(String queue, Node node, int headerBytes) {
        TimerRequest request = TimerRequest.after(queue, "k", Duration.ofSeconds(1))
                .withPayload(new byte[16 * MIB])
                .withHeaders(Map.of("h", "x".repeat(headerBytes)));
        all.join(node.engine().schedule(request));
    }

    /** Each gives what it may, and none so little that it gives nothing. */
    @Test
    void allThatManyNodesHaveComesToOne() {
        nodes(5, 10);
        List<CompletableFuture<List<Lease>>> polls = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            for (int lender = 1; lender < 10; lender++) {
                large("q" + i, all.node(lender), Duration.ofSeconds(1));
                polls.add(poll(a, "q" + i));
            }
        }
        all.threads.advance(Duration.ofMillis(1_500));
        assertThat(polls).allMatch(CompletableFuture::isDone);
        polls.forEach(poll ->
                assertThat(all.join(poll)).allMatch(lease -> lease.attempt().number() == 1));
    }

    private CompletableFuture<List<Lease>> poll(Node node, String queue) {
        return node.engine().lease(LeaseRequest.of(queue).withWait(Duration.ofSeconds(60)));
    }

    private void large(String queue, Node node, Duration delay) {
        all.join(node.engine().schedule(queue, "k", delay, new byte[MIB]));
    }
}
