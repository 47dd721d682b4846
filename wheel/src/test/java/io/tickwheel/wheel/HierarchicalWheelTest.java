package io.tickwheel.wheel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class HierarchicalWheelTest implements NodeWheelContract, CascadeContract {
    @Override
    public AnyWheel wheel(long startTick, AnyWheel.Nodes nodes) {
        return AnyWheel.hierarchical(startTick, nodes);
    }

    @Test
    void everyScheduledNodeIsShown() {
        HierarchicalWheel<WheelNode> wheel = new HierarchicalWheel<>(0);
        List<WheelNode> scheduled = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            scheduled.add(new WheelNode() {});
            wheel.schedule(scheduled.get(i), 300 + i);
        }
        scheduled.add(new WheelNode() {});
        wheel.schedule(scheduled.get(20), Long.MAX_VALUE);
        wheel.cancel(scheduled.remove(7));
        // Eight moves: most of the nodes wait outside the levels then.
        wheel.advance(300, 1, scheduled::remove);
        List<WheelNode> shown = new ArrayList<>();
        wheel.forEach(shown::add);
        assertThat(shown).containsExactlyInAnyOrderElementsOf(scheduled);
    }

    @Test
    void postponedNodeExpiresAtItsNewTick() {
        Timeline timeline = timeline(0).schedule("a", 10).schedule("b", 10).schedule("c", 700);
        timeline.postpone("a", 600).expectNext(10).advance(10, "b");
        timeline.expectNext(600).advance(599);
        timeline.advance(600, "a").expectNext(700).advance(700, "c");
        timeline.expectNothingLeft();
    }

    @Test
    void nodeIsPostponedAgainAndAgainAndCancelled() {
        Timeline timeline = timeline(0).schedule("a", 10).schedule("b", 300);
        timeline.postpone("a", 20).postpone("a", 20).postpone("a", 70_000).postpone("a", 1L << 40);
        timeline.expectNext(300).advance(299);
        timeline.expectSize(2);
        assertThat(timeline.cancel("a")).isTrue();
        timeline.expectSize(1).advance(1L << 41, "b");
        timeline.expectNothingLeft();
    }

    @Test
    void nodeIsPostponedWhileItsSlotIsCascaded() {
        Timeline timeline = timeline(0);
        for (int i = 0; i < 40; i++) {
            timeline.schedule("node " + i, 600 + i);
        }
        // Eight of them come down for each that may expire, the others wait.
        timeline.advance(600, 1);
        for (int i = 0; i < 8; i++) {
            assertThat(timeline.cancel("node " + i)).isTrue();
        }
        timeline.expectNext(608).postpone("node 8", 90_000).expectNext(609);
        timeline.advance(609, 100, "node 9").expectSize(31);
        timeline.advance(
                1_000, 100, IntStream.range(10, 40).mapToObj(i -> "node " + i).toArray(String[]::new));
        timeline.expectNext(90_000).advance(90_000, "node 8");
        timeline.expectNothingLeft();
    }

    @Test
    void crowdComesDownAheadOfItsTime() {
        HierarchicalWheel<WheelNode> wheel = new HierarchicalWheel<>(0);
        int count = 1_000;
        for (int i = 0; i < count; i++) {
            wheel.schedule(new WheelNode() {}, 10_000);
        }
        assertThat(wheel.takeNewCrowd()).isTrue();
        // 10,000 is in the slot from 39 * 256 on: time enters the one before at 38 * 256.
        long ahead = 38 * 256;
        assertThat(wheel.nextAdvanceTick()).isEqualTo(ahead);
        assertThat(wheel.nextDeadlineTick()).isEqualTo(10_000);
        WheelNode[] due = new WheelNode[count];
        wheel.take(ahead, due, 0);
        assertThat(due).containsOnlyNulls();
        for (int moved = 0; moved < count; moved += 64) {
            assertThat(wheel.hasAhead()).isTrue();
            wheel.prepare(64);
        }
        assertThat(wheel.hasAhead()).isFalse();
        assertThat(wheel.nextAdvanceTick()).isEqualTo(10_000);
        wheel.take(10_000, due, 0);
        assertThat(due).doesNotContainNull();
        assertThat(wheel.isEmpty()).isTrue();
    }

    @Test
    void crowdThatComesDownKeepsItsOrderAmongWhatIsScheduledMeanwhile() {
        Timeline timeline = timeline(0);
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            timeline.schedule("early " + i, 600);
            expected.add("early " + i);
        }
        // In the slot before: ten of them come down, and what comes now queues behind the others.
        timeline.advance(300, 1);
        for (int i = 0; i < 10; i++) {
            timeline.schedule("late " + i, 600);
            expected.add("late " + i);
            timeline.advance(301 + i, 1);
        }
        timeline.expectSize(110).expectNext(600).advance(599);
        timeline.advance(600, 200, expected.toArray(String[]::new));
        timeline.expectNothingLeft();
    }

    @Test
    void nodeIsNotPostponedToAnEarlierTickNorWithoutBeingScheduled() {
        Timeline timeline = timeline(0).schedule("a", 10);
        assertThatThrownBy(() -> timeline.postpone("a", 9))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("deadlineTick is 9, must not be before 10");
        timeline.advance(10, "a");
        assertThatThrownBy(() -> timeline.postpone("a", 20)).isInstanceOf(IllegalStateException.class);
        timeline.expectNothingLeft();
    }
}
