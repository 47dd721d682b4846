package io.tickwheel.engine.due;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.Lane;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The timers of a lane, in their lists, and when it has nothing to do. */
final class DueLaneTest {

    private static final long NOW = 1_000_000_000_000L;
    private static final long NOW_MS = 2_000_000_000_000L;
    private static final int COURSES = 200;
    private static final int STEPS = 100;

    private final QueueCredits queue = new QueueCredits("q");
    private final DueLane lane = new DueLane(new Lane("q", 7), queue, new Health());
    private final Credits credits = new Credits(100, 100, 1_000);

    private DueTimer timer(long attemptAtMs) {
        return new DueTimer(new WaitingTimer(lane.lane, attemptAtMs));
    }

    /** All that stand in a list, from the first on, whose links must lead back the same way. */
    private static List<DueTimer> read(DueList list) {
        List<DueTimer> read = new ArrayList<>();
        DueTimer before = null;
        for (DueTimer timer = list.first(); timer != null; timer = timer.next) {
            assertThat(timer.previous).isSameAs(before);
            assertThat(timer.list).isSameAs(list);
            read.add(timer);
            before = timer;
        }
        return read;
    }

    @Test
    void timersLeaveFromAnywhereAndMayComeAgain() {
        for (int course = 0; course < COURSES; course++) {
            SplittableRandom random = new SplittableRandom(course);
            DueList list = new DueList();
            List<DueTimer> expected = new ArrayList<>();
            List<DueTimer> gone = new ArrayList<>();
            for (int step = 0; step < STEPS; step++) {
                if (!expected.isEmpty() && random.nextInt(5) < 2) {
                    DueTimer timer = expected.remove(random.nextInt(expected.size()));
                    timer.leave();
                    assertThat(timer.isWaiting()).isFalse();
                    assertThat(timer.next).isNull();
                    assertThat(timer.previous).isNull();
                    gone.add(timer);
                } else {
                    DueTimer timer = gone.isEmpty() || random.nextBoolean()
                            ? timer(step)
                            : gone.remove(random.nextInt(gone.size()));
                    list.addLast(timer);
                    expected.add(timer);
                }
                assertThat(read(list)).as("course %d", course).isEqualTo(expected);
                assertThat(list.size()).isEqualTo(expected.size());
                assertThat(list.isEmpty()).isEqualTo(expected.isEmpty());
            }
        }
    }

    @Test
    void laneIsIdleWhenNothingWaitsAndNothingRuns() {
        assertThat(lane.isIdle()).isTrue();
        for (long attemptAtMs : new long[] {NOW_MS, NOW_MS - 10_000}) {
            DueTimer waits = timer(attemptAtMs);
            lane.add(waits, NOW_MS, NOW);
            assertThat(lane.isIdle()).as("one waits").isFalse();
            waits.leave();
            assertThat(lane.isIdle()).isTrue();
        }
        credits.take(lane, 0, NOW);
        assertThat(lane.isIdle()).as("one runs").isFalse();
        credits.giveBack(lane, 0);
        assertThat(lane.isIdle()).isTrue();
        lane.leased++;
        queue.leased++;
        assertThat(lane.isIdle()).as("one is leased").isFalse();
        credits.giveBackLeased(lane);
        assertThat(lane.isIdle()).isTrue();
    }
}
