package io.tickwheel.store.redis.partition;

import io.tickwheel.store.Lane;
import io.tickwheel.store.LoadRoom;
import io.tickwheel.store.PendingTimer;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.loading.RedisLane;
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

    final int partition;
    final byte[] field;
    final long attemptAtMs;
    int contentBytes;

    /** Whose room it takes while it is loaded. */
    RedisLane lane;

    /** As what it took its places. */
    LoadRoom.Age loadedAs = LoadRoom.Age.AHEAD;

    int places;
    State state = State.LOADED;

    /** Whether another timer stands under its key, while it is claimed. */
    boolean replaced;

    /** Whether it was cancelled while it is claimed, as far as is known here. */
    boolean cancelled;

    /** Of the claim. */
    long token;

    /** Of the timer that was claimed. */
    long seq;

    /** When the claim was last known to hold. */
    long heldNanos;

    private @Nullable Object attachment;

    RedisTimer(int partition, RedisLane lane, byte[] field, long attemptAtMs, int contentBytes) {
        this.partition = partition;
        this.lane = lane;
        this.field = field;
        this.attemptAtMs = attemptAtMs;
        this.contentBytes = contentBytes;
    }

    @Override
    public Lane lane() {
        return lane.lane;
    }

    @Override
    public TimerKey key() {
        return Layout.timerKey(field);
    }

    @Override
    public long attemptAtMs() {
        return attemptAtMs;
    }

    @Override
    public int contentBytes() {
        return contentBytes;
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
