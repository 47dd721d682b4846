package io.tickwheel.wheel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HashedWheelTest {
    @Nested
    class OneSlot implements WheelContract {
        @Override
        public AnyWheel wheel(long startTick) {
            return timelineOf(startTick, 1).wheel;
        }
    }

    @Nested
    class FewSlots implements NodeWheelContract {
        @Override
        public AnyWheel wheel(long startTick, AnyWheel.Nodes nodes) {
            return AnyWheel.hashed(startTick, 8, nodes);
        }
    }

    /** As the literature builds them: the slots of an hour of seconds, of a minute, or some. */
    @Nested
    class TenSlots implements NodeWheelContract {
        @Override
        public AnyWheel wheel(long startTick, AnyWheel.Nodes nodes) {
            return AnyWheel.hashed(startTick, 10, nodes);
        }
    }

    @Nested
    class SlotsOfAnHour implements NodeWheelContract {
        @Override
        public AnyWheel wheel(long startTick, AnyWheel.Nodes nodes) {
            return AnyWheel.hashed(startTick, 3_600, nodes);
        }
    }

    @Nested
    class ManySlots implements NodeWheelContract {
        @Override
        public AnyWheel wheel(long startTick, AnyWheel.Nodes nodes) {
            return AnyWheel.hashed(startTick, 4_096, nodes);
        }
    }

    /** One revolution after the other, from any place of the ring, with the end of the ring between. */
    @ParameterizedTest
    @ValueSource(ints = {3, 7, 10, 15, 60, 63, 65, 3_600})
    void anyNumberOfSlotsWillDo(int slots) {
        for (long start : new long[] {0, slots - 1, 5L * slots - 2, 1_000_003, Long.MAX_VALUE - 3L * slots}) {
            Timeline timeline = timelineOf(start, slots);
            timeline.schedule("next", start + 1)
                    .schedule("round", start + slots)
                    .schedule("behind", start + slots + 1)
                    .schedule("later", start + 2L * slots - 1);
            assertNext(timeline, start + 1).advance(start + 1, "next");
            timeline.advance(start + slots - 1);
            timeline.advance(start + slots, "round");
            timeline.advance(start + slots + 1, "behind");
            timeline.advance(start + 2L * slots - 2);
            timeline.advance(start + 2L * slots - 1, "later");
            timeline.expectNothingLeft();
        }
    }

    @Test
    void exampleOfTheClassCommentExpiresTickByTick() {
        Timeline timeline = timelineOf(42, 8);
        timeline.schedule("A", 44)
                .schedule("B", 52)
                .schedule("C", 45)
                .schedule("D", 44)
                .schedule("E", 100);
        assertNext(timeline, 44).advance(43);
        timeline.advance(44, "A", "D");
        assertNext(timeline, 45).advance(45, "C");
        assertNext(timeline, 52).advance(51);
        timeline.advance(52, "B");
        assertNext(timeline, 100).advance(99);
        timeline.advance(100, "E");
        timeline.expectNothingLeft();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 7, 8, 9, 1_000_003, 1L << 50, Long.MAX_VALUE - 42})
    void nextDeadlineOfANodeThatIsAloneIsExact(long delay) {
        Timeline timeline = timelineOf(42, 8).schedule("a", 42 + delay);
        assertNext(timeline, 42 + delay).advance(42 + delay - 1);
        assertNext(timeline, 42 + delay);
    }

    @Test
    void nextDeadlinesWithinARevolutionAreExact() {
        Timeline timeline =
                timelineOf(0, 8).schedule("c", 1_007).schedule("b", 1_003).schedule("a", 1_000);
        assertNext(timeline, 1_000).advance(1_000, "a");
        assertNext(timeline, 1_003).advance(1_003, "b");
        assertNext(timeline, 1_007).advance(1_007, "c");
        timeline.expectNothingLeft();
    }

    @Test
    void nextDeadlineIsTheNextTickOfAnOccupiedSlot() {
        Timeline timeline = timelineOf(0, 8).schedule("far", 83).schedule("near", 1);
        assertNext(timeline, 1).advance(1, "near");
        // Slot 3 has its turn at tick 3, for nothing; the wheel has learnt then that tick 83 comes next.
        assertNext(timeline, 3).advance(3);
        assertNext(timeline, 83).advance(82);
        assertNext(timeline, 83).advance(83, "far");
        timeline.expectNothingLeft();
    }

    @Test
    void nodeScheduledBeforeTheTickLeaptToIsNotMissed() {
        Timeline timeline = timelineOf(0, 8).schedule("far", 83);
        timeline.advance(50);
        timeline.schedule("same slot", 51).schedule("now", 50).schedule("slot of now", 58);
        assertNext(timeline, 50).advance(50, "now");
        assertNext(timeline, 51).advance(57, "same slot");
        assertNext(timeline, 58).advance(58, "slot of now");
        timeline.advance(82);
        timeline.advance(83, "far");
        timeline.expectNothingLeft();
    }

    @Test
    void nodeOfTheCurrentSlotIsFoundWhenTheRevolutionIsPulledToIt() {
        Timeline timeline = timelineOf(0, 8).schedule("far", 20).schedule("slot of now", 24);
        timeline.schedule("now", 0).advance(0, "now");
        timeline.cancel("far");
        timeline.advance(23);
        timeline.advance(24, "slot of now");
        timeline.expectNothingLeft();
    }

    @Test
    void cancelCostsARevolutionButNoTick() {
        Timeline timeline = timelineOf(0, 8).schedule("a", 1).schedule("b", 100).schedule("c", 1_001);
        timeline.advance(1, "a");
        timeline.cancel("b");
        List<Long> walks = new ArrayList<>();
        while (timeline.wheel.nextDeadlineTick() < 1_001) {
            walks.add(timeline.wheel.nextDeadlineTick());
            timeline.advance(timeline.wheel.nextDeadlineTick());
        }
        assertThat(walks).containsExactly(100L, 105L);
        timeline.advance(1_001, "c");
        timeline.expectNothingLeft();
    }

    @Test
    void whoSleepsUntilTheNextDeadlineWakesAtMostOnceARevolutionForEachSlot() {
        Timeline timeline = timelineOf(0, 8);
        for (int i = 0; i < 50; i++) {
            timeline.schedule("n" + i, 1_000 + 8 * i).schedule("m" + i, 1_003 + 8 * i);
        }
        int wakeUps = 0;
        long last = -1;
        while (!timeline.wheel.isEmpty()) {
            long next = timeline.wheel.nextDeadlineTick();
            assertThat(next).isGreaterThan(last);
            last = next;
            timeline.wheel.advance(next, Timeline.NO_LIMIT, (timer, deadlineTick) -> {});
            wakeUps++;
        }
        assertThat(wakeUps).isEqualTo(100);
    }

    @Test
    void advanceVisitsEightNodesOfOtherRoundsForEachThatItMayExpire() {
        Timeline timeline = timelineOf(0, 8);
        for (int i = 0; i < 30; i++) {
            timeline.schedule("far" + i, 800 + 8 * i);
        }
        timeline.schedule("a", 8).schedule("b", 8).schedule("c", 9);
        timeline.advance(10, 1).expectCurrentTick(8).expectDue(10);
        timeline.advance(10, 2).expectCurrentTick(8).expectDue(10);
        // 24 of 30 are behind it; 6 more, and two that are due, of which it may expire one.
        timeline.advance(10, 1, "a").expectCurrentTick(8).expectDue(10);
        timeline.advance(10, 1, "b").expectCurrentTick(9).expectDue(10);
        timeline.advance(10, 1, "c").expectCurrentTick(10);
        assertThat(timeline.wheel.hasDue(15)).isFalse();
        timeline.expectSize(30);
    }

    @Test
    void nodesThatTheWalkHasPassedOrNotReachedCanBeCancelled() {
        Timeline timeline = timelineOf(0, 8);
        for (int i = 0; i < 20; i++) {
            timeline.schedule("far" + i, 80 + 8 * i);
        }
        timeline.schedule("a", 8);
        timeline.advance(10, 1).expectCurrentTick(8);
        // Eight were passed: the walk stands before far8.
        for (int i : new int[] {0, 7, 8, 9, 19}) {
            assertThat(timeline.cancel("far" + i)).isTrue();
        }
        timeline.schedule("b", 8).advance(10, 1).advance(10, 2, "a", "b");
        for (int i = 0; i < 20; i++) {
            timeline.cancel("far" + i);
        }
        timeline.expectNothingLeft();
    }

    @Test
    void gapOfManyRevolutionsIsALeap() {
        Timeline timeline = timelineOf(0, 8);
        for (int i = 0; i < 8; i++) {
            timeline.schedule("n" + i, (1L << 61) + i).schedule("near" + i, i);
        }
        timeline.advance(7, "near0", "near1", "near2", "near3", "near4", "near5", "near6", "near7");
        // Eight visits are enough for the whole gap.
        timeline.advance(1L << 60, 1).expectCurrentTick(1L << 60);
        timeline.advance((1L << 61) - 1);
        timeline.advance(1L << 61, "n0");
        timeline.expectSize(7);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, -8, Integer.MIN_VALUE, Integer.MAX_VALUE, (1 << 30) + 1})
    void numberOfSlotsOutOfRangeIsRefused(int slots) {
        assertThatThrownBy(() -> HashedWheel.withSlots(slots))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("slots is " + slots + ", must be 1 to 2^30");
    }

    private static Timeline timelineOf(long startTick, int slots) {
        return new Timeline(AnyWheel.hashed(startTick, slots, new AnyWheel.Nodes()));
    }

    private static Timeline assertNext(Timeline timeline, long tick) {
        assertThat(timeline.wheel.nextDeadlineTick()).isEqualTo(tick);
        return timeline;
    }
}
