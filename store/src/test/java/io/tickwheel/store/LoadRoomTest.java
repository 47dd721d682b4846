package io.tickwheel.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.store.LoadRoom.Age;
import io.tickwheel.store.LoadRoom.Share;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** How the room for loaded timers is divided. */
class LoadRoomTest {

    private static final int PLACES = 1_024;

    private final LoadRoom room = new LoadRoom(PLACES, PLACES, 0);

    /** Takes as much as a lane may have; returns how much that is. */
    private int fill(Share lane, Age age) {
        while (room.isOpenTo(lane, age)) {
            room.take(lane, age, 1);
        }
        return lane.taken();
    }

    @Test
    void oneLaneAloneLeavesMostForOthers() {
        assertThat(fill(new Share(), Age.BACKLOG)).isEqualTo(192);
        assertThat(fill(new Share(), Age.BACKLOG)).isEqualTo(96);
        Share lane = new Share();
        assertThat(fill(lane, Age.FRESH)).as("beside a backlog").isEqualTo(276);
        for (int i = 0; i < 10; i++) {
            assertThat(fill(new Share(), Age.BACKLOG))
                    .as("the lane %s after them", i)
                    .isGreaterThanOrEqualTo(8);
        }
    }

    @Test
    void backlogTakesNoMoreThanHalfAndFreshTimersNoMoreThanThreeQuarters() {
        for (int i = 0; i < 2 * PLACES; i++) {
            fill(new Share(), Age.BACKLOG);
        }
        assertThat(room.taken()).isEqualTo(PLACES / 2);
        for (int i = 0; i < 2 * PLACES; i++) {
            fill(new Share(), Age.FRESH);
        }
        assertThat(room.taken()).isEqualTo(PLACES);
        assertThat(room.isOpenTo(new Share(), Age.BACKLOG)).isFalse();
        LoadRoom other = new LoadRoom(PLACES, PLACES, 0);
        for (int i = 0; i < 2 * PLACES; i++) {
            Share lane = new Share();
            while (other.isOpenTo(lane, Age.AHEAD)) {
                other.take(lane, Age.AHEAD, 1);
            }
        }
        assertThat(other.taken()).isEqualTo(PLACES * 3 / 4);
        assertThat(other.isOpenTo(new Share(), Age.BACKLOG))
                .as("a quarter is left for it")
                .isTrue();
    }

    @Test
    void thereIsRoomForOneMoreLaneHoweverManyThereAre() {
        for (int lanes : new int[] {1, 2, 24, 100, 400}) {
            LoadRoom shared = new LoadRoom(PLACES, PLACES, 0);
            List<Share> all = new ArrayList<>();
            for (int i = 0; i < lanes; i++) {
                all.add(new Share());
            }
            boolean taken = true;
            while (taken) {
                taken = false;
                for (Share lane : all) {
                    if (shared.isOpenTo(lane, Age.BACKLOG)) {
                        shared.take(lane, Age.BACKLOG, 1);
                        taken = true;
                    }
                }
            }
            assertThat(shared.isOpenTo(new Share(), Age.BACKLOG))
                    .as("beside %s lanes", lanes)
                    .isTrue();
            int least = all.stream().mapToInt(Share::taken).min().orElseThrow();
            int most = all.stream().mapToInt(Share::taken).max().orElseThrow();
            assertThat(most - least).as("equal lanes").isLessThanOrEqualTo(1);
        }
    }

    @Test
    void largeTimersTakeSeveralPlaces() {
        LoadRoom small = new LoadRoom(1_000, 256_000, 100);
        assertThat(small.placesFor(0)).isEqualTo(1);
        assertThat(small.placesFor(156)).isEqualTo(1);
        assertThat(small.placesFor(157)).isEqualTo(2);
        assertThat(small.placesFor(Long.MAX_VALUE / 2)).isEqualTo(1_000);
    }

    @Test
    void whatIsGivenBackCanBeTakenAgain() {
        Share lane = new Share();
        int most = fill(lane, Age.FRESH);
        room.giveBack(lane, Age.FRESH, most);
        assertThat(room.taken()).isZero();
        assertThat(fill(lane, Age.FRESH)).isEqualTo(most);
    }

    @Test
    void roomMayBeAsLargeAsAnyNumber() {
        LoadRoom huge = new LoadRoom(Integer.MAX_VALUE, Long.MAX_VALUE, 0);
        for (Age age : Age.values()) {
            assertThat(huge.isOpenTo(new Share(), age)).isTrue();
            assertThat(huge.left(age)).isGreaterThan(1 << 29);
        }
        assertThat(huge.placesFor(1 << 30)).isEqualTo(1);
    }

    @Test
    void ageTurnsAtTheMillisecond() {
        assertThat(Age.of(1_001, 1_000)).isEqualTo(Age.AHEAD);
        assertThat(Age.of(1_000, 1_000)).isEqualTo(Age.FRESH);
        assertThat(Age.of(1_000, 1_999)).isEqualTo(Age.FRESH);
        assertThat(Age.of(1_000, 2_000)).isEqualTo(Age.BACKLOG);
        assertThat(Age.of(Long.MIN_VALUE, 0)).isEqualTo(Age.BACKLOG);
        assertThat(Age.of(Long.MAX_VALUE, 0)).isEqualTo(Age.AHEAD);
    }

    @Test
    void limitsAreChecked() {
        assertThatThrownBy(() -> new LoadRoom(0, 1, 0)).hasMessage("timers is 0, must be at least 1");
        assertThatThrownBy(() -> new LoadRoom(10, 9, 0)).hasMessage("bytes is 9, must be at least one for each of 10");
    }

    /** As many as it takes one by one: one more at most, and those of the minimum. */
    @Test
    void saysAboutHowManyALaneMayTake() {
        Random random = new Random(1);
        Age[] ages = Age.values();
        for (int round = 0; round < 2_000; round++) {
            LoadRoom room = new LoadRoom(1 + random.nextInt(5_000), 5_000, 0);
            for (int i = random.nextInt(4); i > 0; i--) {
                Age age = ages[random.nextInt(3)];
                take(room, new Share(), age, random.nextInt(1 + room.places() / 3));
            }
            Share lane = new Share();
            Age age = ages[random.nextInt(3)];
            take(room, lane, ages[random.nextInt(3)], random.nextInt(1 + room.places() / 3));
            int said = room.leftFor(lane, age);
            assertThat(said > 0).isEqualTo(room.isOpenTo(lane, age));
            int taken = 0;
            while (room.isOpenTo(lane, age)) {
                room.take(lane, age, 1);
                taken++;
            }
            assertThat(taken).as("%d were said", said).isBetween(said - 1, Math.max(said, 16) + 1);
        }
    }

    private static void take(LoadRoom room, Share lane, Age age, int most) {
        for (int i = 0; i < most && room.isOpenTo(lane, age); i++) {
            room.take(lane, age, 1);
        }
    }
}
