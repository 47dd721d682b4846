package io.tickwheel.store.file;

import io.tickwheel.store.Calendar;
import io.tickwheel.store.CalendarListener;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.ClaimedTimer;
import io.tickwheel.store.Durability;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.PendingTimer;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreContext;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import io.tickwheel.store.file.calendar.CalendarView;
import io.tickwheel.store.testkit.RoomyListener;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** A file store on real files, with everything on one thread: for what takes many timers, and no crash of the disk. */
final class RealStore {

    /** So many commands go between two turns. */
    private static final int COMMANDS_A_TURN = 1_000;

    private static final int ROOM = 1_000;

    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private final ArrayDeque<PendingTimer> loaded = new ArrayDeque<>();
    private final Calendar calendar;
    private int commands;
    private int answers;

    private RealStore(FileTimerStore store) {
        CalendarListener listener = new RoomyListener() {
            @Override
            public void loaded(PendingTimer timer) {
                loaded.add(timer);
            }

            @Override
            public void unloaded(PendingTimer timer) {
                loaded.remove(timer);
            }
        };
        StoreContext context =
                new StoreContext(tasks::addLast, tasks::addLast, () -> {}, () -> 42L, System::nanoTime, nanos -> {});
        calendar = store.open(context, listener);
    }

    /** With nothing synced before it must be. */
    static RealStore open(Path directory, long checkpointBytes) {
        return new RealStore(FileTimerStore.in(directory)
                .withCheckpointBytes(checkpointBytes)
                .withDurability(Durability.NONE));
    }

    Calendar calendar() {
        return calendar;
    }

    /** Everything that waits, and a turn of the loop. */
    void turn() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
        calendar.work(COMMANDS_A_TURN);
    }

    boolean isIndexing() {
        return CalendarView.isIndexing(calendar);
    }

    /** Until the index is complete and nothing goes on, no checkpoint either. */
    void settle() {
        do {
            turn();
        } while (!tasks.isEmpty()
                || CalendarView.isIndexing(calendar)
                || CalendarView.checkpoint(calendar) != null
                || !calendar.isQuiet());
    }

    void schedule(TimerKey key, long dueAtMs, byte[] content) {
        calendar.schedule(
                new ScheduleCommand(key, dueAtMs, content, OnConflict.FAIL, 0),
                PlainStore.answer(
                        (Scheduled scheduled) -> answers += scheduled.outcome() == Scheduled.Outcome.CREATED ? 1 : 0));
        sent();
    }

    void cancel(TimerKey key) {
        calendar.cancel(
                key,
                PlainStore.answer((Cancelled cancelled) ->
                        answers += cancelled.outcome() == Cancelled.Outcome.CANCELLED ? 1 : 0));
        sent();
    }

    private void sent() {
        if (++commands % COMMANDS_A_TURN == 0) {
            turn();
        }
    }

    /** How many schedules and cancels there were; all of them must have done what they say. */
    int commands() {
        settle();
        if (answers != commands) {
            throw new AssertionError(answers + " of " + commands + " commands took effect");
        }
        return commands;
    }

    List<TimerView> find(TimerKey key) {
        List<TimerView> found = new ArrayList<>();
        calendar.find(key, PlainStore.answer(found::addAll));
        settle();
        return found;
    }

    /** Delivers some of the timers that are due by then, and returns their keys. */
    List<String> deliver(long nowMs, int most) {
        int room = ROOM - loaded.size();
        calendar.load(nowMs, nowMs, room);
        List<ClaimedTimer> claimed = new ArrayList<>();
        for (int left = Math.min(most, loaded.size()); left > 0; left--) {
            calendar.claim(loaded.remove(), claimed::add);
        }
        do {
            turn();
        } while (!tasks.isEmpty());
        for (ClaimedTimer timer : claimed) {
            calendar.finish(timer.handle(), TimerState.COMPLETED);
        }
        turn();
        return claimed.stream().map(timer -> timer.view().key().key()).toList();
    }

    /** Ends it as a kill of the process does: the files are closed as they are. */
    void kill() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
        calendar.fail(new IOException("killed"));
        calendar.close();
    }

    void close() {
        settle();
        calendar.close();
    }
}
