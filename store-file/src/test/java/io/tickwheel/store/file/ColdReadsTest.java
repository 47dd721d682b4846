package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.store.Answer;
import io.tickwheel.store.Calendar;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.PendingTimer;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.SpawnCommand;
import io.tickwheel.store.Spawned;
import io.tickwheel.store.StoreContext;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreFailedException;
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
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Commands about timers in runs while the disk has to be waited for: several read for them, and others overtake them. */
class ColdReadsTest {

    private static final int TIMERS = 400;
    private static final int FRESH = 1_000;

    private final SimulatedDisk disk = new SimulatedDisk(1);
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();

    /** What readers were asked to do. */
    private final List<Runnable> handedOver = new ArrayList<>();

    private final List<PendingTimer> loaded = new ArrayList<>();
    private boolean readersRun;
    private @Nullable Runnable noThreads;
    private boolean failing;
    private int wakes;
    private int finds;
    private final List<StoreException> refused = new ArrayList<>();
    private final List<Cancelled.Outcome> cancelled = new ArrayList<>();
    private final Answer<Cancelled> cancelling = new Answer<>() {
        @Override
        public void accept(Cancelled answer) {
            cancelled.add(answer.outcome());
        }

        @Override
        public void fail(StoreException failure) {
            assertThat(failing).isTrue();
            refused.add(failure);
        }
    };

    private long nanos;
    private long nanosEachLook;
    private final Calendar calendar = FileTimerStore.in(disk.path("/data"))
            .withSegmentBytes(4_096)
            .withCheckpointBytes(4_096)
            .open(
                    new StoreContext(
                            tasks::addLast,
                            tasks::addLast,
                            this::handOver,
                            () -> wakes++,
                            () -> 1L,
                            () -> nanos += nanosEachLook,
                            late -> {}),
                    new RoomyListener() {
                        @Override
                        public void loaded(PendingTimer timer) {
                            loaded.add(timer);
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
        nanosEachLook = 10_000_000;
    }

    @AfterEach
    void close() {
        calendar.close();
    }

    private void handOver(Runnable task) {
        if (noThreads != null) {
            noThreads.run();
        }
        handedOver.add(task);
        if (readersRun) {
            task.run();
        }
    }

    private static TimerKey key(int number) {
        return new TimerKey("q", "k" + number);
    }

    /** Takes turns until there is nothing to do any more; readers run then, too. */
    private void settle() {
        int done;
        int turns = 0;
        do {
            assertThat(turns++).as("turns until it is quiet").isLessThan(1_000);
            handedOver.forEach(Runnable::run);
            done = turn();
        } while (done > 0 || !tasks.isEmpty() || !calendar.isQuiet());
    }

    private int turn() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
        return calendar.work(100);
    }

    private void cancel(int from, int to) {
        for (int number = from; number < to; number++) {
            calendar.cancel(key(number), cancelling);
        }
    }

    private void expectCancelled(int count) {
        settle();
        assertThat(cancelled).hasSize(count).containsOnly(Cancelled.Outcome.CANCELLED);
        assertThat(calendar.liveCount()).isEqualTo(TIMERS - count);
    }

    /** Has cancels wait for readers that do not begin. */
    private void cancelSlowly(int from, int to) {
        cancel(0, 10);
        expectCancelled(10);
        cancel(from, to);
        turn();
        assertThat(handedOver).hasSize(Math.min(to - from, 8));
    }

    private void letReadersRun() {
        List<Runnable> all = List.copyOf(handedOver);
        handedOver.clear();
        all.forEach(Runnable::run);
    }

    private void schedule(int number, List<Scheduled.Outcome> outcomes) {
        calendar.schedule(
                new ScheduleCommand(key(number), 2_000_000_000L, new byte[3], OnConflict.REPLACE, 0),
                PlainStore.answer(scheduled -> outcomes.add(scheduled.outcome())));
    }

    private void schedule(TimerKey key, long dueAtMs, OnConflict onConflict, List<Scheduled> scheduled) {
        calendar.schedule(new ScheduleCommand(key, dueAtMs, new byte[100], onConflict, 0), PlainStore.into(scheduled));
    }

    @Test
    void othersAreDecidedWhileTheDiskIsRead() {
        cancelSlowly(10, 20);
        List<Scheduled.Outcome> outcomes = new ArrayList<>();
        schedule(FRESH, outcomes);
        List<List<TimerView>> found = new ArrayList<>();
        calendar.find(key(FRESH), PlainStore.into(found));
        turn();
        turn();
        assertThat(outcomes).containsExactly(Scheduled.Outcome.CREATED);
        assertThat(found).hasSize(1);
        assertThat(cancelled).hasSize(10);
        assertThat(calendar.isQuiet()).isFalse();
        int before = wakes;
        letReadersRun();
        assertThat(wakes).isEqualTo(before + 1);
        settle();
        assertThat(cancelled).hasSize(20).containsOnly(Cancelled.Outcome.CANCELLED);
        assertThat(calendar.liveCount()).isEqualTo(TIMERS - 20 + 1);
    }

    /** In a batch of their own, and behind what is about a key of theirs. */
    @Test
    void commandsOfOneKeyAreDecidedInTheirOrder() {
        cancelSlowly(10, 20);
        List<Scheduled.Outcome> outcomes = new ArrayList<>();
        schedule(10, outcomes);
        turn();
        cancel(10, 11);
        turn();
        schedule(10, outcomes);
        schedule(11, outcomes);
        schedule(20, outcomes);
        turn();
        assertThat(outcomes).isEmpty();
        assertThat(cancelled).hasSize(10);
        letReadersRun();
        settle();
        letReadersRun();
        settle();
        assertThat(outcomes)
                .containsExactly(
                        Scheduled.Outcome.CREATED,
                        Scheduled.Outcome.CREATED,
                        Scheduled.Outcome.CREATED,
                        Scheduled.Outcome.REPLACED);
        assertThat(cancelled).hasSize(21).containsOnly(Cancelled.Outcome.CANCELLED);
        assertThat(calendar.liveCount()).isEqualTo(TIMERS - 20 + 2);
    }

    /** Those whose reads are done wait for those before them; what comes late finds nothing to do. */
    @Test
    void readersMayEndInAnyOrder() {
        cancelSlowly(10, 20);
        List<Runnable> first = List.copyOf(handedOver);
        handedOver.clear();
        cancel(20, 23);
        turn();
        assertThat(handedOver).hasSize(3);
        handedOver.get(0).run();
        turn();
        turn();
        assertThat(cancelled).hasSize(10);
        first.get(0).run();
        expectCancelled(23);
        first.forEach(Runnable::run);
        handedOver.forEach(Runnable::run);
        expectCancelled(23);
    }

    @Test
    void runOfAPlanIsMadeBehindWhatWaitsForTheDisk() {
        TimerKey plan = key(0);
        TimerKey run = new TimerKey(plan.queue(), plan.key() + SpawnCommand.SEPARATOR + "1");
        List<Scheduled> scheduled = new ArrayList<>();
        schedule(run, 2_000_000_000L, OnConflict.KEEP, scheduled);
        for (int number = FRESH; number < FRESH + 100; number++) {
            schedule(key(number), 2_000_000_000L, OnConflict.KEEP, scheduled);
        }
        schedule(plan, 5, OnConflict.REPLACE, scheduled);
        settle();
        calendar.load(10, 10, 100);
        calendar.claim(loaded.get(0), granted -> {});
        cancel(10, 20);
        settle();
        handedOver.clear();

        calendar.cancel(run, cancelling);
        List<Spawned> spawned = new ArrayList<>();
        ScheduleCommand made = new ScheduleCommand(run, 3_000_000_000L, new byte[3], OnConflict.KEEP, 0);
        calendar.spawn(new SpawnCommand(loaded.get(0), 1_000_000, new byte[3], made), PlainStore.into(spawned));
        turn();
        turn();
        assertThat(handedOver).isNotEmpty();
        assertThat(spawned).isEmpty();
        letReadersRun();
        settle();
        assertThat(cancelled).hasSize(11).containsOnly(Cancelled.Outcome.CANCELLED);
        assertThat(spawned)
                .singleElement()
                .satisfies(answer -> assertThat(answer.run().outcome()).isEqualTo(Scheduled.Outcome.CREATED));
    }

    @Test
    void storeThatFailsTellsThoseWhoWaitForTheDisk() {
        cancelSlowly(10, 20);
        List<String> failures = new ArrayList<>();
        calendar.cancel(key(20), new Answer<>() {
            @Override
            public void accept(Cancelled answer) {
                throw new AssertionError(answer);
            }

            @Override
            public void fail(StoreException failure) {
                failures.add(failure.getMessage() + ((StoreFailedException) failure).outcomeUnknown());
            }
        });
        failing = true;
        calendar.fail(new IllegalStateException("a bug"));
        assertThat(failures).singleElement().asString().contains("a bug").endsWith("false");
        assertThat(refused).hasSize(10);
        calendar.close();
        // Of files that are closed by now.
        letReadersRun();
        assertThatThrownBy(() -> calendar.work(100)).isInstanceOf(StoreFailedException.class);
        assertThat(refused).hasSize(10);
        assertThat(cancelled).hasSize(10);
    }

    @Test
    void soManyMayWait() {
        cancelSlowly(10, 11);
        for (int number = 0; number < 1_022; number++) {
            calendar.find(key(10), PlainStore.answer(found -> finds++));
        }
        turn();
        assertThat(calendar.hasRoom()).isTrue();
        calendar.find(key(10), PlainStore.answer(found -> finds++));
        turn();
        assertThat(calendar.hasRoom()).isFalse();
        letReadersRun();
        settle();
        assertThat(calendar.hasRoom()).isTrue();
        assertThat(finds).isEqualTo(1_023);
        expectCancelled(11);
    }

    @Test
    void soManyBytesMayWait() {
        cancelSlowly(10, 11);
        List<Scheduled.Outcome> outcomes = new ArrayList<>();
        for (int number = 0; number < 2; number++) {
            turn();
            assertThat(calendar.hasRoom()).isTrue();
            calendar.schedule(
                    new ScheduleCommand(key(10), 2_000_000_000L, new byte[8 << 20], OnConflict.REPLACE, 0),
                    PlainStore.answer(scheduled -> outcomes.add(scheduled.outcome())));
        }
        turn();
        assertThat(calendar.hasRoom()).isFalse();
        letReadersRun();
        settle();
        assertThat(calendar.hasRoom()).isTrue();
        assertThat(outcomes).containsExactly(Scheduled.Outcome.CREATED, Scheduled.Outcome.REPLACED);
    }

    @Test
    void theLoopReadsAloneWhereThereIsNoThread() {
        noThreads = () -> {
            throw new RejectedExecutionException("no thread");
        };
        cancel(0, 10);
        expectCancelled(10);
        cancel(10, 20);
        expectCancelled(20);
    }

    /** Or its command would wait for ever. */
    @Test
    void theLoopReadsAloneWhateverKeepsAThreadFromStarting() {
        for (Error error : List.of(new OutOfMemoryError("planted"), new InternalError("planted"))) {
            noThreads = () -> {
                throw error;
            };
            int before = cancelled.size();
            cancel(before, before + 20);
            expectCancelled(before + 20);
        }
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
    void theLoopReadsByItselfAgainOnceManyReadsWereQuick() {
        cancel(0, 10);
        settle();
        nanosEachLook = 0;
        cancel(10, 265);
        settle();
        handedOver.clear();
        cancel(265, 266);
        settle();
        assertThat(handedOver).hasSize(1);
        handedOver.clear();
        cancel(266, 276);
        expectCancelled(276);
        assertThat(handedOver).isEmpty();
    }

    /** One slow one among them, and it is for others to read on. */
    @Test
    void oneSlowReadHasOthersReadOn() {
        cancel(0, 10);
        settle();
        nanosEachLook = 0;
        cancel(10, 265);
        settle();
        nanosEachLook = 10_000_000;
        cancel(265, 266);
        settle();
        nanosEachLook = 0;
        cancel(266, 300);
        settle();
        handedOver.clear();
        cancel(300, 310);
        expectCancelled(310);
        assertThat(handedOver).isNotEmpty();
    }

    @Test
    void commandsOfOneBatchAreDecidedInTheirOrder() {
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
        cancelSlowly(100, 110);
        disk.failAfter(0, DiskFault.READ_ERROR);
        expectCancelled(20);
    }
}
