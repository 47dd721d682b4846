package io.tickwheel.engine.neighbour;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.post.Letter;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Whose take is served next. */
final class LendingRoomTest {

    private static final long NOW = 0;
    private static final int LARGE = 4 << 20;

    private final LendingRoom room = new LendingRoom();

    private void take(long from, long number, long bytes) {
        Letter.Take letter = new Letter.Take(number, "q", 1, Duration.ofSeconds(30), Duration.ofSeconds(1), false);
        room.add(new LendingRoom.Taker(from, letter, bytes, NOW + 1));
    }

    private long next() {
        LendingRoom.Taker next = room.next(NOW);
        return next == null ? 0 : next.letter().number();
    }

    @Test
    void nodesTakeTurns() {
        take(1, 11, 1);
        take(1, 12, 1);
        take(1, 13, 1);
        take(2, 21, 1);
        take(3, 31, 1);
        assertThat(next()).isEqualTo(11);
        assertThat(next()).isEqualTo(21);
        assertThat(next()).isEqualTo(31);
        assertThat(next()).isEqualTo(12);
        assertThat(next()).isEqualTo(13);
        assertThat(next()).isZero();
    }

    @Test
    void takeOfANodeThatHasEnoughOnItsWayWaitsAndOthersDoNot() {
        take(1, 11, LARGE);
        take(1, 12, LARGE);
        take(2, 21, LARGE);
        assertThat(next()).isEqualTo(11);
        assertThat(next()).isEqualTo(21);
        assertThat(next()).isZero();
        room.free(1, LARGE);
        assertThat(next()).isEqualTo(12);
    }

    /** Or small ones of others would always come before it. */
    @Test
    void takeForWhichThereIsNoRoomIsWaitedFor() {
        for (int node = 1; node <= 4; node++) {
            take(node, node, LARGE);
        }
        take(5, 5, 1);
        assertThat(next()).isEqualTo(1);
        assertThat(next()).isEqualTo(2);
        assertThat(next()).isEqualTo(3);
        assertThat(next()).as("12 MiB are on their way").isZero();
        room.fallSilent(LARGE);
        assertThat(next()).isEqualTo(4);
        assertThat(next()).isZero();
        room.free(2, LARGE);
        assertThat(next()).isEqualTo(5);
    }

    @Test
    void takesOfANodeThatIsGoneAreForgotten() {
        take(1, 11, LARGE);
        take(1, 12, LARGE);
        assertThat(next()).isEqualTo(11);
        room.gone(1);
        room.free(1, LARGE);
        assertThat(room.hasTakers()).isFalse();
        assertThat(next()).isZero();
    }
}
