package io.tickwheel.wheel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** What the handler may do to the wheel in the middle of an advance. */
class ExpiryHandlerTest {
    @Test
    void nodeScheduledByTheHandlerForADueTickExpiresInTheSameAdvance() {
        Timeline timeline = new Timeline(0).schedule("a", 10).schedule("b", 10).schedule("d", 400);
        timeline.atExpiry(
                "a", t -> t.schedule("same tick", 10).schedule("past", 1).schedule("c", 300));
        timeline.atExpiry("c", t -> t.schedule("not due", 501));
        timeline.advance(500, "a", "b", "same tick", "past", "c", "d");
        timeline.expectNext(501).advance(501, "not due");
        timeline.expectNothingLeft();
    }

    @Test
    void nodeScheduledByTheHandlerWaitsWhenTheLimitIsReached() {
        Timeline timeline = new Timeline(0).schedule("a", 10).atExpiry("a", t -> t.schedule("b", 4));
        timeline.advance(500, 1, "a").expectNext(4);
        assertThat(timeline.wheel.hasDue(500)).isTrue();
        timeline.advance(500, 1, "b");
        timeline.expectNothingLeft();
    }

    @Test
    void nodeThatReschedulesItselfIntoThePastEndsAtTheLimit() {
        Timeline timeline = new Timeline(0).schedule("a", 10).schedule("b", 10);
        timeline.atExpiry("a", t -> t.schedule("a", 0));
        timeline.advance(500, 4, "a", "b", "a", "a");
        assertThat(timeline.wheel.size()).isEqualTo(1);
        timeline.advance(500, 2, "a", "a");
        timeline.atExpiry("a", t -> {}).advance(500, 2, "a");
        timeline.expectNothingLeft();
    }

    @Test
    void nodeThatReschedulesItselfExpiresOnceAPeriod() {
        Timeline timeline = new Timeline(0).schedule("a", 100);
        timeline.atExpiry("a", t -> t.reschedule("a", t.node("a").deadlineTick() + 100));
        timeline.advance(350, "a", "a", "a");
        timeline.expectNext(400).advance(399);
        timeline.advance(400, "a");
    }

    @Test
    void handlerCancelsNodesThatAreDueInTheSameAdvance() {
        Timeline timeline = new Timeline(0);
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
    void handlerClearsTheWheel() {
        Timeline timeline = new Timeline(0).schedule("a", 10).schedule("b", 10).schedule("c", 70_000);
        timeline.atExpiry("a", t -> {
            t.wheel.clear();
            t.schedule("d", 11);
        });
        timeline.advance(100_000, "a", "d");
        timeline.expectNothingLeft();
    }

    @Test
    void handlerMustNotAdvance() {
        Timeline timeline = new Timeline(0).schedule("a", 10).schedule("b", 10);
        timeline.atExpiry(
                "a",
                t -> assertThatThrownBy(() -> t.wheel.advance(20, 1, node -> {}))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessage("advance was called by the handler of an advance"));
        timeline.advance(20, "a", "b");
        timeline.expectNothingLeft();
    }

    @Test
    void handlerThatThrowsLosesNothing() {
        Timeline timeline = new Timeline(0).schedule("a", 10).schedule("b", 10).schedule("c", 300);
        RuntimeException failure = new IllegalArgumentException("from the handler");
        timeline.atExpiry("a", t -> {
            t.schedule("d", 10);
            throw failure;
        });
        assertThatThrownBy(() -> timeline.advance(500)).isSameAs(failure);
        assertThat(timeline.node("a").isScheduled()).isFalse();
        assertThat(timeline.wheel.size()).isEqualTo(3);
        timeline.expectNext(10).advance(500, "b", "d", "c");
        timeline.expectNothingLeft();
    }
}
