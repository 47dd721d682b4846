package io.tickwheel.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a wheel of levels does: a slot above the lowest level is cascaded, over many advances if it has many timers. */
interface CascadeContract extends WheelContract {
    @Test
    default void exampleOfTheClassCommentExpiresTickByTick() {
        Timeline timeline = timeline(4848);
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
    default void slotWithManyTimersIsCascadedOverManyAdvances() {
        int count = 100_000;
        int limit = 10;
        Timeline timeline = timeline(0);
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            timeline.schedule("n" + i, 65_536 + 512);
            expected.add("n" + i);
        }
        for (int calls = 1; calls < count / (8 * limit); calls++) {
            timeline.advance(70_000, limit)
                    .expectSize(count)
                    .expectNext(65_536 + 512)
                    .expectDue(70_000);
        }
        timeline.advance(70_000, limit, expected.subList(0, limit).toArray(String[]::new));
        timeline.advanceInSteps(70_000, limit, expected.subList(limit, count)).expectNothingLeft();
    }

    @Test
    default void timersScheduledIntoASlotInCascadeKeepTheirPlaceInTheOrder() {
        Timeline timeline = timeline(0);
        List<String> first = new ArrayList<>();
        List<String> second = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            timeline.schedule("first" + i, 812).schedule("second" + i, 813);
            first.add("first" + i);
            second.add("second" + i);
        }
        // One advance moves 8 timers of 60: the slot is in cascade, and the wheel stands on tick 812.
        timeline.advance(912, 1).expectCurrentTick(812);
        timeline.schedule("late", 811).schedule("first30", 812).schedule("second30", 813);
        timeline.schedule("before both", 2).expectNext(2);
        timeline.cancel("before both");
        timeline.expectNext(811);
        first.addAll(List.of("late", "first30"));
        second.add("second30");
        first.addAll(second);
        timeline.advanceInSteps(912, 1, first).expectNothingLeft();
    }

    @Test
    default void slotInCascadeCanBeCancelledAsAWhole() {
        Timeline timeline = timeline(0).schedule("far", 5_000);
        for (int i = 0; i < 60; i++) {
            timeline.schedule("n" + i, 812 + i % 3);
        }
        timeline.advance(912, 1);
        for (int i = 0; i < 60; i++) {
            assertThat(timeline.cancel("n" + i)).isTrue();
            timeline.expectNext(i < 57 ? 812 : i == 57 ? 813 : i == 58 ? 814 : 5_000);
        }
        timeline.expectSize(1).advance(813);
        timeline.schedule("a", 822).advance(912, "a");
        timeline.advance(5_000, "far");
        timeline.expectNothingLeft();
    }

    @Test
    default void crowdThatIsCancelledAndRescheduledOnItsWayDownKeepsItsOrder() {
        int count = 6_000;
        int ticks = 7;
        Timeline timeline = timeline(0);
        for (int i = 0; i < count; i++) {
            timeline.schedule("n" + i, 512 + i % ticks);
        }
        // Most of them have come down, so many that they are remembered for being fetched together, the others have
        // not.
        timeline.advance(512, 500).expectSize(count);
        List<List<String>> kept = new ArrayList<>();
        List<List<String>> again = new ArrayList<>();
        for (int tick = 0; tick < ticks; tick++) {
            kept.add(new ArrayList<>());
            again.add(new ArrayList<>());
        }
        for (int i = 0; i < count; i++) {
            String name = "n" + i;
            if (i % 3 == 0) {
                assertThat(timeline.cancel(name)).isTrue();
            } else if (i % 5 == 0) {
                timeline.reschedule(name, 512 + i % ticks);
                again.get(i % ticks).add(name);
            } else {
                kept.get(i % ticks).add(name);
            }
        }
        List<String> expected = new ArrayList<>();
        for (int tick = 0; tick < ticks; tick++) {
            expected.addAll(kept.get(tick));
            expected.addAll(again.get(tick));
        }
        timeline.advanceInSteps(600, 100, expected).expectNothingLeft();
    }
}
