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
        return new DueLane(new Lane("q", route), queue, Health.unknown());
    }

    private static DueLane lane() {
        return lane(new QueueCredits("q"), Lane.QUEUE_ROUTE);
    }

    private static int take(Credits credits, DueLane lane, int bytes, long nowNanos) {
        int taken = 0;
        while (credits.admits(lane, bytes, true, 0, nowNanos)) {
            credits.take(lane, bytes, nowNanos);
            taken++;
            assertThat(taken).isLessThan(10_000);
        }
        return taken;
    }

    /** One attempt that ended after so long. */
    private static void end(Credits credits, DueLane lane, int bytes, long startedNanos, long nowNanos) {
        lane.noteEnd(startedNanos, lane.health(), true, nowNanos);
        credits.giveBack(lane, bytes);
    }

    @Test
    void firstQuarterIsForWhoeverComesAndOthersBeginWithFour() {
        Credits credits = new Credits(160, 160, Long.MAX_VALUE);
        List<Integer> expected = new ArrayList<>(List.of(40));
        expected.addAll(Collections.nCopies(27, 4));
        expected.add(2);
        expected.addAll(Collections.nCopies(5, 1));
        expected.add(0);
        List<Integer> taken = new ArrayList<>();
        while (taken.isEmpty() || taken.get(taken.size() - 1) > 0) {
            taken.add(take(credits, lane(), 0, NOW));
        }
        assertThat(taken).isEqualTo(expected);
        assertThat(credits.inFlight()).as("the last five are for quick ones").isEqualTo(155);
    }

    @Test
    void oneIsAlwaysAdmittedWhenNothingRuns() {
        Credits credits = new Credits(1, 1, 10);
        DueLane lane = lane();
        assertThat(take(credits, lane, 1_000_000, NOW)).isOne();
        assertThat(credits.admits(lane(), 0, true, 0, NOW)).isFalse();
        end(credits, lane, 1_000_000, NOW, NOW);
        assertThat(credits.inFlight()).isZero();
        assertThat(take(credits, lane, 1_000_000, NOW)).isOne();
    }

    /** However few are allowed, however much it is, and whatever is known of the lane. */
    @Test
    void oneIsAdmittedWhenNothingRunsOfSeveralLanesToo() {
        for (int most = 1; most <= 20; most++) {
            for (boolean doubtful : List.of(true, false)) {
                QueueCredits queue = new QueueCredits("q");
                DueLane lane = lane(queue, 7);
                lane(queue, 8).leased = 1;
                queue.leased = 1;
                if (doubtful) {
                    lane.noteEnd(NOW, lane.health(), false, NOW);
                }
                Credits credits = new Credits(most, most, 1);
                for (boolean fresh : List.of(true, false)) {
                    assertThat(credits.admits(lane, 1_000_000, fresh, 0, NOW))
                            .as("of %d, doubtful: %s, fresh: %s", most, doubtful, fresh)
                            .isTrue();
                }
            }
        }
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
        assertThat(credits.admits(lane, 0, true, 0, LATER - 1)).isTrue();
        assertThat(credits.admits(lane, 0, true, 0, LATER)).as("it hangs").isFalse();
        assertThat(credits.admits(lane(), 0, true, 0, LATER)).isTrue();
    }

    /** Of the last eighth, as many as it leaves; another lane the first few. */
    @Test
    void quickLaneHasMoreOfTheLastEighth() {
        for (boolean quick : List.of(true, false)) {
            long startedNanos = quick ? NOW : NOW - DueLane.QUICK_MS * 1_000_000;
            Credits credits = new Credits(160, 160, Long.MAX_VALUE);
            DueLane lane = lane();
            take(credits, lane(), 0, NOW);
            take(credits, lane, 0, NOW);
            for (int i = 0; i < 10; i++) {
                end(credits, lane, 0, startedNanos, NOW);
                take(credits, lane, 0, NOW);
            }
            for (int i = 0; i < 4; i++) {
                end(credits, lane, 0, startedNanos, NOW);
            }
            while (credits.inFlight() < 140) {
                credits.take(lane(), 0, NOW);
            }
            assertThat(lane.inFlight).isEqualTo(10);
            assertThat(take(credits, lane, 0, NOW)).isEqualTo(quick ? 5 : 0);
        }
    }

    @Test
    void backlogOfALaneThatIsNotQuickHasNothingOfTheLastEighth() {
        Credits credits = new Credits(160, 160, Long.MAX_VALUE);
        take(credits, lane(), 0, NOW);
        DueLane last = lane();
        while (credits.admits(last, 0, false, 0, NOW)) {
            credits.take(last, 0, NOW);
            last = lane();
        }
        assertThat(credits.inFlight()).isEqualTo(140);
        assertThat(credits.admits(last, 0, true, 0, NOW)).isTrue();
        last.noteEnd(NOW, last.health(), true, NOW);
        assertThat(credits.admits(last, 0, false, 0, NOW)).as("it is quick").isTrue();
    }

    @Test
    void lastFewAreForQuickLanes() {
        Credits credits = new Credits(160, 160, Long.MAX_VALUE);
        DueLane quick = lane();
        take(credits, lane(), 0, NOW);
        assertThat(take(credits, quick, 0, NOW)).isEqualTo(4);
        for (int i = 0; i < 4; i++) {
            end(credits, quick, 0, NOW, NOW);
        }
        DueLane last = lane();
        while (credits.admits(last, 0, true, 0, NOW)) {
            take(credits, last, 0, NOW);
            last = lane();
        }
        assertThat(credits.inFlight()).isEqualTo(155);
        assertThat(take(credits, quick, 0, NOW)).isEqualTo(3);
    }

    /** Whether the last attempt has reached nobody, or none has ended yet and the first runs for long. */
    @Test
    void doubtfulLanesLeaveHalf() {
        Credits credits = new Credits(161, 161, Long.MAX_VALUE);
        DueLane refused = lane();
        credits.take(refused, 0, NOW);
        refused.noteEnd(NOW, refused.health(), false, NOW);
        credits.giveBack(refused, 0);
        DueLane hangs = lane();
        credits.take(hangs, 0, NOW);
        take(credits, lane(), 0, NOW);
        while (credits.inFlight() < 80) {
            credits.take(lane(), 0, NOW);
        }
        assertThat(credits.admits(refused, 0, true, 0, NOW))
                .as("one of the first half")
                .isTrue();
        assertThat(credits.admits(hangs, 0, true, 0, LATER))
                .as("one of the first half")
                .isTrue();
        credits.take(lane(), 0, NOW);
        assertThat(credits.admits(refused, 0, true, 0, NOW)).isFalse();
        assertThat(credits.admits(hangs, 0, true, 0, LATER)).isFalse();
        assertThat(credits.admits(hangs, 0, true, 0, LATER - 1)).as("not yet").isTrue();
        assertThat(credits.admits(lane(), 0, true, 0, LATER)).as("not known").isTrue();
        refused.noteEnd(NOW, refused.health(), true, NOW);
        assertThat(credits.admits(refused, 0, true, 0, NOW)).as("reached again").isTrue();
        hangs.noteEnd(NOW, hangs.health(), true, LATER);
        assertThat(credits.admits(hangs, 0, true, 0, 2 * LATER - NOW))
                .as("slow, and it answers")
                .isTrue();
    }

    @Test
    void whatReachesNobodyAtOnceIsNotQuick() {
        DueLane refused = lane();
        refused.noteEnd(NOW, refused.health(), true, NOW);
        assertThat(refused.quickAt(NOW)).isTrue();
        refused.noteEnd(NOW, refused.health(), false, NOW);
        assertThat(refused.quickAt(NOW)).isFalse();
    }

    /** What is on its way to the former destination says nothing of the new one. */
    @Test
    void anotherDestinationIsNotKnown() {
        DueLane lane = lane();
        lane.noteEnd(NOW, lane.health(), true, NOW);
        Health former = lane.health();
        lane.destinationChanged(Health.unknown());
        assertThat(lane.quickAt(NOW)).isFalse();
        lane.noteEnd(NOW, former, true, NOW);
        assertThat(lane.quickAt(NOW)).isFalse();
        lane.noteEnd(NOW, former, false, NOW);
        assertThat(lane.doubtfulAt(NOW)).isFalse();
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
