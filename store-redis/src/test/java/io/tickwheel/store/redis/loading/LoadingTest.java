package io.tickwheel.store.redis.loading;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.CalendarListener;
import io.tickwheel.store.Lane;
import io.tickwheel.store.LoadRoom;
import io.tickwheel.store.LoadRoom.Age;
import io.tickwheel.store.PendingTimer;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.WaitingLane;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.layout.Member;
import io.tickwheel.store.redis.loading.RedisLane.Kind;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What of a partition is looked through next, and what comes of it: a piece at a time. */
final class LoadingTest implements CalendarListener, TimerLoader {

    private static final long NOW_MS = 1_700_000_000_000L;
    private static final long FRESH_FROM_MS = NOW_MS - LoadRoom.FRESH_MS + 1;
    private static final long WANTED_MS = NOW_MS + 1_000;
    private static final long AHEAD_MS = 4_000;
    private static final int PARTITION = 2;
    private static final byte[] MARK = {7};

    private final LoadRoom room = new LoadRoom(4_096, 1 << 22, 0);
    private final RedisLanes lanes = new RedisLanes(this);
    private final LoadBudget budget = new LoadBudget(room);
    private final TurnTime turn = new TurnTime(0);
    private final Loading loading = new Loading(lanes, budget, turn, PARTITION, 60_000_000_000L);
    private final Set<String> full = new HashSet<>();
    private final List<Long> loadedMs = new ArrayList<>();

    LoadingTest() {
        turn.load(NOW_MS);
        budget.begin(10_000, 1);
        loading.want(WANTED_MS);
    }

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
        throw new AssertionError("nothing is told here");
    }

    @Override
    public void unloaded(PendingTimer timer) {
        throw new AssertionError("nothing is told here");
    }

    @Override
    public boolean has(SeenTimer seen) {
        return loadedMs.contains(seen.dueAtMs());
    }

    @Override
    public boolean load(RedisLane lane, SeenTimer seen) {
        if (!lane.mayStart || full.contains(lane.lane.queue())) {
            return false;
        }
        return loadedMs.add(seen.dueAtMs());
    }

    private RedisLane lane(String queue) {
        return lanes.of(new Lane(queue, Lane.QUEUE_ROUTE));
    }

    private static SeenTimer seen(String queue, long dueAtMs) {
        byte[] field = Layout.field(new TimerKey(queue, "k" + dueAtMs));
        return new SeenTimer(Member.of(Lane.QUEUE_ROUTE, field), dueAtMs, 1);
    }

    private Piece next(boolean isTended) {
        return Objects.requireNonNull(loading.next(isTended));
    }

    private boolean take(Piece piece, long reachedMs, byte[] mark, SeenTimer... timers) {
        return loading.take(piece, new Seen(reachedMs, mark, List.of(), List.of(timers)), this);
    }

    private Piece allowed(Grant grant) {
        loading.allow(grant);
        return next(false);
    }

    /** Looks through all that is fresh, and the gap. */
    private void lookThroughAll(SeenTimer... late) {
        take(next(true), WANTED_MS + AHEAD_MS, Front.NO_MARK);
        take(allowed(Grant.GAP), FRESH_FROM_MS, Front.NO_MARK, late);
        assertThat(loading.lookedTo()).isEqualTo(WANTED_MS + AHEAD_MS);
    }

    private long bound(String queue, Kind kind) {
        return lane(queue).bounds(kind).get(PARTITION);
    }

    @Test
    void freshTimersAreLookedThroughInPiecesUpToWhatIsWanted() {
        assertThat(loading.wantsFresh()).isTrue();
        Piece first = next(false);
        assertThat(first.kind()).isEqualTo(Kind.FRESH);
        assertThat(first.fromMs()).isEqualTo(FRESH_FROM_MS);
        assertThat(first.toMs()).isEqualTo(WANTED_MS + AHEAD_MS);
        assertThat(first.most()).isEqualTo(128);
        assertThat(take(first, NOW_MS, MARK, seen("q", NOW_MS - 1))).isTrue();
        Piece second = next(false);
        assertThat(second.fromMs()).isEqualTo(NOW_MS);
        assertThat(second.mark()).isEqualTo(MARK);
        assertThat(second.most()).as("there are more").isEqualTo(512);
        take(second, WANTED_MS, Front.NO_MARK);
        assertThat(loading.wantsFresh()).isFalse();
        assertThat(loading.next(false)).isNull();
        Piece ahead = next(true);
        assertThat(ahead.fromMs()).isEqualTo(WANTED_MS);
        assertThat(ahead.most()).as("with a renewal of the lease").isEqualTo(96);
        take(ahead, WANTED_MS + AHEAD_MS, Front.NO_MARK);
        assertThat(loading.next(true)).isNull();
        assertThat(loadedMs).containsExactly(NOW_MS - 1);
    }

    /** Where there is nothing to wait for, the loop would turn for nothing. */
    @Test
    void pieceThatCameToNothingIsTold() {
        Piece piece = next(false);
        assertThat(take(piece, piece.fromMs(), Front.NO_MARK)).isFalse();
        piece = next(false);
        assertThat(take(piece, piece.fromMs(), MARK)).isTrue();
        piece = next(false);
        assertThat(take(piece, piece.fromMs(), MARK)).isFalse();
        piece = next(false);
        assertThat(take(piece, piece.fromMs() + 1, MARK)).isTrue();
    }

    @Test
    void pieceFromBeforeAReloadCountsForNothing() {
        Piece piece = next(false);
        loading.reload();
        assertThat(take(piece, WANTED_MS, Front.NO_MARK, seen("q", NOW_MS))).isTrue();
        assertThat(loadedMs).isEmpty();
        assertThat(loading.wantsFresh()).isTrue();
        assertThat(budget.askFresh(20_000)).as("and is given back").isEqualTo(room.left(Age.FRESH));
    }

    @Test
    void laneThatIsFullWaitsFromItsFirstTimerThatWasNotLoaded() {
        full.add("full");
        lookThroughAll(seen("full", 100), seen("q", 150), seen("full", 200), seen("stuck", 120));
        assertThat(loadedMs).containsExactly(150L);
        assertThat(bound("full", Kind.LATE)).isEqualTo(100);
        assertThat(bound("stuck", Kind.LATE)).isEqualTo(120);
        assertThat(bound("q", Kind.LATE)).isEqualTo(Bounds.NONE);
        assertThat(lanes.loadedTo()).as("of those that may start").isEqualTo(100);
        assertThat(lanes.waiting(119)).containsExactly(new WaitingLane(new Lane("full", Lane.QUEUE_ROUTE), 100));
        assertThat(lanes.waiting(120)).hasSize(2);
        assertThat(lanes.isPassed(PARTITION, 100)).isFalse();
        assertThat(lanes.isPassed(PARTITION, 101)).isTrue();
        assertThat(lanes.isPassed(PARTITION + 1, 101)).isFalse();
    }

    /** Timers of one lane come in the order of their times. */
    @Test
    void nothingOfALaneIsLoadedBehindWhatWasNot() {
        full.add("q");
        Piece piece = next(false);
        loading.take(piece, new Seen(WANTED_MS, Front.NO_MARK, List.of(), List.of(seen("q", NOW_MS))), this);
        full.clear();
        turn.begin(1_000_000_000);
        piece = allowed(Grant.FRESH_LANES);
        assertThat(piece.isCatchUp()).isTrue();
        assertThat(piece.fromMs()).isEqualTo(NOW_MS);
        assertThat(piece.toMs()).isEqualTo(WANTED_MS);
        assertThat(piece.lanes()).containsExactly(lane("q"));
        assertThat(lane("q").expected).isEqualTo(piece.most());
        take(piece, WANTED_MS, Front.NO_MARK, seen("q", NOW_MS));
        assertThat(loadedMs).containsExactly(NOW_MS);
        assertThat(bound("q", Kind.FRESH)).isEqualTo(Bounds.NONE);
        assertThat(lane("q").expected).isZero();
    }

    @Test
    void lookForALaneGoesOnWhereItWas() {
        full.add("q");
        lookThroughAll(seen("q", 100));
        full.clear();
        Piece piece = allowed(Grant.LATE_LANES);
        assertThat(piece.fromMs()).isEqualTo(100);
        assertThat(piece.toMs()).isEqualTo(FRESH_FROM_MS);
        take(piece, 150, MARK, seen("q", 100), seen("q", 149));
        assertThat(bound("q", Kind.LATE)).isEqualTo(150);
        piece = allowed(Grant.LATE_LANES);
        assertThat(piece.fromMs()).isEqualTo(150);
        assertThat(piece.mark()).isEqualTo(MARK);
        // A timer of it is unloaded meanwhile: what is answered does not raise its bound.
        loading.pass(lane("q"), 120);
        take(piece, 900, MARK);
        assertThat(bound("q", Kind.LATE)).isEqualTo(120);
        piece = allowed(Grant.LATE_LANES);
        assertThat(piece.fromMs()).isEqualTo(120);
        assertThat(piece.mark()).isEmpty();
        full.add("q");
        take(piece, 900, MARK, seen("q", 130));
        assertThat(bound("q", Kind.LATE)).as("the first that had no room").isEqualTo(130);
    }

    @Test
    void timerThatWaitsIsFreshOrLateByItsTime() {
        lookThroughAll();
        loading.pass(lane("q"), FRESH_FROM_MS);
        assertThat(bound("q", Kind.FRESH)).isEqualTo(FRESH_FROM_MS);
        assertThat(bound("q", Kind.LATE)).isEqualTo(Bounds.NONE);
        loading.pass(lane("q"), FRESH_FROM_MS - 1);
        assertThat(bound("q", Kind.LATE)).isEqualTo(FRESH_FROM_MS - 1);
        loading.pass(lane("stuck"), NOW_MS);
        assertThat(bound("stuck", Kind.LATE)).as("one bound is enough").isEqualTo(NOW_MS);
        loading.passFresh(lane("other"), 5);
        assertThat(bound("other", Kind.FRESH)).isEqualTo(FRESH_FROM_MS);
    }

    @Test
    void laneThatHasNothingHereIsForgotten() {
        lookThroughAll(seen("stuck", 100));
        loading.pass(lane("stuck"), 90);
        loading.clear(lane("stuck"));
        assertThat(bound("stuck", Kind.LATE))
                .as("something came while it was looked at")
                .isEqualTo(90);
        loading.next(false);
        loading.clear(lane("stuck"));
        assertThat(bound("stuck", Kind.LATE)).isEqualTo(Bounds.NONE);
    }

    @Test
    void suspendedLaneHasOneBoundAndIsLookedForWhenItGoesOn() {
        List<Loading> loadings = List.of(loading, loading, loading);
        lookThroughAll();
        loading.pass(lane("q"), FRESH_FROM_MS + 5);
        lanes.suspend(lane("q").lane, loadings);
        assertThat(bound("q", Kind.LATE)).isEqualTo(FRESH_FROM_MS + 5);
        assertThat(bound("q", Kind.FRESH)).isEqualTo(Bounds.NONE);
        assertThat(lanes.loadedTo()).as("it does not count").isEqualTo(Long.MAX_VALUE);
        loading.allow(Grant.FRESH_LANES);
        assertThat(loading.next(false)).isNull();
        loading.pass(lane("q"), 50);
        lanes.suspend(lane("q").lane, loadings);
        lanes.resume(lane("q").lane, loadings);
        assertThat(bound("q", Kind.LATE)).isEqualTo(50);
        assertThat(bound("q", Kind.FRESH)).isEqualTo(FRESH_FROM_MS);
        assertThat(lanes.loadedTo()).isEqualTo(50);
        lanes.resume(lane("q").lane, loadings);
        assertThat(allowed(Grant.FRESH_LANES).fromMs()).isEqualTo(FRESH_FROM_MS);
    }

    @Test
    void smallLeaseIsAskedForLessAhead() {
        Loading brief = new Loading(lanes, budget, turn, PARTITION + 1, 300_000_000);
        assertThat(brief.next(true)).as("nothing is wanted yet").isNull();
        brief.want(WANTED_MS);
        assertThat(Objects.requireNonNull(brief.next(true)).toMs()).isEqualTo(WANTED_MS + 200);
    }

    /** Whatever is brought in vain is brought again. */
    @Test
    void onlyLaneIsNotAskedForMoreThanItHasRoomFor() {
        full.add("q");
        lookThroughAll(seen("q", 100));
        full.clear();
        room.take(lane("q").share, Age.BACKLOG, 700);
        int left = lane("q").left(100, room, NOW_MS);
        assertThat(left).isBetween(1, 255);
        turn.begin(1_000_000_000);
        assertThat(allowed(Grant.LATE_LANES).most()).isEqualTo(left);
    }
}
