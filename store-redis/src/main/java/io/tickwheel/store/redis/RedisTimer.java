package io.tickwheel.store.redis;

import io.tickwheel.store.PendingTimer;
import io.tickwheel.store.TimerKey;
import org.jspecify.annotations.Nullable;

/** A timer of an own partition that is loaded, or claimed. Used by the loop only. */
final class RedisTimer implements PendingTimer {

    enum State {
        /** Told to the listener, and not claimed as far as is known here. */
        LOADED,
        /** An attempt was granted. */
        CLAIMED,
        /** No longer of interest: unloaded, or its claim ended. */
        GONE
    }

    final Partition partition;
    final byte[] field;
    final String queue;
    final long dueAtMs;
    State state = State.LOADED;

    /** Whether another timer stands under its key, while it is claimed. */
    boolean replaced;

    /** Of the claim. */
    long token;

    /** When the claim was last known to hold. */
    long heldNanos;

    private @Nullable Object attachment;

    RedisTimer(Partition partition, byte[] field, long dueAtMs) {
        this.partition = partition;
        this.field = field;
        this.queue = Layout.queue(field);
        this.dueAtMs = dueAtMs;
    }

    @Override
    public String queue() {
        return queue;
    }

    @Override
    public TimerKey key() {
        return Layout.timerKey(field);
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
    public void attach(@Nullable Object newAttachment) {
        attachment = newAttachment;
    }
}
