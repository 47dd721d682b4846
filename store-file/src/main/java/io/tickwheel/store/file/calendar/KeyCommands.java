package io.tickwheel.store.file.calendar;

import io.tickwheel.store.Answer;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.ChangeCommand;
import io.tickwheel.store.Changed;
import io.tickwheel.store.CompleteCommand;
import io.tickwheel.store.IdMismatchException;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.SpawnCommand;
import io.tickwheel.store.Spawned;
import io.tickwheel.store.StoredTimer;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import io.tickwheel.store.file.checkpoint.DiskRoom;
import io.tickwheel.store.file.log.CommitLog;
import io.tickwheel.store.file.record.History;
import io.tickwheel.store.file.record.TimerRecord;
import io.tickwheel.store.file.table.QueueTable;
import io.tickwheel.store.file.table.StoreLane;
import io.tickwheel.store.file.timers.KeyState;
import io.tickwheel.store.file.timers.LoadedTimer;
import io.tickwheel.store.file.timers.TimerTables;
import io.tickwheel.store.file.timers.Transitions;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides the commands about the timer of one key: schedule, cancel, change, complete, find and read; and spawn, which schedules. To be asked when the key index is
 * complete. Owned by the loop.
 */
final class KeyCommands {

    private static final byte[] NO_CONTENT = {};

    private final TimerTables tables;
    private final Transitions transitions;
    private final CommitLog log;
    private final Answers answers;
    private final DiskRoom room;
    private final Places places;
    private final TimerViews views;

    KeyCommands(
            Transitions transitions, CommitLog log, Answers answers, DiskRoom room, Places places, TimerViews views) {
        this.tables = transitions.tables();
        this.transitions = transitions;
        this.log = log;
        this.answers = answers;
        this.room = room;
        this.places = places;
        this.views = views;
    }

    void schedule(ScheduleCommand command, byte[] key, long hash, Answer<Scheduled> answer) {
        KeyState old = state(command.key(), key, hash);
        if (isOther(command.key(), old, command.expectedId(), answer)) {
            return;
        }
        if (isRefused(old, command)) {
            // Nor is the name of its queue kept.
            answer.fail(room.refusal());
            return;
        }
        Scheduled scheduled = scheduleNow(command, key, hash, old);
        answers.add(log.recordedLsn(), answer, scheduled);
    }

    /** Whether there is no room for what it would make. */
    private boolean isRefused(@Nullable KeyState old, ScheduleCommand command) {
        return room.isFull() && (old == null || !keeps(old, command));
    }

    private Scheduled scheduleNow(ScheduleCommand command, byte[] key, long hash, @Nullable KeyState old) {
        TimerKey name = command.key();
        Scheduled.Previous previous = previous(old);
        if (old != null && keeps(old, command)) {
            Scheduled.Outcome outcome =
                    command.onConflict() == OnConflict.FAIL ? Scheduled.Outcome.CONFLICT : Scheduled.Outcome.KEPT;
            return new Scheduled(outcome, views.of(name, old), previous, old.requestHash());
        }
        QueueTable.Queue queue = tables.queues.get(name.queue());
        Scheduled.Outcome outcome =
                old != null && old.isLive() ? Scheduled.Outcome.REPLACED : Scheduled.Outcome.CREATED;
        TimerRecord record = TimerRecord.scheduled(
                transitions.newSeq(),
                old instanceof KeyState.Standing standing ? standing.record().seq() : 0,
                old == null ? 1 : old.version() + 1,
                command,
                queue.utf8,
                key);
        put(record, hash, tables.queues.get(queue, command.route()), old);
        return new Scheduled(outcome, views.of(name, record, TimerState.PENDING, 0), previous, command.requestHash());
    }

    /**
     * Has a claimed timer come again, and makes its run. Both records go into one frame of the log, which is read back as a whole or not at all: between the two nothing
     * is given to be written.
     */
    void spawn(SpawnCommand command, LoadedTimer plan, Answer<Spawned> answer) {
        TimerKey name = plan.key();
        if (plan.isGone()) {
            // Ended as cancelled, if that is what became of it.
            transitions.endLast(plan, false, false, History.NONE);
            refuse(name, state(name), views.publicId(plan.record().id()), answer);
            return;
        }
        ScheduleCommand run = command.spawned();
        KeyState old = run == null ? null : state(run.key());
        if (run != null && isRefused(old, run)) {
            answer.fail(room.refusal());
            return;
        }
        TimerRecord next = plan.record().next(transitions.newSeq(), command.dueAtMs(), command.content());
        tables.offer(transitions.retry(plan, next), next, plan.storeLane);
        Scheduled scheduled = null;
        if (run != null) {
            byte[] key = run.key().key().getBytes(StandardCharsets.UTF_8);
            scheduled = scheduleNow(run, key, tables.hash(next.queue(), key), old);
        }
        answers.add(log.recordedLsn(), answer, new Spawned(views.of(name, next, TimerState.PENDING, 0), scheduled));
    }

    private void put(TimerRecord record, long hash, StoreLane lane, @Nullable KeyState old) {
        int ordinal;
        if (old instanceof KeyState.Standing standing) {
            ordinal = transitions.replace(standing, record, hash, lane);
            takeBack(standing.loaded());
        } else {
            ordinal = transitions.create(record, hash, lane);
        }
        tables.offer(ordinal, record, lane);
    }

    private static Scheduled.Previous previous(@Nullable KeyState old) {
        if (old == null) {
            return Scheduled.Previous.NONE;
        }
        return switch (old.state()) {
            case PENDING -> Scheduled.Previous.PENDING;
            case CLAIMED -> Scheduled.Previous.CLAIMED;
            case DEAD -> Scheduled.Previous.DEAD;
            case COMPLETED, CANCELLED, EXPIRED -> Scheduled.Previous.NONE;
        };
    }

    private static boolean keeps(KeyState old, ScheduleCommand command) {
        return switch (command.onConflict()) {
            case REPLACE -> false;
            case KEEP, FAIL -> old.isLive();
            case EARLIEST -> old.isLive() && old.dueAtMs() <= command.dueAtMs();
            case LATEST -> old.isLive() && old.dueAtMs() >= command.dueAtMs();
            case ONCE -> true;
        };
    }

    void cancel(TimerKey name, byte[] key, long hash, @Nullable String expectedId, Answer<Cancelled> answer) {
        KeyState found = state(name, key, hash);
        if (!isOther(name, found, expectedId, answer)) {
            Cancelled cancelled = cancelNow(name, found);
            answers.add(log.recordedLsn(), answer, cancelled);
        }
    }

    private Cancelled cancelNow(TimerKey key, @Nullable KeyState found) {
        if (found == null) {
            return new Cancelled(Cancelled.Outcome.NOT_FOUND, null);
        }
        if (found instanceof KeyState.Ending) {
            return new Cancelled(Cancelled.Outcome.LAST_ATTEMPT_RUNNING, views.of(key, found));
        }
        if (found instanceof KeyState.Standing claimed && found.state() == TimerState.CLAIMED) {
            Cancelled last = new Cancelled(Cancelled.Outcome.LAST_ATTEMPT_RUNNING, views.of(key, found));
            transitions.cancelLast(claimed);
            return last;
        }
        if (found instanceof KeyState.Standing pending && found.state() == TimerState.PENDING) {
            transitions.cancel(pending, tables.queues.get(key.queue()));
            takeBack(pending.loaded());
            TimerRecord record = pending.record();
            return new Cancelled(
                    Cancelled.Outcome.CANCELLED, views.of(key, record, TimerState.CANCELLED, record.attempts()));
        }
        boolean cancelled = found.state() == TimerState.CANCELLED;
        return new Cancelled(
                cancelled ? Cancelled.Outcome.CANCELLED : Cancelled.Outcome.TOO_LATE, views.of(key, found));
    }

    void change(ChangeCommand command, byte[] key, long hash, Answer<Changed> answer) {
        TimerKey name = command.key();
        KeyState found = state(name, key, hash);
        String expectedId = command.expectedId();
        if (expectedId != null && command.isForAnother(found == null ? null : views.of(name, found))) {
            refuse(name, found, expectedId, answer);
            return;
        }
        if (found instanceof KeyState.Standing standing
                && found.state() == command.change().from()) {
            if (command.change() == ChangeCommand.Change.PURGE) {
                Changed purged = new Changed(Changed.Outcome.CHANGED, views.of(name, standing));
                transitions.purge(standing, tables.queues.get(name.queue()));
                answers.add(log.recordedLsn(), answer, purged);
            } else if (room.isFull()) {
                answer.fail(room.refusal());
            } else {
                TimerRecord changed = changeNow(command, standing);
                TimerView view = views.of(name, changed, TimerState.PENDING, changed.attempts());
                answers.add(log.recordedLsn(), answer, new Changed(Changed.Outcome.CHANGED, view));
            }
            return;
        }
        Changed unchanged = found == null
                ? new Changed(Changed.Outcome.NOT_FOUND, null)
                : new Changed(Changed.Outcome.WRONG_STATE, views.of(name, found));
        answers.add(log.recordedLsn(), answer, unchanged);
    }

    private TimerRecord changeNow(ChangeCommand command, KeyState.Standing old) {
        boolean keepsContent = command.content() == null;
        TimerRecord before = old.table().record(old.ordinal(), keepsContent);
        TimerRecord changed = before.changed(transitions.newSeq(), command);
        put(changed, tables.hash(changed.queue(), changed.key()), tables.queues.get(changed.lane()), old);
        return changed;
    }

    void complete(CompleteCommand command, byte[] key, long hash, Answer<Changed> answer) {
        TimerKey name = command.key();
        KeyState found = state(name, key, hash);
        if (isOther(name, found, command.id(), answer) || found == null) {
            return;
        }
        Changed completed = found instanceof KeyState.Standing pending && mayComplete(command, pending)
                ? completeNow(command, pending)
                : new Changed(Changed.Outcome.WRONG_STATE, views.of(name, found));
        answers.add(log.recordedLsn(), answer, completed);
    }

    /** A claim is not written: after a crash its timer is pending, and the attempt does not count. */
    private static boolean mayComplete(CompleteCommand command, KeyState.Standing found) {
        return found.state() == TimerState.PENDING
                && found.attempts() == command.attempt() - 1
                && command.isOfItsTime(found.attemptAtMs())
                && !command.isAmong(found.history().attempts());
    }

    private Changed completeNow(CompleteCommand command, KeyState.Standing pending) {
        TimerKey key = command.key();
        History ended = History.of(command.ended());
        transitions.complete(pending, tables.queues.get(key.queue()), command.attempt(), ended);
        takeBack(pending.loaded());
        TimerRecord record = pending.record().remembering(ended);
        return new Changed(Changed.Outcome.CHANGED, views.of(key, record, TimerState.COMPLETED, command.attempt()));
    }

    /** Whether a command is meant for another timer than the one that is known, or for one that is not; it is told so then. */
    private boolean isOther(TimerKey key, @Nullable KeyState found, @Nullable String expectedId, Answer<?> answer) {
        if (expectedId == null || (found != null && views.publicId(found.id()).equals(expectedId))) {
            return false;
        }
        refuse(key, found, expectedId, answer);
        return true;
    }

    private void refuse(TimerKey key, @Nullable KeyState found, String expectedId, Answer<?> answer) {
        TimerView view = found == null ? null : views.of(key, found);
        answers.refuse(log.recordedLsn(), answer, new IdMismatchException(key, expectedId, view));
    }

    void find(TimerKey name, byte[] key, long hash, Answer<List<TimerView>> answer) {
        KeyState found = state(name, key, hash);
        answers.add(log.recordedLsn(), answer, found == null ? List.of() : List.of(views.of(name, found)));
    }

    void read(TimerKey name, byte[] key, long hash, Answer<List<StoredTimer>> answer) {
        KeyState found = state(name, key, hash);
        if (found == null) {
            answers.add(log.recordedLsn(), answer, List.of());
            return;
        }
        byte[] content = NO_CONTENT;
        if (found instanceof KeyState.Standing standing) {
            content = standing.table().record(standing.ordinal(), true).content();
        }
        answers.addContent(log.recordedLsn(), answer, new StoredTimer(views.of(name, found), content));
    }

    private @Nullable KeyState state(TimerKey name, byte[] key, long hash) {
        QueueTable.Queue queue = tables.queues.find(name.queue());
        return queue == null ? null : tables.state(hash, queue.utf8, key);
    }

    private @Nullable KeyState state(TimerKey name) {
        return state(name, name.key().getBytes(StandardCharsets.UTF_8), tables.hash(name));
    }

    /** Tells that a timer is loaded no more; one that is claimed has no place. */
    private void takeBack(@Nullable LoadedTimer loaded) {
        if (loaded != null && !loaded.claimed()) {
            places.giveBack(loaded);
            places.listener().unloaded(loaded);
        }
    }
}
