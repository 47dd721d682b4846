package io.tickwheel.store.redis.loading;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.CalendarListener;
import io.tickwheel.store.Lane;
import io.tickwheel.store.LoadRoom;
import io.tickwheel.store.LoadRoom.Age;
import io.tickwheel.store.PendingTimer;
import io.tickwheel.store.redis.loading.RedisLane.Kind;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Whose turn it is to look for a backlog, and for lanes that have room again. */
final class LoadTurnsTest implements CalendarListener {

    private static final long NOW_MS = 1_700_000_000_000L;
    private static final long AGE_NANOS = 250_000_000;
    private static final int LIMIT = 1_000;
    private static final int PARTITIONS = 8;

    private final LoadRoom room = new LoadRoom(2_048, 1 << 21, 0);
    private final RedisLanes lanes = new RedisLanes(this);
    private final LoadBudget budget = new LoadBudget(room);
    private final TurnTime turn = new TurnTime(0);
    private final List<Part> parts =
            IntStream.range(0, PARTITIONS).mapToObj(Part::new).toList();
    private final LoadTurns turns = new LoadTurns(parts, lanes, budget);

    private final class Part implements LoadTurns.Loaded {

        final Loading loading;
        boolean isFree = true;

        Part(int index) {
            this.loading = new Loading(lanes, budget, turn, index, 60_000_000_000L);
        }

        @Override
        public Loading loading() {
            return loading;
        }

        @Override
        public boolean isOwned() {
            return true;
        }

        @Override
        public boolean isFree(long nowNanos) {
            return isFree;
        }

        /** Looks through what is next, up to there. */
        void look(long reachedMs) {
            Piece piece = loading.next(true);
            assertThat(piece).isNotNull();
            loading.take(piece, new Seen(reachedMs, Front.NO_MARK, List.of(), List.of()), new NoTimers());
        }

        void lookThroughGap(long reachedMs) {
            loading.allow(Grant.GAP);
            look(reachedMs);
        }
    }

    private static final class NoTimers implements TimerLoader {

        @Override
        public boolean has(SeenTimer seen) {
            throw new AssertionError("there are none");
        }

        @Override
        public boolean load(RedisLane lane, SeenTimer seen) {
            throw new AssertionError("there are none");
        }
    }

    LoadTurnsTest() {
        turn.load(NOW_MS);
        budget.begin(LIMIT, PARTITIONS);
        for (Part each : parts) {
            each.loading.want(NOW_MS + 1_000);
            each.look(NOW_MS + 5_000);
        }
    }

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

    private void lookThroughAllGaps() {
        parts.forEach(each -> each.lookThroughGap(NOW_MS - LoadRoom.FRESH_MS + 1));
    }

    /** What the next turn allows to each. */
    private List<Grant> grants() {
        turns.work(NOW_MS, 0);
        return parts.stream().map(each -> each.loading.allowed()).toList();
    }

    private static long count(List<Grant> grants, Grant grant) {
        return grants.stream().filter(each -> each == grant).count();
    }

    /** Only one more call may be made. */
    private void leaveOneCall() {
        for (int i = 0; i < 3; i++) {
            budget.turnSent();
        }
    }

    /** The partition that the only call is for. */
    private int only(Grant grant) {
        List<Grant> grants = grants();
        assertThat(grants).filteredOn(each -> each != Grant.NONE).containsExactly(grant);
        return grants.indexOf(grant);
    }

    private RedisLane lane(String queue) {
        return lanes.of(new Lane(queue, Lane.QUEUE_ROUTE));
    }

    @Test
    void fourCallsAreUnderWayAtATime() {
        assertThat(count(grants(), Grant.GAP)).isEqualTo(4);
        assertThat(count(grants(), Grant.GAP)).as("none was made").isEqualTo(4);
        List<Piece> pieces = parts.stream()
                .filter(each -> each.loading.allowed() == Grant.GAP)
                .map(each -> each.loading.next(false))
                .toList();
        assertThat(pieces).hasSize(4).doesNotContainNull();
        assertThat(count(grants(), Grant.NONE)).isEqualTo(PARTITIONS);
        parts.get(0).loading.failed(pieces.get(0));
        assertThat(count(grants(), Grant.GAP)).isOne();
    }

    @Test
    void oldestGapComesFirst() {
        for (int p = 0; p < PARTITIONS; p++) {
            parts.get(p).lookThroughGap(NOW_MS - 100_000 + Math.abs(p - 5));
        }
        leaveOneCall();
        assertThat(only(Grant.GAP)).isEqualTo(5);
        parts.get(5).isFree = false;
        assertThat(only(Grant.GAP)).isEqualTo(4);
        parts.get(5).isFree = true;
        parts.get(5).lookThroughGap(NOW_MS - LoadRoom.FRESH_MS + 1);
        assertThat(only(Grant.GAP)).as("it has none any more").isEqualTo(4);
    }

    @Test
    void nothingIsLookedForWhileThereIsNoRoom() {
        RedisLane lane = lane("full");
        int most = room.left(Age.BACKLOG);
        room.take(lane.share, Age.BACKLOG, most - 1);
        assertThat(count(grants(), Grant.GAP)).isEqualTo(4);
        room.take(lane.share, Age.BACKLOG, 1);
        assertThat(count(grants(), Grant.NONE)).isEqualTo(PARTITIONS);
    }

    @Test
    void lanesThatAreFarthestBehindComeFirst() {
        lookThroughAllGaps();
        leaveOneCall();
        lanes.setBound(lane("a"), Kind.LATE, 1, NOW_MS - 20_000);
        lanes.setBound(lane("b"), Kind.LATE, 2, NOW_MS - 20_001);
        lanes.setBound(lane("a"), Kind.LATE, 3, NOW_MS - 20_002);
        lanes.setBound(lane("b"), Kind.LATE, 4, NOW_MS - 20_000);
        assertThat(only(Grant.LATE_LANES)).isEqualTo(3);
        parts.get(3).isFree = false;
        assertThat(only(Grant.LATE_LANES)).isEqualTo(2);
    }

    /** However far the others are behind. */
    @Test
    void lanesThatHaveLittleComeFirst() {
        lookThroughAllGaps();
        leaveOneCall();
        for (String queue : List.of("first", "last")) {
            room.take(lane(queue).share, Age.BACKLOG, 16);
        }
        lanes.setBound(lane("first"), Kind.LATE, 1, NOW_MS - 30_000);
        lanes.setBound(lane("few"), Kind.LATE, 2, NOW_MS - 20_000);
        lanes.setBound(lane("last"), Kind.LATE, 3, NOW_MS - 40_000);
        lanes.setBound(lane("few too"), Kind.LATE, 4, NOW_MS - 20_001);
        assertThat(only(Grant.LATE_LANES)).isEqualTo(4);
        parts.get(4).isFree = false;
        assertThat(only(Grant.LATE_LANES)).isEqualTo(2);
        parts.get(2).isFree = false;
        assertThat(only(Grant.LATE_LANES)).isEqualTo(3);
    }

    @Test
    void laneIsNotLookedForWhereNothingWasLookedThrough() {
        lanes.setBound(lane("a"), Kind.FRESH, 1, NOW_MS + 5_000);
        assertThat(count(grants(), Grant.FRESH_LANES)).isZero();
        lanes.setBound(lane("a"), Kind.FRESH, 1, NOW_MS + 4_999);
        assertThat(count(grants(), Grant.FRESH_LANES)).isOne();
    }

    @Test
    void freshLanesHaveHalfOfTheCalls() {
        lookThroughAllGaps();
        for (int p = 0; p < 4; p++) {
            lanes.setBound(lane("fresh"), Kind.FRESH, p, NOW_MS - 500);
            lanes.setBound(lane("late"), Kind.LATE, p + 4, NOW_MS - 20_000);
        }
        List<Grant> grants = grants();
        assertThat(count(grants, Grant.FRESH_LANES)).isEqualTo(2);
        assertThat(count(grants, Grant.LATE_LANES)).isEqualTo(2);
    }

    @Test
    void lateLanesAndGapsTakeTurns() {
        leaveOneCall();
        for (int p = 0; p < 4; p++) {
            parts.get(p).lookThroughGap(NOW_MS - LoadRoom.FRESH_MS + 1);
            lanes.setBound(lane("late"), Kind.LATE, p, NOW_MS - 20_000);
        }
        only(Grant.GAP);
        only(Grant.LATE_LANES);
        only(Grant.GAP);
    }

    /** What is fresh does not take the half that is kept for a backlog, and the other way around. */
    @Test
    void halfIsKeptForWhatWaits() {
        turns.work(NOW_MS, 0);
        assertThat(budget.askFresh(LIMIT)).as("while there is a gap").isEqualTo(LIMIT / 2);
        budget.giveBack(Kind.FRESH, LIMIT / 2, 0);
        lookThroughAllGaps();
        turns.work(NOW_MS, 0);
        assertThat(budget.askFresh(LIMIT)).isEqualTo(LIMIT);
        budget.giveBack(Kind.FRESH, LIMIT, 0);
        budget.turnSent();
        turns.work(NOW_MS, 0);
        assertThat(budget.askFresh(LIMIT)).as("while one is under way").isEqualTo(LIMIT / 2);
        budget.giveBack(Kind.FRESH, LIMIT / 2, 0);
        assertThat(allLate()).as("nothing is fresh").isEqualTo(LIMIT);
        parts.get(7).loading.want(NOW_MS + 5_001);
        turns.work(NOW_MS, 0);
        assertThat(allLate()).as("something is").isEqualTo(LIMIT / 2);
    }

    private int allLate() {
        int all = 0;
        for (int asked = 1; asked > 0; all += asked) {
            asked = budget.askLate(0, Integer.MAX_VALUE);
        }
        budget.giveBack(Kind.LATE, all, 0);
        return all;
    }

    /** What was passed over when it was fresh is backlog a second later. */
    @Test
    void whatWasFreshGoesToTheBacklog() {
        RedisLane lane = lane("a");
        lanes.setBound(lane, Kind.FRESH, 1, NOW_MS - 500);
        turn.load(NOW_MS + 2_000);
        parts.get(1).loading.next(false);
        turns.work(NOW_MS + 2_000, AGE_NANOS - 1);
        assertThat(lane.bounds(Kind.LATE).get(1)).isEqualTo(Bounds.NONE);
        turns.work(NOW_MS + 2_000, AGE_NANOS);
        assertThat(lane.bounds(Kind.LATE).get(1)).isEqualTo(NOW_MS - 500);
        assertThat(lane.bounds(Kind.FRESH).get(1)).isEqualTo(NOW_MS + 2_000 - LoadRoom.FRESH_MS + 1);
    }
}
