package io.tickwheel.testkit;

import io.tickwheel.store.PendingTimer;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import org.jspecify.annotations.Nullable;

/** One timer of a {@link MemoryTimerStore}. */
final class MemoryTimer implements PendingTimer {

    final TimerKey key;
    final long id;
    final long version;
    final byte[] content;
    final long requestHash;
    long dueAtMs;
    int attempts;
    TimerState state = TimerState.PENDING;
    boolean loaded;
    boolean replaced;

    /** What is true of it is durable once this many changes are. */
    long change;

    private @Nullable Object attachment;

    MemoryTimer(ScheduleCommand command, long id, long version) {
        this.key = command.key();
        this.id = id;
        this.version = version;
        this.content = command.content();
        this.requestHash = command.requestHash();
        this.dueAtMs = command.dueAtMs();
    }

    boolean isLoaded() {
        return loaded;
    }

    boolean isLive() {
        return !state.isFinished();
    }

    TimerView view() {
        return new TimerView(key, "tmr_" + id, version, dueAtMs, state, attempts);
    }

    /** Becomes what a crash leaves of it. */
    void forgetProcess() {
        loaded = false;
        attachment = null;
        if (state == TimerState.CLAIMED) {
            state = TimerState.PENDING;
            attempts--;
        }
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
