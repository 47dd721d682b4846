package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.engine.Lease;
import io.tickwheel.engine.tests.MailedNodes.Node;
import io.tickwheel.store.StoreUnavailableException;
import io.tickwheel.store.TimerState;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Leases that nodes lend each other are neither lost nor counted twice when a node dies. */
final class DeadLenderTest extends LendingNodes {

    @Test
    void leaseOfANodeThatDiesIsNotForwarded() {
        nodes(6, 3);
        Node c = all.node(2);
        schedule(b, "x");
        Lease lease = lease(a, TEN).get(0);
        b.kill();
        CompletableFuture<Void> waits = c.engine().acknowledge(lease.id());
        all.threads.runUntilIdle();
        assertThat(waits).isNotDone();
        b.die();
        all.threads.runUntilIdle();
        assertThatThrownBy(waits::join).hasCauseInstanceOf(StoreUnavailableException.class);
        gone(c.engine().acknowledge(lease.id()));
        // What it had promised keeps nobody waiting.
        schedule(c, "y");
        assertThat(keys(lease(a, TEN))).containsExactly("y");
    }

    @Test
    void ownerThatDiesBeforeItGivesKeepsNoPollFromOthers() {
        nodes(7, 3);
        Node c = all.node(2);
        CompletableFuture<List<Lease>> poll = a.engine().lease(WAITING.withMax(1));
        all.threads.runUntilIdle();
        all.loss = (from, to, kind) -> {
            if (kind == TAKE && to == b) {
                b.kill();
            }
            return false;
        };
        schedule(b, "x");
        assertThat(poll).isNotDone();
        schedule(c, "y");
        assertThat(poll).isNotDone();
        b.die();
        all.threads.runUntilIdle();
        assertThat(keys(all.join(poll))).containsExactly("y");
    }

    @Test
    void pollDoesNotWaitForTheWordOfANodeThatHasDied() {
        loses(ASK);
        CompletableFuture<List<Lease>> poll = a.engine().lease(TEN);
        all.threads.runUntilIdle();
        assertThat(poll).isNotDone();
        b.die();
        assertThat(all.join(poll)).isEmpty();
    }

    /** Its offer is older than that of the other one. */
    @Test
    void whatANodeHadThatHasDiedIsNotTaken() {
        nodes(11, 3);
        Node c = all.node(2);
        schedule(b, "x");
        schedule(b, "y");
        assertThat(lease(a, TEN.withMax(1))).hasSize(1);
        b.die();
        schedule(c, "z");
        assertThat(keys(lease(a, TEN.withMax(1)))).containsExactly("z");
    }

    @Test
    void whatWasOnItsWayToANodeThatDiesComesBackAtOnce() {
        nodes(8, 3);
        CompletableFuture<List<Lease>> poll = a.engine().lease(WAITING);
        all.threads.runUntilIdle();
        all.loss = (from, to, kind) -> {
            if (kind == GIVE) {
                a.kill();
            }
            return kind == GIVE;
        };
        schedule(b, "x");
        assertThat(poll).isNotDone();
        assertThat(b.engine().stats().running()).isEqualTo(1);
        nothingIsLost();
        a.die();
        List<Lease> leases = lease(all.node(2), TEN);
        assertThat(keys(leases)).containsExactly("x");
        assertThat(leases.get(0).attempt().number()).isEqualTo(1);
    }

    /** The claim is answered when the one that it was made for has died. */
    @Test
    void whatIsClaimedForANodeThatDiesComesBackAtOnce() {
        nodes(12, 3);
        all.claimsTake = Duration.ofMillis(100);
        var unused = a.engine().lease(WAITING);
        all.threads.runUntilIdle();
        schedule(b, "x");
        a.die();
        CompletableFuture<List<Lease>> poll = all.node(2).engine().lease(WAITING);
        all.threads.advance(Duration.ofMillis(500));
        assertThat(keys(all.join(poll))).containsExactly("x");
        assertThat(all.join(poll).get(0).attempt().number()).isEqualTo(1);
    }

    @Test
    void nodeThatDiesIsToldNothingMore() {
        CompletableFuture<List<Lease>> poll = a.engine().lease(WAITING);
        all.threads.runUntilIdle();
        a.die();
        int before = all.mails;
        schedule(b, "x");
        all.threads.advance(Duration.ofSeconds(10));
        assertThat(all.mails).isEqualTo(before);
        assertThat(poll).isNotDone();
    }

    @Test
    void leaseOutlivesTheNodeThatGaveItToItsConsumer() {
        nodes(9, 3);
        schedule(b, "x");
        Lease lease = lease(a, TEN).get(0);
        a.die();
        all.threads.advance(Duration.ofSeconds(10));
        all.join(all.node(2).engine().acknowledge(lease.id()));
        assertThat(state(b, "x")).isEqualTo(TimerState.COMPLETED);
    }
}
