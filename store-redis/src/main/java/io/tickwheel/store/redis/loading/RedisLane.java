package io.tickwheel.store.redis.loading;

import io.tickwheel.store.Lane;
import io.tickwheel.store.LoadRoom;
import io.tickwheel.store.redis.layout.Member;

/**
 * What is loaded of a lane, and from when on the rest of it waits in each partition. Used by the loop only.
 *
 * <p>Two bounds stand for the timers of a lane that were passed over in a partition: one for those that have been due for long, and
 * one for the fresh ones and those ahead, so that these can be loaded first. While the lane cannot start, one is enough.
 */
public final class RedisLane {

    /** Which timers of a lane, by the time for which they have been due. */
    public enum Kind {
        /** Due for as long as {@link LoadRoom#FRESH_MS} says. */
        LATE,
        /** Due for less, or not due yet. */
        FRESH
    }

    /** There is a call for a lane when it has room for this part of what it has, so that the call finds more than one timer. */
    private static final int PART_LEFT = 16;

    private static final int MOST_LEFT = 256;

    /** Or when it was full for so long. */
    private static final long ASKED_AGAIN_NANOS = 50_000_000;

    public final Lane lane;

    /** How its members begin. */
    public final byte[] prefix;

    public final LoadRoom.Share share = new LoadRoom.Share();

    /** Whether attempts of its timers can start. */
    boolean mayStart;

    private final Bounds late = new Bounds();
    private final Bounds fresh = new Bounds();
    private long fullNanos;

    /** How many of its timers the calls that are under way for it alone may bring. */
    int expected;

    RedisLane(Lane lane, boolean mayStart) {
        this.lane = lane;
        this.prefix = Member.prefix(lane);
        this.mayStart = mayStart;
    }

    /** Whether attempts of its timers can start. */
    public boolean mayStart() {
        return mayStart;
    }

    /** From when on timers of that kind wait, by partition. */
    public Bounds bounds(Kind kind) {
        return kind == Kind.LATE ? late : fresh;
    }

    /** No timer of the lane that waits is due before this. */
    long waitsFromMs() {
        return Math.min(late.firstMs(), fresh.firstMs());
    }

    /** Whether it needs not be known. */
    boolean isIdle() {
        return share.taken() == 0 && late.isEmpty() && fresh.isEmpty();
    }

    /** Notes that there was no room for one of its timers. */
    void full(long nowNanos) {
        fullNanos = nowNanos;
    }

    /** For how many timers that wait from then on there is room, beside those that are expected. */
    int left(long fromMs, LoadRoom room, long nowMs) {
        return room.leftFor(share, LoadRoom.Age.of(fromMs, nowMs)) - expected;
    }

    /** Whether it is worth a call to look for timers that wait from then on. */
    boolean isOpen(long fromMs, LoadRoom room, long nowMs, long nowNanos) {
        int left = left(fromMs, room, nowMs);
        return left > 0
                && (left >= Math.min(MOST_LEFT, share.taken() / PART_LEFT)
                        || room.isBelowMinimum(share)
                        || nowNanos - fullNanos >= ASKED_AGAIN_NANOS);
    }
}
