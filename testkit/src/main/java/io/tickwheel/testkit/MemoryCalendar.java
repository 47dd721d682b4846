package io.tickwheel.testkit;

import io.tickwheel.store.Answer;
import io.tickwheel.store.Calendar;
import io.tickwheel.store.CalendarListener;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.ChangeCommand;
import io.tickwheel.store.Changed;
import io.tickwheel.store.ClaimedTimer;
import io.tickwheel.store.CompleteCommand;
import io.tickwheel.store.DueCountQuery;
import io.tickwheel.store.DueCounts;
import io.tickwheel.store.Durability;
import io.tickwheel.store.Lane;
import io.tickwheel.store.PastAttempt;
import io.tickwheel.store.PendingTimer;
import io.tickwheel.store.QueueCounts;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.SpawnCommand;
import io.tickwheel.store.Spawned;
import io.tickwheel.store.StoreContext;
import io.tickwheel.store.StoredTimer;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerPage;
import io.tickwheel.store.TimerQuery;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import io.tickwheel.store.WaitingLane;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The calendar of a {@link MemoryTimerStore}. Plain rather than quick. */
final class MemoryCalendar implements Calendar {

    private final MemoryTimerStore store;
    private final CalendarListener listener;
    private final MemoryLanes lanes;
    private final MemoryQueries queries;
    private final MemoryJournal journal;
    private final MemoryKeys keys;
    private boolean telling;
    private boolean closed;

    MemoryCalendar(MemoryTimerStore store, StoreContext context, CalendarListener listener) {
        this.store = store;
        this.journal = new MemoryJournal(context);
        this.listener = listener;
        this.lanes = new MemoryLanes(listener, this::tellLoaded);
        this.queries = new MemoryQueries(store.timers());
        this.keys = new MemoryKeys(store, journal, lanes, this::withdraw);
        for (MemoryTimer timer : store.timers().values()) {
            timer.forgetProcess();
            timer.change = 0;
            timer.lane = lanes.lane(timer.lane());
            if (timer.isLive()) {
                lanes.place(timer);
                keys.countLive(1);
            }
        }
    }

    @Override
    public void schedule(ScheduleCommand command, Answer<Scheduled> answer) {
        if (!refused(answer)) {
            keys.schedule(command, answer);
        }
    }

    @Override
    public void cancel(
            TimerKey key, @Nullable String expectedId, @Nullable Durability level, Answer<Cancelled> answer) {
        if (!refused(answer)) {
            keys.cancel(key, expectedId, answer);
        }
    }

    @Override
    public void change(ChangeCommand command, Answer<Changed> answer) {
        if (!refused(answer)) {
            keys.change(command, answer);
        }
    }

    @Override
    public void complete(CompleteCommand command, Answer<Changed> answer) {
        if (!refused(answer)) {
            keys.complete(command, answer);
        }
    }

    @Override
    public void find(TimerKey key, Answer<List<TimerView>> answer) {
        read(key, answer, MemoryTimer::view);
    }

    @Override
    public void read(TimerKey key, Answer<List<StoredTimer>> answer) {
        read(key, answer, MemoryTimer::stored);
    }

    private <T> void read(TimerKey key, Answer<List<T>> answer, Function<MemoryTimer, T> show) {
        if (!refused(answer)) {
            MemoryTimer timer = store.timers().get(key);
            journal.answer(
                    timer == null ? 0 : timer.change, answer, timer == null ? List.of() : List.of(show.apply(timer)));
        }
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
    public long firstToLoad() {
        return lanes.firstToLoad();
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
        if (!journal.hasFailed()) {
            grant(timer, granted);
        }
    }

    private void grant(MemoryTimer timer, Consumer<ClaimedTimer> granted) {
        if (!timer.isLoaded()) {
            return;
        }
        if (!journal.isDurable(timer.change)) {
            journal.await(timer.change, () -> grant(timer, granted));
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
        if (!timer.replaced && !journal.hasFailed()) {
            timer.attempts--;
            if (endsLast(timer, TimerState.CANCELLED)) {
                return;
            }
            timer.state = TimerState.PENDING;
            timer.lane = lanes.lane(new Lane(timer.key.queue(), route));
            timer.change = journal.change();
            lanes.place(timer);
        }
    }

    @Override
    public boolean retry(PendingTimer claimed, long attemptAtMs, @Nullable PastAttempt ended) {
        MemoryTimer timer = claimed(claimed);
        timer.remember(ended);
        return again(timer, attemptAtMs);
    }

    @Override
    public boolean postpone(PendingTimer claimed, long attemptAtMs) {
        MemoryTimer timer = claimed(claimed);
        timer.attempts--;
        return again(timer, attemptAtMs);
    }

    @Override
    public void spawn(SpawnCommand command, Answer<Spawned> answer) {
        if (refused(answer)) {
            return;
        }
        MemoryTimer plan = claimed(command.timer());
        if (plan.replaced || plan.cancelled) {
            plan.attempts--;
            endsLast(plan, TimerState.CANCELLED);
            keys.refuse(plan.key, store.timers().get(plan.key), plan.publicId(), answer);
        } else {
            keys.spawn(plan, command, answer);
        }
    }

    private boolean again(MemoryTimer timer, long attemptAtMs) {
        if (timer.replaced || journal.hasFailed() || endsLast(timer, TimerState.CANCELLED)) {
            return false;
        }
        timer.attemptAtMs = attemptAtMs;
        timer.state = TimerState.PENDING;
        timer.change = journal.change();
        lanes.place(timer);
        return true;
    }

    @Override
    public boolean finish(PendingTimer claimed, TimerState outcome, @Nullable PastAttempt ended) {
        MemoryTimer timer = claimed(claimed);
        require(outcome.isFinished() && outcome != TimerState.CANCELLED, "a claim does not end " + outcome);
        if (timer.replaced || journal.hasFailed()) {
            return false;
        }
        timer.remember(ended);
        boolean completed = outcome == TimerState.COMPLETED;
        if (endsLast(timer, completed ? outcome : TimerState.CANCELLED)) {
            return completed;
        }
        timer.state = outcome;
        keys.countLive(-1);
        timer.change = journal.change();
        return true;
    }

    @Override
    public boolean holds(PendingTimer claimed) {
        return !claimed(claimed).replaced && !journal.hasFailed();
    }

    /** Ends the last attempt of a timer that was cancelled; returns false for any other. */
    private boolean endsLast(MemoryTimer timer, TimerState outcome) {
        if (!timer.cancelled || timer.replaced || journal.hasFailed()) {
            return false;
        }
        timer.state = outcome;
        timer.change = journal.change();
        return true;
    }

    @Override
    public int work(int limit) {
        requireOpen();
        return journal.work(limit);
    }

    @Override
    public boolean hasRoom() {
        return true;
    }

    @Override
    public void fail(Throwable cause) {
        journal.fail(cause);
    }

    @Override
    public boolean isQuiet() {
        return journal.isQuiet();
    }

    @Override
    public void queues(Answer<List<QueueCounts>> answer) {
        if (refused(answer)) {
            return;
        }
        journal.answer(0, answer, queries.queues());
    }

    @Override
    public void list(TimerQuery query, Answer<TimerPage> answer) {
        if (refused(answer)) {
            return;
        }
        journal.answer(journal.changes(), answer, queries.list(query));
    }

    @Override
    public void countDue(DueCountQuery query, Answer<DueCounts> answer) {
        if (refused(answer)) {
            return;
        }
        journal.answer(journal.changes(), answer, queries.countDue(query));
    }

    @Override
    public Durability durability() {
        return Durability.SYNC;
    }

    @Override
    public long liveCount() {
        return keys.live();
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

    private boolean refused(Answer<?> answer) {
        requireOpen();
        return journal.refused(answer);
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
