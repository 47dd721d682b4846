package io.tickwheel.store.redis.loading;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Up to where one of the two ranges of a partition was looked through for all lanes, and what goes on there. Used by the loop
 * only; see {@link Loading}.
 */
public final class Front {

    public static final byte[] NO_MARK = {};

    /** More lanes than that are not left out: those that come again and again cost less than to tell the server of so many. */
    private static final int MOST_LEFT_OUT = 1_024;

    private static final int MOST_PASSED = 448;

    /** Everything due before was looked at; and what comes in the next millisecond before the mark. */
    long toMs;

    byte[] mark = NO_MARK;

    /** The slices that the last piece touched. */
    List<String> touched = List.of();

    /** The lanes that were passed over since the look began: each has a bound that stands for its timers. */
    final Set<RedisLane> leftOut = new LinkedHashSet<>();

    /** How many lanes the last piece passed over. */
    int passed;

    /** The look for lanes that have room again; null when none goes on. */
    @Nullable
    CatchUp catchUp;

    /**
     * How far the lanes that have room again were looked for.
     *
     * @param lanes those that were looked for up to there, and still have room
     * @param isSparse whether the last piece brought little, so that it is a pity to begin anew
     */
    record CatchUp(long toMs, byte[] mark, Set<RedisLane> lanes, boolean isSparse) {}

    /** Begins anew. */
    void reset(long fromMs) {
        toMs = fromMs;
        mark = NO_MARK;
        touched = List.of();
        leftOut.clear();
        passed = 0;
        catchUp = null;
    }

    /** Whether timers due at that time were looked at, or some of them. */
    boolean covers(long dueAtMs) {
        return dueAtMs < endMs();
    }

    /** Behind the last due time of which something was looked at. */
    long endMs() {
        return mark.length == 0 ? toMs : toMs + 1;
    }

    /** Something of a lane waits there: the look for it does not go on behind. */
    void lookAgain(RedisLane lane, long boundMs) {
        if (catchUp != null && boundMs <= catchUp.toMs()) {
            catchUp.lanes().remove(lane);
        }
    }

    /** A piece was looked through up to there. */
    void advance(long reachedMs, byte[] reachedMark, Set<RedisLane> passedOver) {
        toMs = reachedMs;
        mark = reachedMark;
        passed = Math.min(MOST_PASSED, passedOver.size());
        for (RedisLane lane : passedOver) {
            if (leftOut.size() < MOST_LEFT_OUT) {
                leftOut.add(lane);
            }
        }
    }

    /** The range was looked through up to its end. */
    void end() {
        leftOut.clear();
        passed = 0;
    }
}
