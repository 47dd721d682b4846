package io.tickwheel.store.redis.loading;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.Lane;
import io.tickwheel.store.redis.loading.RedisLane.Kind;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What of a partition was looked through, as time goes on. */
final class RangesTest {

    private static final long NOW_MS = 1_000_000;
    private static final long FRESH_FROM_MS = NOW_MS - 999;
    private static final byte[] MARK = {7};

    private final Ranges ranges = new Ranges();
    private final Front late = ranges.front(Kind.LATE);
    private final Front fresh = ranges.front(Kind.FRESH);

    private static RedisLane lane(int number) {
        return new RedisLane(new Lane("q" + number, Lane.QUEUE_ROUTE), true);
    }

    private static Set<RedisLane> lanes(int count) {
        Set<RedisLane> lanes = new LinkedHashSet<>();
        for (int i = 0; i < count; i++) {
            lanes.add(lane(i));
        }
        return lanes;
    }

    @Test
    void freshRangeBeginsASecondAgoAndWhatIsBeforeIsAGap() {
        assertThat(ranges.hasGap()).isFalse();
        assertThat(ranges.moveBoundary(NOW_MS)).isTrue();
        assertThat(ranges.moveBoundary(NOW_MS)).isFalse();
        assertThat(ranges.boundaryMs()).isEqualTo(FRESH_FROM_MS);
        assertThat(ranges.freshFromMs()).isEqualTo(FRESH_FROM_MS);
        assertThat(ranges.hasGap()).isTrue();
        fresh.advance(NOW_MS + 5, Front.NO_MARK, Set.of());
        assertThat(ranges.lookedTo()).as("the gap is behind").isEqualTo(Ranges.BEGINNING_MS);
        late.advance(FRESH_FROM_MS, Front.NO_MARK, Set.of());
        assertThat(ranges.hasGap()).isFalse();
        assertThat(ranges.lookedTo()).isEqualTo(NOW_MS + 5);
    }

    @Test
    void boundaryMovesWithTheTimeAndNotBack() {
        ranges.moveBoundary(NOW_MS);
        fresh.advance(NOW_MS + 5_000, Front.NO_MARK, Set.of());
        assertThat(ranges.moveBoundary(NOW_MS + 2_000)).isFalse();
        assertThat(ranges.boundaryMs()).isEqualTo(FRESH_FROM_MS + 2_000);
        assertThat(ranges.moveBoundary(NOW_MS)).isFalse();
        assertThat(ranges.boundaryMs()).isEqualTo(FRESH_FROM_MS + 2_000);
        assertThat(ranges.freshFromMs()).as("where it began").isEqualTo(FRESH_FROM_MS);
    }

    /** What was not looked at is backlog by then, and goes on where the look was. */
    @Test
    void freshRangeBeginsAnewWhenNothingWasLookedAtForLong() {
        ranges.moveBoundary(NOW_MS);
        late.advance(FRESH_FROM_MS, Front.NO_MARK, Set.of());
        fresh.advance(NOW_MS + 5, MARK, Set.of());
        assertThat(ranges.moveBoundary(NOW_MS + 5 + 999)).isFalse();
        assertThat(ranges.moveBoundary(NOW_MS + 5 + 1_000)).isTrue();
        assertThat(ranges.freshFromMs()).isEqualTo(NOW_MS + 6);
        assertThat(ranges.gapFromMs()).isEqualTo(NOW_MS + 5);
        assertThat(late.mark).isEqualTo(MARK);
        assertThat(fresh.mark).isEmpty();
        ranges.moveBoundary(NOW_MS + 50_000);
        assertThat(ranges.gapFromMs()).as("while there is a gap").isEqualTo(NOW_MS + 5);
        ranges.reset();
        assertThat(ranges.hasGap()).isFalse();
        assertThat(ranges.boundaryMs()).isEqualTo(Ranges.BEGINNING_MS);
    }

    @Test
    void whatWasLookedThroughIsCovered() {
        ranges.moveBoundary(NOW_MS);
        late.advance(500, MARK, Set.of());
        fresh.advance(NOW_MS + 5, Front.NO_MARK, Set.of());
        assertThat(ranges.covers(499)).isTrue();
        assertThat(ranges.covers(500)).as("some of that moment was").isTrue();
        assertThat(ranges.covers(501)).isFalse();
        assertThat(ranges.covers(FRESH_FROM_MS - 1)).isFalse();
        assertThat(ranges.covers(FRESH_FROM_MS)).isTrue();
        assertThat(ranges.covers(NOW_MS + 4)).isTrue();
        assertThat(ranges.covers(NOW_MS + 5)).isFalse();
    }

    @Test
    void lanesAreLookedForWhereSomethingWasLookedAt() {
        ranges.moveBoundary(NOW_MS);
        late.advance(500, MARK, Set.of());
        fresh.advance(NOW_MS + 5, Front.NO_MARK, Set.of());
        assertThat(ranges.canCatchUp(Kind.LATE, 500)).isTrue();
        assertThat(ranges.canCatchUp(Kind.LATE, 501)).isFalse();
        assertThat(ranges.endMs(Kind.LATE, FRESH_FROM_MS - 1)).isEqualTo(501);
        assertThat(ranges.endMs(Kind.LATE, FRESH_FROM_MS)).as("behind the gap").isEqualTo(FRESH_FROM_MS);
        assertThat(ranges.canCatchUp(Kind.FRESH, NOW_MS + 4)).isTrue();
        assertThat(ranges.canCatchUp(Kind.FRESH, NOW_MS + 5)).isFalse();
        assertThat(ranges.freshest(Kind.FRESH, 3)).isEqualTo(FRESH_FROM_MS);
        assertThat(ranges.freshest(Kind.FRESH, NOW_MS)).isEqualTo(NOW_MS);
        assertThat(ranges.freshest(Kind.LATE, 3)).isEqualTo(3);
    }

    /** A call names them; and how many it passes over tells how many more the next one brings. */
    @Test
    void lanesThatWerePassedOverAreLeftOutUntilTheEnd() {
        Set<RedisLane> some = lanes(3);
        late.advance(500, Front.NO_MARK, some);
        assertThat(late.leftOut).isEqualTo(some);
        assertThat(late.passed).isEqualTo(3);
        late.advance(600, Front.NO_MARK, lanes(1_022));
        assertThat(late.leftOut).hasSize(1_024).containsAll(some);
        assertThat(late.passed).isEqualTo(448);
        late.end();
        assertThat(late.leftOut).isEmpty();
        assertThat(late.passed).isZero();
        late.advance(600, MARK, some);
        late.touched = List.of("n1");
        late.reset(7);
        assertThat(late.leftOut).isEmpty();
        assertThat(late.passed).isZero();
        assertThat(late.endMs()).isEqualTo(7);
        assertThat(ranges.touched(Kind.LATE)).isEmpty();
    }

    @Test
    void lookDoesNotGoOnForALaneOfWhichSomethingWaitsBefore() {
        RedisLane one = lane(1);
        RedisLane other = lane(2);
        fresh.lookAgain(one, 5);
        fresh.catchUp = new Front.CatchUp(100, MARK, new LinkedHashSet<>(List.of(one, other)), false);
        fresh.lookAgain(one, 101);
        assertThat(fresh.catchUp.lanes()).containsExactly(one, other);
        fresh.lookAgain(one, 100);
        assertThat(fresh.catchUp.lanes()).containsExactly(other);
    }
}
