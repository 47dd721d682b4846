package io.tickwheel.store.file.timers;

import io.tickwheel.store.Lane;
import io.tickwheel.store.LoadRoom;
import io.tickwheel.store.PendingTimer;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.file.record.TimerRecord;
import io.tickwheel.store.file.table.QueueTable;
import io.tickwheel.store.file.table.StoreLane;
import io.tickwheel.store.file.table.TimerTable;
import org.jspecify.annotations.Nullable;

/** A timer that was told to the listener, until it is cancelled, replaced or ended. Owned by the loop. */
public final class LoadedTimer implements PendingTimer {

    /** What one takes in memory, about. */
    public static final int BYTES = 110;

    private final long seq;
    public final StoreLane storeLane;

    /** As what it has taken its place, while it is not claimed. */
    public final LoadRoom.Age age;

    private final long attemptAtMs;
    private final int contentBytes;

    private TimerTable table;
    private int ordinal;

    /** Everything that is true of this timer is durable when the log is synced up to here. */
    public final long lsn;

    /** While it is claimed, without its content: it may be claimed for an hour, with a million others. */
    private @Nullable TimerRecord record;

    private boolean gone;

    private @Nullable TimerKey key;
    private @Nullable Object attachment;

    LoadedTimer(
            TimerTable table,
            int ordinal,
            long seq,
            long attemptAtMs,
            StoreLane storeLane,
            LoadRoom.Age age,
            int contentBytes,
            long lsn) {
        this.table = table;
        this.ordinal = ordinal;
        this.seq = seq;
        this.attemptAtMs = attemptAtMs;
        this.storeLane = storeLane;
        this.age = age;
        this.contentBytes = contentBytes;
        this.lsn = lsn;
    }

    long seq() {
        return seq;
    }

    /** Where it stands now. */
    public TimerTable table() {
        return table;
    }

    public int ordinal() {
        return ordinal;
    }

    void moveTo(TimerTable newTable, int newOrdinal) {
        table = newTable;
        ordinal = newOrdinal;
    }

    /** Whether it was ended or replaced, or is not loaded any more: nothing about it counts then. */
    public boolean isGone() {
        return gone;
    }

    void leave() {
        gone = true;
    }

    QueueTable.Queue queue() {
        return storeLane.queue;
    }

    @Override
    public Lane lane() {
        return storeLane.lane;
    }

    @Override
    public int contentBytes() {
        return contentBytes;
    }

    @Override
    public TimerKey key() {
        TimerKey known = key;
        if (known == null) {
            known = table.record(ordinal, false).timerKey();
            key = known;
        }
        return known;
    }

    public boolean claimed() {
        return record != null;
    }

    void claim(TimerRecord read) {
        assert record == null;
        record = read.withoutContent();
        key = read.timerKey();
    }

    void release() {
        assert record != null : "not claimed";
        record = null;
    }

    /** Of a claimed timer, with its content, as it is read again. */
    public TimerRecord recordWithContent() {
        assert claimed() : "not claimed";
        return table.record(ordinal, true);
    }

    /** Of a claimed timer, without its content. */
    public TimerRecord record() {
        TimerRecord claimed = record;
        assert claimed != null : "not claimed";
        return claimed;
    }

    /** The attempts that were started, the one that runs included, of a claimed timer. */
    public int attempts() {
        return record().attempts() + 1;
    }

    @Override
    public long attemptAtMs() {
        return attemptAtMs;
    }

    @Override
    public @Nullable Object attachment() {
        return attachment;
    }

    @Override
    public void attach(@Nullable Object newAttachment) {
        attachment = newAttachment;
    }
}
