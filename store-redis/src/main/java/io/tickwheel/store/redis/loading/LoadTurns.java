package io.tickwheel.store.redis.loading;

import io.tickwheel.store.LoadRoom;
import io.tickwheel.store.redis.loading.RedisLane.Kind;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Says in each turn which partitions may look for a backlog, and for lanes that have room again: those that are farthest behind, so
 * that over all partitions the oldest come first; those of lanes that have little before all others. Used by the loop only.
 *
 * <p>At most {@value #MOST_CALLS} such calls are under way at a time: whatever else is sent to the server waits behind them.
 */
public final class LoadTurns {

    private static final int MOST_CALLS = 4;

    /** How often what was passed over when it was fresh is looked at: it may be backlog by then. */
    private static final long AGE_NANOS = 250_000_000;

    private final List<? extends Loaded> partitions;
    private final RedisLanes lanes;
    private final LoadBudget budget;
    private boolean gapIsNext;
    private long agedNanos;

    /** A partition that timers are loaded from. */
    public interface Loaded {

        /** What of it is loaded. */
        Loading loading();

        boolean isOwned();

        /** Whether nothing keeps its owner from a call to it now. */
        boolean isFree(long nowNanos);
    }

    public LoadTurns(List<? extends Loaded> partitions, RedisLanes lanes, LoadBudget budget) {
        this.partitions = partitions;
        this.lanes = lanes;
        this.budget = budget;
    }

    /** Chooses anew; to be called in each turn. */
    public void work(long nowMs, long nowNanos) {
        if (nowNanos - agedNanos >= AGE_NANOS) {
            agedNanos = nowNanos;
            age();
        }
        boolean wantsFresh = false;
        for (Loaded partition : partitions) {
            partition.loading().allow(Grant.NONE);
            wantsFresh |= partition.isOwned() && partition.loading().wantsFresh();
        }
        boolean wantsLate = false;
        int left = MOST_CALLS - budget.turnsUnderWay();
        boolean found = true;
        while (left > 0 && found) {
            // Of the calls that may be made, half are for fresh timers as long as there are some.
            found = allow(farthest(Kind.FRESH, nowMs, nowNanos), Grant.FRESH_LANES);
            wantsFresh |= found;
            left -= found ? 1 : 0;
            if (left > 0 && allowLate(nowMs, nowNanos)) {
                wantsLate = true;
                found = true;
                left--;
            }
        }
        budget.want(Kind.FRESH, wantsFresh);
        budget.want(Kind.LATE, wantsLate || budget.turnsUnderWay() > 0);
    }

    /** Lets the gaps and the lanes that have room again take turns. */
    private boolean allowLate(long nowMs, long nowNanos) {
        gapIsNext = !gapIsNext;
        return gapIsNext
                ? allow(firstGap(nowNanos), Grant.GAP) || allow(farthest(Kind.LATE, nowMs, nowNanos), Grant.LATE_LANES)
                : allow(farthest(Kind.LATE, nowMs, nowNanos), Grant.LATE_LANES) || allow(firstGap(nowNanos), Grant.GAP);
    }

    private static boolean allow(@Nullable Loaded partition, Grant grant) {
        if (partition == null) {
            return false;
        }
        partition.loading().allow(grant);
        return true;
    }

    private static boolean isFree(Loaded partition, long nowNanos) {
        return partition.isFree(nowNanos) && partition.loading().allowed() == Grant.NONE;
    }

    /** The partition with the oldest gap. */
    private @Nullable Loaded firstGap(long nowNanos) {
        Loaded first = null;
        if (lanes.room().left(LoadRoom.Age.BACKLOG) > 0) {
            for (Loaded each : partitions) {
                boolean isBefore = first == null
                        || each.loading().ranges().gapFromMs()
                                < first.loading().ranges().gapFromMs();
                if (isBefore && each.loading().ranges().hasGap() && isFree(each, nowNanos)) {
                    first = each;
                }
            }
        }
        return first;
    }

    /** The partition where the timers of a lane that has room again wait that are due first. */
    private @Nullable Loaded farthest(Kind kind, long nowMs, long nowNanos) {
        Loaded farthest = null;
        long farthestMs = Bounds.NONE;
        boolean isBelowMinimum = false;
        LoadRoom room = lanes.room();
        for (RedisLane lane : lanes.behind(kind)) {
            Bounds bounds = lane.bounds(kind);
            boolean isBelow = room.isBelowMinimum(lane.share);
            long firstMs = bounds.firstMs();
            if ((isBelow == isBelowMinimum ? firstMs >= farthestMs : isBelowMinimum)
                    || !lane.isOpen(kind == Kind.FRESH ? Math.max(firstMs, nowMs) : firstMs, room, nowMs, nowNanos)) {
                continue;
            }
            long beforeMs = isBelow == isBelowMinimum ? farthestMs : Bounds.NONE;
            for (int i = 0; i < bounds.size(); i++) {
                long boundMs = bounds.boundMs(i);
                Loaded partition = partitions.get(bounds.partition(i));
                if (boundMs < beforeMs
                        && isFree(partition, nowNanos)
                        && partition.loading().ranges().canCatchUp(kind, boundMs)
                        && lane.isOpen(partition.loading().ranges().freshest(kind, boundMs), room, nowMs, nowNanos)) {
                    farthest = partition;
                    farthestMs = boundMs;
                    beforeMs = boundMs;
                    isBelowMinimum = isBelow;
                }
            }
        }
        return farthest;
    }

    private void age() {
        for (RedisLane lane : List.copyOf(lanes.behind(Kind.FRESH))) {
            for (int partition : lane.bounds(Kind.FRESH).partitions()) {
                partitions.get(partition).loading().age(lane);
            }
        }
    }
}
