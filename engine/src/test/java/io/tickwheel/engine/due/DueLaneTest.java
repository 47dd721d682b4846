package io.tickwheel.engine.due;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.QueueSettings;
import io.tickwheel.engine.RateLimit;
import io.tickwheel.engine.limit.BorrowedStarts;
import io.tickwheel.engine.limit.StartGate;
import io.tickwheel.store.Lane;
import io.tickwheel.store.LimitRequest;
import io.tickwheel.store.LoadRoom;
import io.tickwheel.store.PendingTimer;
import io.tickwheel.store.TimerKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The timers of a lane, in their lists, and when it has nothing to do. */
final class DueLaneTest {

    private static final long NOW = 1_000_000_000_000L;
    private static final long NOW_MS = 2_000_000_000_000L;
    private static final long QUICK_NANOS = DueLane.QUICK_MS * 1_000_000;
    private static final int COURSES = 200;
    private static final int STEPS = 100;

    private final QueueCredits queue = new QueueCredits("q");
    private final DueLane lane = new DueLane(new Lane("q", 7), queue, Health.unknown());
    private final Credits credits = new Credits(100, 100, 1_000);

    private static final Clock STANDING = new Clock() {
        @Override
        public Instant now() {
            return Instant.ofEpochMilli(NOW_MS);
        }

        @Override
        public long monoNanos() {
            return NOW;
        }
    };

    private DueTimer timer(long attemptAtMs) {
        return new DueTimer(new WaitingTimer(lane.lane, attemptAtMs));
    }

    /** A timer of which the store learns more with its claim. */
    private static final class Changing implements PendingTimer {

        private int contentBytes;

        @Override
        public Lane lane() {
            return new Lane("q", 7);
        }

        @Override
        public TimerKey key() {
            return new TimerKey("q", "k");
        }

        @Override
        public long attemptAtMs() {
            return NOW_MS;
        }

        @Override
        public int contentBytes() {
            return contentBytes;
        }

        @Override
        public void attach(@Nullable Object attachment) {}

        @Override
        public @Nullable Object attachment() {
            return null;
        }
    }

    /** Otherwise more is given back than was taken, or less. */
    @Test
    void timerCountsAsWhatItWasWhenItsClaimBegan() {
        Changing pending = new Changing();
        DueTimer due = new DueTimer(pending);
        pending.contentBytes = 10;
        due.beginClaim(null);
        pending.contentBytes = 700;
        assertThat(due.contentBytes()).isEqualTo(10);
        due.endClaim();
        assertThat(due.contentBytes()).isEqualTo(10);
        due.beginClaim(null);
        assertThat(due.contentBytes()).isEqualTo(700);
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
    void laneThatWasIdleIsNotStalledWhenATimerComes() {
        credits.take(lane, 0, NOW);
        credits.giveBack(lane, 0);
        long later = NOW + 10 * QUICK_NANOS;
        lane.add(timer(NOW_MS), NOW_MS, later);
        assertThat(lane.isStalled(later)).isFalse();
        lane.add(timer(NOW_MS), NOW_MS, later + QUICK_NANOS - 1);
        assertThat(lane.isStalled(later + QUICK_NANOS - 1)).isFalse();
        assertThat(lane.isStalled(later + QUICK_NANOS))
                .as("another timer does not get it on")
                .isTrue();
    }

    @Test
    void laneWithoutATimerIsNeverStalled() {
        lane.add(timer(NOW_MS), NOW_MS, NOW);
        assertThat(lane.isStalled(NOW + QUICK_NANOS)).isTrue();
        Objects.requireNonNull(lane.firstFresh()).leave();
        assertThat(lane.isStalled(NOW + QUICK_NANOS)).isFalse();
    }

    @Test
    void firstOfTheBacklogIsTheEarlierOfWhatAgedAndWhatCameLate() {
        long laterMs = NOW_MS + 10 * LoadRoom.FRESH_MS;
        DueTimer aged = timer(NOW_MS);
        lane.add(aged, NOW_MS, NOW);
        lane.age(laterMs);
        assertThat(lane.hasFresh()).isFalse();
        DueTimer after = timer(NOW_MS + 1);
        lane.add(after, laterMs, NOW);
        assertThat(lane.firstOfBacklog()).isSameAs(aged);
        assertThat(lane.oldestMs()).isEqualTo(NOW_MS);
        after.leave();
        DueTimer before = timer(NOW_MS - 1);
        lane.add(before, laterMs, NOW);
        assertThat(lane.firstOfBacklog()).isSameAs(before);
        assertThat(lane.oldestMs()).isEqualTo(NOW_MS - 1);
    }

    @Test
    void nextTimerHasTheBytesOfTheLargerOne() {
        assertThat(lane.nextBytes()).isZero();
        lane.add(new DueTimer(new WaitingTimer(lane.lane, NOW_MS, 10)), NOW_MS, NOW);
        assertThat(lane.nextBytes()).isEqualTo(10);
        lane.add(new DueTimer(new WaitingTimer(lane.lane, NOW_MS - 10 * LoadRoom.FRESH_MS, 30)), NOW_MS, NOW);
        assertThat(lane.nextBytes()).isEqualTo(30);
    }

    @Test
    void laneGoesOnWhenItsDestinationChanges() {
        lane.suspend();
        lane.destinationChanged(Health.unknown());
        assertThat(lane.isSuspended()).isFalse();
    }

    /** However often the lane is looked at in a turn, what waits in it is asked for once. */
    @Test
    void whatWaitsIsRefusedOnceATurn() {
        List<LimitRequest> asked = new ArrayList<>();
        StartGate gate = new StartGate(new BorrowedStarts("q", (request, answer) -> asked.add(request), STANDING));
        QueueSettings settings = QueueSettings.NONE.withRate(new RateLimit(1_000, 100));
        gate.set(settings, NOW_MS, NOW);
        queue.assign(settings, gate);
        for (int i = 0; i < 3; i++) {
            lane.add(timer(NOW_MS), NOW_MS, NOW);
        }
        gate.begin();
        assertThat(lane.isAdmitted(NOW_MS, NOW)).isFalse();
        assertThat(lane.isAdmitted(NOW_MS, NOW)).isFalse();
        gate.work(false, NOW_MS, NOW);
        assertThat(asked).extracting(LimitRequest::tokens).containsExactly(3);
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
