package io.tickwheel.store.redis.loading;

import io.tickwheel.store.LoadRoom;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.loading.RedisLane.Kind;
import java.util.List;

/**
 * The two ranges of due times of a partition that were looked through, and the gap between them; {@link Loading} draws them. Used
 * by the loop only.
 */
final class Ranges {

    /** Before anything that is due. */
    static final long BEGINNING_MS = -Layout.FARTHEST_MS - 1;

    private final Front late = new Front();
    private final Front fresh = new Front();
    private long freshFromMs;
    private long boundaryMs;

    Ranges() {
        reset();
    }

    /** Nothing was looked through. */
    void reset() {
        late.reset(BEGINNING_MS);
        fresh.reset(BEGINNING_MS);
        freshFromMs = BEGINNING_MS;
        boundaryMs = BEGINNING_MS;
    }

    /** Moves the boundary with the time; returns whether the fresh range begins anew, as there were no calls for so long. */
    boolean moveBoundary(long nowMs) {
        long nowFreshMs = nowMs - LoadRoom.FRESH_MS + 1;
        boolean isAnew = nowFreshMs > boundaryMs && nowFreshMs > fresh.toMs;
        boundaryMs = Math.max(boundaryMs, nowFreshMs);
        if (isAnew) {
            // There was no room for so long, or there were no calls: what was not looked at is backlog by now.
            if (!hasGap()) {
                late.toMs = fresh.toMs;
                late.mark = fresh.mark;
            }
            fresh.reset(nowFreshMs);
            freshFromMs = nowFreshMs;
        }
        return isAnew;
    }

    /** Between what has been due for long and what is fresh. */
    long boundaryMs() {
        return boundaryMs;
    }

    /** Where the fresh range begins. */
    long freshFromMs() {
        return freshFromMs;
    }

    /** Whether a backlog was not looked through to its end. */
    boolean hasGap() {
        return late.toMs < freshFromMs;
    }

    /** Up to where the backlog was looked through. */
    long gapFromMs() {
        return late.toMs;
    }

    /** Everything due before this was looked at. */
    long lookedTo() {
        return hasGap() ? late.toMs : fresh.toMs;
    }

    /** Whether a timer due then was to be loaded by what was looked through. */
    boolean covers(long dueAtMs) {
        return late.covers(dueAtMs) || (dueAtMs >= freshFromMs && fresh.covers(dueAtMs));
    }

    /** Whether timers that wait from that bound on can be looked for: they cannot where nothing was looked at. */
    boolean canCatchUp(Kind kind, long boundMs) {
        return boundMs < endMs(kind, boundMs);
    }

    /** Up to where lanes can be looked for from a bound on. */
    long endMs(Kind kind, long boundMs) {
        if (kind == Kind.FRESH) {
            return fresh.endMs();
        }
        return hasGap() && boundMs < freshFromMs ? late.endMs() : boundaryMs;
    }

    /** From when on timers that wait behind a bound can be of that kind. */
    long freshest(Kind kind, long boundMs) {
        return kind == Kind.FRESH ? Math.max(boundMs, boundaryMs) : boundMs;
    }

    Front front(Kind kind) {
        return kind == Kind.LATE ? late : fresh;
    }

    /** The slices that a piece may touch, as far as they are known. */
    List<String> touched(Kind kind) {
        return front(kind).touched;
    }
}
