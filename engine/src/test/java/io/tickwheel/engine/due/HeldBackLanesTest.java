package io.tickwheel.engine.due;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.Lane;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Which lanes stand aside, and until when. */
final class HeldBackLanesTest {

    /** Clocks may begin anywhere, and this one passes the greatest number. */
    private static final long START = Long.MAX_VALUE - TimeUnit.MILLISECONDS.toNanos(150);

    private final HeldBackLanes heldBack = new HeldBackLanes();

    private static long at(long ms) {
        return START + TimeUnit.MILLISECONDS.toNanos(ms);
    }

    private static DueLane lane(long route) {
        return new DueLane(new Lane("q", route), new QueueCredits("q"), Health.unknown());
    }

    /** A lane whose next attempt may start 100 ms later. */
    private static DueLane open(long route, long ms) {
        DueLane lane = lane(route);
        for (int i = 0; i < Breaker.MOST_IN_A_ROW; i++) {
            lane.noteEnd(at(ms), lane.health(), false, at(ms));
        }
        return lane;
    }

    @Test
    void lanesGoInTheOrderOfTheirMoments() {
        DueLane late = open(1, 90);
        DueLane soon = open(2, 0);
        DueLane between = open(3, 30);
        assertThat(heldBack.take(late, at(95))).isTrue();
        assertThat(heldBack.take(soon, at(95))).isTrue();
        assertThat(heldBack.take(between, at(95))).isTrue();
        assertThat(heldBack.nanosToNext(at(95))).isEqualTo(TimeUnit.MILLISECONDS.toNanos(5));
        assertThat(heldBack.next(at(99))).isNull();
        assertThat(heldBack.next(at(100))).isSameAs(soon);
        assertThat(heldBack.next(at(100))).isNull();
        assertThat(heldBack.next(at(130))).isSameAs(between);
        assertThat(heldBack.nanosToNext(at(130))).isEqualTo(TimeUnit.MILLISECONDS.toNanos(60));
        assertThat(heldBack.next(at(200))).isSameAs(late);
        assertThat(heldBack.nanosToNext(at(200))).isEqualTo(Long.MAX_VALUE);
        assertThat(soon.isAside() || late.isAside()).isFalse();
    }

    @Test
    void onlyWhatIsHeldBackIsTaken() {
        assertThat(heldBack.take(lane(1), at(0))).isFalse();
        assertThat(heldBack.take(open(1, 0), at(100))).isFalse();
        DueLane lane = open(1, 0);
        assertThat(heldBack.take(lane, at(1))).isTrue();
        assertThat(heldBack.take(lane, at(150))).as("is there already").isTrue();
        assertThat(heldBack.next(at(150))).isSameAs(lane);
        assertThat(heldBack.next(at(150))).isNull();
    }

    @Test
    void laneIsReleasedOnceItIsNotHeldBack() {
        DueLane lane = open(1, 0);
        assertThat(heldBack.release(lane, at(100))).as("is not there").isFalse();
        assertThat(heldBack.take(lane, at(1))).isTrue();
        assertThat(heldBack.release(lane, at(2))).isFalse();
        lane.noteEnd(at(2), lane.health(), true, at(2));
        assertThat(heldBack.release(lane, at(2))).isTrue();
        assertThat(lane.isAside()).isFalse();
        assertThat(heldBack.nanosToNext(at(2))).isEqualTo(Long.MAX_VALUE);
        assertThat(heldBack.next(at(100))).isNull();
    }

    @Test
    void laneThatComesAgainStaysAsLongAsItMustThen() {
        DueLane lane = open(1, 0);
        assertThat(heldBack.take(lane, at(1))).isTrue();
        lane.noteNotStarted(at(2));
        assertThat(heldBack.release(lane, at(2))).isTrue();
        lane.noteStart(at(2));
        assertThat(heldBack.take(lane, at(3))).isTrue();
        assertThat(heldBack.next(at(100))).as("at its moment before").isNull();
        assertThat(heldBack.nanosToNext(at(100))).isEqualTo(TimeUnit.MILLISECONDS.toNanos(102));
        assertThat(heldBack.next(at(202))).isSameAs(lane);
    }

    @Test
    void laneThatOpensMeanwhileIsLetGoAsSoonAsThatSays() {
        DueLane lane = lane(1);
        for (int i = 0; i < Breaker.MOST_IN_A_ROW; i++) {
            lane.noteStart(at(0));
        }
        assertThat(heldBack.take(lane, at(1))).as("nothing is known of it").isTrue();
        assertThat(heldBack.nanosToNext(at(1))).isEqualTo(TimeUnit.MILLISECONDS.toNanos(999));
        for (int i = 0; i < Breaker.MOST_IN_A_ROW; i++) {
            lane.noteEnd(at(0), lane.health(), false, at(10));
            assertThat(heldBack.release(lane, at(10))).isFalse();
        }
        assertThat(heldBack.nanosToNext(at(10))).isEqualTo(TimeUnit.MILLISECONDS.toNanos(100));
        assertThat(heldBack.next(at(110))).isSameAs(lane);
        assertThat(heldBack.next(at(1_000))).as("at its moment before").isNull();
    }

    @Test
    void aThousandAreLetGoInASecond() {
        List<DueLane> lanes = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            lanes.add(open(i, 0));
            assertThat(heldBack.take(lanes.get(i), at(1))).isTrue();
        }
        for (int i = 0; i < 20; i++) {
            assertThat(heldBack.next(at(200))).isNotNull();
        }
        assertThat(heldBack.next(at(200))).isNull();
        assertThat(heldBack.nanosToNext(at(205))).isEqualTo(TimeUnit.MILLISECONDS.toNanos(15));
        assertThat(heldBack.next(at(219))).isNull();
        DueLane back = lanes.stream().filter(DueLane::isAside).findFirst().orElseThrow();
        back.noteEnd(at(219), back.health(), true, at(219));
        assertThat(heldBack.release(back, at(219))).as("not held back at all").isTrue();
        int later = 0;
        for (int ms = 220; ms <= 240; ms++) {
            while (heldBack.next(at(ms)) != null) {
                later++;
            }
            assertThat(later).isEqualTo(ms < 240 ? 20 : 29);
        }
        assertThat(heldBack.nanosToNext(at(241))).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void forgottenLaneIsNotLetGo() {
        DueLane lane = open(1, 0);
        assertThat(heldBack.take(lane, at(1))).isTrue();
        heldBack.forget(lane);
        assertThat(heldBack.next(at(1_000))).isNull();
    }
}
