package io.tickwheel.engine.due;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.Lane;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Timers that wait for their time, of which a turn reaches some. */
final class DueWheelTest {

    private static final Lane LANE = new Lane("q", Lane.QUEUE_ROUTE);
    private static final int TIMERS = 1_000;

    private final DueWheel wheel = new DueWheel();
    private final List<DueTimer> expired = new ArrayList<>();

    /** Else the loop would sleep while timers are due. */
    @Test
    void callThatReachesNoTimerSaysThatSomeAreDue() {
        wheel.start(0);
        for (int i = 0; i < TIMERS; i++) {
            wheel.schedule(new DueTimer(new WaitingTimer(LANE, 100_000)));
        }
        int calls = 0;
        while (wheel.expire(100_000, 1, expired::add) > 0) {
            calls++;
        }
        assertThat(expired).hasSize(TIMERS);
        assertThat(calls).as("some only bring timers down").isGreaterThan(TIMERS);
        assertThat(wheel.nextDueMs()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void clockThatIsSetBackIsFollowed() {
        wheel.start(500);
        wheel.schedule(new DueTimer(new WaitingTimer(LANE, 400)));
        wheel.schedule(new DueTimer(new WaitingTimer(LANE, 600)));
        assertThat(wheel.expire(399, 10, expired::add)).isZero();
        assertThat(wheel.nextDueMs()).isEqualTo(400);
        assertThat(wheel.expire(400, 10, expired::add)).isEqualTo(1);
        assertThat(wheel.nextDueMs()).isEqualTo(600);
        assertThat(wheel.expire(600, 10, expired::add)).isEqualTo(1);
        assertThat(expired).extracting(due -> due.timer.attemptAtMs()).containsExactly(400L, 600L);
    }
}
