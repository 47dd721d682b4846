package io.tickwheel.wheel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HierarchicalWheelTest {
    private static final int HOUR_OF_MILLISECONDS = 3_600_000;

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 200, 0xFFFF, 0xFFFF_FFFFL, 1L << 62, Long.MAX_VALUE - 5})
    void nodeExpiresAtItsTickAndNotOneEarlier(long start) {
        Timeline timeline = new Timeline(start).schedule("a", start + 5).expectNext(start + 5);
        timeline.advance(start);
        timeline.advance(start + 4);
        timeline.advance(start + 5, 100, "a");
        timeline.expectNothingLeft();
    }

    @ParameterizedTest
    @ValueSource(longs = {255, 256, 257, 65_535, 65_536, 1 << 24, 1L << 32, 1L << 40, 1L << 62, Long.MAX_VALUE - 77})
    void nodeOfAnyLevelExpiresAtItsTickAndNotOneEarlier(long delay) {
        Timeline timeline = new Timeline(77).schedule("a", 77 + delay).expectNext(77 + delay);
        timeline.advance(77 + delay - 1);
        timeline.expectNext(77 + delay).advance(77 + delay, 100, "a");
        timeline.expectNothingLeft();
    }

    @Test
    void exampleOfTheClassCommentExpiresTickByTick() {
        Timeline timeline = new Timeline(4848);
        timeline.schedule("far", 131_072).schedule("near", 4855).schedule("next slot", 4869);
        timeline.expectNext(4855).advance(4854);
        timeline.advance(4855, "near");
        timeline.expectNext(4869).advance(4868);
        timeline.advance(4869, "next slot");
        timeline.expectNext(131_072).advance(131_071);
        timeline.advance(131_072, "far");
        timeline.expectNothingLeft();
    }

    @Test
    void ticksExpireInTheirOrderWhateverTheScheduleOrder() {
        Timeline timeline = new Timeline(0);
        timeline.schedule("d", 70_000).schedule("b", 2).schedule("a", 1).schedule("c", 300);
        timeline.advance(100_000, "a", "b", "c", "d");
        timeline.expectNothingLeft();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6})
    void higherDigitOfTheTickDecidesTheOrder(int digit) {
        long low = 1L << (8 * digit);
        long high = low << 8;
        Timeline timeline = new Timeline(3);
        timeline.schedule("d", 3 * high + 4 * low).schedule("b", 2 * high + 6 * low);
        timeline.schedule("c", 3 * high + low).schedule("a", 2 * high + 5 * low);
        timeline.expectNext(2 * high + 5 * low).advance(2 * high + 5 * low, "a");
        timeline.advance(2 * high + 6 * low - 1);
        timeline.advance(Long.MAX_VALUE - 1, 100, "b", "c", "d");
        timeline.expectNothingLeft();
    }

    @Test
    void nodesOfOneTickExpireInScheduleOrderFromWhereverTheyWereScheduled() {
        Timeline timeline = new Timeline(0).schedule("from level 2", 70_000);
        timeline.advance(69_500);
        timeline.schedule("from level 1", 70_000).schedule("other", 69_990);
        timeline.advance(69_990, "other");
        timeline.schedule("from level 0", 70_000);
        timeline.advance(69_999);
        timeline.advance(70_000, "from level 2", "from level 1", "from level 0");
        timeline.expectNothingLeft();
    }

    @Test
    void currentTickFollowsTimeThroughAnEmptyWheel() {
        Timeline timeline = new Timeline(7);
        assertThat(timeline.wheel.currentTick()).isEqualTo(7);
        timeline.advance(1L << 50);
        assertThat(timeline.wheel.currentTick()).isEqualTo(1L << 50);
        timeline.advance(Long.MAX_VALUE, 1);
        assertThat(timeline.wheel.currentTick()).isEqualTo(Long.MAX_VALUE);
        timeline.schedule("a", Long.MAX_VALUE).advance(Long.MAX_VALUE, 1, "a").expectNothingLeft();
    }

    @Test
    void currentTickIsTheTickOfTheNodeThatExpires() {
        Timeline timeline = new Timeline(0).schedule("a", 300).schedule("b", 301);
        List<Long> ticks = new ArrayList<>();
        timeline.wheel.advance(1_000, 10, node -> ticks.add(timeline.wheel.currentTick()));
        assertThat(ticks).containsExactly(300L, 301L);
        assertThat(timeline.wheel.currentTick()).isEqualTo(1_000);
    }

    @Test
    void timeThatRunsBackwardsDoesNothing() {
        Timeline timeline = new Timeline(1_000).schedule("late", 5).schedule("a", 1_001);
        timeline.advance(999, 10);
        assertThat(timeline.wheel.hasDue(999)).isFalse();
        assertThat(timeline.wheel.currentTick()).isEqualTo(1_000);
        timeline.advance(-1, 10);
        timeline.advance(1_001, "late", "a");
        timeline.advance(1_000, 10);
        assertThat(timeline.wheel.currentTick()).isEqualTo(1_001);
        timeline.expectNothingLeft();
    }

    @Test
    void stallOfAnHourExpiresWhatWasMissedInOrder() {
        HierarchicalWheel<Timeline.Named> wheel = new HierarchicalWheel<>(123);
        Timeline names = new Timeline(0);
        for (int delay = HOUR_OF_MILLISECONDS; delay > 0; delay -= 1_000) {
            wheel.schedule(names.node("at " + delay), 123 + delay);
        }
        List<Long> deadlines = new ArrayList<>();
        int expired = wheel.advance(123 + HOUR_OF_MILLISECONDS, 10_000, node -> deadlines.add(node.deadlineTick()));
        assertThat(expired).isEqualTo(3_600);
        assertThat(deadlines).isSorted().startsWith(1_123L).endsWith(123L + HOUR_OF_MILLISECONDS);
        assertThat(wheel.isEmpty()).isTrue();
    }

    @Test
    void lastTickOfTheRangeIsATickLikeAnyOther() {
        Timeline timeline = new Timeline(0).schedule("end", Long.MAX_VALUE).schedule("before", Long.MAX_VALUE - 1);
        timeline.expectNext(Long.MAX_VALUE - 1).advance(Long.MAX_VALUE - 2);
        timeline.advance(Long.MAX_VALUE - 1, "before");
        timeline.expectNext(Long.MAX_VALUE);
        assertThat(timeline.wheel.hasDue(Long.MAX_VALUE - 1)).isFalse();
        assertThat(timeline.wheel.hasDue(Long.MAX_VALUE)).isTrue();
        timeline.advance(Long.MAX_VALUE, 1, "end");
        timeline.expectNothingLeft();
    }

    @Test
    void deadlineAtOrBeforeTheCurrentTickIsDueAtTheNextAdvance() {
        Timeline timeline = new Timeline(1_000).schedule("now", 1_000).schedule("long ago", 0);
        timeline.expectNext(0);
        assertThat(timeline.wheel.hasDue(1_000)).isTrue();
        timeline.advance(1_000, "now", "long ago");
        timeline.expectNothingLeft();
    }

    @Test
    void lateNodeQueuesBehindThoseThatWaitForTheCurrentTick() {
        Timeline timeline = new Timeline(0);
        timeline.schedule("a", 9).schedule("b", 9).schedule("c", 10);
        timeline.advance(50, 1, "a");
        assertThat(timeline.wheel.currentTick()).isEqualTo(9);
        timeline.schedule("later", 7).schedule("latest", 3);
        timeline.expectNext(3).advance(50, "b", "later", "latest", "c");
        timeline.expectNothingLeft();
    }

    @Test
    void lateNodeKeepsItsDeadline() {
        Timeline timeline = new Timeline(1_000).schedule("a", 990);
        assertThat(timeline.node("a").deadlineTick()).isEqualTo(990);
        timeline.advance(1_000, "a");
        assertThat(timeline.node("a").deadlineTick()).isEqualTo(990);
    }

    @Test
    void limitIsTheMostThatExpiresInOneAdvance() {
        Timeline timeline = new Timeline(0);
        timeline.schedule("a", 1).schedule("b", 1).schedule("c", 1);
        timeline.schedule("d", 2).schedule("e", 2).schedule("f", 600);
        timeline.advance(1_000, 2, "a", "b").expectNext(1);
        assertThat(timeline.wheel.hasDue(1_000)).isTrue();
        timeline.advance(1_000, 2, "c", "d").expectNext(2);
        timeline.advance(1_000, 1, "e").expectNext(600);
        assertThat(timeline.wheel.hasDue(1_000)).isTrue();
        assertThat(timeline.wheel.hasDue(599)).isFalse();
        timeline.advance(1_000, 2, "f");
        timeline.expectNothingLeft();
    }

    @Test
    void currentTickReachesNowThoughTheLastDueNodeUsedUpTheLimit() {
        Timeline timeline = new Timeline(0).schedule("a", 1).schedule("b", 600);
        timeline.advance(500, 1, "a");
        assertThat(timeline.wheel.currentTick()).isEqualTo(500);
    }

    @Test
    void slotWithManyNodesIsCascadedOverManyAdvances() {
        int count = 100_000;
        int limit = 10;
        List<Timeline.Named> nodes = new ArrayList<>();
        Timeline names = new Timeline(0);
        HierarchicalWheel<Timeline.Named> wheel = new HierarchicalWheel<>(0);
        for (int i = 0; i < count; i++) {
            Timeline.Named node = names.node("n" + i);
            nodes.add(node);
            wheel.schedule(node, 65_536 + 512);
        }
        List<Timeline.Named> expired = new ArrayList<>();
        assertThat(wheel.advance(70_000, limit, expired::add)).isZero();
        assertThat(wheel.hasDue(70_000)).isTrue();
        int calls = 1;
        while (expired.isEmpty()) {
            assertThat(wheel.size()).isEqualTo(count);
            assertThat(wheel.nextDeadlineTick()).isEqualTo(65_536 + 512);
            wheel.advance(70_000, limit, expired::add);
            calls++;
        }
        assertThat(calls).isEqualTo(count / (8 * limit));
        while (wheel.hasDue(70_000)) {
            assertThat(wheel.advance(70_000, limit, expired::add)).isEqualTo(limit);
        }
        assertThat(expired).isEqualTo(nodes);
        assertThat(wheel.isEmpty()).isTrue();
    }

    @Test
    void nodesScheduledIntoASlotInCascadeKeepTheirPlaceInTheOrder() {
        Timeline timeline = new Timeline(0);
        List<String> first = new ArrayList<>();
        List<String> second = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            timeline.schedule("first" + i, 300).schedule("second" + i, 301);
            first.add("first" + i);
            second.add("second" + i);
        }
        // One advance moves 8 nodes of 60: the slot is in cascade, and the wheel stands on tick 300.
        timeline.advance(400, 1);
        assertThat(timeline.wheel.currentTick()).isEqualTo(300);
        timeline.schedule("late", 299).schedule("first30", 300).schedule("second30", 301);
        timeline.schedule("before both", 2).expectNext(2);
        timeline.cancel("before both");
        timeline.expectNext(299);
        first.addAll(List.of("late", "first30"));
        second.add("second30");

        List<String> expired = new ArrayList<>();
        while (timeline.wheel.hasDue(400)) {
            timeline.wheel.advance(400, 1, node -> expired.add(node.name));
        }
        first.addAll(second);
        assertThat(expired).isEqualTo(first);
        timeline.expectNothingLeft();
    }

    @Test
    void slotInCascadeCanBeCancelledAsAWhole() {
        Timeline timeline = new Timeline(0).schedule("far", 5_000);
        for (int i = 0; i < 60; i++) {
            timeline.schedule("n" + i, 300 + i % 3);
        }
        timeline.advance(400, 1);
        for (int i = 0; i < 60; i++) {
            assertThat(timeline.cancel("n" + i)).isTrue();
            timeline.expectNext(i < 57 ? 300 : i == 57 ? 301 : i == 58 ? 302 : 5_000);
        }
        assertThat(timeline.wheel.size()).isEqualTo(1);
        timeline.schedule("a", 310).advance(400, "a");
        timeline.advance(5_000, "far");
        timeline.expectNothingLeft();
    }

    @Test
    void cancelledNodeDoesNotExpire() {
        Timeline timeline = new Timeline(0);
        timeline.schedule("a", 5).schedule("b", 5).schedule("c", 5).schedule("d", 500);
        assertThat(timeline.cancel("b")).isTrue();
        assertThat(timeline.node("b").isScheduled()).isFalse();
        assertThat(timeline.wheel.size()).isEqualTo(3);
        assertThat(timeline.cancel("d")).isTrue();
        timeline.advance(1_000, "a", "c");
        timeline.expectNothingLeft();
    }

    @Test
    void cancelSaysWhetherTheNodeWasScheduled() {
        Timeline timeline = new Timeline(0);
        assertThat(timeline.cancel("a")).isFalse();
        timeline.schedule("a", 5);
        assertThat(timeline.cancel("a")).isTrue();
        assertThat(timeline.cancel("a")).isFalse();
        timeline.schedule("a", 6).advance(6, "a");
        assertThat(timeline.cancel("a")).isFalse();
        timeline.expectNothingLeft();
    }

    @Test
    void nextDeadlineIsExactAfterCancels() {
        Timeline timeline = new Timeline(0);
        // One slot of level 1, not in the order of deadlines, with the earliest one twice.
        timeline.schedule("a", 300)
                .schedule("b", 290)
                .schedule("c", 280)
                .schedule("d", 270)
                .schedule("e", 270);
        timeline.schedule("far", 1 << 20);
        timeline.expectNext(270);
        timeline.cancel("d");
        timeline.expectNext(270);
        timeline.cancel("e");
        timeline.expectNext(280);
        timeline.cancel("b");
        timeline.expectNext(280);
        timeline.cancel("c");
        timeline.expectNext(300).schedule("f", 299).expectNext(299);
        timeline.cancel("f");
        timeline.cancel("a");
        timeline.expectNext(1 << 20);
        timeline.cancel("far");
        timeline.expectNothingLeft();
    }

    @Test
    void nextDeadlineIsExactAfterCancelsInSlotsThatWereNotAskedAbout() {
        Timeline timeline = new Timeline(0).schedule("next", 3);
        timeline.schedule("a", 310).schedule("b", 305).schedule("c", 320).schedule("d", 330);
        timeline.expectNext(3);
        timeline.cancel("b");
        timeline.cancel("a");
        timeline.expectNext(3).advance(3, "next");
        timeline.expectNext(320);
        timeline.advance(319);
        timeline.advance(330, "c", "d");
        timeline.expectNothingLeft();
    }

    @Test
    void rescheduledNodeCountsAsNewAndExpiresOnce() {
        Timeline timeline = new Timeline(0).schedule("a", 5).schedule("b", 5).schedule("c", 700);
        timeline.reschedule("a", 5).reschedule("c", 5).expectNext(5);
        assertThat(timeline.wheel.size()).isEqualTo(3);
        timeline.reschedule("b", 6).advance(5, "a", "c");
        timeline.advance(6, "b");
        timeline.expectNothingLeft();
    }

    @Test
    void rescheduleSchedulesANodeThatIsNotScheduled() {
        Timeline timeline = new Timeline(0).reschedule("a", 5);
        timeline.advance(4);
        timeline.advance(5, "a");
        timeline.expectNothingLeft();
    }

    @Test
    void refusedRescheduleLeavesTheNodeAsItWas() {
        Timeline timeline = new Timeline(0).schedule("a", 5);
        assertThatThrownBy(() -> timeline.reschedule("a", -1)).isInstanceOf(IllegalArgumentException.class);
        timeline.expectNext(5).advance(5, "a");
        timeline.expectNothingLeft();
    }

    @Test
    void clearCancelsEverythingAndTheWheelGoesOn() {
        Timeline timeline = new Timeline(0);
        for (int i = 9; i < 60; i++) {
            timeline.schedule("n" + i, 300).schedule("far" + i, 1L << i);
        }
        // The slot is in cascade.
        timeline.advance(400, 1);
        timeline.wheel.clear();
        timeline.expectNothingLeft();
        long current = timeline.wheel.currentTick();
        timeline.schedule("n10", 350).schedule("far40", 1L << 40);
        assertThat(timeline.wheel.currentTick()).isEqualTo(current);
        timeline.expectNext(350).advance(349);
        timeline.advance(350, "n10");
        timeline.advance(1L << 41, "far40");
        timeline.expectNothingLeft();
    }

    @Test
    void negativeTicksAreRefused() {
        Timeline timeline = new Timeline(0);
        assertThatThrownBy(() -> new HierarchicalWheel<>(-1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("startTick is -1, must be 0 or more");
        assertThatThrownBy(() -> timeline.schedule("a", -5))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("deadlineTick is -5, must be 0 or more");
        timeline.expectNothingLeft();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
    void limitBelowOneIsRefused(int limit) {
        Timeline timeline = new Timeline(0).schedule("a", 1);
        assertThatThrownBy(() -> timeline.advance(5, limit))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("limit is " + limit + ", must be 1 or more");
        timeline.advance(5, Integer.MAX_VALUE, "a");
        timeline.expectNothingLeft();
    }

    @Test
    void scheduledNodeIsNotScheduledAgainHereOrInAnotherWheel() {
        Timeline timeline = new Timeline(0).schedule("a", 5);
        HierarchicalWheel<Timeline.Named> other = new HierarchicalWheel<>(0);
        assertThatThrownBy(() -> timeline.schedule("a", 6))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("node is already scheduled, with deadlineTick 5");
        assertThatThrownBy(() -> other.schedule(timeline.node("a"), 6)).isInstanceOf(IllegalStateException.class);
        assertThat(other.isEmpty()).isTrue();
        assertThat(timeline.wheel.size()).isEqualTo(1);
        timeline.advance(5, "a");
        other.schedule(timeline.node("a"), 6);
        assertThat(other.size()).isEqualTo(1);
    }

    @Test
    void nodeOfAnotherWheelIsNotCancelledWhereItShows() {
        Timeline timeline = new Timeline(0).schedule("a", 5).schedule("b", 600);
        HierarchicalWheel<Timeline.Named> other = new HierarchicalWheel<>(0);
        other.schedule(new Timeline(0).node("x"), 5);
        for (String name : List.of("a", "b")) {
            assertThatThrownBy(() -> other.cancel(timeline.node(name)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageEndingWith("is in another wheel");
            assertThatThrownBy(() -> other.reschedule(timeline.node(name), 1))
                    .isInstanceOf(IllegalStateException.class);
        }
        assertThat(other.size()).isEqualTo(1);
        timeline.advance(600, "a", "b");
        timeline.expectNothingLeft();
    }
}
