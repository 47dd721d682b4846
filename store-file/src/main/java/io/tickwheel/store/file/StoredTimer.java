package io.tickwheel.store.file;

import io.tickwheel.store.PendingTimer;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import org.jspecify.annotations.Nullable;

/**
 * One timer in memory. Owned by the shard loop. It stands in one list of the {@link TimerTable} (live or finished) and, while
 * it is pending and not loaded, in the list of its slice.
 */
final class StoredTimer implements PendingTimer {

    /** How the timer relates to the loaded range. */
    enum Place {
        /** In the list of its slice. */
        SLICE,
        /** Told to the listener. */
        LOADED,
        /** Not to be delivered: claimed, finished or replaced. */
        NONE
    }

    final long id;
    final TimerKey key;
    final long version;
    final long requestHash;
    long dueAtMs;
    int attempts;
    TimerState state;
    byte[] content;

    /** Everything that is true of this timer is durable when the log is synced up to here. */
    long lsn;

    Place place = Place.NONE;

    /** True when another timer has taken its key, so that nothing about it needs to be written any more. */
    boolean replaced;

    final TimerLink inTable = new TimerLink(this);
    final TimerLink inSlice = new TimerLink(this);
    private @Nullable Object attachment;

    /** @param key equal to that of the record */
    StoredTimer(LogRecord.Schedule record, TimerKey key) {
        this.id = record.id();
        this.key = key;
        this.version = record.version();
        this.requestHash = record.requestHash();
        this.dueAtMs = record.dueAtMs();
        this.attempts = record.attempts();
        this.state = record.state();
        this.content = record.content();
    }

    LogRecord.Schedule toRecord() {
        TimerState durable = state == TimerState.CLAIMED ? TimerState.PENDING : state;
        int durableAttempts = state == TimerState.CLAIMED ? attempts - 1 : attempts;
        return new LogRecord.Schedule(id, key, version, dueAtMs, durableAttempts, durable, requestHash, content);
    }

    @Override
    public String queue() {
        return key.queue();
    }

    @Override
    public TimerKey key() {
        return key;
    }

    @Override
    public long dueAtMs() {
        return dueAtMs;
    }

    @Override
    public @Nullable Object attachment() {
        return attachment;
    }

    @Override
    public void attach(@Nullable Object attachment) {
        this.attachment = attachment;
    }
}
