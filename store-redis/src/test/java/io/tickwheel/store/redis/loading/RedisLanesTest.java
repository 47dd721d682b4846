package io.tickwheel.store.redis.loading;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.CalendarListener;
import io.tickwheel.store.Lane;
import io.tickwheel.store.LoadRoom;
import io.tickwheel.store.LoadRoom.Age;
import io.tickwheel.store.PendingTimer;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class RedisLanesTest {

    private static final long FORGET_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final LoadRoom room = new LoadRoom(1_024, 1 << 20, 0);
    private final RedisLanes lanes = new RedisLanes(new CalendarListener() {
        @Override
        public boolean mayStart(Lane lane) {
            return !lane.queue().startsWith("stuck");
        }

        @Override
        public LoadRoom room() {
            return room;
        }

        @Override
        public void loaded(PendingTimer timer) {
            throw new AssertionError("nothing is loaded here");
        }

        @Override
        public void unloaded(PendingTimer timer) {
            throw new AssertionError("nothing is unloaded here");
        }
    });

    private RedisLane lane(int number) {
        return lanes.of(new Lane("q" + number, Lane.QUEUE_ROUTE));
    }

    @Test
    void lanesWithoutTimersAreForgotten() {
        for (int i = 0; i < 300; i++) {
            room.take(lane(i).share, Age.FRESH, 1);
        }
        RedisLane waits = lane(300);
        lanes.setBound(waits, RedisLane.Kind.LATE, 7, 1_000);
        lanes.work(FORGET_NANOS);
        assertThat(lanes.all()).hasSize(301);
        for (int i = 0; i < 299; i++) {
            room.giveBack(lane(i).share, Age.FRESH, 1);
        }
        lanes.work(2 * FORGET_NANOS - 1);
        assertThat(lanes.all()).as("now and then").hasSize(301);
        lanes.work(2 * FORGET_NANOS);
        assertThat(lanes.all()).containsExactlyInAnyOrder(lane(299), waits);
        room.giveBack(lane(299).share, Age.FRESH, 1);
        lanes.setBound(waits, RedisLane.Kind.LATE, 7, Bounds.NONE);
        lanes.work(3 * FORGET_NANOS);
        assertThat(lanes.all()).isEmpty();
    }

    /** A few at a time, and each in turn, whatever other partitions ask for meanwhile. */
    @Test
    void stuckLanesAreFoundInTurn() {
        Set<RedisLane> expected = new HashSet<>();
        for (int i = 0; i < 1_024; i++) {
            RedisLane stuck = lanes.of(new Lane("stuck" + i, Lane.QUEUE_ROUTE));
            lanes.setBound(stuck, RedisLane.Kind.LATE, i % 8 == 0 ? 3 : 4, 1_000);
            lanes.setBound(lane(i), RedisLane.Kind.LATE, 3, 1_000);
            if (i % 8 == 0) {
                expected.add(stuck);
            }
        }
        RedisLanes.Look look = new RedisLanes.Look();
        RedisLanes.Look other = new RedisLanes.Look();
        Set<RedisLane> found = new HashSet<>();
        for (int call = 0; call < 8; call++) {
            found.addAll(lanes.someStuck(3, look, 50));
            assertThat(found).hasSize(16 * (call + 1));
            lanes.someStuck(4, other, 50);
        }
        assertThat(found).isEqualTo(expected);
        assertThat(lanes.someStuck(3, look, 5)).hasSize(5);
        assertThat(lanes.someStuck(3, look, 50))
                .as("of the same 256, and what comes next")
                .hasSize(16);
        assertThat(lanes.someStuck(5, look, 50)).isEmpty();
    }

    @Test
    void whatIsForgottenIsNotLookedAt() {
        RedisLane stuck = lanes.of(new Lane("stuck", Lane.QUEUE_ROUTE));
        lanes.setBound(stuck, RedisLane.Kind.LATE, 3, 1_000);
        lanes.setBound(stuck, RedisLane.Kind.LATE, 3, Bounds.NONE);
        lanes.work(FORGET_NANOS);
        RedisLane again = lanes.of(new Lane("stuck", Lane.QUEUE_ROUTE));
        lanes.setBound(again, RedisLane.Kind.LATE, 3, 1_000);
        assertThat(again).isNotSameAs(stuck);
        assertThat(lanes.someStuck(3, new RedisLanes.Look(), 2)).containsExactly(again);
    }
}
