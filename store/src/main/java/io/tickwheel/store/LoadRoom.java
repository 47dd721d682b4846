package io.tickwheel.store;

/**
 * How many timers may be loaded, and how that is divided: between those that have been due for long and the others, and among
 * the lanes. One rule for all stores, O(1). Used by the thread of the calendar only.
 *
 * <p>The room is counted in places. A timer takes one, or more when it takes more memory than a place stands for.
 *
 * <pre>
 *   places   [ backlog, at most a half      |  fresh and ahead: what the backlog leaves, at most three quarters ]
 *   of each  [ any lane, as many as are left beyond the reserve          | reserve, a quarter: lanes that have few ]
 * </pre>
 *
 * <p>A timer is <i>fresh</i> while it has been due for less than {@value #FRESH_MS} ms, then it belongs to the <i>backlog</i>;
 * before it is due it is <i>ahead</i>. A lane may have as many places as are left for all others (the dynamic threshold of
 * Choudhury and Hahne): one lane alone has nearly half of them, n equal lanes have 1 / (n + 1) each, and there is always room
 * for one more lane. What is not due yet may take half of that, so that it leaves room for what is scheduled to come before it.
 *
 * <p>Worked example: 1,024 places, all for timers of a backlog. The backlog may have 512 of them, of which 128 are the reserve. One
 * lane stops at 192, when 320 are left; a second one then gets 96, and each of the next ten at least the minimum of 8.
 */
public final class LoadRoom {

    /** A timer that has been due for this long, in milliseconds, is no longer fresh. */
    public static final long FRESH_MS = 1_000;

    private static final int MOST_MINIMUM = 16;

    private final int places;
    private final long placeBytes;
    private final int bytesEach;
    private final int minimum;
    private int backlog;
    private int others;

    /** How a timer stands to the present. */
    public enum Age {
        /** It is not due yet. */
        AHEAD,
        /** It has been due for less than {@value LoadRoom#FRESH_MS} ms. */
        FRESH,
        /** It has been due for longer. */
        BACKLOG;

        /** The age of a timer the next attempt of which is due at {@code attemptAtMs}. */
        public static Age of(long attemptAtMs, long nowMs) {
            if (attemptAtMs > nowMs) {
                return AHEAD;
            }
            return attemptAtMs > nowMs - FRESH_MS ? FRESH : BACKLOG;
        }
    }

    /** What one lane has of the room. Made by the calendar, one for each lane that has timers. */
    public static final class Share {

        private int taken;

        /** Makes the share of a lane that has taken nothing. */
        public Share() {}

        /** How many places the lane has taken. */
        public int taken() {
            return taken;
        }
    }

    /**
     * Makes a room in which nothing is taken.
     *
     * @param timers how many timers may be loaded when each is small; from 1
     * @param bytes about how much memory they may take, in bytes; at least one for each of them
     * @param bytesEach what is kept for each loaded timer beside what the store keeps, in bytes
     */
    public LoadRoom(int timers, long bytes, int bytesEach) {
        if (timers < 1) {
            throw new IllegalArgumentException("timers is " + timers + ", must be at least 1");
        }
        if (bytes < timers) {
            throw new IllegalArgumentException("bytes is " + bytes + ", must be at least one for each of " + timers);
        }
        this.places = timers;
        this.placeBytes = bytes / timers;
        this.bytesEach = bytesEach;
        this.minimum = Math.max(1, Math.min(MOST_MINIMUM, timers / 128));
    }

    /** How many places a timer takes of which the store keeps so many bytes in memory while it is loaded. */
    public int placesFor(long bytes) {
        return (int) Math.min(places, Math.max(1, (bytes + bytesEach + placeBytes - 1) / placeBytes));
    }

    /** Whether a further timer of that age may be loaded for a lane. */
    public boolean isOpenTo(Share lane, Age age) {
        int left = left(age);
        if (left <= 0) {
            return false;
        }
        int beyondReserve = left - limit(age) / 4;
        boolean ofReserve = lane.taken == 0 || (lane.taken < minimum && (lane.taken + 1) * 4 <= left);
        return ofReserve || lane.taken < (age == Age.AHEAD ? beyondReserve / 2 : beyondReserve);
    }

    /** About how many timers of that age and of one place each may be loaded for a lane, when no other lane takes any. */
    public int leftFor(Share lane, Age age) {
        if (!isOpenTo(lane, age)) {
            return 0;
        }
        int beyondReserve = left(age) - limit(age) / 4;
        return Math.max(
                1, age == Age.AHEAD ? (beyondReserve - 2 * lane.taken) / 3 : (beyondReserve - lane.taken + 1) / 2);
    }

    /** Whether a lane has less than each lane may have in any case. */
    public boolean isBelowMinimum(Share lane) {
        return lane.taken < minimum;
    }

    /** How many places are left for timers of that age. */
    public int left(Age age) {
        return limit(age) - (age == Age.BACKLOG ? backlog : others);
    }

    private int limit(Age age) {
        return age == Age.BACKLOG ? places - places / 2 : places - Math.max(backlog, places / 4);
    }

    /** Takes places for a timer that is loaded now; to be given back with the same arguments. */
    public void take(Share lane, Age age, int taken) {
        lane.taken += taken;
        if (age == Age.BACKLOG) {
            backlog += taken;
        } else {
            others += taken;
        }
    }

    /** Gives back the places of a timer that is claimed, or unloaded. */
    public void giveBack(Share lane, Age age, int taken) {
        take(lane, age, -taken);
        assert lane.taken >= 0 && backlog >= 0 && others >= 0 : "more given back than taken";
    }

    /** How many places are taken. */
    public int taken() {
        return backlog + others;
    }

    /** How many places there are. */
    public int places() {
        return places;
    }
}
