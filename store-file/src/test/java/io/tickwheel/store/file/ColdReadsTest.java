package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.Calendar;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.PendingTimer;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreContext;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerView;
import io.tickwheel.store.testkit.DiskFault;
import io.tickwheel.store.testkit.RoomyListener;
import io.tickwheel.store.testkit.SimulatedDisk;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Commands about timers in runs while the disk has to be waited for: several read for them. */
class ColdReadsTest {

    private static final int TIMERS = 200;

    private final SimulatedDisk disk = new SimulatedDisk(1);
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();

    /** What readers were asked to do. */
    private final List<Runnable> handedOver = new ArrayList<>();

    private boolean readersRun;
    private boolean noThreads;
    private final List<Cancelled.Outcome> cancelled = new ArrayList<>();
    private long nanos;
    private long nanosEachLook = 10_000_000;
    private final Calendar calendar = FileTimerStore.in(disk.path("/data"))
            .withSegmentBytes(4_096)
            .withCheckpointBytes(4_096)
            .open(
                    new StoreContext(
                            tasks::addLast,
                            tasks::addLast,
                            this::handOver,
                            () -> {},
                            () -> 1L,
                            () -> nanos += nanosEachLook,
                            late -> {}),
                    new RoomyListener() {
                        @Override
                        public void loaded(PendingTimer timer) {
                            throw new AssertionError(timer);
                        }
                    });

    ColdReadsTest() {
        for (int number = 0; number < TIMERS; number++) {
            calendar.schedule(
                    new ScheduleCommand(key(number), 1_000_000_000L + number, new byte[100], OnConflict.REPLACE, 0),
                    PlainStore.answer(
                            scheduled -> assertThat(scheduled.outcome()).isEqualTo(Scheduled.Outcome.CREATED)));
        }
        settle();
        assertThat(disk.visibleNames(disk.path("/data/schedulelog"))).isNotEmpty();
    }

    @AfterEach
    void close() {
        calendar.close();
    }

    private void handOver(Runnable task) {
        if (noThreads) {
            throw new RejectedExecutionException("no thread");
        }
        handedOver.add(task);
        if (readersRun) {
            task.run();
        }
    }

    private static TimerKey key(int number) {
        return new TimerKey("q", "k" + number);
    }

    private void settle() {
        int done;
        do {
            for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
                task.run();
            }
            done = calendar.work(100);
        } while (done > 0 || !tasks.isEmpty() || !calendar.isQuiet());
    }

    private void cancel(int from, int to) {
        for (int number = from; number < to; number++) {
            calendar.cancel(key(number), PlainStore.answer(answer -> cancelled.add(answer.outcome())));
        }
    }

    private void expectCancelled(int count) {
        settle();
        assertThat(cancelled).hasSize(count).containsOnly(Cancelled.Outcome.CANCELLED);
        assertThat(calendar.liveCount()).isEqualTo(TIMERS - count);
    }

    /** Reads that are under way when those of a task have not begun. */
    @Test
    void nobodyWaitsForReadersThatDoNotBegin() {
        cancel(0, 10);
        expectCancelled(10);
        handedOver.clear();
        cancel(10, 20);
        expectCancelled(20);
        assertThat(handedOver).hasSizeBetween(1, 9);
        // What comes late finds nothing to do, whatever became of the runs.
        handedOver.forEach(Runnable::run);
        expectCancelled(20);
    }

    @Test
    void theLoopReadsAloneWhereThereIsNoThread() {
        noThreads = true;
        cancel(0, 10);
        expectCancelled(10);
        cancel(10, 20);
        expectCancelled(20);
    }

    @Test
    void readersMayDoAllOfIt() {
        readersRun = true;
        cancel(0, 10);
        expectCancelled(10);
        cancel(10, 20);
        expectCancelled(20);
        assertThat(handedOver).isNotEmpty();
    }

    @Test
    void theLoopReadsByItselfWhatComesAtOnce() {
        nanosEachLook = 0;
        cancel(0, 10);
        settle();
        handedOver.clear();
        cancel(10, 60);
        expectCancelled(60);
        assertThat(handedOver).isEmpty();
    }

    @Test
    void theLoopReadsByItselfAgainOnceReadsAreQuick() {
        cancel(0, 10);
        settle();
        nanosEachLook = 0;
        cancel(10, 20);
        settle();
        assertThat(handedOver).isNotEmpty();
        handedOver.clear();
        cancel(20, 30);
        expectCancelled(30);
        assertThat(handedOver).isEmpty();
    }

    @Test
    void commandsAreDecidedInTheirOrder() {
        cancel(0, 10);
        expectCancelled(10);
        List<Object> answers = new ArrayList<>();
        AtomicInteger finds = new AtomicInteger();
        calendar.find(key(50), PlainStore.answer(found -> {
            assertThat(found).extracting(TimerView::version).containsExactly(1L);
            finds.incrementAndGet();
        }));
        calendar.schedule(
                new ScheduleCommand(key(50), 2_000_000_000L, new byte[3], OnConflict.REPLACE, 0),
                PlainStore.answer(scheduled -> answers.add(scheduled.outcome())));
        calendar.find(key(50), PlainStore.answer(found -> {
            assertThat(found).extracting(TimerView::version).containsExactly(2L);
            finds.incrementAndGet();
        }));
        calendar.cancel(key(50), PlainStore.answer(answer -> answers.add(answer.outcome())));
        calendar.cancel(key(51), PlainStore.answer(answer -> answers.add(answer.outcome())));
        settle();
        assertThat(finds).hasValue(2);
        assertThat(answers)
                .containsExactly(Scheduled.Outcome.REPLACED, Cancelled.Outcome.CANCELLED, Cancelled.Outcome.CANCELLED);
    }

    /** A reader that cannot read tells nobody: the command reads again, and has the error if there still is one. */
    @Test
    void readThatFailedIsMadeAgain() {
        cancel(0, 10);
        expectCancelled(10);
        disk.failAfter(0, DiskFault.READ_ERROR);
        cancel(100, 110);
        expectCancelled(20);
    }
}
