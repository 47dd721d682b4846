package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.store.Answer;
import io.tickwheel.store.Calendar;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.PendingTimer;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreContext;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreFailedException;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.testkit.CrashKind;
import io.tickwheel.store.testkit.DiskFault;
import io.tickwheel.store.testkit.RoomyListener;
import io.tickwheel.store.testkit.SimulatedDisk;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who syncs a short frame: the loop, when it has nothing else to do and syncs are quick, or the thread of the log. */
class LoopSyncTest {

    private static final long MS = 1_000_000;
    private static final long LONG = Long.MAX_VALUE;

    /** So many syncs tell what they take. */
    private static final int SYNCS = 40;

    private final SimulatedDisk disk = new SimulatedDisk(1);
    private final FileTimerStore store = FileTimerStore.in(disk.path("/data")).withSegmentBytes(65_536);
    private final ArrayDeque<Runnable> log = new ArrayDeque<>();
    private final List<PendingTimer> loaded = new ArrayList<>();
    private final List<StoreException> failures = new ArrayList<>();
    private int answers;
    private int keys;
    private long nowNanos;

    private Calendar open(FileTimerStore opened) {
        return opened.open(
                new StoreContext(log::addLast, later -> {}, () -> {}, () -> 1L, () -> nowNanos, nanos -> {}),
                new RoomyListener() {
                    @Override
                    public void loaded(PendingTimer timer) {
                        loaded.add(timer);
                    }
                });
    }

    @AfterEach
    void goOn() {
        Thread.interrupted();
    }

    private void schedule(Calendar calendar, int contentBytes) {
        ScheduleCommand command = new ScheduleCommand(
                new TimerKey("q", "k" + keys++), 5_000, new byte[contentBytes], OnConflict.REPLACE, 0);
        calendar.schedule(command, new Answer<>() {
            @Override
            public void accept(Scheduled result) {
                answers++;
            }

            @Override
            public void fail(StoreException failure) {
                failures.add(failure);
            }
        });
    }

    private void runLog() {
        for (Runnable task = log.poll(); task != null; task = log.poll()) {
            task.run();
        }
    }

    private void learn(Calendar calendar) {
        for (int i = 0; i < SYNCS; i++) {
            schedule(calendar, 10);
            calendar.work(100, 0);
            runLog();
            calendar.work(100, 0);
        }
        assertThat(answers).isEqualTo(keys);
    }

    private void assertSyncedByTheLoop(Calendar calendar) {
        schedule(calendar, 10);
        calendar.work(100, LONG);
        assertThat(answers).isEqualTo(keys);
        assertThat(log).isEmpty();
    }

    private void assertLeftToTheThread(Calendar calendar) {
        assertThat(answers).isLessThan(keys);
        assertThat(log).isNotEmpty();
        runLog();
        calendar.work(100, 0);
        assertThat(answers).isEqualTo(keys);
    }

    @Test
    void loopSyncsOnceItIsKnownThatThatIsQuick() {
        Calendar calendar = open(store);
        schedule(calendar, 10);
        calendar.work(100, LONG);
        assertLeftToTheThread(calendar);
        learn(calendar);
        long before = disk.syncs();
        assertSyncedByTheLoop(calendar);
        assertSyncedByTheLoop(calendar);
        assertThat(disk.syncs()).isEqualTo(before + 2);
        disk.crash(CrashKind.POWER_LOSS_MINIMAL);
        assertThat(open(store).liveCount()).isEqualTo(keys);
    }

    @Test
    void loopThatHasSomethingElseToDoDoesNotWaitForTheDisk() {
        Calendar calendar = open(store);
        learn(calendar);
        schedule(calendar, 10);
        calendar.work(100);
        assertLeftToTheThread(calendar);
        schedule(calendar, 10);
        calendar.work(100, 0);
        assertLeftToTheThread(calendar);
    }

    @Test
    void slowSyncsAreLeftToTheThread() {
        Calendar calendar = open(store);
        learn(calendar);
        assertSyncedByTheLoop(calendar);
        disk.beforeEach(() -> nowNanos += 2 * MS);
        assertSyncedByTheLoop(calendar);
        for (int i = 0; i < SYNCS; i++) {
            schedule(calendar, 10);
            calendar.work(100, LONG);
            assertLeftToTheThread(calendar);
        }
    }

    @Test
    void longFrameIsLeftToTheThread() {
        Calendar calendar = open(store);
        learn(calendar);
        schedule(calendar, 1_100);
        calendar.work(100, LONG);
        assertLeftToTheThread(calendar);
    }

    @Test
    void frameThatBeginsASegmentIsLeftToTheThread() {
        Calendar calendar = open(store.withSegmentBytes(32_768));
        learn(calendar);
        int byTheLoop = 0;
        while (log.isEmpty()) {
            schedule(calendar, 10);
            calendar.work(100, LONG);
            byTheLoop++;
        }
        assertThat(byTheLoop).isBetween(10, 30);
        assertLeftToTheThread(calendar);
        assertSyncedByTheLoop(calendar);
    }

    @Test
    void loopThatIsInterruptedDoesNotTouchTheFile() {
        Calendar calendar = open(store);
        learn(calendar);
        schedule(calendar, 10);
        Thread.currentThread().interrupt();
        calendar.work(100, LONG);
        assertThat(Thread.interrupted()).isTrue();
        assertLeftToTheThread(calendar);
    }

    @Test
    void syncOfTheLoopThatFailsFailsTheStore() {
        Calendar calendar = open(store);
        learn(calendar);
        schedule(calendar, 10);
        disk.failNext(DiskFault.SYNC_ERROR);
        assertThatThrownBy(() -> calendar.work(100, LONG))
                .isInstanceOf(StoreFailedException.class)
                .hasMessageContaining("writing the commit log failed");
        assertThat(answers).isEqualTo(keys - 1);
        assertThat(failures).singleElement().isInstanceOf(StoreFailedException.class);
    }

    @Test
    void frameThatIsUnderWayIsNotOvertaken() {
        Calendar calendar = open(store);
        learn(calendar);
        schedule(calendar, 10);
        calendar.work(100, 0);
        schedule(calendar, 10);
        calendar.work(100, LONG);
        assertThat(log).hasSize(1);
        assertThat(answers).isEqualTo(keys - 2);
        runLog();
        calendar.work(100, LONG);
        assertThat(answers).as("the loop goes on with the second").isEqualTo(keys);
        assertThat(log).isEmpty();
    }

    @Test
    void whatNobodyWaitsForIsNotSyncedSooner() {
        Calendar calendar = open(store);
        learn(calendar);
        calendar.load(5_000, 5_001, 1);
        calendar.claim(loaded.get(0), claimed -> calendar.finish(claimed.handle(), TimerState.COMPLETED));
        calendar.work(100, LONG);
        long before = disk.syncs();
        calendar.work(100, LONG);
        assertThat(disk.syncs()).isEqualTo(before);
        nowNanos += 3 * MS;
        calendar.work(100, LONG);
        assertThat(disk.syncs()).as("by the thread, when it is time").isEqualTo(before);
        assertThat(log).hasSize(1);
    }

    @Test
    void whatIsNotSyncedForEachAnswerIsWrittenByTheThread() {
        Calendar calendar = open(store.withSyncInterval(Duration.ofMillis(100)));
        for (int i = 0; i < SYNCS; i++) {
            schedule(calendar, 10);
            calendar.work(100, LONG);
            assertLeftToTheThread(calendar);
        }
    }
}
