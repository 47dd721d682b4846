package io.tickwheel.engine.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.QueueSettings;
import io.tickwheel.store.LimitRequest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a node asks for whose lanes are refused. */
final class StartGateTest {

    private final List<LimitRequest> asked = new ArrayList<>();
    private final Clock clock = new Clock() {

        @Override
        public Instant now() {
            return Instant.EPOCH;
        }

        @Override
        public long monoNanos() {
            return 0;
        }
    };
    private final StartGate gate =
            new StartGate(new BorrowedStarts("q", (request, answer) -> asked.add(request), clock));

    private void turn(boolean stopped, int... waiting) {
        gate.begin();
        for (int lane : waiting) {
            assertThat(gate.admits(0, clock.monoNanos())).isFalse();
            gate.refuse(lane);
        }
        gate.work(stopped, 0, clock.monoNanos());
    }

    /** What was refused before may have been cancelled since, and others would wait for slots that nobody uses. */
    @Test
    void slotsAreAskedForWhatIsRefusedInTheTurn() {
        gate.set(QueueSettings.NONE.withConcurrency(100).withPaused(true), 0, 0);
        turn(false, 7);
        turn(true, 7);
        assertThat(asked).as("paused, or stopped").isEmpty();
        gate.set(QueueSettings.NONE.withConcurrency(100), 0, 0);
        turn(true, 7);
        assertThat(asked).as("stopped").isEmpty();
        turn(false, 3, 2);
        assertThat(asked).hasSize(1).allMatch(request -> request.slots() == 5);
    }
}
