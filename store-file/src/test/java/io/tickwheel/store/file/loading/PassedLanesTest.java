package io.tickwheel.store.file.loading;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.Lane;
import io.tickwheel.store.file.table.QueueTable;
import java.util.List;
import org.junit.jupiter.api.Test;

class PassedLanesTest {

    private final QueueTable queues = new QueueTable();
    private final PassedLanes passed = new PassedLanes(lane -> true);

    private LaneProgress behindFrom(long ms) {
        LaneProgress lane = passed.of(queues.get(new Lane("q" + ms, Lane.QUEUE_ROUTE)));
        lane.passedFromMs = ms;
        passed.add(lane);
        return lane;
    }

    /** Where there are more than may go on at once, nobody waits for ever behind those that came first. */
    @Test
    void lanesThatHaveWaitedLongestGoOnFirst() {
        LaneProgress late = behindFrom(300);
        LaneProgress first = behindFrom(100);
        LaneProgress full = behindFrom(50);
        LaneProgress second = behindFrom(200);

        List<LaneProgress> open = passed.openOnes(lane -> lane != full, 2);

        assertThat(open).containsExactly(first, second);
        assertThat(passed.openOnes(lane -> lane != full, 3)).containsExactlyInAnyOrder(first, second, late);
    }

    /** Its number may be another's by now, and nothing is left of it that could be loaded. */
    @Test
    void laneThatIsForgottenIsNoMoreCaughtUpWith() {
        LaneProgress gone = behindFrom(100);
        LaneProgress other = behindFrom(200);
        queues.countFinished(other.storeLane.queue, 1);
        queues.completed();
        assertThat(gone.storeLane.isForgotten()).isTrue();

        assertThat(passed.openOnes(lane -> true, 2)).containsExactly(other);
        assertThat(passed.firstBehindMs(1_000)).isEqualTo(200);
    }
}
