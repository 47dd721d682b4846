package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Lease;
import io.tickwheel.engine.LeaseRequest;
import io.tickwheel.engine.TimerRequest;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Contents of leases that nodes lend each other, as large as they may be. */
final class LentContentsTest extends LendingNodes {

    /** All of it would be one mail that is larger than what may be on its way, and it would be so again each time. */
    @Test
    void largeContentsOfManyQueuesAreNotLostForEver() {
        List<CompletableFuture<List<Lease>>> polls = largeContents(24);
        all.threads.advance(Duration.ofSeconds(1));
        for (CompletableFuture<List<Lease>> poll : polls) {
            assertThat(poll).isDone();
            Lease lease = all.join(poll).get(0);
            assertThat(lease.attempt().number()).isEqualTo(1);
            all.join(a.engine().acknowledge(lease.id()));
        }
        nothingLeaks();
    }

    /** What a take brings is not known before: the next timer of each queue has no content. */
    @Test
    void largeContentsBehindSmallOnesAreNotLostForEver() {
        List<CompletableFuture<List<Lease>>> polls = new ArrayList<>();
        for (int i = 0; i < 24; i++) {
            String queue = "q" + i;
            all.join(b.engine().schedule(queue, "small", Duration.ofSeconds(1)));
            all.join(b.engine().schedule(queue, "large", Duration.ofSeconds(1), new byte[1 << 20]));
            polls.add(a.engine().lease(LeaseRequest.of(queue).withMax(2).withWait(Duration.ofSeconds(60))));
        }
        all.threads.runUntilIdle();
        all.threads.advance(Duration.ofSeconds(2));
        for (CompletableFuture<List<Lease>> poll : polls) {
            assertThat(poll).isDone();
            all.join(poll).forEach(lease -> all.join(a.engine().acknowledge(lease.id())));
        }
        nothingLeaks();
    }

    /** What comes too late to be taken would be claimed for nothing. */
    @Test
    void noMoreContentIsClaimedForOthersThanSoonReachesThem() {
        List<CompletableFuture<List<Lease>>> polls = largeContents(24);
        loses(GIVE);
        all.threads.advance(Duration.ofSeconds(1));
        assertThat(b.engine().stats().running()).isBetween(3, 5);
        nothingIsLost();
        all.threads.advance(Duration.ofSeconds(5));
        assertThat(polls).allMatch(CompletableFuture::isDone);
    }

    /** Its heap holds what they were given until they have taken it. */
    @Test
    void nodeWhoseConsumersTakeNothingBorrowsNoMore() {
        ArrayDeque<Runnable> answers = new ArrayDeque<>();
        List<CompletableFuture<List<Lease>>> polls = largeContents(100);
        all.answers = answers;
        all.threads.advance(Duration.ofSeconds(1));
        assertThat(b.engine().stats().running()).isLessThan(90);
        all.answers = null;
        answers.forEach(Runnable::run);
        all.threads.advance(Duration.ofSeconds(1));
        assertThat(polls).allMatch(CompletableFuture::isDone);
    }

    /** Polls at one node, for as many queues, and a timer in each of them at the other, which is due in a second. */
    private List<CompletableFuture<List<Lease>>> largeContents(int queues) {
        List<CompletableFuture<List<Lease>>> polls = new ArrayList<>();
        for (int i = 0; i < queues; i++) {
            all.join(b.engine().schedule("q" + i, "k", Duration.ofSeconds(1), new byte[1 << 20]));
            polls.add(a.engine().lease(LeaseRequest.of("q" + i).withWait(Duration.ofSeconds(60))));
        }
        all.threads.runUntilIdle();
        return polls;
    }

    @Test
    void contentOfWhichAPieceIsLostComesLater() {
        byte[] payload = new byte[1_000_000];
        all.join(b.engine()
                .schedule(TimerRequest.after("q", "x", Duration.ofSeconds(1)).withPayload(payload)));
        CompletableFuture<List<Lease>> poll = a.engine().lease(WAITING);
        all.threads.runUntilIdle();
        int[] pieces = {0};
        all.loss = (from, to, kind) -> {
            pieces[0] += kind == GIVE || pieces[0] > 0 ? 1 : 0;
            return pieces[0] == 2;
        };
        all.threads.advance(Duration.ofSeconds(3));
        assertThat(poll).isNotDone();
        all.threads.advance(Duration.ofSeconds(3));
        assertThat(all.join(poll).get(0).attempt().payload()).isEqualTo(payload);
        assertThat(all.join(poll).get(0).attempt().number()).isEqualTo(1);
    }
}
