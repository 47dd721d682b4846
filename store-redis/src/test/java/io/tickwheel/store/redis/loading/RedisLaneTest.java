package io.tickwheel.store.redis.loading;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.Lane;
import io.tickwheel.store.LoadRoom;
import io.tickwheel.store.LoadRoom.Age;
import io.tickwheel.store.redis.loading.RedisLane.Kind;
import org.junit.jupiter.api.Test;

/** When it is worth a call to look for a lane. */
final class RedisLaneTest {

    private static final long NOW_MS = 1_000_000;
    private static final long MS = 1_000_000;

    private final LoadRoom room = new LoadRoom(4_096, 1 << 22, 0);
    private final RedisLane lane = new RedisLane(new Lane("q", Lane.QUEUE_ROUTE), true);

    private boolean isOpen(long nowNanos) {
        return lane.isOpen(0, room, NOW_MS, nowNanos);
    }

    @Test
    void laneThatWasFullIsLookedForWhenItHasRoomForAPartOrAfterAMoment() {
        room.take(lane.share, Age.BACKLOG, 640);
        int left = lane.left(0, room, NOW_MS);
        assertThat(left).isEqualTo(room.leftFor(lane.share, Age.BACKLOG)).isGreaterThan(100);
        lane.full(100 * MS);
        assertThat(isOpen(100 * MS)).isTrue();
        lane.expected = left - 40;
        assertThat(isOpen(100 * MS)).as("a sixteenth of what it has").isTrue();
        lane.expected = left - 39;
        assertThat(isOpen(100 * MS)).isFalse();
        assertThat(isOpen(150 * MS - 1)).isFalse();
        assertThat(isOpen(150 * MS)).isTrue();
        lane.expected = left;
        assertThat(isOpen(900 * MS)).as("what is under way fills it").isFalse();
    }

    /** A lane that has few timers never waits. */
    @Test
    void laneBelowTheMinimumIsLookedForAtOnce() {
        lane.full(0);
        room.take(lane.share, Age.BACKLOG, 15);
        int left = lane.left(0, room, NOW_MS);
        lane.expected = left - 1;
        assertThat(isOpen(1)).isTrue();
        room.take(lane.share, Age.BACKLOG, 17);
        lane.expected = lane.left(0, room, NOW_MS) + lane.expected - 1;
        assertThat(lane.left(0, room, NOW_MS)).isOne();
        assertThat(isOpen(1)).isFalse();
    }

    @Test
    void laneIsIdleWhenNothingOfItIsLoadedOrWaits() {
        assertThat(lane.isIdle()).isTrue();
        room.take(lane.share, Age.FRESH, 1);
        assertThat(lane.isIdle()).isFalse();
        room.giveBack(lane.share, Age.FRESH, 1);
        for (Kind kind : Kind.values()) {
            lane.bounds(kind).set(3, 5);
            assertThat(lane.isIdle()).isFalse();
            assertThat(lane.waitsFromMs()).isEqualTo(5);
            lane.bounds(kind).set(3, Bounds.NONE);
            assertThat(lane.isIdle()).isTrue();
        }
        assertThat(lane.waitsFromMs()).isEqualTo(Bounds.NONE);
    }
}
