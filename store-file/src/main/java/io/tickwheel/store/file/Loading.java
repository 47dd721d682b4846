package io.tickwheel.store.file;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongPredicate;

/**
 * Chooses what is loaded next. Owned by the loop.
 *
 * <p>One {@link Merge} of all queues goes on with the time. A queue takes no more than its part of the room, so that however much
 * is due in some, there is room for the rest. What did not fit is passed, and its queue gets a merge of its own that catches up,
 * in due order, with half of what the queue may take: so a backlog takes turns with the fresh timers of its own queue too.
 *
 * <pre>
 *   all queues    ..................................|-> now                    (passes what has no room)
 *   queue "bulk"      |->          what was passed  |
 * </pre>
 *
 * Worked example: room for 100, queue "bulk" has 1,000 due. The merge of all takes 50 of them, passes 950 and comes to the
 * present; another queue may take up to 25. As the 50 are delivered, what falls due in "bulk" takes a place when fewer than 50
 * are loaded, and the oldest of the 950 when fewer than 25 are.
 */
final class Loading {

    /** So many queues catch up at once; others wait for one of them to be done. */
    private static final int CATCHING_UP = 16;

    /** After so many calls in which it found nothing a queue has caught up: to begin anew costs some reads of every run. */
    private static final int IDLE_LOADS = 1_000;

    private final Target target;
    private final LongPredicate isGone;

    /** How many timers one call may look at. */
    private final int mostLooks;

    private final List<Run> runs = new ArrayList<>();
    private final List<Memtable> memtables = new ArrayList<>();
    private final Merge all = new Merge(Long.MIN_VALUE, null);
    private final Map<QueueTable.Queue, CatchingUp> catchingUp = new LinkedHashMap<>();

    /** Queues that were passed and do not catch up yet, and from when on. */
    private final Map<QueueTable.Queue, Long> behind = new LinkedHashMap<>();

    /** Everything that was passed for its queue to catch up with is due before this; more than the position at most by 1. */
    private long passedToMs = Long.MIN_VALUE;

    private boolean begun;
    private int room;
    private int queueRoom;
    private boolean cutShort;

    /** Whether timers are on their way to runs, where no merge sees them yet. */
    private boolean moving;

    /** A queue's way through what was passed. */
    private static final class CatchingUp {

        private final Merge merge;

        /** How many times in a row nothing was left. */
        private int idleLoads;

        CatchingUp(Merge merge) {
            this.merge = merge;
        }
    }

    /** Takes what is loaded. */
    interface Target {
        void load(Shelf shelf, int ordinal, long seq, long dueAtMs, QueueTable.Queue queue);
    }

    /**
     * @param isGone says of which seq the entry has ended although its shelf does not know
     * @param mostLooks how many timers one call may look at
     */
    Loading(Target target, LongPredicate isGone, int mostLooks) {
        this.mostLooks = mostLooks;
        this.target = target;
        this.isGone = isGone;
    }

    void add(Run run) {
        runs.add(run);
        all.add(run);
        catchingUp.values().forEach(one -> one.merge.add(run));
    }

    /** To be called before the first timer is moved to runs that will be added. */
    void beginMove() {
        moving = true;
        all.mark();
        catchingUp.values().forEach(one -> one.merge.mark());
    }

    /** To be called when these runs are added. */
    void endMove() {
        moving = false;
    }

    void add(Memtable memtable) {
        memtables.add(memtable);
        all.add(memtable);
        catchingUp.values().forEach(one -> one.merge.add(memtable));
    }

    void remove(Shelf shelf) {
        runs.remove(shelf);
        memtables.remove(shelf);
        all.remove(shelf);
        catchingUp.values().forEach(one -> one.merge.remove(shelf));
    }

    /** To be called when all that was recovered stands on its shelf: nothing is due before {@code oldestMs}. */
    void startAt(long oldestMs) {
        all.skipTo(oldestMs);
    }

    /** Loads a timer that has just come to its shelf, when it belongs into the loaded range and there is room, or later. */
    void offer(Memtable memtable, int ordinal, long seq, long dueAtMs, QueueTable.Queue queue) {
        if (dueAtMs >= all.positionMs()) {
            all.offer(memtable, dueAtMs, ordinal);
        } else if (room > 0 && queue.loaded < queueRoom) {
            load(memtable, ordinal, seq, dueAtMs, queue);
        } else {
            fallBehind(queue, dueAtMs);
            CatchingUp one = catchingUp.get(queue);
            if (one != null) {
                one.merge.offer(memtable, dueAtMs, ordinal);
            }
        }
    }

    private void load(Shelf shelf, int ordinal, long seq, long dueAtMs, QueueTable.Queue queue) {
        room--;
        queueRoom--;
        shelf.take(ordinal);
        target.load(shelf, ordinal, seq, dueAtMs, queue);
    }

    private void fallBehind(QueueTable.Queue queue, long dueAtMs) {
        if (!catchingUp.containsKey(queue)) {
            behind.merge(queue, dueAtMs, Math::min);
        }
    }

    /** See {@link io.tickwheel.store.Calendar#load}. */
    boolean load(long nowMs, long toMs, int newRoom, int newQueueRoom) {
        room = newRoom;
        queueRoom = newQueueRoom;
        cutShort = false;
        if (!begun) {
            // The first timer may be due in years: what is scheduled before it must not be loaded that early.
            begun = true;
            all.stepBackTo(toMs);
        }
        boolean allPassed = loadAll(nowMs, toMs);
        catchUp();
        return allPassed && behind.isEmpty() && loadedTo() >= all.positionMs();
    }

    private boolean loadAll(long nowMs, long toMs) {
        for (int looks = mostLooks; looks > 0; looks--) {
            if (room == 0) {
                return all.positionMs() >= toMs;
            }
            if (!all.find(toMs)) {
                cutShort = all.positionMs() < toMs;
                return !cutShort;
            }
            QueueTable.Queue queue = all.queue();
            boolean isDue = all.dueAtMs() <= nowMs;
            // What is not due yet can wait where it is, and leaves room for what is scheduled to come before it.
            int share = isDue ? queueRoom : queueRoom / 4;
            if (queue.loaded < share) {
                loadFront(all);
            } else if (isDue) {
                passFront(queue);
            } else {
                return false;
            }
        }
        cutShort = true;
        return false;
    }

    /** Whether the last load stopped although there was room: there is too much to pass over for one call. */
    boolean isCutShort() {
        return cutShort;
    }

    /** Leaves the front of the merge of all for its queue to catch up with. */
    private void passFront(QueueTable.Queue queue) {
        if (!isGone.test(all.seq())) {
            fallBehind(queue, all.dueAtMs());
            passedToMs = Math.max(passedToMs, all.dueAtMs() + 1);
            CatchingUp one = catchingUp.get(queue);
            if (one != null && all.shelf() instanceof Memtable memtable) {
                one.merge.offer(memtable, all.dueAtMs(), all.ordinal());
            }
        }
        all.pass();
    }

    private void loadFront(Merge merge) {
        if (!isGone.test(merge.seq())) {
            Shelf shelf = merge.shelf();
            int ordinal = merge.ordinal();
            load(shelf, ordinal, merge.seq(), merge.dueAtMs(), merge.queue());
        }
        merge.pass();
    }

    private void catchUp() {
        startCatchingUp();
        int looks = mostLooks;
        // Of the timers of the millisecond where the merge of all stands, it may have passed some.
        long toMs = Math.max(all.positionMs(), passedToMs);
        for (var entries = catchingUp.entrySet().iterator(); entries.hasNext(); ) {
            var entry = entries.next();
            QueueTable.Queue queue = entry.getKey();
            CatchingUp one = entry.getValue();
            one.idleLoads++;
            while (looks > 0) {
                boolean found = one.merge.find(toMs);
                if (found && room > 0 && queue.loaded < queueRoom / 2) {
                    loadFront(one.merge);
                    one.idleLoads = 0;
                    looks--;
                } else if (found || one.merge.positionMs() >= toMs) {
                    one.idleLoads = found ? 0 : one.idleLoads;
                    break;
                } else {
                    looks -= 1 + mostLooks / 16;
                }
            }
            // While timers move there may be some to come back to.
            if (one.idleLoads > IDLE_LOADS && !moving) {
                entries.remove();
            }
            cutShort |= looks <= 0;
        }
    }

    private void startCatchingUp() {
        if (!behind.isEmpty() && catchingUp.size() >= CATCHING_UP && !moving) {
            catchingUp.values().removeIf(one -> one.idleLoads > 0);
        }
        for (var entries = behind.entrySet().iterator();
                entries.hasNext() && catchingUp.size() < CATCHING_UP && room > 0; ) {
            var entry = entries.next();
            Merge merge = new Merge(entry.getValue(), entry.getKey());
            runs.forEach(merge::add);
            memtables.forEach(merge::add);
            catchingUp.put(entry.getKey(), new CatchingUp(merge));
            entries.remove();
        }
    }

    /** See {@link io.tickwheel.store.Calendar#loadedTo}. */
    long loadedTo() {
        long to = all.positionMs();
        for (CatchingUp one : catchingUp.values()) {
            to = Math.min(to, one.merge.positionMs());
        }
        for (long fromMs : behind.values()) {
            to = Math.min(to, fromMs);
        }
        return to;
    }
}
