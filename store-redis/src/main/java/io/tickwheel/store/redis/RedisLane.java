package io.tickwheel.store.redis;

import io.tickwheel.store.Lane;
import io.tickwheel.store.LoadRoom;

/**
 * What is loaded of a lane, and from when on the rest of it waits in each partition. Used by the loop only.
 *
 * <p>Two bounds stand for the timers of a lane that were passed over in a partition: one for those that have been due for long, and
 * one for the fresh ones and those ahead, so that these can be loaded first. While the lane cannot start, one is enough.
 */
final class RedisLane {

    /** Which timers of a lane, by the time for which they have been due. */
    enum Kind {
        /** Due for as long as {@link LoadRoom#FRESH_MS} says. */
        LATE,
        /** Due for less, or not due yet. */
        FRESH
    }

    /** A lane that was full is asked again when this part of what it had has gone, so that a call finds more than one timer. */
    private static final int PART_GONE = 16;

    private static final int MOST_GONE = 64;

    /** Or after this, whatever has gone. */
    private static final long ASKED_AGAIN_NANOS = 50_000_000;

    final Lane lane;

    /** How its members begin. */
    final byte[] prefix;

    final LoadRoom.Share share = new LoadRoom.Share();

    /** Whether attempts of its timers can start. */
    boolean mayStart;

    private final Bounds late = new Bounds();
    private final Bounds fresh = new Bounds();
    private int openBelow = Integer.MAX_VALUE;
    private long fullNanos;

    RedisLane(Lane lane, boolean mayStart) {
        this.lane = lane;
        this.prefix = Member.prefix(lane);
        this.mayStart = mayStart;
    }

    /** From when on timers of that kind wait, by partition. */
    Bounds bounds(Kind kind) {
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

    /** Notes that there was no room for one of its timers that has been due for long. */
    void full(long nowNanos) {
        fullNanos = nowNanos;
        openBelow = share.taken() - Math.max(1, Math.min(MOST_GONE, share.taken() / PART_GONE)) + 1;
    }

    /** Whether it is worth a call to look for timers of that kind that wait from then on. */
    boolean isOpen(Kind kind, long fromMs, LoadRoom room, long nowMs, long nowNanos) {
        if (!room.isOpenTo(share, LoadRoom.Age.of(fromMs, nowMs))) {
            return false;
        }
        return kind == Kind.FRESH
                || share.taken() < openBelow
                || room.isBelowMinimum(share)
                || nowNanos - fullNanos >= ASKED_AGAIN_NANOS;
    }
}
