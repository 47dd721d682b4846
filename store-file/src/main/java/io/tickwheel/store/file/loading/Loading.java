package io.tickwheel.store.file.loading;

import io.tickwheel.store.Lane;
import io.tickwheel.store.LoadRoom;
import io.tickwheel.store.WaitingLane;
import io.tickwheel.store.file.table.Memtable;
import io.tickwheel.store.file.table.Run;
import io.tickwheel.store.file.table.StoreLane;
import io.tickwheel.store.file.table.TimerTable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Chooses what is loaded next. Owned by the loop.
 *
 * <p>One {@link Merge} of all lanes goes on with the time, from what has been due for less than a second to what is due soon. What it
 * comes to and must not load, because its lane cannot start or has no room, it passes by: a bound of the lane's own stands for
 * that, whatever there is of it. So does one for what was overdue at the opening. Behind these bounds a lane that may start, and has
 * room, is caught up with by a {@link LaneCursor} of its own, the oldest first among all such lanes.
 *
 * <pre>
 *   all lanes                         .......|--> now -->        the merge: fresh, and what is due soon
 *   lane "bulk"      |-> . . . . . . . . . . |                   a cursor: half of what is loaded, when there is something
 *   lane "no target" |   . . . . . . . . . . |                   no more than a bound
 * </pre>
 *
 * Worked example: "bulk" has 1,000 timers that are overdue, and room for 100 of them. They are loaded, the bound of "bulk" stands at
 * the 101st. As they are delivered, its cursor goes on from there. A timer of "bulk" that comes due meanwhile is fresh, and loaded by
 * the merge, where there is room for fresh ones.
 */
public final class Loading {

    /** So many lanes have a cursor at once; the oldest first. */
    private static final int MOST_CURSORS = 1_024;

    /** A cursor that found nothing for so many calls is given up: to make it anew costs some reads of every run. */
    private static final int IDLE_LOADS = 1_000;

    private final Target target;
    private final LongPredicate isGone;

    /** How many timers one call may look at, each way. */
    private final int mostLooks;

    private final List<Run> runs = new ArrayList<>();
    private final List<Memtable> memtables = new ArrayList<>();
    private final PassedLanes passed;
    private Merge forward = new Merge(Long.MIN_VALUE);

    /** Lanes that have a cursor. */
    private final Set<LaneProgress> withCursor = new LinkedHashSet<>();

    /** Everything that was passed by is due before this, or before the position of the merge. */
    private long passedToMs = Long.MIN_VALUE;

    private boolean begun;
    private long oldestMs = Long.MIN_VALUE;
    private long nowMs = Long.MIN_VALUE;
    private long loads;
    private boolean cutShort;

    /** Takes what is loaded, and says what may be. */
    public interface Target {

        boolean mayStart(Lane lane);

        LoadRoom room();

        /**
         * Takes a timer that has a place from now on.
         *
         * @param length of the record
         */
        void load(
                TimerTable table,
                int ordinal,
                long seq,
                long attemptAtMs,
                StoreLane lane,
                LoadRoom.Age age,
                int length);
    }

    /**
     * @param isGone says of which seq the entry has ended although its table does not know
     * @param mostLooks how many timers one call may look at, each way
     */
    public Loading(Target target, LongPredicate isGone, int mostLooks) {
        this.mostLooks = mostLooks;
        this.target = target;
        this.isGone = isGone;
        this.passed = new PassedLanes(target::mayStart);
    }

    // ---- the tables

    public void add(Run run) {
        runs.add(run);
        forward.add(run);
        if (begun) {
            passBefore(run, bound());
        }
        // What moved to it may be passed by already, and is waiting there.
        withCursor.forEach(lane -> lane.cursor().add(run, Long.MIN_VALUE));
    }

    /** To be called before the first timer is moved to runs that will be added. */
    public void beginMove() {
        forward.mark();
    }

    public void add(Memtable memtable) {
        memtables.add(memtable);
        forward.add(memtable);
        withCursor.forEach(lane -> lane.cursor().add(memtable));
    }

    public void remove(TimerTable table) {
        runs.remove(table);
        memtables.remove(table);
        forward.remove(table);
        withCursor.forEach(lane -> lane.cursor().remove(table));
    }

    /** To be called when all that was recovered stands in its table: nothing is due before {@code oldest}. */
    public void startAt(long oldest) {
        oldestMs = oldest;
    }

    // ---- what comes, goes back, or changes its mind

    /** Loads a timer that has just come to its table, when it belongs into the loaded range and there is room, or later. */
    public void offer(Memtable memtable, int ordinal, long seq, long attemptAtMs, StoreLane storeLane, int length) {
        if (!begun) {
            // The first load looks through all.
            oldestMs = Math.min(oldestMs, attemptAtMs);
            return;
        }
        if (attemptAtMs >= forward.positionMs()) {
            forward.offer(memtable, attemptAtMs, ordinal);
            return;
        }
        LaneProgress lane = passed.of(storeLane);
        if (passed.mayStart(lane) && isOpenTo(lane, attemptAtMs)) {
            load(memtable, ordinal, seq, attemptAtMs, lane, length);
        } else {
            pass(lane, attemptAtMs, memtable, ordinal);
        }
    }

    /** Takes a timer back that was loaded: it waits again. */
    public void unloaded(TimerTable table, int ordinal, long attemptAtMs, StoreLane storeLane) {
        LaneProgress lane = passed.of(storeLane);
        // A cursor has passed it, and does not look back.
        drop(lane);
        pass(lane, attemptAtMs, table, ordinal);
    }

    /** Takes note that a lane, if it is known, may not start any more. */
    public void suspend(@Nullable StoreLane storeLane) {
        if (storeLane != null) {
            LaneProgress lane = passed.of(storeLane);
            passed.suspend(lane);
            drop(lane);
        }
    }

    /** Takes note that a lane, if it is known, may start now. */
    public void resume(@Nullable StoreLane storeLane) {
        if (storeLane != null) {
            passed.resume(passed.of(storeLane));
        }
    }

    private boolean isOpenTo(LaneProgress lane, long attemptAtMs) {
        return target.room().isOpenTo(lane.storeLane.share, LoadRoom.Age.of(attemptAtMs, nowMs));
    }

    private void load(TimerTable table, int ordinal, long seq, long attemptAtMs, LaneProgress lane, int length) {
        table.take(ordinal);
        target.load(table, ordinal, seq, attemptAtMs, lane.storeLane, LoadRoom.Age.of(attemptAtMs, nowMs), length);
    }

    /** Leaves a timer for its lane to catch up with. */
    private void pass(LaneProgress lane, long attemptAtMs, @Nullable TimerTable table, int ordinal) {
        if (attemptAtMs < lane.passedFromMs) {
            lane.passedFromMs = attemptAtMs;
            lane.head = table;
            lane.headOrdinal = ordinal;
        }
        // The position of the merge may fall behind it, when timers have moved.
        passedToMs = Math.max(passedToMs, after(attemptAtMs));
        passed.add(lane);
        if (lane.cursor != null && table instanceof Memtable memtable) {
            lane.cursor.offer(memtable, attemptAtMs, ordinal);
        }
    }

    private static long after(long ms) {
        return ms == Long.MAX_VALUE ? ms : ms + 1;
    }

    /** Everything that was passed by is due before this. */
    private long bound() {
        return Math.max(forward.positionMs(), passedToMs);
    }

    // ---- loading

    /** See {@link io.tickwheel.store.Calendar#load}. */
    public boolean load(long now, long toMs, int limit) {
        nowMs = now;
        loads++;
        cutShort = false;
        if (!begun) {
            begin(toMs);
        }
        int left = limit - goForward(toMs, (limit + 1) / 2);
        left -= catchUp(left);
        goForward(toMs, left);
        dropIdle();
        return forward.positionMs() >= toMs && passed.isNoneBehind();
    }

    /** Whether the last load stopped although there was room: there is too much to look at for one call. */
    public boolean isCutShort() {
        return cutShort;
    }

    /** What is overdue is for the lanes to catch up with; a first timer that is due in years must not be loaded that early. */
    private void begin(long toMs) {
        begun = true;
        long freshMs = nowMs < Long.MIN_VALUE + LoadRoom.FRESH_MS ? nowMs : nowMs - LoadRoom.FRESH_MS + 1;
        long startMs = Math.min(Math.max(oldestMs, freshMs), toMs);
        forward = new Merge(startMs);
        runs.forEach(forward::add);
        memtables.forEach(forward::add);
        for (Memtable memtable : memtables) {
            for (int ordinal = 0; ordinal < memtable.size(); ordinal++) {
                long attemptAtMs = memtable.attemptAtMs(ordinal);
                if (attemptAtMs < startMs && memtable.isWaiting(ordinal)) {
                    pass(passed.of(memtable.lane(ordinal)), attemptAtMs, memtable, ordinal);
                }
            }
        }
        runs.forEach(run -> passBefore(run, startMs));
    }

    /** Passes what a run has before a time, for all that is known without a look at each of its timers. */
    private void passBefore(Run run, long toMs) {
        if (run.isDead() || run.firstDueMs() >= toMs) {
            return;
        }
        for (int position = 0; position < run.names().size(); position++) {
            int first = run.names().get(position).first();
            long firstMs =
                    first < 0 ? run.firstDueMs() : run.laneEntry().moveTo(first).attemptAtMs();
            if (firstMs < toMs) {
                pass(passed.of(run.laneAt(position)), firstMs, null, 0);
            }
        }
    }

    private int goForward(long toMs, int limit) {
        int loaded = 0;
        for (int looks = mostLooks; loaded < limit; looks--) {
            if (looks == 0 || !forward.find(toMs)) {
                cutShort |= forward.positionMs() < toMs;
                break;
            }
            LaneProgress lane = passed.of(forward.lane());
            long attemptAtMs = forward.dueAtMs();
            if (isGone.test(forward.seq())) {
                forward.pass();
            } else if (!passed.mayStart(lane)) {
                passFront();
            } else if (isOpenTo(lane, attemptAtMs)) {
                load(forward.table(), forward.ordinal(), forward.seq(), attemptAtMs, lane, forward.length());
                forward.pass();
                loaded++;
            } else if (attemptAtMs <= nowMs) {
                passFront();
            } else {
                // What is not due yet can wait where it is.
                break;
            }
        }
        return loaded;
    }

    private void passFront() {
        pass(passed.of(forward.lane()), forward.dueAtMs(), forward.table(), forward.ordinal());
        forward.pass();
    }

    private int catchUp(int limit) {
        if (passed.isNoneBehind() || limit == 0) {
            return 0;
        }
        int looks = mostLooks;
        PriorityQueue<LaneProgress> inTurn = new PriorityQueue<>(Comparator.<LaneProgress>comparingInt(
                        lane -> target.room().isBelowMinimum(lane.storeLane.share) ? 0 : 1)
                .thenComparingLong(lane -> lane.passedFromMs));
        for (LaneProgress lane : passed.openOnes(lane -> isOpenTo(lane, lane.passedFromMs), MOST_CURSORS)) {
            looks -= find(lane, looks);
            if (isReady(lane)) {
                inTurn.add(lane);
            }
            if (looks <= 0) {
                break;
            }
        }
        int loaded = 0;
        // One at least, however little may be looked at: else a call could end where the one before did.
        while (loaded < limit && (looks > 0 || loaded == 0) && !inTurn.isEmpty()) {
            LaneProgress lane = inTurn.remove();
            LaneCursor cursor = lane.cursor();
            if (!isReady(lane)) {
                // Others have taken the room.
                continue;
            }
            if (!isGone.test(cursor.seq())) {
                load(cursor.table(), cursor.ordinal(), cursor.seq(), cursor.headMs(), lane, cursor.length());
                loaded++;
            }
            cursor.pass();
            looks -= find(lane, looks);
            if (isReady(lane)) {
                inTurn.add(lane);
            }
        }
        cutShort |= looks <= 0;
        return loaded;
    }

    /** Looks for the first timer to catch up with; returns what it cost. */
    private int find(LaneProgress lane, int looks) {
        LaneCursor cursor = lane.cursor;
        if (cursor == null) {
            cursor = new LaneCursor(lane.storeLane, runs, memtables, lane.passedFromMs, bound());
            lane.cursor = cursor;
            withCursor.add(lane);
        }
        lane.soughtAtLoad = loads;
        int used = cursor.find(bound(), looks);
        if (cursor.isKnown()) {
            note(lane, cursor);
        }
        return used;
    }

    /** Whether the lane has a timer to catch up with, and room for it. */
    private boolean isReady(LaneProgress lane) {
        LaneCursor cursor = lane.cursor;
        return cursor != null && cursor.isKnown() && passed.isBehind(lane) && isOpenTo(lane, cursor.headMs());
    }

    /** Takes note of how far a lane has come. */
    private void note(LaneProgress lane, LaneCursor cursor) {
        if (cursor.headMs() < bound()) {
            lane.passedFromMs = cursor.headMs();
            lane.head = cursor.table();
            lane.headOrdinal = cursor.ordinal();
        } else {
            lane.passedFromMs = Long.MAX_VALUE;
            lane.head = null;
            passed.remove(lane);
        }
    }

    private void drop(LaneProgress lane) {
        lane.cursor = null;
        withCursor.remove(lane);
    }

    private void dropIdle() {
        boolean many = withCursor.size() > MOST_CURSORS;
        if (many || loads % IDLE_LOADS == 0) {
            long before = many ? loads : loads - IDLE_LOADS;
            withCursor.removeIf(lane -> {
                boolean idle = lane.storeLane.isForgotten() || lane.soughtAtLoad < before;
                lane.cursor = idle ? null : lane.cursor;
                return idle;
            });
        }
    }

    // ---- how far it is

    /** See {@link io.tickwheel.store.Calendar#loadedTo}. */
    public long loadedTo() {
        if (!begun) {
            return oldestMs;
        }
        return passed.firstBehindMs(forward.positionMs());
    }

    /** See {@link io.tickwheel.store.Calendar#firstToLoad}. */
    public long firstToLoad() {
        return begun ? passed.firstBehindMs(forward.nextMs()) : oldestMs;
    }

    /** See {@link io.tickwheel.store.Calendar#waiting}. */
    public List<WaitingLane> waiting() {
        List<WaitingLane> waiting = new ArrayList<>();
        int looks = mostLooks;
        for (LaneProgress lane : passed.all()) {
            if (looks > 0 && lane.passedFromMs <= nowMs && !isHeadWaiting(lane)) {
                looks -= lookAgain(lane, looks);
            }
            if (lane.passedFromMs <= nowMs && !lane.storeLane.isForgotten()) {
                waiting.add(new WaitingLane(lane.storeLane.lane, lane.passedFromMs));
            }
        }
        return waiting;
    }

    /** Whether the timer still waits that was the first one when somebody looked. */
    private boolean isHeadWaiting(LaneProgress lane) {
        TimerTable head = lane.head;
        boolean stands = head instanceof Run run ? runs.contains(run) : head != null && memtables.contains(head);
        return head != null && stands && head.isWaiting(lane.headOrdinal);
    }

    /** Looks for the first timer of a lane that is not caught up with. */
    private int lookAgain(LaneProgress lane, int looks) {
        LaneCursor cursor = new LaneCursor(lane.storeLane, runs, memtables, lane.passedFromMs, bound());
        int used = cursor.find(bound(), looks);
        if (cursor.isKnown()) {
            note(lane, cursor);
        }
        return used;
    }
}
