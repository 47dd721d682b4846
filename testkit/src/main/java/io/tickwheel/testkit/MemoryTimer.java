package io.tickwheel.testkit;

import io.tickwheel.store.ChangeCommand;
import io.tickwheel.store.Lane;
import io.tickwheel.store.LoadRoom;
import io.tickwheel.store.PastAttempt;
import io.tickwheel.store.PendingTimer;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.SpawnCommand;
import io.tickwheel.store.StoredTimer;
import io.tickwheel.store.TimerCursor;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerQuery;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One timer of a {@link MemoryTimerStore}. */
final class MemoryTimer implements PendingTimer {

    final TimerKey key;
    final long id;
    final long version;
    final byte[] content;
    final long requestHash;
    final long dueAtMs;
    final ArrayDeque<PastAttempt> history = new ArrayDeque<>();
    long attemptAtMs;
    int attempts;
    TimerState state = TimerState.PENDING;
    MemoryLane lane;
    boolean replaced;

    /** Whether it was cancelled while an attempt ran, which is its last one. */
    boolean cancelled;

    /** As what it took its place when it was loaded; null while it is not. */
    LoadRoom.@Nullable Age loadedAs;

    /** What is true of it is durable once this many changes are. */
    long change;

    private @Nullable Object attachment;

    MemoryTimer(ScheduleCommand command, long id, long version, MemoryLane lane) {
        this.key = command.key();
        this.id = id;
        this.version = version;
        this.content = command.content();
        this.requestHash = command.requestHash();
        this.dueAtMs = command.dueAtMs();
        this.attemptAtMs = dueAtMs;
        this.lane = lane;
    }

    /** A timer that is pending as a change says. */
    MemoryTimer(MemoryTimer old, ChangeCommand change, MemoryLane lane) {
        this.key = old.key;
        this.id = old.id;
        this.version = old.version;
        byte[] content = change.content();
        this.content = content == null ? old.content : content;
        this.requestHash = old.requestHash;
        this.dueAtMs = change.dueAtMs();
        this.attemptAtMs = dueAtMs;
        this.attempts = change.change() == ChangeCommand.Change.RESCHEDULE ? old.attempts : 0;
        this.history.addAll(old.history);
        this.lane = lane;
    }

    /** A plan that comes again. */
    MemoryTimer(MemoryTimer old, SpawnCommand command) {
        this.key = old.key;
        this.id = old.id;
        this.version = old.version;
        this.content = command.content();
        this.requestHash = old.requestHash;
        this.dueAtMs = command.dueAtMs();
        this.attemptAtMs = dueAtMs;
        this.history.addAll(old.history);
        this.lane = old.lane;
    }

    /** Remembers an attempt that has ended. */
    void remember(@Nullable PastAttempt ended) {
        if (ended != null) {
            history.addLast(ended);
            if (history.size() > PastAttempt.REMEMBERED) {
                history.removeFirst();
            }
        }
    }

    String publicId() {
        return "tmr_" + id;
    }

    boolean isLoaded() {
        return loadedAs != null;
    }

    boolean isLive() {
        return !state.isFinished() && !cancelled;
    }

    StoredTimer stored() {
        boolean isKept = isLive() || state == TimerState.DEAD;
        return new StoredTimer(view(), isKept ? content : new byte[0]);
    }

    TimerView view() {
        return new TimerView(key, publicId(), version, dueAtMs, attemptAtMs, state, attempts, List.copyOf(history));
    }

    /** Becomes what a crash leaves of it. */
    void forgetProcess() {
        loadedAs = null;
        attachment = null;
        if (state == TimerState.CLAIMED && cancelled) {
            state = TimerState.CANCELLED;
        } else if (state == TimerState.CLAIMED) {
            state = TimerState.PENDING;
            attempts--;
        }
    }

    /** Asks whether a list of what {@code query} asks for has this timer. */
    boolean isListed(TimerQuery query) {
        boolean ofState = query.state() == null || query.state() == state;
        boolean due = attemptAtMs >= query.dueFromMs()
                && (attemptAtMs < query.dueToMs() || query.dueToMs() == Long.MAX_VALUE);
        TimerCursor after = query.after();
        boolean ahead =
                after == null || attemptAtMs > after.dueAtMs() || (attemptAtMs == after.dueAtMs() && id > after.seq());
        boolean named = key.queue().equals(query.queue()) && key.key().startsWith(query.keyPrefix());
        return (isLive() || state == TimerState.DEAD) && ofState && due && ahead && named;
    }

    @Override
    public Lane lane() {
        return lane.lane;
    }

    @Override
    public TimerKey key() {
        return key;
    }

    @Override
    public long attemptAtMs() {
        return attemptAtMs;
    }

    @Override
    public int contentBytes() {
        return content.length;
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
