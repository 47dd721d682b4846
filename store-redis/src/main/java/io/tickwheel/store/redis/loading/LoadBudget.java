package io.tickwheel.store.redis.loading;

import io.tickwheel.store.LoadRoom;
import io.tickwheel.store.LoadRoom.Age;
import io.tickwheel.store.redis.loading.RedisLane.Kind;

/**
 * How many timers the calls that are under way may bring: no more than one load allows until the next, half
 * of them for fresh timers and those ahead, and half for the backlog, while there are both. Used by the loop only.
 */
public final class LoadBudget {

    private static final int LEAST_LATE = 8;
    private static final int MOST_LATE = 256;

    /** The room for a backlog is for all partitions, so a call asks for a part of the part of one. */
    private static final int PARTS = 4;

    private final LoadRoom room;
    private final Part fresh = new Part();
    private final Part late = new Part();
    private int limit;
    private int owned = 1;
    private int turnsUnderWay;

    /** What is used by one of the two. */
    private static final class Part {

        private int underWay;
        private int used;
        private boolean isWanted;
    }

    public LoadBudget(LoadRoom room) {
        this.room = room;
    }

    /** What the last load said, and how many partitions this node owns. */
    public void begin(int mostTimers, int ownedPartitions) {
        limit = mostTimers;
        owned = Math.max(1, ownedPartitions);
        fresh.used = fresh.underWay;
        late.used = late.underWay;
    }

    /** Takes, in each turn, whether there are timers of a kind to be loaded. */
    void want(Kind kind, boolean wanted) {
        part(kind).isWanted = wanted;
    }

    /** Takes so many or fewer fresh timers on their way; 0 when there must not be more. To be given back. */
    int askFresh(int most) {
        return ask(fresh, late, Math.min(most, room.left(Age.FRESH) - fresh.underWay));
    }

    /**
     * Takes some timers of the backlog on their way; 0 when there must not be more. To be given back.
     *
     * @param passed how many more may be brought because so many may not be loaded
     * @param most and at most so many
     */
    int askLate(int passed, int most) {
        int left = room.left(Age.BACKLOG);
        // Where all partitions together would ask for more than there is room for, the first ones would take it all.
        int least = Math.max(1, Math.min(LEAST_LATE, room.places() / (2 * owned)));
        int fair = Math.max(least, Math.min(MOST_LATE, left / (PARTS * owned)));
        return ask(late, fresh, left <= 0 ? 0 : Math.min(most, passed + Math.min(fair, left)));
    }

    private int ask(Part part, Part other, int most) {
        int left = limit - part.used - Math.max(other.used, other.isWanted ? limit / 2 : 0);
        int asked = Math.max(0, Math.min(most, left));
        part.used += asked;
        part.underWay += asked;
        return asked;
    }

    /** Of those that were taken, so many were loaded. */
    void giveBack(Kind kind, int asked, int loaded) {
        Part part = part(kind);
        part.underWay -= asked;
        part.used -= asked - loaded;
    }

    /** A call was sent that {@link LoadTurns} has allowed. */
    void turnSent() {
        turnsUnderWay++;
    }

    /** Such a call has its reply. */
    void turnAnswered() {
        turnsUnderWay--;
    }

    /** How many such calls have no reply. */
    int turnsUnderWay() {
        return turnsUnderWay;
    }

    private Part part(Kind kind) {
        return kind == Kind.FRESH ? fresh : late;
    }
}
