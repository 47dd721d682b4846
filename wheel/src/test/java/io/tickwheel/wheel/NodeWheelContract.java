package io.tickwheel.wheel;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What a wheel does whose timers are nodes: they can be scheduled again, and mixed up with those of another wheel. */
interface NodeWheelContract extends WheelContract {
    /** Makes an empty wheel for these nodes. */
    AnyWheel wheel(long startTick, AnyWheel.Nodes nodes);

    @Override
    default AnyWheel wheel(long startTick) {
        return wheel(startTick, new AnyWheel.Nodes());
    }

    @Test
    default void rescheduleSchedulesANodeThatIsNotScheduled() {
        Timeline timeline = timeline(0).reschedule("a", 5);
        timeline.advance(4);
        timeline.advance(5, "a");
        timeline.expectNothingLeft();
    }

    @Test
    default void scheduledNodeIsNotScheduledAgainHereOrInAnotherWheel() {
        AnyWheel.Nodes nodes = new AnyWheel.Nodes();
        Timeline timeline = new Timeline(wheel(0, nodes)).schedule("a", 5);
        Timeline other = new Timeline(wheel(0, nodes));
        assertThatThrownBy(() -> timeline.schedule("a", 6))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("node is already scheduled, with deadlineTick 5");
        assertThatThrownBy(() -> other.schedule("a", 6)).isInstanceOf(IllegalStateException.class);
        other.expectSize(0);
        timeline.expectSize(1).advance(5, "a");
        other.schedule("a", 6).expectSize(1);
    }

    @Test
    default void nodeOfAnotherWheelIsNotCancelledWhereItShows() {
        AnyWheel.Nodes nodes = new AnyWheel.Nodes();
        Timeline timeline = new Timeline(wheel(0, nodes));
        timeline.schedule("a", 5).schedule("b", 600);
        AnyWheel other = wheel(0, nodes);
        other.schedule(3, 5);
        for (String name : List.of("a", "b")) {
            int timer = timeline.timer(name);
            assertThatThrownBy(() -> other.cancel(timer))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageEndingWith("is in another wheel");
            assertThatThrownBy(() -> other.reschedule(timer, 1)).isInstanceOf(IllegalStateException.class);
        }
        new Timeline(other).expectSize(1);
        timeline.advance(600, "a", "b");
        timeline.expectNothingLeft();
    }
}
