package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.Answer;
import io.tickwheel.store.Calendar;
import io.tickwheel.store.CalendarListener;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreContext;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.testkit.RoomyListener;
import io.tickwheel.store.testkit.SimulatedDisk;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** A store on a simulated disk whose executors and clock a test moves on step by step. */
abstract class SteppedStore {

    static final long MS = 1_000_000;

    final SimulatedDisk disk = new SimulatedDisk(1);
    final FileTimerStore store =
            FileTimerStore.in(disk.path("/data")).withSegmentBytes(16_384).withCheckpointBytes(1 << 20);
    final ArrayDeque<Runnable> log = new ArrayDeque<>();
    final ArrayDeque<Runnable> background = new ArrayDeque<>();
    final List<Scheduled> answers = new ArrayList<>();
    long nowNanos;
    int wakes;

    Calendar open(FileTimerStore opened) {
        return open(opened, new RoomyListener() {});
    }

    Calendar open(FileTimerStore opened, CalendarListener listener) {
        StoreContext context = new StoreContext(
                log::addLast, background::addLast, () -> wakes++, () -> 1L, () -> nowNanos, nanos -> {});
        return opened.open(context, listener);
    }

    void schedule(Calendar calendar, int contentBytes) {
        ScheduleCommand command = new ScheduleCommand(
                new TimerKey("q", "k" + answers.size()), 5_000, new byte[contentBytes], OnConflict.REPLACE, 0);
        calendar.schedule(command, new Answer<>() {
            @Override
            public void accept(Scheduled result) {
                answers.add(result);
            }

            @Override
            public void fail(StoreException failure) {
                throw failure;
            }
        });
    }

    void runLog() {
        for (Runnable task = log.poll(); task != null; task = log.poll()) {
            task.run();
        }
    }

    /** A turn of the loop, and what the log's executor makes of it. Returns how many syncs that took. */
    long turn(Calendar calendar) {
        long before = disk.syncs();
        calendar.work(100);
        runLog();
        return disk.syncs() - before;
    }

    void scheduleAndAnswer(Calendar calendar) {
        int before = answers.size();
        schedule(calendar, 10);
        turn(calendar);
        calendar.work(100);
        runLog();
        assertThat(answers).hasSize(before + 1);
    }

    void runBackground() {
        for (Runnable task = background.poll(); task != null; task = background.poll()) {
            task.run();
        }
    }
}
