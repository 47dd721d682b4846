package io.tickwheel.store.file.table;

import io.tickwheel.store.file.record.TimerRecord;

/**
 * Where timers stand that are live or dead: the {@link Memtable}s hold those whose record is in the commit log, the {@link
 * Run}s those that were written to the schedule log. A timer stands in one table at a time, under an ordinal, and is moved by
 * the loop in one step. Owned by the loop.
 *
 * <p>An entry is <i>waiting</i>, then <i>taken</i> (told to the listener), perhaps to and fro, then <i>ended</i>: its timer is finished, replaced,
 * or stands in another table. What has ended is never looked at again.
 */
public sealed interface TimerTable permits Memtable, Run {

    /** Names it in the {@code KeyIndex}; from 1, never used again. */
    int number();

    long seq(int ordinal);

    long hash(int ordinal);

    /** When the next attempt is due. */
    long attemptAtMs(int ordinal);

    StoreLane lane(int ordinal);

    /** May read the disk. */
    TimerRecord record(int ordinal, boolean withContent);

    /** Whether the timer is of that key; may read the disk. */
    boolean isOf(int ordinal, byte[] queue, byte[] key);

    boolean isWaiting(int ordinal);

    boolean isEnded(int ordinal);

    /** Taken from now on. */
    void take(int ordinal);

    /** Waiting again. */
    void untake(int ordinal);

    void end(int ordinal);
}
