package io.tickwheel.store.redis.loading;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.Lane;
import io.tickwheel.store.redis.loading.RedisLane.Kind;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Up to where a range was looked through. */
final class FrontTest {

    private static final byte[] MARK = {1};

    private final Front front = new Front();
    private final RedisLane lane = new RedisLane(new Lane("q", Lane.QUEUE_ROUTE), true);

    @Test
    void millisecondThatWasLookedAtInPartIsCovered() {
        front.reset(100);
        assertThat(front.covers(99)).isTrue();
        assertThat(front.covers(100)).isFalse();
        front.advance(105, MARK, Set.of());
        assertThat(front.endMs()).isEqualTo(106);
        assertThat(front.covers(105)).isTrue();
        assertThat(front.covers(106)).isFalse();
        front.advance(106, Front.NO_MARK, Set.of());
        assertThat(front.endMs()).isEqualTo(106);
        assertThat(front.covers(106)).isFalse();
    }

    /** The look for a lane has passed what comes there, and would go on behind it. */
    @Test
    void laneOfWhichSomethingWaitsUpToTheCatchUpIsTakenOutOfIt() {
        RedisLane other = new RedisLane(new Lane("r", Lane.QUEUE_ROUTE), true);
        Set<RedisLane> lanes = new LinkedHashSet<>(List.of(lane, other));
        front.lookAgain(lane, 50);
        front.catchUp = new Front.CatchUp(50, Front.NO_MARK, lanes, false);
        front.lookAgain(lane, 51);
        assertThat(lanes).containsExactly(lane, other);
        front.lookAgain(lane, 50);
        assertThat(lanes).containsExactly(other);
    }

    @Test
    void pieceThatIsForSomeLanesOrLeavesSomeOutLooksAtMoreThanItBrings() {
        assertThat(new Piece(Kind.FRESH, false, 0, Front.NO_MARK, 9, 7, Set.of(), 0).looks())
                .isEqualTo(7);
        assertThat(new Piece(Kind.FRESH, false, 0, Front.NO_MARK, 9, 7, Set.of(lane), 0).looks())
                .isEqualTo(1_000);
        assertThat(new Piece(Kind.LATE, true, 0, Front.NO_MARK, 9, 7, Set.of(lane), 0).looks())
                .isEqualTo(1_000);
    }
}
