package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.ConsumerOptions;
import io.tickwheel.engine.Lease;
import io.tickwheel.engine.LeaseRequest;
import io.tickwheel.engine.WaitingQueue;
import io.tickwheel.engine.tests.MailedNodes.Node;
import io.tickwheel.store.TimerState;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Leases that nodes lend each other are neither lost nor counted twice when mail is lost, late or comes twice. */
final class LostMailTest extends LendingNodes {

    /** It holds two, and works on one: meanwhile nobody hears that the other one is to last. */
    @Test
    void consumerDoesNotBeginWhatHasExpired() {
        ArrayDeque<Runnable> tasks = new ArrayDeque<>();
        all.tasks = tasks;
        List<String> handled = new ArrayList<>();
        schedule(b, "x");
        schedule(b, "y");
        a.engine()
                .consume(
                        "q",
                        ConsumerOptions.DEFAULTS.withConcurrency(1).withMax(2).withTtl(Duration.ofSeconds(3)),
                        attempt -> handled.add(attempt.key() + attempt.number()));
        all.threads.advance(Duration.ofSeconds(1));
        assertThat(tasks).hasSize(1);
        all.loss = (from, to, kind) -> from == a;
        all.threads.advance(Duration.ofSeconds(5));
        nothingIsLost();
        while (!tasks.isEmpty()) {
            tasks.remove().run();
            all.threads.advance(Duration.ofSeconds(20));
        }
        assertThat(handled).hasSize(3).doesNotHaveDuplicates();
        assertThat(handled.subList(1, 3)).containsExactlyInAnyOrder("x2", "y2");
        assertThat(b.engine().liveCount()).isZero();
    }

    /** They come just in time, and nobody hears that they are to last. */
    @Test
    void leasesThatWereOnTheirWayForLongLastFromTheirGrant() {
        ArrayDeque<Runnable> tasks = new ArrayDeque<>();
        all.tasks = tasks;
        List<String> handled = new ArrayList<>();
        consumeOneOfTwo(handled);
        schedule(b, "x", Duration.ofSeconds(1));
        schedule(b, "y", Duration.ofSeconds(1));
        all.whenRead = (node, kind) -> {
            if (node == a && kind == GIVE) {
                a.standStill();
            }
        };
        all.threads.advance(Duration.ofMillis(1_900));
        all.whenRead = (node, kind) -> {};
        a.goOn();
        all.threads.runUntilIdle();
        assertThat(tasks).hasSize(1);
        all.loss = (from, to, kind) -> from == a;
        all.threads.advance(Duration.ofMillis(2_150));
        assertThat(state(b, "x")).as("3 s after the grant").isEqualTo(TimerState.PENDING);
        tasks.remove().run();
        all.threads.runUntilIdle();
        assertThat(handled).hasSize(1);
        assertThat(tasks).as("begun 3 s after the grant").isEmpty();
    }

    /** The threads that answer are busy. */
    @Test
    void leasesWhoseAnswerWasLateAreExtendedInTime() {
        ArrayDeque<Runnable> tasks = new ArrayDeque<>();
        ArrayDeque<Runnable> answers = new ArrayDeque<>();
        all.tasks = tasks;
        List<String> handled = new ArrayList<>();
        consumeOneOfTwo(handled);
        all.answers = answers;
        var unused = a.engine().schedule("q", "x", Duration.ZERO);
        unused = a.engine().schedule("q", "y", Duration.ZERO);
        all.threads.advance(Duration.ofMillis(2_500));
        all.answers = null;
        answers.forEach(Runnable::run);
        all.threads.advance(Duration.ofSeconds(3));
        assertThat(tasks).hasSize(1);
        while (!tasks.isEmpty()) {
            tasks.remove().run();
            all.threads.runUntilIdle();
        }
        assertThat(handled).containsExactlyInAnyOrder("x1", "y1");
    }

    /** Leases two for three seconds, and works on one at a time. */
    private void consumeOneOfTwo(List<String> handled) {
        ConsumerOptions options =
                ConsumerOptions.DEFAULTS.withConcurrency(1).withMax(2).withTtl(Duration.ofSeconds(3));
        a.engine().consume("q", options, attempt -> handled.add(attempt.key() + attempt.number()));
        all.threads.runUntilIdle();
    }

    /** What another one has lent it, while more is on its way. */
    @Test
    void pollWhoseConsumerHasGoneBeforeItIsAnsweredGivesBackWhatWasLent() {
        nodes(3, 3);
        Node c = all.node(2);
        schedule(b, "x");
        schedule(c, "y");
        all.loss = (from, to, kind) -> from == c && kind == GIVE;
        CompletableFuture<List<Lease>> poll = a.engine().lease(WAITING);
        all.threads.runUntilIdle();
        assertThat(state(b, "x")).isEqualTo(TimerState.CLAIMED);
        assertThat(poll).as("more is on its way").isNotDone();

        poll.cancel(false);

        all.threads.runUntilIdle();
        assertThat(state(b, "x")).isEqualTo(TimerState.PENDING);
        List<Lease> again = lease(b, TEN);
        assertThat(keys(again)).containsExactly("x");
        assertThat(again.get(0).attempt().number()).as("no attempt counts").isEqualTo(1);
    }

    /** Its consumers have not taken what they were given: until they have, nothing more is leased, to nobody. */
    @Test
    void nodeThatMayLeaseNothingMoreOffersNothing() {
        for (int i = 0; i < 30; i++) {
            all.join(b.engine().schedule("own", "k" + i, Duration.ZERO, new byte[1 << 20]));
        }
        CompletableFuture<List<Lease>> poll = a.engine().lease(WAITING);
        all.threads.runUntilIdle();
        ArrayDeque<Runnable> answers = new ArrayDeque<>();
        all.answers = answers;
        for (int i = 0; i < 10; i++) {
            var unused = b.engine().lease(LeaseRequest.of("own").withMax(4));
            all.threads.runUntilIdle();
        }
        int before = all.mails;
        all.loss = (from, to, kind) -> all.mails > before + 100;
        var unused = b.engine().schedule("q", "x", Duration.ZERO);
        all.threads.advance(Duration.ofMillis(100));
        assertThat(all.mails - before).as("mails of what cannot be lent").isLessThan(5);
        nothingIsLost();
        all.answers = null;
        answers.forEach(Runnable::run);
        all.threads.advance(Duration.ofMillis(1));
        assertThat(keys(all.join(poll))).containsExactly("x");
    }

    @Test
    void lostAskIsAskedAnew() {
        loses(ASK);
        CompletableFuture<List<Lease>> poll = a.engine().lease(WAITING);
        schedule(b, "x");
        nothingIsLost();
        all.threads.advance(Duration.ofSeconds(19));
        assertThat(poll).isNotDone();
        all.threads.advance(Duration.ofSeconds(2));
        assertThat(keys(all.join(poll))).containsExactly("x");
    }

    /** Its store says that the ask has not arrived: nobody waits for an answer to it. */
    @Test
    void pollDoesNotWaitForANodeThatWasNotReached() {
        all.tellsOfLoss = true;
        loses(ASK);
        assertThat(lease(a, TEN)).isEmpty();
    }

    @Test
    void askOfWhichIsKnownThatItIsLostIsAskedAnewInASecond() {
        assertThat(lease(a, TEN)).as("what it hears of the other one").isEmpty();
        all.threads.advance(Duration.ofSeconds(6));
        all.tellsOfLoss = true;
        loses(ASK);
        CompletableFuture<List<Lease>> poll = a.engine().lease(WAITING);
        schedule(b, "x");
        nothingIsLost();
        all.threads.advance(Duration.ofMillis(999));
        assertThat(poll).isNotDone();
        all.threads.advance(Duration.ofMillis(1));
        assertThat(keys(all.join(poll))).containsExactly("x");
    }

    /** It may be of a version that does not lend. */
    @Test
    void nodeOfWhichNothingHasEverComeIsAskedAnewSeldom() {
        all.tellsOfLoss = true;
        loses(ASK);
        var unused = a.engine().lease(WAITING);
        all.threads.runUntilIdle();
        int before = all.mails;
        all.threads.advance(Duration.ofMillis(4_999));
        assertThat(all.mails).isEqualTo(before);
        all.threads.advance(Duration.ofMillis(1));
        assertThat(all.mails).isEqualTo(before + 1);
    }

    /** What it keeps loaded for others has room that its own queues lack. */
    @Test
    void askThatIsNotAskedAnewIsForgotten() {
        schedule(b, "x");
        all.join(a.engine().acknowledge(lease(a, TEN).get(0).id()));
        schedule(b, "y");
        loses(STOP);
        all.threads.advance(Duration.ofSeconds(50));
        assertThat(b.engine().stats().waiting())
                .extracting(WaitingQueue::reason)
                .containsExactly(WaitingQueue.Reason.UNASKED);
        all.threads.advance(Duration.ofSeconds(20));
        assertThat(b.engine().stats().waiting())
                .extracting(WaitingQueue::reason)
                .containsExactly(WaitingQueue.Reason.NO_TARGET);
    }

    /** Others wait no longer for its word than for that of those that were there before. */
    @Test
    void nodeThatComesAndDoesNotAnswerHoldsUpNoPoll() {
        CompletableFuture<List<Lease>> waits = a.engine().lease(WAITING);
        all.threads.advance(Duration.ofSeconds(1));
        loses(ASK);
        all.start();
        all.threads.advance(Duration.ofSeconds(1));
        assertThat(lease(a, TEN)).isEmpty();
        assertThat(waits).isNotDone();
    }

    @Test
    void lostOfferIsToldAgain() {
        CompletableFuture<List<Lease>> poll = a.engine().lease(WAITING);
        all.threads.runUntilIdle();
        loses(HAVE);
        schedule(b, "x");
        nothingIsLost();
        all.threads.advance(Duration.ofMillis(1_100));
        assertThat(keys(all.join(poll))).containsExactly("x");
    }

    @Test
    void lostTakeIsForgottenAfterASecond() {
        CompletableFuture<List<Lease>> poll = a.engine().lease(WAITING);
        all.threads.runUntilIdle();
        loses(TAKE);
        schedule(b, "x");
        nothingIsLost();
        all.threads.advance(Duration.ofMillis(2_200));
        assertThat(keys(all.join(poll))).containsExactly("x");
        all.join(a.engine().acknowledge(all.join(poll).get(0).id()));
        nothingLeaks();
    }

    @Test
    void lostLeasesComeBackAndNoAttemptCounts() {
        CompletableFuture<List<Lease>> poll = a.engine().lease(WAITING);
        all.threads.runUntilIdle();
        loses(GIVE);
        schedule(b, "x");
        nothingIsLost();
        all.threads.advance(Duration.ofMillis(2_900));
        assertThat(poll).isNotDone();
        all.threads.advance(Duration.ofMillis(1_200));
        assertThat(keys(all.join(poll))).containsExactly("x");
        assertThat(all.join(poll).get(0).attempt().number()).isEqualTo(1);
        all.join(b.engine().acknowledge(all.join(poll).get(0).id()));
        nothingLeaks();
    }

    @Test
    void leasesOfWhichNobodySaysThatTheyArrivedAreTakenBack() {
        loses(GOT);
        schedule(b, "x");
        Lease lease = lease(a, TEN).get(0);
        all.threads.advance(Duration.ofMillis(2_900));
        assertThat(state(b, "x")).isEqualTo(TimerState.CLAIMED);
        all.threads.advance(Duration.ofMillis(200));
        gone(a.engine().acknowledge(lease.id()));
        Lease again = lease(a, TEN).get(0);
        assertThat(again.id()).isNotEqualTo(lease.id());
        assertThat(again.attempt().number()).isEqualTo(1);
    }

    /** Also when they would have expired by then: no attempt counts that nobody has seen. */
    @Test
    void lostLeasesThatLastShorterComeBackBeforeTheyExpire() {
        CompletableFuture<List<Lease>> poll = a.engine().lease(WAITING.withTtl(Duration.ofSeconds(2)));
        all.threads.runUntilIdle();
        loses(GIVE);
        schedule(b, "x");
        nothingIsLost();
        all.threads.advance(Duration.ofSeconds(4));
        assertThat(keys(all.join(poll))).containsExactly("x");
        assertThat(all.join(poll).get(0).attempt().number()).isEqualTo(1);
    }

    @Test
    void confirmedLeaseLastsAsLongAsWasAskedFor() {
        schedule(b, "x");
        Lease lease = lease(a, TEN).get(0);
        all.threads.advance(Duration.ofMillis(29_900));
        assertThat(state(b, "x")).isEqualTo(TimerState.CLAIMED);
        all.join(a.engine().extend(lease.id(), Duration.ofMinutes(1)));
        all.threads.advance(Duration.ofSeconds(59));
        all.join(a.engine().acknowledge(lease.id()));
        assertThat(state(b, "x")).isEqualTo(TimerState.COMPLETED);
    }

    @Test
    void mailThatComesTwiceCountsOnce() {
        all.copies = 2;
        for (int i = 0; i < 20; i++) {
            schedule(b, "x" + i);
        }
        int[] back = counted(BACK);
        List<Lease> leases = lease(a, TEN);
        assertThat(leases).hasSize(10);
        assertThat(back[0]).as("taken for nobody").isZero();
        all.join(a.engine().acknowledge(leases.get(0).id()));
    }

    /** Its process is stopped for a while, or collects garbage, when it has read what it was given: by then that has been taken back. */
    @Test
    void leasesThatWereTakenBackMeanwhileAreGivenToNoConsumer() {
        schedule(b, "x", Duration.ofSeconds(1));
        CompletableFuture<List<Lease>> poll = a.engine().lease(WAITING);
        all.threads.runUntilIdle();
        all.whenRead = (node, kind) -> {
            if (node == a && kind == GIVE) {
                a.standStill();
            }
        };
        all.threads.advance(Duration.ofMillis(4_500));
        assertThat(poll).isNotDone();
        assertThat(state(b, "x")).isEqualTo(TimerState.PENDING);
        all.whenRead = (node, kind) -> {};
        a.goOn();
        all.threads.advance(Duration.ofSeconds(2));
        List<Lease> leases = all.join(poll);
        assertThat(keys(leases)).containsExactly("x");
        assertThat(leases.get(0).attempt().number()).isEqualTo(1);
        all.join(a.engine().acknowledge(leases.get(0).id()));
        assertThat(state(b, "x")).isEqualTo(TimerState.COMPLETED);
        nothingLeaks();
    }

    /** The one that lends stands still, and what it has not read yet says that its leases have arrived. */
    @Test
    void leasesThatArrivedWhileTheirHolderStoodStillStayWithTheirConsumer() {
        schedule(b, "x", Duration.ofSeconds(1));
        CompletableFuture<List<Lease>> poll = a.engine().lease(WAITING);
        all.threads.runUntilIdle();
        all.loss = (from, to, kind) -> {
            if (kind == GOT) {
                b.standStill();
            }
            return false;
        };
        all.threads.advance(Duration.ofSeconds(5));
        List<Lease> leases = all.join(poll);
        nothingIsLost();
        b.goOn();
        all.threads.advance(Duration.ofSeconds(5));
        all.join(a.engine().acknowledge(leases.get(0).id()));
        assertThat(state(b, "x")).isEqualTo(TimerState.COMPLETED);
        nothingLeaks();
    }

    /** The one that lends stands still for longer than its leases last, and they were lost: no attempt counts that nobody has seen. */
    @Test
    void lostLeasesDoNotExpireWhileTheirHolderStandsStill() {
        CompletableFuture<List<Lease>> poll = a.engine().lease(WAITING.withTtl(Duration.ofSeconds(2)));
        all.threads.runUntilIdle();
        all.loss = (from, to, kind) -> {
            if (kind == GIVE) {
                b.standStill();
            }
            return kind == GIVE;
        };
        schedule(b, "x", Duration.ofSeconds(1));
        all.threads.advance(Duration.ofMillis(3_500));
        assertThat(b.standsStill()).isTrue();
        nothingIsLost();
        b.goOn();
        all.threads.advance(Duration.ofSeconds(20));
        List<Lease> leases = all.join(poll);
        assertThat(keys(leases)).containsExactly("x");
        assertThat(leases.get(0).attempt().number()).isEqualTo(1);
    }
}
