package io.tickwheel.store.redis.loading;

import io.tickwheel.store.redis.layout.Member;
import io.tickwheel.store.redis.loading.RedisLane.Kind;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What of a partition is loaded, and what of it is to be loaded next. Used by the loop only.
 *
 * <pre>
 *   due   long ago                                   a second ago      now      seconds ahead
 *         [ looked through   |   gap   | looked through                          |  not yet
 *         the beginning   late.toMs  freshFromMs        boundaryMs            fresh.toMs
 * </pre>
 *
 * The fresh range begins a second ago when a partition is taken, and goes on from there with the time; a backlog is looked through
 * beside it, from the oldest on, until there is no gap. A timer that was looked at is loaded, or its lane cannot start or
 * has no room: then it is passed over, and a bound of the lane stands for it, one before the boundary and one behind it. When
 * the lane has room again, it is looked for from that bound on, together with the others that have some.
 *
 * <p><b>Invariant.</b> Each pending timer is loaded; or it is due in the gap or behind {@code fresh.toMs}; or not before a bound of its lane.
 * A lane that is left out of a look has a bound that is not behind where that look is.
 *
 * <p><b>Cost.</b> A look for some lanes goes on to its end before it begins anew for one that is farther behind, where it finds little: so
 * what is looked at in vain is looked at once for all lanes that have room.
 */
public final class Loading {

    /** Before anything that is due. */
    public static final long BEGINNING_MS = Ranges.BEGINNING_MS;

    private static final int MOST_FRESH = 512;

    /** As long as nothing says that there are more. */
    private static final int FIRST_FRESH = 128;

    /** With the renewals of the lease, of which many come in one turn. */
    private static final int RENEWAL_FRESH = 96;

    /** How much more is loaded at most than was asked for, so that it comes with the renewals of the lease. */
    private static final long MOST_AHEAD_MS = 4_000;

    private static final int MOST_LANES = 1_024;

    private final RedisLanes lanes;
    private final LoadBudget budget;
    private final TurnTime turn;
    private final int partition;
    private final long aheadMs;
    private final Ranges ranges = new Ranges();
    private long wantedToMs = Long.MIN_VALUE;
    private int changes;

    /** What {@link LoadTurns} allows the next call to do for a backlog, or for lanes that have room again. */
    private Grant grant = Grant.NONE;

    /** The lanes whose bounds were changed while a piece was under way: what it says does not raise them. */
    private final Set<RedisLane> changedMeanwhile = new HashSet<>();

    public Loading(RedisLanes lanes, LoadBudget budget, TurnTime turn, int partition, long leaseNanos) {
        this.lanes = lanes;
        this.budget = budget;
        this.turn = turn;
        this.partition = partition;
        this.aheadMs = Math.min(MOST_AHEAD_MS, leaseNanos / 1_000_000 * 2 / 3);
        beginAnew();
    }

    /** Loads everything again. */
    public void reload() {
        lanes.forget(partition);
        beginAnew();
    }

    private void beginAnew() {
        changes++;
        ranges.reset();
        grant = Grant.NONE;
    }

    /** Takes up to when timers are to be loaded. */
    public void want(long toMs) {
        wantedToMs = toMs;
    }

    private void moveBoundary() {
        if (ranges.moveBoundary(turn.loadNowMs())) {
            changes++;
        }
    }

    // ---- what is known

    Ranges ranges() {
        return ranges;
    }

    /** Everything due before this was looked at. */
    public long lookedTo() {
        return ranges.lookedTo();
    }

    /** Whether a timer due then was to be loaded by what was looked through. */
    public boolean covers(long dueAtMs) {
        return ranges.covers(dueAtMs);
    }

    /** The slices that a piece may touch, as far as they are known. */
    public List<String> touched(Kind kind) {
        return ranges.touched(kind);
    }

    /** Whether something that is due soon was not looked at. */
    boolean wantsFresh() {
        return ranges.front(Kind.FRESH).toMs < wantedToMs;
    }

    // ---- bounds

    /** A timer of a lane waits that is due then, in what was looked through. */
    public void pass(RedisLane lane, long dueAtMs) {
        lower(lane, lane.mayStart && dueAtMs >= ranges.boundaryMs() ? Kind.FRESH : Kind.LATE, dueAtMs);
    }

    /** Timers of a lane may wait that are due then or later and not for long. */
    void passFresh(RedisLane lane, long dueAtMs) {
        lower(lane, Kind.FRESH, Math.max(ranges.boundaryMs(), dueAtMs));
    }

    private void lower(RedisLane lane, Kind kind, long boundMs) {
        changedMeanwhile.add(lane);
        ranges.front(kind).lookAgain(lane, boundMs);
        lanes.lowerBound(lane, kind, partition, boundMs);
    }

    /** What was fresh when it was passed over, and is not any more, goes to the backlog. */
    void age(RedisLane lane) {
        long boundMs = lane.bounds(Kind.FRESH).get(partition);
        if (boundMs < ranges.boundaryMs()) {
            lower(lane, Kind.LATE, boundMs);
            lanes.setBound(lane, Kind.FRESH, partition, ranges.boundaryMs());
        }
    }

    /** Nothing of a lane waits here. */
    public void clear(RedisLane lane) {
        if (!changedMeanwhile.contains(lane)) {
            clear(lane, Kind.LATE);
            clear(lane, Kind.FRESH);
        }
    }

    private void clear(RedisLane lane, Kind kind) {
        ranges.front(kind).leftOut.remove(lane);
        lanes.setBound(lane, kind, partition, Bounds.NONE);
    }

    // ---- what is next

    /** Allows what {@link LoadTurns} has chosen, for this turn. */
    void allow(Grant allowed) {
        grant = allowed;
    }

    Grant allowed() {
        return grant;
    }

    /**
     * What to look through next; null for nothing, or nothing now.
     *
     * @param isTended whether a call is made anyway, so that it may load more than is needed by now
     */
    @Nullable
    public Piece next(boolean isTended) {
        if (wantedToMs == Long.MIN_VALUE) {
            return null;
        }
        moveBoundary();
        Piece piece = nextFresh(isTended);
        if (piece == null) {
            piece = switch (grant) {
                case NONE -> null;
                case FRESH_LANES -> nextOfLanes(Kind.FRESH);
                case LATE_LANES -> nextOfLanes(Kind.LATE);
                case GAP -> nextOfGap();
            };
        }
        if (piece != null && piece.isOfTurns()) {
            budget.turnSent();
        }
        grant = Grant.NONE;
        changedMeanwhile.clear();
        return piece;
    }

    private @Nullable Piece nextFresh(boolean isTended) {
        long goalMs = wantedToMs + aheadMs;
        if (ranges.front(Kind.FRESH).toMs >= (isTended ? goalMs : wantedToMs)) {
            return null;
        }
        boolean isAhead = isTended && ranges.front(Kind.FRESH).toMs >= wantedToMs;
        boolean goesOn = ranges.front(Kind.FRESH).mark.length > 0;
        return all(Kind.FRESH, goalMs, budget.askFresh(isAhead ? RENEWAL_FRESH : goesOn ? MOST_FRESH : FIRST_FRESH));
    }

    private @Nullable Piece nextOfGap() {
        return ranges.hasGap()
                ? all(
                        Kind.LATE,
                        ranges.freshFromMs(),
                        budget.askLate(ranges.front(Kind.LATE).passed, Integer.MAX_VALUE))
                : null;
    }

    private @Nullable Piece all(Kind kind, long toMs, int most) {
        if (most == 0) {
            return null;
        }
        Front front = ranges.front(kind);
        Set<RedisLane> leftOut = new LinkedHashSet<>(front.leftOut);
        return new Piece(kind, false, front.toMs, front.mark, toMs, most, leftOut, changes);
    }

    private @Nullable Piece nextOfLanes(Kind kind) {
        Map<RedisLane, Long> open = openLanes(kind);
        if (open.isEmpty()) {
            return null;
        }
        int left = open.size() > 1 ? Integer.MAX_VALUE : leftForOnly(open);
        int most = kind == Kind.LATE ? budget.askLate(0, left) : budget.askFresh(Math.min(FIRST_FRESH, left));
        if (most == 0) {
            return null;
        }
        Front.CatchUp before = ranges.front(kind).catchUp;
        if (before != null) {
            Set<RedisLane> goingOn = goingOn(before, open);
            boolean isBehind = open.values().stream().anyMatch(boundMs -> boundMs < before.toMs());
            if (!goingOn.isEmpty() && (!isBehind || before.isSparse())) {
                return ofLanes(kind, before.toMs(), before.mark(), most, goingOn);
            }
        }
        long fromMs = Collections.min(open.values());
        long toMs = ranges.endMs(kind, fromMs);
        open.values().removeIf(boundMs -> boundMs >= toMs);
        return ofLanes(kind, fromMs, Front.NO_MARK, most, open.keySet());
    }

    /** What a single lane has no room for is not asked for: whatever is brought in vain is brought again. */
    private int leftForOnly(Map<RedisLane, Long> open) {
        Map.Entry<RedisLane, Long> only = open.entrySet().iterator().next();
        return only.getKey().left(only.getValue(), lanes.room(), turn.loadNowMs());
    }

    /** Those that can be looked for from there on, as nothing of them waits before. */
    private static Set<RedisLane> goingOn(Front.CatchUp before, Map<RedisLane, Long> open) {
        Set<RedisLane> goingOn = new LinkedHashSet<>();
        open.forEach((lane, boundMs) -> {
            if (boundMs > before.toMs()
                    || (boundMs == before.toMs() && before.lanes().contains(lane))) {
                goingOn.add(lane);
            }
        });
        return goingOn;
    }

    private Piece ofLanes(Kind kind, long fromMs, byte[] mark, int most, Set<RedisLane> open) {
        if (open.size() == 1) {
            open.iterator().next().expected += most;
        }
        return new Piece(kind, true, fromMs, mark, ranges.endMs(kind, fromMs), most, open, changes);
    }

    /** Those that have room again, and from when on they wait here. */
    private Map<RedisLane, Long> openLanes(Kind kind) {
        Map<RedisLane, Long> open = new HashMap<>();
        for (RedisLane lane : List.copyOf(lanes.behind(kind))) {
            if (kind == Kind.FRESH) {
                age(lane);
            }
            long boundMs = lane.bounds(kind).get(partition);
            if (ranges.canCatchUp(kind, boundMs)
                    && open.size() < MOST_LANES
                    && lane.isOpen(boundMs, lanes.room(), turn.loadNowMs(), turn.nowNanos())) {
                open.put(lane, boundMs);
            }
        }
        return open;
    }

    // ---- what came of it

    /** A piece came to nothing. */
    public void failed(Piece piece) {
        came(piece, 0);
    }

    /** Of what a piece may have brought, so many timers were loaded. */
    private void came(Piece piece, int loaded) {
        budget.giveBack(piece.kind(), piece.most(), loaded);
        if (piece.isOfTurns()) {
            budget.turnAnswered();
        }
        if (piece.isCatchUp() && piece.lanes().size() == 1) {
            piece.lanes().iterator().next().expected -= piece.most();
        }
    }

    /** Takes what a piece has brought, and returns whether it came to something. */
    public boolean take(Piece piece, Seen seen, TimerLoader timers) {
        if (piece.changes() != changes) {
            failed(piece);
            return true;
        }
        Front front = ranges.front(piece.kind());
        boolean isStill = seen.timers().isEmpty()
                && seen.reachedMs() == piece.fromMs()
                && Arrays.equals(seen.mark(), piece.mark())
                && seen.touched().equals(front.touched);
        front.touched = seen.touched();
        Map<RedisLane, Long> passedFromMs = new HashMap<>();
        int loaded = 0;
        for (SeenTimer each : seen.timers()) {
            RedisLane lane = lanes.of(Member.lane(each.member()));
            if (timers.has(each)) {
                continue;
            }
            if (!passedFromMs.containsKey(lane) && timers.load(lane, each)) {
                loaded++;
            } else {
                passedFromMs.putIfAbsent(lane, each.dueAtMs());
            }
        }
        came(piece, loaded);
        passedFromMs.keySet().stream().filter(lane -> lane.mayStart).forEach(lane -> lane.full(turn.nowNanos()));
        boolean ended = seen.mark().length == 0 && seen.reachedMs() >= piece.toMs();
        if (piece.isCatchUp()) {
            moveBounds(piece, seen, passedFromMs, ended);
            Set<RedisLane> goOn = new LinkedHashSet<>(piece.lanes());
            goOn.removeAll(passedFromMs.keySet());
            goOn.removeAll(changedMeanwhile);
            boolean isSparse = seen.timers().size() < piece.most();
            front.catchUp =
                    ended || goOn.isEmpty() ? null : new Front.CatchUp(seen.reachedMs(), seen.mark(), goOn, isSparse);
        } else {
            passedFromMs.forEach(this::pass);
            front.advance(seen.reachedMs(), seen.mark(), passedFromMs.keySet());
            if (ended) {
                front.end();
            }
        }
        return !isStill;
    }

    /** Of the lanes that were looked for, all is loaded up to what was reached, or up to the first that had no room. */
    private void moveBounds(Piece piece, Seen seen, Map<RedisLane, Long> passedFromMs, boolean ended) {
        for (RedisLane lane : piece.lanes()) {
            Long passedMs = passedFromMs.get(lane);
            if (changedMeanwhile.contains(lane) || lane.bounds(piece.kind()).get(partition) == Bounds.NONE) {
                if (passedMs != null) {
                    pass(lane, passedMs);
                }
            } else if (passedMs != null) {
                lanes.setBound(lane, piece.kind(), partition, passedMs);
            } else if (ended) {
                clear(lane, piece.kind());
                if (piece.toMs() <= ranges.freshFromMs() && ranges.freshFromMs() < ranges.boundaryMs()) {
                    // Behind the gap may be others, which were fresh when they were passed over.
                    lanes.setBound(lane, piece.kind(), partition, ranges.freshFromMs());
                }
            } else {
                lanes.setBound(lane, piece.kind(), partition, seen.reachedMs());
            }
        }
    }
}
