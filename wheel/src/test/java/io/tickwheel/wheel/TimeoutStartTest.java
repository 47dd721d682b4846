package io.tickwheel.wheel;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Timeouts that a caller makes himself and starts later. */
@Tag("races")
final class TimeoutStartTest extends WheelTimerScene {

    @Test
    void timeoutThatWasGivenToTheWrongTimerCanStillBeStarted() {
        WheelTimer timer = builder().name("right").build();
        WheelTimer other = builder().name("wrong").build();
        TimeoutNode timeout = new TimeoutNode(timer) {
            @Override
            protected void expired() {
                ran.add("a");
            }
        };
        assertThatThrownBy(() -> other.start(timeout, 1, MILLISECONDS))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("timeout is of right, not of wrong");
        timer.start(timeout, 1, MILLISECONDS);
        assertThatThrownBy(() -> timer.start(timeout, 1, MILLISECONDS))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("timeout was started or cancelled before");
        expectAfter(ms(1), "a");
        assertThat(other.pending()).isZero();
    }

    /** A timeout that notes when it expires, and when it is told that it was cancelled. */
    private TimeoutNode noting(WheelTimer timer) {
        return new TimeoutNode(timer) {
            @Override
            protected void expired() {
                ran.add("expired");
            }

            @Override
            protected void cancelled() {
                ran.add("cancelled");
            }
        };
    }

    @Test
    void timeoutThatIsCancelledBeforeItsStartCannotBeStarted() {
        WheelTimer timer = builder().maxPending(1).build();
        TimeoutNode timeout = noting(timer);
        assertThat(timeout.state()).isEqualTo(Timeout.State.PENDING);

        assertThat(timeout.cancel()).isTrue();

        assertThat(ran).containsExactly("cancelled");
        assertThat(timeout.state()).isEqualTo(Timeout.State.CANCELLED);
        assertThat(timeout.cancel()).isFalse();
        assertThatThrownBy(() -> timer.start(timeout, 1, MILLISECONDS))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("timeout was started or cancelled before");
        assertThat(ran).hasSize(1);
        assertThat(timer.metrics().cancelled())
                .as("of those that were scheduled")
                .isZero();
        timer.start(noting(timer), 1, MILLISECONDS);
        assertThatThrownBy(() -> timer.start(noting(timer), 1, MILLISECONDS))
                .isInstanceOf(RejectedExecutionException.class);
    }

    @Test
    void timeoutWhoseStartWasRefusedCanBeStartedOnceThereIsRoom() {
        WheelTimer timer = builder().maxPending(1).build();
        Timeout first = timer.schedule(task("first"), ms(5));
        TimeoutNode refused = noting(timer);
        assertThatThrownBy(() -> timer.start(refused, 1, MILLISECONDS)).isInstanceOf(RejectedExecutionException.class);
        assertThat(refused.state()).isEqualTo(Timeout.State.PENDING);

        first.cancel();

        timer.start(refused, 1, MILLISECONDS);
        expectAfter(ms(1), "expired");
    }

    @Test
    void timeoutWhoseStartWasRefusedIsNotCountedWhenItIsCancelled() {
        WheelTimer timer = builder().maxPending(1).build();
        timer.schedule(task("first"), ms(5));
        TimeoutNode refused = noting(timer);
        assertThatThrownBy(() -> timer.start(refused, 1, MILLISECONDS)).isInstanceOf(RejectedExecutionException.class);

        assertThat(refused.cancel()).isTrue();

        assertThat(timer.metrics().cancelled()).isZero();
        assertThatThrownBy(() -> timer.start(refused, 1, MILLISECONDS)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void timeoutThatIsStartedOnAClosedTimerIsRefused() {
        WheelTimer timer = builder().build();
        TimeoutNode timeout = noting(timer);
        timer.close();
        assertThatThrownBy(() -> timer.start(timeout, 1, MILLISECONDS))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessage("the timer is closed");
    }

    @Test
    void timeoutThatWasRunByHandBeforeItsStartStillExpires() {
        WheelTimer timer = builder().build();
        TimeoutNode timeout = noting(timer);

        timeout.run();

        assertThat(ran).isEmpty();
        assertThat(timeout.state()).isEqualTo(Timeout.State.PENDING);
        timer.start(timeout, 1, MILLISECONDS);
        expectAfter(ms(1), "expired");
    }
}
