package io.tickwheel.engine.due;

import io.tickwheel.store.Lane;
import io.tickwheel.store.PendingTimer;
import io.tickwheel.store.TimerKey;
import org.jspecify.annotations.Nullable;

/** A loaded timer of no store. */
record WaitingTimer(Lane lane, long attemptAtMs, int contentBytes) implements PendingTimer {

    /** One without content. */
    WaitingTimer(Lane lane, long attemptAtMs) {
        this(lane, attemptAtMs, 0);
    }

    @Override
    public TimerKey key() {
        return new TimerKey(lane.queue(), "k");
    }

    @Override
    public void attach(@Nullable Object attachment) {}

    @Override
    public @Nullable Object attachment() {
        return null;
    }
}
