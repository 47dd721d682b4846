package io.tickwheel.testkit;

import io.tickwheel.store.Answer;
import io.tickwheel.store.Calendar;
import io.tickwheel.store.CalendarListener;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.ClaimedTimer;
import io.tickwheel.store.DueCountQuery;
import io.tickwheel.store.DueCounts;
import io.tickwheel.store.Durability;
import io.tickwheel.store.Lane;
import io.tickwheel.store.PendingTimer;
import io.tickwheel.store.QueueCounts;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreContext;
import io.tickwheel.store.StoreFailedException;
import io.tickwheel.store.StoredTimer;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerPage;
import io.tickwheel.store.TimerQuery;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import io.tickwheel.store.WaitingLane;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The calendar of a {@link MemoryTimerStore}. Plain rather than quick. */
final class MemoryCalendar implements Calendar {

    private final MemoryTimerStore store;
    private final StoreContext context;
    private final CalendarListener listener;
    private final MemoryLanes lanes;
    private final MemoryQueries queries;
    private final ArrayDeque<Owed> owed = new ArrayDeque<>();
    private long live;
    private long changes;
    private volatile long synced;
    private long syncing;
    private boolean telling;
    private boolean closed;
    private @Nullable StoreFailedException failure;

    /** An answer, or a claim, that waits until so many changes are durable. */
    private record Owed(long change, Runnable give, Consumer<StoreFailedException> fail) {}

    MemoryCalendar(MemoryTimerStore store, StoreContext context, CalendarListener listener) {
        this.store = store;
        this.context = context;
        this.listener = listener;
        this.lanes = new MemoryLanes(listener, this::tellLoaded);
        this.queries = new MemoryQueries(store.timers());
        for (MemoryTimer timer : store.timers().values()) {
            timer.forgetProcess();
            timer.change = 0;
            timer.lane = lanes.lane(timer.lane());
            if (timer.isLive()) {
                lanes.place(timer);
                live++;
            }
        }
    }

    @Override
    public void schedule(ScheduleCommand command, Answer<Scheduled> answer) {
        if (refused(answer)) {
            return;
        }
        MemoryTimer old = store.timers().get(command.key());
        Scheduled.Previous previous = previous(old);
        if (old != null && stays(old, command)) {
            answer(old.change, answer, scheduled(outcomeOfStaying(command), old, previous));
            return;
        }
        MemoryLane lane = lanes.lane(new Lane(command.key().queue(), command.route()));
        MemoryTimer timer = new MemoryTimer(command, store.nextId(), old == null ? 1 : old.version + 1, lane);
        timer.change = ++changes;
        if (old != null) {
            old.replaced = true;
            withdraw(old);
        }
        store.timers().put(timer.key, timer);
        lanes.place(timer);
        boolean made = old == null || !old.isLive();
        live += made ? 1 : 0;
        Scheduled.Outcome outcome = made ? Scheduled.Outcome.CREATED : Scheduled.Outcome.REPLACED;
        answer(timer.change, answer, scheduled(outcome, timer, previous));
    }

    private static Scheduled.Previous previous(@Nullable MemoryTimer old) {
        if (old == null || old.state.isFinished()) {
            return Scheduled.Previous.NONE;
        }
        return old.state == TimerState.PENDING ? Scheduled.Previous.PENDING : Scheduled.Previous.CLAIMED;
    }

    private static boolean stays(MemoryTimer old, ScheduleCommand command) {
        return switch (command.onConflict()) {
            case REPLACE -> false;
            case KEEP, FAIL -> old.isLive();
            case EARLIEST -> old.isLive() && old.dueAtMs <= command.dueAtMs();
            case LATEST -> old.isLive() && old.dueAtMs >= command.dueAtMs();
            case ONCE -> true;
        };
    }

    private static Scheduled.Outcome outcomeOfStaying(ScheduleCommand command) {
        return switch (command.onConflict()) {
            case FAIL -> Scheduled.Outcome.CONFLICT;
            case REPLACE, KEEP, EARLIEST, LATEST, ONCE -> Scheduled.Outcome.KEPT;
        };
    }

    private static Scheduled scheduled(Scheduled.Outcome outcome, MemoryTimer timer, Scheduled.Previous previous) {
        return new Scheduled(outcome, timer.view(), previous, timer.requestHash);
    }

    @Override
    public void cancel(TimerKey key, @Nullable Durability level, Answer<Cancelled> answer) {
        if (refused(answer)) {
            return;
        }
        MemoryTimer timer = store.timers().get(key);
        if (timer == null) {
            answer(0, answer, new Cancelled(Cancelled.Outcome.NOT_FOUND, null));
            return;
        }
        if (timer.state == TimerState.PENDING) {
            withdraw(timer);
            timer.state = TimerState.CANCELLED;
            live--;
            timer.change = ++changes;
        } else if (timer.state == TimerState.CLAIMED && !timer.cancelled) {
            timer.cancelled = true;
            live--;
            timer.change = ++changes;
        }
        Cancelled.Outcome outcome = switch (timer.state) {
            case CANCELLED -> Cancelled.Outcome.CANCELLED;
            case CLAIMED -> Cancelled.Outcome.LAST_ATTEMPT_RUNNING;
            case PENDING, COMPLETED, DEAD, EXPIRED -> Cancelled.Outcome.TOO_LATE;
        };
        answer(timer.change, answer, new Cancelled(outcome, timer.view()));
    }

    /** Ends the last attempt of a timer that was cancelled; returns false for any other. */
    private boolean endsLast(MemoryTimer timer, TimerState outcome) {
        if (!timer.cancelled || timer.replaced || failure != null) {
            return false;
        }
        timer.state = outcome;
        timer.change = ++changes;
        return true;
    }

    @Override
    public void find(TimerKey key, Answer<List<TimerView>> answer) {
        if (refused(answer)) {
            return;
        }
        MemoryTimer timer = store.timers().get(key);
        answer(timer == null ? 0 : timer.change, answer, timer == null ? List.of() : List.of(timer.view()));
    }

    @Override
    public void read(TimerKey key, Answer<List<StoredTimer>> answer) {
        if (refused(answer)) {
            return;
        }
        MemoryTimer timer = store.timers().get(key);
        answer(timer == null ? 0 : timer.change, answer, timer == null ? List.of() : List.of(timer.stored()));
    }

    @Override
    public boolean load(long nowMs, long toMs, int limit) {
        requireOpen();
        require(limit >= 0, "limit is " + limit + ", must not be negative");
        return lanes.load(nowMs, toMs, limit);
    }

    @Override
    public long loadedTo() {
        return lanes.loadedTo();
    }

    @Override
    public void suspend(Lane lane) {
        requireOpen();
        lanes.changed(lane, false);
    }

    @Override
    public void resume(Lane lane) {
        requireOpen();
        lanes.changed(lane, true);
    }

    @Override
    public void unload(PendingTimer pending) {
        requireOpen();
        MemoryTimer timer = (MemoryTimer) pending;
        require(timer.isLoaded(), "unloading a timer that is not loaded");
        lanes.freePlace(timer);
        timer.lane.waiting.add(timer);
    }

    @Override
    public List<WaitingLane> waiting() {
        return lanes.waiting();
    }

    @Override
    public void claim(PendingTimer pending, Consumer<ClaimedTimer> granted) {
        requireOpen();
        MemoryTimer timer = (MemoryTimer) pending;
        require(timer.isLoaded() && timer.state == TimerState.PENDING, "claim of a timer that is not loaded");
        if (failure == null) {
            grant(timer, granted);
        }
    }

    private void grant(MemoryTimer timer, Consumer<ClaimedTimer> granted) {
        if (!timer.isLoaded()) {
            return;
        }
        if (timer.change > synced) {
            owed.addLast(new Owed(timer.change, () -> grant(timer, granted), failed -> {}));
            return;
        }
        lanes.freePlace(timer);
        timer.state = TimerState.CLAIMED;
        timer.attempts++;
        granted.accept(new ClaimedTimer(timer, timer.view(), timer.content));
    }

    @Override
    public boolean release(PendingTimer claimed) {
        MemoryTimer timer = claimed(claimed);
        if (timer.replaced) {
            return false;
        }
        timer.attempts--;
        if (endsLast(timer, TimerState.CANCELLED)) {
            return false;
        }
        timer.state = TimerState.PENDING;
        lanes.takePlace(timer);
        store.noteLoaded(listener.room().taken());
        return true;
    }

    @Override
    public void reroute(PendingTimer claimed, long route) {
        MemoryTimer timer = claimed(claimed);
        if (!timer.replaced && failure == null) {
            timer.attempts--;
            if (endsLast(timer, TimerState.CANCELLED)) {
                return;
            }
            timer.state = TimerState.PENDING;
            timer.lane = lanes.lane(new Lane(timer.key.queue(), route));
            timer.change = ++changes;
            lanes.place(timer);
        }
    }

    @Override
    public boolean retry(PendingTimer claimed, long attemptAtMs) {
        return again(claimed(claimed), attemptAtMs);
    }

    @Override
    public boolean postpone(PendingTimer claimed, long attemptAtMs) {
        MemoryTimer timer = claimed(claimed);
        timer.attempts--;
        return again(timer, attemptAtMs);
    }

    private boolean again(MemoryTimer timer, long attemptAtMs) {
        if (timer.replaced || failure != null || endsLast(timer, TimerState.CANCELLED)) {
            return false;
        }
        timer.attemptAtMs = attemptAtMs;
        timer.state = TimerState.PENDING;
        timer.change = ++changes;
        lanes.place(timer);
        return true;
    }

    @Override
    public boolean finish(PendingTimer claimed, TimerState outcome) {
        MemoryTimer timer = claimed(claimed);
        require(outcome.isFinished() && outcome != TimerState.CANCELLED, "a claim does not end " + outcome);
        if (timer.replaced || failure != null) {
            return false;
        }
        boolean completed = outcome == TimerState.COMPLETED;
        if (endsLast(timer, completed ? outcome : TimerState.CANCELLED)) {
            return completed;
        }
        timer.state = outcome;
        live--;
        timer.change = ++changes;
        return true;
    }

    @Override
    public int work(int limit) {
        requireOpen();
        if (failure != null) {
            throw failure;
        }
        if (changes > synced && syncing <= synced) {
            long upTo = changes;
            syncing = upTo;
            context.log().execute(() -> {
                synced = upTo;
                context.waker().run();
            });
        }
        int given = 0;
        for (Owed next = owed.peek(); given < limit && next != null && next.change <= synced; next = owed.peek()) {
            owed.remove();
            next.give.run();
            given++;
        }
        return given;
    }

    @Override
    public boolean hasRoom() {
        return true;
    }

    @Override
    public void fail(Throwable cause) {
        if (failure == null) {
            failure = new StoreFailedException("the store failed: " + cause, false, cause);
            StoreFailedException unknown = new StoreFailedException("the store failed: " + cause, true, cause);
            owed.forEach(waits -> waits.fail.accept(unknown));
            owed.clear();
        }
    }

    @Override
    public boolean isQuiet() {
        return failure != null || (owed.isEmpty() && changes == synced);
    }

    @Override
    public void queues(Answer<List<QueueCounts>> answer) {
        if (refused(answer)) {
            return;
        }
        answer(0, answer, queries.queues());
    }

    @Override
    public void list(TimerQuery query, Answer<TimerPage> answer) {
        if (refused(answer)) {
            return;
        }
        answer(changes, answer, queries.list(query));
    }

    @Override
    public void countDue(DueCountQuery query, Answer<DueCounts> answer) {
        if (refused(answer)) {
            return;
        }
        answer(changes, answer, queries.countDue(query));
    }

    @Override
    public Durability durability() {
        return Durability.SYNC;
    }

    @Override
    public long liveCount() {
        return live;
    }

    @Override
    public void close() {
        requireOpen();
        require(isQuiet(), "closed while it was at work");
        abandon();
        store.closed();
    }

    /** Nothing comes from it any more, and nothing must be asked of it. */
    void abandon() {
        closed = true;
    }

    private void tellLoaded(MemoryTimer timer) {
        store.noteLoaded(listener.room().taken());
        telling = true;
        listener.loaded(timer);
        telling = false;
    }

    private void withdraw(MemoryTimer timer) {
        timer.lane.waiting.remove(timer);
        if (timer.isLoaded()) {
            lanes.freePlace(timer);
            telling = true;
            listener.unloaded(timer);
            telling = false;
        }
    }

    private MemoryTimer claimed(PendingTimer pending) {
        requireOpen();
        MemoryTimer timer = (MemoryTimer) pending;
        require(timer.state == TimerState.CLAIMED, "the timer is " + timer.state + ", must be claimed");
        return timer;
    }

    private <T> void answer(long change, Answer<T> answer, T result) {
        owed.addLast(new Owed(change, () -> answer.accept(result), answer::fail));
    }

    private boolean refused(Answer<?> answer) {
        requireOpen();
        if (failure != null) {
            answer.fail(failure);
        }
        return failure != null;
    }

    private void requireOpen() {
        require(!closed, "the calendar is closed");
        require(!telling, "a listener must not call the calendar");
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalStateException(otherwise);
        }
    }
}
