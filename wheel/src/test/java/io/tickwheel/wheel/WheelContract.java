package io.tickwheel.wheel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What every wheel does. */
interface WheelContract {
    int HOUR_OF_MILLISECONDS = 3_600_000;

    /** Makes an empty wheel. */
    AnyWheel wheel(long startTick);

    default Timeline timeline(long startTick) {
        return new Timeline(wheel(startTick));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 200, 0xFFFF, 0xFFFF_FFFFL, 1L << 62, Long.MAX_VALUE - 5})
    default void timerExpiresAtItsTickAndNotOneEarlier(long start) {
        Timeline timeline = timeline(start).schedule("a", start + 5).expectNext(start + 5);
        timeline.advance(start);
        timeline.advance(start + 4);
        timeline.advance(start + 5, 100, "a");
        timeline.expectNothingLeft();
    }

    @ParameterizedTest
    @ValueSource(longs = {255, 256, 257, 65_535, 65_536, 1 << 24, 1L << 32, 1L << 40, 1L << 62, Long.MAX_VALUE - 77})
    default void timerOfAnyDelayExpiresAtItsTickAndNotOneEarlier(long delay) {
        Timeline timeline = timeline(77).schedule("a", 77 + delay).expectNext(77 + delay);
        timeline.advance(77 + delay - 1);
        timeline.expectNext(77 + delay).advance(77 + delay, 100, "a");
        timeline.expectNothingLeft();
    }

    @Test
    default void ticksExpireInTheirOrderWhateverTheScheduleOrder() {
        Timeline timeline = timeline(0);
        timeline.schedule("d", 70_000).schedule("b", 2).schedule("a", 1).schedule("c", 300);
        timeline.advance(100_000, "a", "b", "c", "d");
        timeline.expectNothingLeft();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6})
    default void higherDigitOfTheTickDecidesTheOrder(int digit) {
        long low = 1L << (8 * digit);
        long high = low << 8;
        Timeline timeline = timeline(3);
        timeline.schedule("d", 3 * high + 4 * low).schedule("b", 2 * high + 6 * low);
        timeline.schedule("c", 3 * high + low).schedule("a", 2 * high + 5 * low);
        timeline.expectNext(2 * high + 5 * low).advance(2 * high + 5 * low, "a");
        timeline.advance(2 * high + 6 * low - 1);
        timeline.advance(Long.MAX_VALUE - 1, 100, "b", "c", "d");
        timeline.expectNothingLeft();
    }

    @Test
    default void timersOfOneTickExpireInScheduleOrderFromWhereverTheyWereScheduled() {
        Timeline timeline = timeline(0).schedule("from afar", 70_000);
        timeline.advance(69_500);
        timeline.schedule("from near", 70_000).schedule("other", 69_990);
        timeline.advance(69_990, "other");
        timeline.schedule("from next door", 70_000);
        timeline.advance(69_999);
        timeline.advance(70_000, "from afar", "from near", "from next door");
        timeline.expectNothingLeft();
    }

    @Test
    default void timersOfOneTickExpireInScheduleOrderAmongOthersOfTheSameSlot() {
        Timeline timeline = timeline(0);
        for (int i = 0; i < 3; i++) {
            timeline.schedule("third" + i, 3 << 20).schedule("first" + i, 1 << 20);
            timeline.schedule("second" + i, 2 << 20);
        }
        timeline.advance(1 << 20, "first0", "first1", "first2");
        timeline.schedule("third3", 3 << 20).schedule("second3", 2 << 20);
        timeline.advance(2 << 20, "second0", "second1", "second2", "second3");
        timeline.advance(3 << 20, "third0", "third1", "third2", "third3");
        timeline.expectNothingLeft();
    }

    @Test
    default void currentTickFollowsTimeThroughAnEmptyWheel() {
        Timeline timeline = timeline(7).expectCurrentTick(7);
        timeline.advance(1L << 50);
        timeline.expectCurrentTick(1L << 50).advance(Long.MAX_VALUE, 1);
        timeline.expectCurrentTick(Long.MAX_VALUE);
        timeline.schedule("a", Long.MAX_VALUE).advance(Long.MAX_VALUE, 1, "a").expectNothingLeft();
    }

    @Test
    default void currentTickIsTheTickOfTheTimerThatExpires() {
        Timeline timeline = timeline(0).schedule("a", 300).schedule("b", 301);
        timeline.atExpiry("a", t -> t.expectCurrentTick(300)).atExpiry("b", t -> t.expectCurrentTick(301));
        timeline.advance(1_000, 10, "a", "b").expectCurrentTick(1_000);
    }

    @Test
    default void timeThatRunsBackwardsDoesNothing() {
        Timeline timeline = timeline(1_000).schedule("late", 5).schedule("a", 1_001);
        timeline.advance(999, 10).expectCurrentTick(1_000);
        assertThat(timeline.wheel.hasDue(999)).isFalse();
        timeline.advance(-1, 10);
        timeline.advance(1_001, "late", "a");
        timeline.advance(1_000, 10).expectCurrentTick(1_001);
        timeline.expectNothingLeft();
    }

    @Test
    default void stallOfAnHourExpiresWhatWasMissedInOrder() {
        Timeline timeline = timeline(123);
        List<String> expected = new ArrayList<>();
        for (int delay = HOUR_OF_MILLISECONDS; delay > 0; delay -= 1_000) {
            timeline.schedule("after " + delay, 123 + delay);
            expected.add(0, "after " + delay);
        }
        timeline.advance(123 + HOUR_OF_MILLISECONDS, expected.toArray(String[]::new));
        timeline.expectNothingLeft();
    }

    @Test
    default void lastTickOfTheRangeIsATickLikeAnyOther() {
        Timeline timeline = timeline(0).schedule("end", Long.MAX_VALUE).schedule("before", Long.MAX_VALUE - 1);
        timeline.expectNext(Long.MAX_VALUE - 1).advance(Long.MAX_VALUE - 2);
        timeline.advance(Long.MAX_VALUE - 1, "before");
        timeline.expectNext(Long.MAX_VALUE).expectNotDue(Long.MAX_VALUE - 1).expectDue(Long.MAX_VALUE);
        timeline.advance(Long.MAX_VALUE, 1, "end");
        timeline.expectNothingLeft();
    }

    @Test
    default void deadlineAtOrBeforeTheCurrentTickIsDueAtTheNextAdvance() {
        Timeline timeline = timeline(1_000).schedule("now", 1_000).schedule("long ago", 0);
        timeline.expectNext(0).expectDue(1_000);
        timeline.advance(1_000, "now", "long ago");
        timeline.expectNothingLeft();
    }

    @Test
    default void lateTimerQueuesBehindThoseThatWaitForTheCurrentTick() {
        Timeline timeline = timeline(0);
        timeline.schedule("a", 9).schedule("b", 9).schedule("c", 10);
        timeline.advance(50, 1, "a").expectCurrentTick(9);
        timeline.schedule("later", 7).schedule("latest", 3);
        timeline.expectNext(3).advance(50, "b", "later", "latest", "c");
        timeline.expectNothingLeft();
    }

    @Test
    default void lateTimerKeepsItsDeadline() {
        Timeline timeline = timeline(1_000).schedule("a", 990);
        assertThat(timeline.wheel.deadlineTick(timeline.timer("a"))).isEqualTo(990);
        List<Long> deadlines = new ArrayList<>();
        timeline.wheel.advance(1_000, 1, (timer, deadlineTick) -> deadlines.add(deadlineTick));
        assertThat(deadlines).containsExactly(990L);
    }

    @Test
    default void limitIsTheMostThatExpiresInOneAdvance() {
        Timeline timeline = timeline(0);
        timeline.schedule("a", 1).schedule("b", 1).schedule("c", 1);
        timeline.schedule("d", 2).schedule("e", 2).schedule("f", 600);
        timeline.advance(1_000, 2, "a", "b").expectNext(1).expectDue(1_000);
        timeline.advance(1_000, 2, "c", "d").expectNext(2);
        timeline.advance(1_000, 1, "e").expectNext(600).expectDue(1_000).expectNotDue(599);
        timeline.advance(1_000, 2, "f");
        timeline.expectNothingLeft();
    }

    @Test
    default void currentTickReachesNowThoughTheLastDueTimerUsedUpTheLimit() {
        Timeline timeline = timeline(0).schedule("a", 1).schedule("b", 600);
        timeline.advance(500, 1, "a").expectCurrentTick(500);
    }

    @Test
    default void crowdOfOneTickExpiresInOrderOverManyAdvances() {
        Timeline timeline = timeline(0);
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            timeline.schedule("other" + i, 200_000).schedule("n" + i, 66_048);
            expected.add("n" + i);
        }
        timeline.advanceInSteps(70_000, 10, expected).expectSize(10_000);
    }

    @Test
    default void cancelledTimerDoesNotExpire() {
        Timeline timeline = timeline(0);
        timeline.schedule("a", 5).schedule("b", 5).schedule("c", 5).schedule("d", 500);
        assertThat(timeline.cancel("b")).isTrue();
        assertThat(timeline.isScheduled("b")).isFalse();
        timeline.expectSize(3);
        assertThat(timeline.cancel("d")).isTrue();
        timeline.advance(1_000, "a", "c");
        timeline.expectNothingLeft();
    }

    @Test
    default void cancelSaysWhetherTheTimerWasScheduled() {
        Timeline timeline = timeline(0);
        assertThat(timeline.cancel("a")).isFalse();
        timeline.schedule("a", 5);
        assertThat(timeline.cancel("a")).isTrue();
        assertThat(timeline.cancel("a")).isFalse();
        timeline.schedule("a", 6).advance(6, "a");
        assertThat(timeline.cancel("a")).isFalse();
        timeline.expectNothingLeft();
    }

    @Test
    default void timersAreCancelledBetweenTwoAdvancesThroughTheirTick() {
        Timeline timeline = timeline(0).schedule("far", 1 << 20);
        for (String name : List.of("a", "b", "c", "d", "e", "f")) {
            timeline.schedule(name, 9).schedule("far " + name, 9 + (1 << 20));
        }
        timeline.advance(20, 1, "a");
        assertThat(timeline.cancel("b")).isTrue();
        assertThat(timeline.cancel("far b")).isTrue();
        timeline.advance(20, 1, "c");
        assertThat(timeline.cancel("f")).isTrue();
        assertThat(timeline.cancel("e")).isTrue();
        assertThat(timeline.cancel("d")).isTrue();
        timeline.advance(20).expectSize(6);
        timeline.advance(1 << 21, "far", "far a", "far c", "far d", "far e", "far f");
        timeline.expectNothingLeft();
    }

    @Test
    default void nextDeadlineIsKnownAfterCancels() {
        Timeline timeline = timeline(0);
        // One slot of level 1, not in the order of deadlines, with the earliest one twice.
        timeline.schedule("a", 300).schedule("b", 290).schedule("c", 280);
        timeline.schedule("d", 270).schedule("e", 270).schedule("far", 1 << 20);
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
    default void nextDeadlineIsKnownAfterCancelsInSlotsThatWereNotAskedAbout() {
        Timeline timeline = timeline(0).schedule("next", 3);
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
    default void nextDeadlineIsKnownWhenTimersOfOneDelayAreCancelledInTheirOrder() {
        Timeline timeline = timeline(0);
        for (int i = 0; i < 200; i++) {
            timeline.schedule("n" + i, 30_000 + i);
        }
        for (int i = 0; i < 200; i++) {
            timeline.expectNext(30_000 + i);
            timeline.cancel("n" + i);
        }
        timeline.expectNothingLeft();
    }

    @Test
    default void rescheduledTimerCountsAsNewAndExpiresOnce() {
        Timeline timeline = timeline(0).schedule("a", 5).schedule("b", 5).schedule("c", 700);
        timeline.reschedule("a", 5).reschedule("c", 5).expectNext(5).expectSize(3);
        timeline.reschedule("b", 6).advance(5, "a", "c");
        timeline.advance(6, "b");
        timeline.expectNothingLeft();
    }

    @Test
    default void refusedRescheduleLeavesTheTimerAsItWas() {
        Timeline timeline = timeline(0).schedule("a", 5);
        assertThatThrownBy(() -> timeline.reschedule("a", -1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("deadlineTick is -1, must be 0 or more");
        timeline.expectNext(5).advance(5, "a");
        timeline.expectNothingLeft();
    }

    @Test
    default void clearCancelsEverythingAndTheWheelGoesOn() {
        Timeline timeline = timeline(0);
        for (int i = 9; i < 60; i++) {
            timeline.schedule("n" + i, 300).schedule("far" + i, 1L << i);
        }
        // A crowd in one slot: the advance ends in the middle of it.
        timeline.wheel.advance(400, 1, (timer, deadlineTick) -> {});
        timeline.wheel.clear();
        timeline.expectNothingLeft();
        timeline.expectCurrentTick(300).advance(320);
        timeline.schedule("n10", 350).schedule("far40", 1L << 40).expectCurrentTick(320);
        timeline.expectNext(350).advance(349);
        timeline.advance(350, "n10");
        timeline.advance(1L << 41, "far40");
        timeline.expectNothingLeft();
    }

    @Test
    default void negativeTicksAreRefused() {
        Timeline timeline = timeline(0);
        assertThatThrownBy(() -> wheel(-1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("startTick is -1, must be 0 or more");
        assertThatThrownBy(() -> timeline.schedule("a", -5))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("deadlineTick is -5, must be 0 or more");
        timeline.expectNothingLeft();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
    default void limitBelowOneIsRefused(int limit) {
        Timeline timeline = timeline(0).schedule("a", 1);
        assertThatThrownBy(() -> timeline.advance(5, limit))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("limit is " + limit + ", must be 1 or more");
        timeline.advance(5, Integer.MAX_VALUE, "a");
        timeline.expectNothingLeft();
    }

    @Test
    default void timerScheduledByTheHandlerForADueTickExpiresInTheSameAdvance() {
        Timeline timeline = timeline(0).schedule("a", 10).schedule("b", 10).schedule("d", 400);
        timeline.atExpiry(
                "a", t -> t.schedule("same tick", 10).schedule("past", 1).schedule("c", 300));
        timeline.atExpiry("c", t -> t.schedule("not due", 501));
        timeline.advance(500, "a", "b", "same tick", "past", "c", "d");
        timeline.expectNext(501).advance(501, "not due");
        timeline.expectNothingLeft();
    }

    @Test
    default void timerScheduledByTheHandlerWaitsWhenTheLimitIsReached() {
        Timeline timeline = timeline(0).schedule("a", 10).atExpiry("a", t -> t.schedule("b", 4));
        timeline.advance(500, 1, "a").expectNext(4).expectDue(500);
        timeline.advance(500, 1, "b");
        timeline.expectNothingLeft();
    }

    @Test
    default void timerThatReschedulesItselfIntoThePastEndsAtTheLimit() {
        Timeline timeline = timeline(0).schedule("a", 10).schedule("b", 10);
        timeline.atExpiry("a", t -> t.schedule("a", 0));
        timeline.advance(500, 4, "a", "b", "a", "a").expectSize(1);
        timeline.advance(500, 2, "a", "a");
        timeline.atExpiry("a", t -> {}).advance(500, 2, "a");
        timeline.expectNothingLeft();
    }

    @Test
    default void timerThatReschedulesItselfExpiresOnceAPeriod() {
        Timeline timeline = timeline(0).schedule("a", 100);
        timeline.atExpiry("a", t -> t.reschedule("a", t.wheel.currentTick() + 100));
        timeline.advance(350, "a", "a", "a");
        timeline.expectNext(400).advance(399);
        timeline.advance(400, "a");
    }

    @Test
    default void handlerCancelsTimersThatAreDueInTheSameAdvance() {
        Timeline timeline = timeline(0);
        timeline.schedule("a", 10).schedule("same tick", 10).schedule("b", 10).schedule("later", 11);
        timeline.schedule("far", 70_000);
        timeline.atExpiry("a", t -> {
            assertThat(t.cancel("a")).isFalse();
            assertThat(t.cancel("same tick")).isTrue();
            assertThat(t.cancel("later")).isTrue();
            assertThat(t.cancel("far")).isTrue();
        });
        timeline.advance(100_000, "a", "b");
        timeline.expectNothingLeft();
    }

    @Test
    default void handlerClearsTheWheel() {
        Timeline timeline = timeline(0).schedule("a", 10).schedule("b", 10).schedule("c", 70_000);
        timeline.atExpiry("a", t -> {
            t.wheel.clear();
            t.schedule("d", 11);
        });
        timeline.advance(100_000, "a", "d");
        timeline.expectNothingLeft();
    }

    @Test
    default void handlerMustNotAdvance() {
        Timeline timeline = timeline(0).schedule("a", 10).schedule("b", 10);
        timeline.atExpiry(
                "a",
                t -> assertThatThrownBy(() -> t.wheel.advance(20, 1, (timer, deadlineTick) -> {}))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessage("advance was called by the handler of an advance"));
        timeline.advance(20, "a", "b");
        timeline.expectNothingLeft();
    }

    @Test
    default void handlerThatThrowsLosesNothing() {
        Timeline timeline = timeline(0).schedule("a", 10).schedule("b", 10).schedule("c", 300);
        RuntimeException failure = new IllegalArgumentException("from the handler");
        timeline.atExpiry("a", t -> {
            t.schedule("d", 10);
            throw failure;
        });
        assertThatThrownBy(() -> timeline.advance(500)).isSameAs(failure);
        assertThat(timeline.isScheduled("a")).isFalse();
        timeline.expectSize(3).expectNext(10).advance(500, "b", "d", "c");
        timeline.expectNothingLeft();
    }
}
