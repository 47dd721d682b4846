package io.tickwheel.store.file.recovery;

import io.tickwheel.store.file.memory.GatheredKeys;
import io.tickwheel.store.file.memory.KeyIndex;
import io.tickwheel.store.file.table.QueueTable;
import io.tickwheel.store.file.timers.TimerTables;

/**
 * Takes timers into the key index many at a time: they are counted at once, gathered by where they belong, and put there segment by
 * segment. What ends meanwhile is passed over then, and taken out of the counts. Owned by the loop.
 *
 * <pre>
 *   add, add, ... -> full, or asked to -> one segment, the next, ... -> empty -> add, ...
 * </pre>
 */
final class Intake {

    /** So many times the timers of a turn are gathered at least: each time that all segments are gone through costs as much as them. */
    private static final int TURNS = 256;

    /** Or this part of all that will come, when that is more. */
    private static final int PART = 8;

    private final TimerTables tables;
    private final long most;
    private final GatheredKeys gathered = new GatheredKeys();
    private final KeyIndex.Visitor enter;

    /** The segment that is next; -1 when nothing is put anywhere. */
    private int segment = -1;

    /** @param expected how many timers will come, about */
    Intake(TimerTables tables, long expected, int turnTimers) {
        this.tables = tables;
        this.most = Math.max((long) TURNS * turnTimers, expected / PART);
        this.enter = tables::enterCounted;
    }

    /** Takes a timer that stands in a table. Not to be called while there is something to be put away. */
    void add(long hash, int number, int ordinal, QueueTable.Queue queue, boolean dead) {
        assert !isPuttingAway();
        tables.queues.count(queue, dead, 1);
        gathered.add(hash, number, ordinal);
        if (gathered.size() == most) {
            putAway();
        }
    }

    boolean isEmpty() {
        return gathered.size() == 0;
    }

    /** Has all that is gathered put into the index by {@link #work}. */
    void putAway() {
        if (!isPuttingAway()) {
            segment = gathered.next(0);
        }
    }

    /** Whether {@link #work} has something to do. */
    boolean isPuttingAway() {
        return segment >= 0;
    }

    /**
     * Goes on to put away.
     *
     * @param budget how many timers, about
     * @return how many there were
     */
    int work(int budget) {
        int done = 0;
        while (done < budget && isPuttingAway()) {
            tables.index.touchSegment(segment);
            done += gathered.take(segment, enter);
            segment = gathered.next(segment);
        }
        return done;
    }
}
