package io.tickwheel.testkit;

import io.tickwheel.store.Answer;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.ChangeCommand;
import io.tickwheel.store.Changed;
import io.tickwheel.store.CompleteCommand;
import io.tickwheel.store.IdMismatchException;
import io.tickwheel.store.Lane;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.SpawnCommand;
import io.tickwheel.store.Spawned;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Decides the commands of callers on the timer of one key. */
final class MemoryKeys {

    private final MemoryTimerStore store;
    private final MemoryJournal journal;
    private final MemoryLanes lanes;
    private final Consumer<MemoryTimer> withdraw;
    private long live;

    /** @param withdraw takes a pending timer out of where it waits or is loaded */
    MemoryKeys(MemoryTimerStore store, MemoryJournal journal, MemoryLanes lanes, Consumer<MemoryTimer> withdraw) {
        this.store = store;
        this.journal = journal;
        this.lanes = lanes;
        this.withdraw = withdraw;
    }

    long live() {
        return live;
    }

    /** Counts by so many more live timers. */
    void countLive(int by) {
        live += by;
    }

    void schedule(ScheduleCommand command, Answer<Scheduled> answer) {
        MemoryTimer old = store.timers().get(command.key());
        if (isOther(command.key(), old, command.expectedId(), answer)) {
            return;
        }
        Scheduled scheduled = scheduleNow(command, old);
        journal.answer(changeOf(command.key()), answer, scheduled);
    }

    private Scheduled scheduleNow(ScheduleCommand command, @Nullable MemoryTimer old) {
        Scheduled.Previous previous = previous(old);
        if (old != null && stays(old, command)) {
            Scheduled.Outcome outcome =
                    command.onConflict() == OnConflict.FAIL ? Scheduled.Outcome.CONFLICT : Scheduled.Outcome.KEPT;
            return scheduled(outcome, old, previous);
        }
        MemoryLane lane = lanes.lane(new Lane(command.key().queue(), command.route()));
        MemoryTimer timer = new MemoryTimer(command, store.nextId(), old == null ? 1 : old.version + 1, lane);
        boolean made = old == null || !old.isLive();
        put(old, timer);
        return scheduled(made ? Scheduled.Outcome.CREATED : Scheduled.Outcome.REPLACED, timer, previous);
    }

    /** The change by which the timer of a key became what it is; 0 when there is none. */
    private long changeOf(TimerKey key) {
        MemoryTimer timer = store.timers().get(key);
        return timer == null ? 0 : timer.change;
    }

    /** Has a claimed timer that stands under its key come again, and makes its run. */
    void spawn(MemoryTimer plan, SpawnCommand command, Answer<Spawned> answer) {
        MemoryTimer next = new MemoryTimer(plan, command);
        put(plan, next);
        ScheduleCommand run = command.spawned();
        Scheduled scheduled =
                run == null ? null : scheduleNow(run, store.timers().get(run.key()));
        journal.answer(journal.changes(), answer, new Spawned(next.view(), scheduled));
    }

    /** Has a new timer stand in the place of an old one. */
    private void put(@Nullable MemoryTimer old, MemoryTimer timer) {
        timer.change = journal.change();
        countLive(old == null || !old.isLive() ? 1 : 0);
        if (old != null) {
            old.replaced = true;
            withdraw.accept(old);
        }
        store.timers().put(timer.key, timer);
        lanes.place(timer);
    }

    private static Scheduled.Previous previous(@Nullable MemoryTimer old) {
        if (old == null) {
            return Scheduled.Previous.NONE;
        }
        return switch (old.state) {
            case PENDING -> Scheduled.Previous.PENDING;
            case CLAIMED -> Scheduled.Previous.CLAIMED;
            case DEAD -> Scheduled.Previous.DEAD;
            case COMPLETED, CANCELLED, EXPIRED -> Scheduled.Previous.NONE;
        };
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

    private static Scheduled scheduled(Scheduled.Outcome outcome, MemoryTimer timer, Scheduled.Previous previous) {
        return new Scheduled(outcome, timer.view(), previous, timer.requestHash);
    }

    void cancel(TimerKey key, @Nullable String expectedId, Answer<Cancelled> answer) {
        MemoryTimer timer = store.timers().get(key);
        if (isOther(key, timer, expectedId, answer)) {
            return;
        }
        if (timer == null) {
            journal.answer(0, answer, new Cancelled(Cancelled.Outcome.NOT_FOUND, null));
            return;
        }
        if (timer.state == TimerState.PENDING) {
            withdraw.accept(timer);
            timer.state = TimerState.CANCELLED;
            live--;
            timer.change = journal.change();
        } else if (timer.state == TimerState.CLAIMED && !timer.cancelled) {
            timer.cancelled = true;
            live--;
            timer.change = journal.change();
        }
        Cancelled.Outcome outcome = switch (timer.state) {
            case CANCELLED -> Cancelled.Outcome.CANCELLED;
            case CLAIMED -> Cancelled.Outcome.LAST_ATTEMPT_RUNNING;
            case PENDING, COMPLETED, DEAD, EXPIRED -> Cancelled.Outcome.TOO_LATE;
        };
        journal.answer(timer.change, answer, new Cancelled(outcome, timer.view()));
    }

    void change(ChangeCommand command, Answer<Changed> answer) {
        MemoryTimer timer = store.timers().get(command.key());
        String expectedId = command.expectedId();
        if (expectedId != null && command.isForAnother(timer == null ? null : timer.view())) {
            refuse(command.key(), timer, expectedId, answer);
            return;
        }
        if (timer == null) {
            journal.answer(0, answer, new Changed(Changed.Outcome.NOT_FOUND, null));
            return;
        }
        if (timer.state != command.change().from()) {
            journal.answer(timer.change, answer, new Changed(Changed.Outcome.WRONG_STATE, timer.view()));
            return;
        }
        if (command.change() == ChangeCommand.Change.PURGE) {
            store.timers().remove(timer.key);
            journal.answer(journal.change(), answer, new Changed(Changed.Outcome.CHANGED, timer.view()));
            return;
        }
        MemoryLane lane = command.content() == null
                ? timer.lane
                : lanes.lane(new Lane(command.key().queue(), command.route()));
        MemoryTimer changed = new MemoryTimer(timer, command, lane);
        put(timer, changed);
        journal.answer(changed.change, answer, new Changed(Changed.Outcome.CHANGED, changed.view()));
    }

    void complete(CompleteCommand command, Answer<Changed> answer) {
        MemoryTimer timer = store.timers().get(command.key());
        if (isOther(command.key(), timer, command.id(), answer) || timer == null) {
            return;
        }
        boolean isNext = timer.state == TimerState.PENDING
                && timer.attempts == command.attempt() - 1
                && command.isOfItsTime(timer.attemptAtMs);
        if (!isNext || command.isAmong(List.copyOf(timer.history))) {
            journal.answer(timer.change, answer, new Changed(Changed.Outcome.WRONG_STATE, timer.view()));
            return;
        }
        withdraw.accept(timer);
        timer.state = TimerState.COMPLETED;
        timer.attempts = command.attempt();
        timer.remember(command.ended());
        live--;
        timer.change = journal.change();
        journal.answer(timer.change, answer, new Changed(Changed.Outcome.CHANGED, timer.view()));
    }

    /** Whether a command is meant for another timer than the one that stands there, which it is told then. */
    private boolean isOther(TimerKey key, @Nullable MemoryTimer timer, @Nullable String expectedId, Answer<?> answer) {
        if (expectedId == null || (timer != null && timer.publicId().equals(expectedId))) {
            return false;
        }
        refuse(key, timer, expectedId, answer);
        return true;
    }

    /** Tells that another timer stands under a key, or none. */
    void refuse(TimerKey key, @Nullable MemoryTimer timer, String expectedId, Answer<?> answer) {
        journal.fail(
                timer == null ? journal.changes() : timer.change,
                answer,
                new IdMismatchException(key, expectedId, timer == null ? null : timer.view()));
    }
}
