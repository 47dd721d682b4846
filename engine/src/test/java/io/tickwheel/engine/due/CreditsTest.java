package io.tickwheel.engine.due;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.Lane;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who gets how many credits, to the last one. */
final class CreditsTest {

    private static final long NOW = 1_000_000_000_000L;
    private static final long LATER = NOW + DueLane.QUICK_MS * 1_000_000;

    private static DueLane lane(QueueCredits queue, long route) {
        queue.laneCame();
        return new DueLane(new Lane("q", route), queue, new Breaker());
    }

    private static DueLane lane() {
        return lane(new QueueCredits("q"), Lane.QUEUE_ROUTE);
    }

    private static int take(Credits credits, DueLane lane, int bytes, long nowNanos) {
        int taken = 0;
        while (credits.admits(lane, bytes, 0, nowNanos)) {
            credits.take(lane, bytes, nowNanos);
            taken++;
            assertThat(taken).isLessThan(10_000);
        }
        return taken;
    }

    /** One attempt that ended after so long. */
    private static void end(Credits credits, DueLane lane, int bytes, long startedNanos, long nowNanos) {
        lane.noteEnd(startedNanos, lane.breaker(), true, nowNanos);
        credits.giveBack(lane, bytes);
    }

    @Test
    void firstQuarterIsForWhoeverComesAndOthersBeginWithFour() {
        Credits credits = new Credits(160, 160, Long.MAX_VALUE);
        List<Integer> expected = new ArrayList<>(List.of(40));
        expected.addAll(Collections.nCopies(25, 4));
        expected.addAll(List.of(4, 4, 2));
        expected.addAll(Collections.nCopies(10, 1));
        expected.add(0);
        List<Integer> taken = new ArrayList<>();
        while (taken.isEmpty() || taken.get(taken.size() - 1) > 0) {
            taken.add(take(credits, lane(), 0, NOW));
        }
        assertThat(taken).isEqualTo(expected);
        assertThat(credits.inFlight()).isEqualTo(160);
    }

    @Test
    void oneIsAlwaysAdmittedWhenNothingRuns() {
        Credits credits = new Credits(1, 1, 10);
        DueLane lane = lane();
        assertThat(take(credits, lane, 1_000_000, NOW)).isOne();
        assertThat(credits.admits(lane(), 0, 0, NOW)).isFalse();
        end(credits, lane, 1_000_000, NOW, NOW);
        assertThat(credits.inFlight()).isZero();
        assertThat(take(credits, lane, 1_000_000, NOW)).isOne();
    }

    /** Its window grows by one with each attempt that ends, and is small again once none has ended for a second. */
    @Test
    void laneThatGetsOnGetsMoreUntilItHangs() {
        Credits credits = new Credits(160, 160, Long.MAX_VALUE);
        DueLane first = lane();
        take(credits, first, 0, NOW);
        DueLane lane = lane();
        assertThat(take(credits, lane, 0, NOW)).isEqualTo(4);
        for (int window = 5; window < 20; window++) {
            end(credits, lane, 0, NOW, NOW);
            take(credits, lane, 0, NOW);
            assertThat(lane.inFlight).isEqualTo(window);
        }
        end(credits, lane, 0, NOW, NOW);
        assertThat(credits.admits(lane, 0, 0, LATER - 1)).isTrue();
        assertThat(credits.admits(lane, 0, 0, LATER)).as("it hangs").isFalse();
        assertThat(credits.admits(lane(), 0, 0, LATER)).isTrue();
    }

    /** Of the last eighth, as many as it leaves beyond the last sixteenth. */
    @Test
    void quickLaneHasMoreOfTheLastEighth() {
        for (boolean quick : List.of(true, false)) {
            Credits credits = new Credits(160, 160, Long.MAX_VALUE);
            DueLane lane = lane();
            take(credits, lane(), 0, NOW);
            take(credits, lane, 0, NOW);
            for (int i = 0; i < 5; i++) {
                end(credits, lane, 0, quick ? NOW : NOW - DueLane.QUICK_MS * 1_000_000, NOW);
                take(credits, lane, 0, NOW);
            }
            while (credits.inFlight() < 140) {
                take(credits, lane(), 0, NOW);
            }
            assertThat(lane.inFlight).isEqualTo(9);
            end(credits, lane, 0, quick ? NOW : NOW - DueLane.QUICK_MS * 1_000_000, NOW);
            assertThat(credits.inFlight()).isEqualTo(140);
            assertThat(take(credits, lane, 0, NOW)).isEqualTo(quick ? 1 : 0);
        }
    }

    @Test
    void aQueueOfOneLaneHasAllAndOneOfAnAddressLeavesAnEighth() {
        Credits credits = new Credits(10_000, 160, Long.MAX_VALUE);
        assertThat(take(credits, lane(), 0, NOW)).isEqualTo(160);
        assertThat(take(credits, lane(new QueueCredits("q"), 7), 0, NOW)).isEqualTo(140);
        Credits few = new Credits(10_000, 15, Long.MAX_VALUE);
        assertThat(take(few, lane(new QueueCredits("q"), 7), 0, NOW)).isEqualTo(15);
        Credits divided = new Credits(10_000, 16, Long.MAX_VALUE);
        assertThat(take(divided, lane(new QueueCredits("q"), 7), 0, NOW)).isEqualTo(14);
    }

    @Test
    void aQueueOfSeveralLanesIsDividedAsAllAre() {
        Credits credits = new Credits(10_000, 160, Long.MAX_VALUE);
        QueueCredits queue = new QueueCredits("q");
        DueLane first = lane(queue, 7);
        DueLane second = lane(queue, 8);
        assertThat(take(credits, first, 0, NOW)).isEqualTo(40);
        assertThat(take(credits, second, 0, NOW)).isEqualTo(4);
        assertThat(take(credits, lane(), 0, NOW)).as("of another queue").isEqualTo(160);
    }

    /** The first half is for whoever comes; then each lane that has none may start one, until there is twice as much. */
    @Test
    void bytesAreDivided() {
        Credits credits = new Credits(1_000, 1_000, 1_000);
        DueLane first = lane();
        assertThat(take(credits, first, 100, NOW)).isEqualTo(5);
        for (int lane = 0; lane < 15; lane++) {
            assertThat(take(credits, lane(), 100, NOW)).isEqualTo(1);
        }
        assertThat(take(credits, lane(), 100, NOW)).as("there is twice as much").isZero();
        assertThat(take(credits, lane(), 0, NOW)).isOne();
    }

    /** What is larger than half counts as half. */
    @Test
    void largeContentsCountAsHalf() {
        Credits credits = new Credits(1_000, 1_000, 1_000);
        List<DueLane> lanes = List.of(lane(), lane(), lane(), lane(), lane());
        List<Integer> taken =
                lanes.stream().map(lane -> take(credits, lane, 5_000, NOW)).toList();
        assertThat(taken).containsExactly(1, 1, 1, 1, 0);
        for (DueLane lane : lanes.subList(0, 4)) {
            end(credits, lane, 5_000, NOW, NOW);
        }
        assertThat(take(credits, lanes.get(4), 100, NOW))
                .as("it gets nothing on")
                .isEqualTo(5);
    }

    /** Beyond the half only one that gets on; the last quarter by what it leaves. */
    @Test
    void laneThatGetsOnHasSeveralLargeOnes() {
        Credits credits = new Credits(1_000, 1_000, 1_000);
        DueLane lane = lane();
        assertThat(take(credits, lane, 50, NOW)).isEqualTo(10);
        end(credits, lane, 50, NOW, NOW);
        assertThat(take(credits, lane, 50, NOW)).as("up to three quarters").isEqualTo(6);
        assertThat(lane.bytes).isEqualTo(750);
        Credits shared = new Credits(1_000, 1_000, 1_000);
        DueLane other = lane();
        assertThat(take(shared, other, 100, NOW)).isEqualTo(5);
        DueLane quick = lane();
        take(shared, quick, 100, NOW);
        end(shared, quick, 100, NOW, NOW);
        assertThat(take(shared, quick, 100, NOW)).as("as much as it leaves").isEqualTo(3);
    }
}
