package io.tickwheel.store.redis.loading;

import io.tickwheel.store.CalendarListener;
import io.tickwheel.store.Lane;
import io.tickwheel.store.LoadRoom;
import io.tickwheel.store.WaitingLane;
import io.tickwheel.store.redis.loading.RedisLane.Kind;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The lanes that have timers loaded, or waiting. Used by the loop only. */
public final class RedisLanes {

    private static final long FORGET_NANOS = 10_000_000_000L;

    /** So many lanes are looked at for {@link #someStuck}, when there are more. */
    private static final int LOOKED_AT = 256;

    /** A place among all lanes, for one who goes through them a few at a time. */
    public static final class Look {

        private int next;
    }

    private final CalendarListener listener;
    private final Map<Lane, RedisLane> lanes = new HashMap<>();

    /** The same in a row. */
    private final List<RedisLane> row = new ArrayList<>();

    private final Set<RedisLane> behindLate = new LinkedHashSet<>();
    private final Set<RedisLane> behindFresh = new LinkedHashSet<>();
    private long forgotNanos;

    public RedisLanes(CalendarListener listener) {
        this.listener = listener;
    }

    public RedisLane of(Lane lane) {
        RedisLane known = lanes.get(lane);
        if (known == null) {
            known = new RedisLane(lane, listener.mayStart(lane));
            lanes.put(lane, known);
            row.add(known);
        }
        return known;
    }

    public LoadRoom room() {
        return listener.room();
    }

    public Collection<RedisLane> all() {
        return lanes.values();
    }

    /**
     * Some of the lanes that cannot start and have timers waiting in a partition.
     *
     * @param look where the last look has ended; the next one goes on there
     * @param most how many
     */
    public List<RedisLane> someStuck(int partition, Look look, int most) {
        List<RedisLane> some = new ArrayList<>();
        for (int left = Math.min(LOOKED_AT, row.size()); left > 0 && some.size() < most; left--) {
            look.next = look.next < row.size() ? look.next : 0;
            RedisLane lane = row.get(look.next++);
            if (!lane.mayStart && lane.bounds(Kind.LATE).get(partition) != Bounds.NONE) {
                some.add(lane);
            }
        }
        return some;
    }

    /** Those that may start, and have timers of that kind waiting. */
    Collection<RedisLane> behind(Kind kind) {
        return set(kind);
    }

    private Set<RedisLane> set(Kind kind) {
        return kind == Kind.LATE ? behindLate : behindFresh;
    }

    /** Sets from when on timers wait in a partition, or {@link Bounds#NONE}. */
    void setBound(RedisLane lane, Kind kind, int partition, long boundMs) {
        Bounds bounds = lane.bounds(kind);
        bounds.set(partition, boundMs);
        if (bounds.isEmpty() || !lane.mayStart) {
            set(kind).remove(lane);
        } else {
            set(kind).add(lane);
        }
    }

    void lowerBound(RedisLane lane, Kind kind, int partition, long boundMs) {
        if (boundMs < lane.bounds(kind).get(partition)) {
            setBound(lane, kind, partition, boundMs);
        }
    }

    /** Nothing waits in a partition, as far as is known. */
    void forget(int partition) {
        for (RedisLane lane : lanes.values()) {
            setBound(lane, Kind.LATE, partition, Bounds.NONE);
            setBound(lane, Kind.FRESH, partition, Bounds.NONE);
        }
    }

    /** Whether timers wait in a partition that may be due before then. */
    public boolean isPassed(int partition, long beforeMs) {
        for (RedisLane lane : lanes.values()) {
            if (lane.bounds(Kind.LATE).get(partition) < beforeMs
                    || lane.bounds(Kind.FRESH).get(partition) < beforeMs) {
                return true;
            }
        }
        return false;
    }

    /** All before this is loaded, of the lanes that may start and as far as partitions were looked through. */
    public long loadedTo() {
        long loadedTo = Long.MAX_VALUE;
        for (RedisLane lane : behindLate) {
            loadedTo = Math.min(loadedTo, lane.bounds(Kind.LATE).firstMs());
        }
        for (RedisLane lane : behindFresh) {
            loadedTo = Math.min(loadedTo, lane.bounds(Kind.FRESH).firstMs());
        }
        return loadedTo;
    }

    public List<WaitingLane> waiting(long nowMs) {
        List<WaitingLane> waiting = new ArrayList<>();
        for (RedisLane lane : lanes.values()) {
            if (lane.waitsFromMs() <= nowMs) {
                waiting.add(new WaitingLane(lane.lane, lane.waitsFromMs()));
            }
        }
        return waiting;
    }

    /**
     * While a lane cannot start, one bound stands for all of its timers in a partition.
     *
     * @param loadings of each partition
     */
    public void suspend(Lane suspended, List<Loading> loadings) {
        RedisLane lane = of(suspended);
        if (!lane.mayStart) {
            return;
        }
        lane.mayStart = false;
        Bounds fresh = lane.bounds(Kind.FRESH);
        for (int partition : fresh.partitions()) {
            loadings.get(partition).pass(lane, fresh.get(partition));
        }
        fresh.clear();
        behindLate.remove(lane);
        behindFresh.remove(lane);
    }

    /**
     * Fresh ones are looked for in each partition where timers wait, for nothing says whether there are any.
     *
     * @param loadings of each partition
     */
    public void resume(Lane resumed, List<Loading> loadings) {
        RedisLane lane = of(resumed);
        if (lane.mayStart) {
            return;
        }
        lane.mayStart = true;
        Bounds late = lane.bounds(Kind.LATE);
        for (int partition : late.partitions()) {
            long boundMs = late.get(partition);
            setBound(lane, Kind.LATE, partition, Bounds.NONE);
            loadings.get(partition).pass(lane, boundMs);
            loadings.get(partition).passFresh(lane, boundMs);
        }
    }

    /** Forgets now and then the lanes that have nothing. */
    public void work(long nowNanos) {
        if (nowNanos - forgotNanos >= FORGET_NANOS) {
            forgotNanos = nowNanos;
            lanes.values().removeIf(RedisLane::isIdle);
            row.removeIf(RedisLane::isIdle);
        }
    }
}
