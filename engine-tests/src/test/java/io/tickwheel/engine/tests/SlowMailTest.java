package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Lease;
import io.tickwheel.engine.LeaseRequest;
import io.tickwheel.store.TimerState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Mail between nodes that have too much to do: all of it comes, and comes late. */
final class SlowMailTest extends LendingNodes {

    private CompletableFuture<List<Lease>> poll(Duration ttl) {
        return a.engine().lease(LeaseRequest.of("q").withTtl(ttl).withWait(Duration.ofSeconds(60)));
    }

    private CompletableFuture<List<Lease>> poll() {
        return poll(Duration.ofSeconds(30));
    }

    private CompletableFuture<List<Lease>> poll(String queue) {
        return a.engine().lease(LeaseRequest.of(queue).withWait(Duration.ofSeconds(60)));
    }

    private void leasesTake(long ms) {
        all.mailTakesMs = kind -> kind == GIVE ? ms : 0;
    }

    /** What comes late is given back; were the next one given no longer, none would ever come. */
    @Test
    void leasesThatAreLongOnTheirWayComeInTheEnd() {
        for (long ms : new long[] {900, 1_100, 2_500, 4_900}) {
            nodes(ms, 2);
            leasesTake(ms);
            CompletableFuture<List<Lease>> poll = poll();
            schedule(b, "x", Duration.ofSeconds(1));
            all.threads.advance(Duration.ofSeconds(12));
            Lease lease = all.join(poll).get(0);
            assertThat(lease.attempt().number()).as("%d ms", ms).isEqualTo(1);
            all.threads.advance(Duration.ofSeconds(13));
            all.join(a.engine().acknowledge(lease.id()));
            assertThat(state(b, "x")).as("%d ms", ms).isEqualTo(TimerState.COMPLETED);
            leasesTake(0);
            nothingLeaks();
        }
    }

    /** Each brings 1 MiB, and a lender has 5 MiB on their way at most: half of them wait until the others have come. */
    @Test
    void takesWaitForRoomAsLongAsTheyMayBeOnTheirWay() {
        leasesTake(2_400);
        CompletableFuture<List<Lease>> first = poll("first");
        all.join(b.engine().schedule("first", "k", Duration.ofSeconds(1)));
        all.threads.advance(Duration.ofSeconds(8));
        assertThat(first).as("by now takes have 4.8 s").isDone();
        leasesTake(1_900);
        List<CompletableFuture<List<Lease>>> polls = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            all.join(b.engine().schedule("q" + i, "k", Duration.ofSeconds(1), new byte[1 << 20]));
            polls.add(poll("q" + i));
        }
        all.threads.advance(Duration.ofMillis(4_900));
        assertThat(polls).allMatch(CompletableFuture::isDone);
        polls.forEach(poll -> assertThat(all.join(poll))
                .singleElement()
                .matches(lease -> lease.attempt().number() == 1));
    }

    @Test
    void whenMailIsQuickAgainWhatIsLostIsSoonTakenAgain() {
        leasesTake(4_000);
        CompletableFuture<List<Lease>> first = poll();
        schedule(b, "first", Duration.ofSeconds(1));
        all.threads.advance(Duration.ofSeconds(12));
        assertThat(first).isDone();
        leasesTake(0);
        for (int i = 0; i < 16; i++) {
            schedule(b, "x" + i);
            assertThat(lease(a, TEN)).hasSize(1);
        }
        CompletableFuture<List<Lease>> last = poll();
        all.threads.runUntilIdle();
        loses(GIVE);
        schedule(b, "last");
        nothingIsLost();
        all.threads.advance(Duration.ofSeconds(4));
        assertThat(keys(all.join(last))).containsExactly("last");
    }

    /** It is not given to a consumer for which it would end at once; when mail is quicker again, that is the first attempt. */
    @Test
    void leaseThatWouldHaveLittleTimeLeftIsGivenToNobody() {
        leasesTake(2_000);
        CompletableFuture<List<Lease>> poll = poll(Duration.ofSeconds(3));
        schedule(b, "x", Duration.ofSeconds(1));
        all.threads.advance(Duration.ofSeconds(20));
        assertThat(poll).isNotDone();
        leasesTake(1_400);
        for (int i = 0; i < 80 && !poll.isDone(); i++) {
            all.threads.advance(Duration.ofMillis(100));
        }
        Lease lease = all.join(poll).get(0);
        assertThat(lease.attempt().number()).isEqualTo(1);
        all.join(a.engine().acknowledge(lease.id()));
    }
}
