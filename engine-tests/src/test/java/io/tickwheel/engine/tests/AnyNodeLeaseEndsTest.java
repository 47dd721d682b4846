package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.engine.ConsumerOptions;
import io.tickwheel.engine.Lease;
import io.tickwheel.engine.TryAgainAtException;
import io.tickwheel.engine.tests.MailedNodes.Node;
import io.tickwheel.store.PastAttempt;
import io.tickwheel.store.StoreUnavailableException;
import io.tickwheel.store.TimerState;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A lease is ended, and extended, at any node. */
final class AnyNodeLeaseEndsTest extends LendingNodes {

    @Test
    void leaseIsEndedAtAnyNode() {
        nodes(5, 3);
        Node c = all.node(2);
        schedule(b, "nacked");
        schedule(b, "buried");
        Map<String, Lease> leases = new HashMap<>();
        lease(a, TEN).forEach(lease -> leases.put(lease.attempt().key(), lease));

        all.join(c.engine().nack(leases.get("nacked").id(), Duration.ofSeconds(3), "not now"));
        all.join(c.engine().bury(leases.get("buried").id(), "never"));

        assertThat(state(b, "buried")).isEqualTo(TimerState.DEAD);
        assertThat(all.join(b.engine().read("q", "buried"))
                        .orElseThrow()
                        .timer()
                        .history())
                .anyMatch(attempt -> attempt.reason().equals("never"));
        gone(c.engine().nack(leases.get("nacked").id(), "again"));
        all.threads.advance(Duration.ofSeconds(3));
        Lease second = lease(c, TEN).get(0);
        assertThat(second.attempt().number()).isEqualTo(2);
        gone(a.engine().acknowledge(leases.get("nacked").id()));
        all.join(a.engine().acknowledge(second.id()));
        assertThat(state(b, "nacked")).isEqualTo(TimerState.COMPLETED);
    }

    /** What its consumer gives as the reason is remembered, or told, by the node that holds the lease. */
    @Test
    void reasonsComeAlongToTheHolder() {
        schedule(b, "nacked");
        all.join(a.engine().nack(lease(a, TEN).get(0).id(), Duration.ofHours(1), "not now"));
        assertThat(all.join(b.engine().read("q", "nacked"))
                        .orElseThrow()
                        .timer()
                        .history())
                .extracting(PastAttempt::reason)
                .containsExactly("not now");
        schedule(b, "postponed");
        a.engine().consume("q", ConsumerOptions.DEFAULTS, attempt -> {
            throw new TryAgainAtException("closed for today", all.clock.now().plusSeconds(3_600));
        });
        all.threads.advance(Duration.ofSeconds(1));
        assertThat(all.postponed).containsExactly("closed for today");
    }

    @Test
    void leaseIsExtendedAtAnyNode() {
        schedule(b, "x");
        schedule(b, "x");
        Lease lease = lease(a, TEN).get(0);
        assertThat(lease.attempt().version()).as("of a timer that was replaced").isEqualTo(2);
        assertThat(all.join(a.engine().extend(lease.id(), Duration.ofMinutes(5))))
                .isEqualTo(all.clock.now().plusSeconds(300));
    }

    @Test
    void expiredLeaseIsGoneAtEachNode() {
        schedule(b, "x");
        Lease lease = lease(a, TEN).get(0);
        all.threads.advance(Duration.ofSeconds(31));
        gone(a.engine().acknowledge(lease.id()));
        gone(b.engine().acknowledge(lease.id()));
        assertThat(state(b, "x")).isEqualTo(TimerState.PENDING);
    }

    @Test
    void outcomeOfAnAcknowledgementWithoutAnAnswerIsNotKnown() {
        schedule(b, "x");
        Lease lease = lease(a, TEN).get(0);
        loses(END);
        CompletableFuture<Void> answer = a.engine().acknowledge(lease.id());
        all.threads.advance(Duration.ofMillis(1_999));
        assertThat(answer).isNotDone();
        all.threads.advance(Duration.ofMillis(1));
        assertThat(answer).isDone();
        assertThatThrownBy(answer::join)
                .cause()
                .isInstanceOfSatisfying(
                        StoreUnavailableException.class,
                        reason -> assertThat(reason.outcomeUnknown()).isTrue());
        nothingIsLost();
        all.join(a.engine().acknowledge(lease.id()));
        assertThat(state(b, "x")).isEqualTo(TimerState.COMPLETED);
    }

    @Test
    void nobodyWaitsForANodeThatHasGone() {
        nodes(5, 3);
        Node c = all.node(2);
        schedule(b, "x");
        Lease lease = lease(a, TEN).get(0);
        loses(END);
        CompletableFuture<Void> answer = a.engine().acknowledge(lease.id());
        all.threads.runUntilIdle();
        c.die();
        all.threads.runUntilIdle();
        assertThat(answer).as("another one has gone").isNotDone();
        b.die();
        all.threads.runUntilIdle();
        assertThat(answer).isDone();
        assertThatThrownBy(answer::join)
                .cause()
                .isInstanceOfSatisfying(
                        StoreUnavailableException.class,
                        reason -> assertThat(reason.outcomeUnknown()).isTrue())
                .hasMessageContaining("is not alive any more");
    }

    @Test
    void closeWaitsForTheAnswerOfTheNodeThatHoldsALease() {
        schedule(b, "x");
        Lease lease = lease(a, TEN).get(0);
        b.standStill();
        CompletableFuture<Void> answer = a.engine().acknowledge(lease.id());
        CompletableFuture<Void> closed = a.engine().closeAsync();
        all.threads.advance(Duration.ofSeconds(1));
        assertThat(closed).isNotDone();
        b.goOn();
        all.threads.runUntilIdle();
        assertThat(answer).isCompleted();
        assertThat(closed).isCompleted();
        assertThat(state(b, "x")).isEqualTo(TimerState.COMPLETED);
    }

    @Test
    void closeWaitsNoLongerForThatAnswerThanItIsTold() {
        all.drainTimeout = Duration.ofSeconds(1);
        Node c = all.start();
        schedule(b, "x");
        Lease lease = lease(c, TEN).get(0);
        loses(END);
        CompletableFuture<Void> answer = c.engine().acknowledge(lease.id());
        CompletableFuture<Void> closed = c.engine().closeAsync();
        all.threads.advance(Duration.ofMillis(999));
        assertThat(closed).isNotDone();
        all.threads.advance(Duration.ofMillis(1));
        assertThat(closed).isCompleted();
        assertOutcomeUnknown(answer);
    }

    @Test
    void whatWasAskedOfALeaseElsewhereIsAnsweredWhenTheStoreFails() {
        schedule(b, "x");
        Lease lease = lease(a, TEN).get(0);
        loses(END);
        CompletableFuture<Void> answer = a.engine().acknowledge(lease.id());
        all.threads.runUntilIdle();
        a.breakStore();
        all.threads.runUntilIdle();
        assertOutcomeUnknown(answer);
    }

    private static void assertOutcomeUnknown(CompletableFuture<?> answer) {
        assertThat(answer).isDone();
        assertThatThrownBy(answer::join)
                .cause()
                .isInstanceOfSatisfying(
                        StoreUnavailableException.class,
                        reason -> assertThat(reason.outcomeUnknown()).isTrue());
    }

    /** Whoever ends it, the holder or another node. */
    @Test
    void delayOfALeaseThatIsGivenBackIsRoundedUp() {
        schedule(b, "x");
        schedule(b, "y");
        List<Lease> leases = lease(a, TEN);
        Instant now = all.clock.now();
        Duration delay = Duration.ofNanos(1_000_000_001);
        all.join(a.engine().nack(leases.get(0).id(), delay, "not yet"));
        all.join(b.engine().nack(leases.get(1).id(), delay, "not yet"));
        all.threads.advance(Duration.ofSeconds(1));
        assertThat(lease(a, TEN)).isEmpty();
        all.threads.advance(Duration.ofMillis(1));
        assertThat(lease(a, TEN))
                .hasSize(2)
                .allMatch(lease -> lease.attempt().attemptAt().equals(now.plusMillis(1_001)));
    }
}
