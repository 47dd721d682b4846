package io.tickwheel.store.redis.loading;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.CalendarListener;
import io.tickwheel.store.Lane;
import io.tickwheel.store.LoadRoom;
import io.tickwheel.store.LoadRoom.Age;
import io.tickwheel.store.PendingTimer;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class RedisLanesTest {

    private static final long FORGET_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final LoadRoom room = new LoadRoom(1_024, 1 << 20, 0);
    private final RedisLanes lanes = new RedisLanes(new CalendarListener() {
        @Override
        public boolean mayStart(Lane lane) {
            return true;
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
        lanes.work(2 * FORGET_NANOS);
        assertThat(lanes.all()).containsExactlyInAnyOrder(lane(299), waits);
        room.giveBack(lane(299).share, Age.FRESH, 1);
        lanes.setBound(waits, RedisLane.Kind.LATE, 7, Bounds.NONE);
        lanes.work(3 * FORGET_NANOS);
        assertThat(lanes.all()).isEmpty();
    }
}
