package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.DeadCounts;
import io.tickwheel.engine.Destination;
import io.tickwheel.engine.EngineListener;
import io.tickwheel.engine.QueueChange;
import io.tickwheel.engine.QueueSettings;
import io.tickwheel.engine.QueueView;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TickwheelBuilder;
import io.tickwheel.engine.TimerDetails;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.store.Answer;
import io.tickwheel.store.Calendar;
import io.tickwheel.store.CalendarListener;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.PastAttempt;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreContext;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreFailedException;
import io.tickwheel.store.StoreUnavailableException;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerQuery;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import io.tickwheel.store.file.FileTimerStore;
import io.tickwheel.store.testkit.RoomyListener;
import io.tickwheel.store.testkit.SimulatedDisk;
import io.tickwheel.testkit.ManualClock;
import io.tickwheel.testkit.ManualThreads;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What the engine does when code that it was given goes wrong. */
class EngineFaultTest {

    private static final Destination SOMEWHERE = new Destination("t", "");

    private final ManualClock clock = new ManualClock(Instant.parse("2030-01-01T00:00:00Z"));
    private final ManualThreads threads = new ManualThreads(clock, new SplittableRandom(1));
    private final SimulatedDisk disk = new SimulatedDisk(1);
    private final FileTimerStore store = FileTimerStore.in(disk.path("/data")).withSegmentBytes(1 << 16);

    private TickwheelBuilder builder() {
        return Tickwheel.builder(store).clock(clock).threads(threads).random(() -> 0);
    }

    private static TimerRequest timer(String key) {
        return TimerRequest.after("q", key, Duration.ZERO).withDestination(SOMEWHERE);
    }

    private TimerState state(Tickwheel engine, String key) {
        CompletableFuture<TimerState> state = engine.find("q", key)
                .thenApply(found -> found.map(TimerView::state).orElseThrow());
        threads.runUntilIdle();
        assertThat(state).as("answered").isDone();
        return state.join();
    }

    /** The loop takes note of it when it has stopped. */
    @Test
    void countThatIsAskedForWhileTheStoreFailsIsAnswered() {
        WatchedStore watched = new WatchedStore(store);
        Tickwheel engine = Tickwheel.builder(watched)
                .clock(clock)
                .threads(threads)
                .random(() -> 0)
                .open();
        threads.runUntilIdle();
        List<CompletableFuture<DeadCounts>> counts = new ArrayList<>();
        watched.before("work", (calendar, arguments) -> {
            counts.add(engine.countDead(TimerQuery.of("q")));
            throw new StoreFailedException("planted", false, new IllegalStateException("disk"));
        });
        CompletableFuture<?> command = engine.find("q", "k");
        threads.runUntilIdle();
        assertThat(command).isCompletedExceptionally();
        assertThat(counts).hasSize(1).allMatch(CompletableFuture::isCompletedExceptionally);
    }

    /** Each expects a content of up to a mebibyte until it is answered. */
    @Test
    void readsThatHaveFailedLeaveTheirRoomToOthers() {
        WatchedStore watched = new WatchedStore(store);
        Tickwheel engine = Tickwheel.builder(watched)
                .clock(clock)
                .threads(threads)
                .random(() -> 0)
                .attemptBytes(4 << 20)
                .open();
        threads.runUntilIdle();
        watched.before("read", (calendar, arguments) -> {
            ((Answer<?>) arguments[1]).fail(new StoreUnavailableException("away", false));
            return true;
        });
        for (int i = 0; i < 10; i++) {
            CompletableFuture<Optional<TimerDetails>> failed = engine.read("q", "k");
            threads.runUntilIdle();
            assertThat(failed).isCompletedExceptionally();
        }
        watched.before("", (calendar, arguments) -> false);
        CompletableFuture<Optional<TimerDetails>> answer = engine.read("q", "k");
        threads.runUntilIdle();
        assertThat(answer).isCompletedWithValue(Optional.empty());
        assertCloses(engine);
    }

    /** It has looked at the document, and is about to write it. */
    @Test
    void changeOfAQueueIsAnsweredWhenTheStoreFailsBetweenItsSteps() {
        WatchedStore watched = new WatchedStore(store);
        Tickwheel engine = Tickwheel.builder(watched)
                .clock(clock)
                .threads(threads)
                .random(() -> 0)
                .open();
        threads.runUntilIdle();
        watched.before("work", (calendar, arguments) -> {
            calendar.work((Integer) arguments[0]);
            throw new StoreFailedException("planted", false, new IllegalStateException("disk"));
        });
        CompletableFuture<QueueView> answer =
                engine.changeQueue("q", QueueChange.set(QueueSettings.NONE.withConcurrency(1)));
        threads.runUntilIdle();
        assertThat(answer).as("answered").isDone();
        assertThatThrownBy(answer::join).hasCauseInstanceOf(StoreFailedException.class);
    }

    @Test
    void targetThatThrowsAnErrorFailsItsAttemptAndNoMore() {
        List<Attempt> reached = new ArrayList<>();
        Tickwheel engine = builder()
                .target("t", (attempt, delivery) -> {
                    if (attempt.key().equals("bad")) {
                        throw new StackOverflowError("planted");
                    }
                    reached.add(attempt);
                    delivery.acknowledge();
                })
                .open();
        var bad = engine.schedule(timer("bad"));
        var good = engine.schedule(timer("good"));
        threads.runUntilIdle();
        assertThat(bad).isCompleted();
        assertThat(good).isCompleted();
        assertThat(reached).hasSize(1);
        assertThat(state(engine, "bad")).isEqualTo(TimerState.PENDING);
        assertThat(engine.isRunning()).isTrue();
    }

    @Test
    void listenerThatThrowsStopsNothing() {
        EngineListener listener = new EngineListener() {
            @Override
            public void scheduled(Scheduled scheduled) {
                throw new IllegalStateException("planted");
            }

            @Override
            public void started(Attempt attempt) {
                throw new ArithmeticException("planted");
            }

            @Override
            public void synced(long nanos) {
                throw new IllegalStateException("planted");
            }
        };
        Tickwheel engine = builder()
                .listener(listener)
                .target("t", (attempt, delivery) -> delivery.acknowledge())
                .open();
        var scheduled = engine.schedule(timer("a"));
        threads.runUntilIdle();
        assertThat(scheduled).isCompleted();
        assertThat(state(engine, "a")).isEqualTo(TimerState.COMPLETED);
    }

    @Test
    void engineThatMeetsABugAnswersEveryoneWhoWaits() {
        boolean[] broken = new boolean[1];
        Tickwheel engine = builder()
                .random(() -> {
                    if (broken[0]) {
                        throw new IllegalStateException("planted");
                    }
                    return 0;
                })
                .target("t", (attempt, delivery) -> delivery.fail("no"))
                .open();
        threads.runUntilIdle();
        broken[0] = true;
        List<CompletableFuture<Scheduled>> waiting = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            waiting.add(engine.schedule(timer("k" + i)));
        }
        threads.runUntilIdle();
        assertThat(waiting).allMatch(CompletableFuture::isDone).anyMatch(CompletableFuture::isCompletedExceptionally);
        assertThat(engine.isRunning()).isFalse();
        var refused = engine.schedule(timer("later"));
        var closed = engine.closeAsync();
        threads.runUntilIdle();
        assertThatThrownBy(refused::join).hasCauseInstanceOf(RuntimeException.class);
        assertThat(closed).isDone();
        assertThat(disk.openChannels()).isEmpty();
    }

    /** It holds the only credit, which must come back. */
    @Test
    void timerWhoseContentCannotBeReadIsDeadAndTheOthersGoOn() {
        putRaw(new byte[] {99, 1, 2});
        List<Attempt> reached = new ArrayList<>();
        List<String> dead = new ArrayList<>();
        List<String> ended = new ArrayList<>();
        Tickwheel engine = builder()
                .attemptsInAll(1)
                .attemptsPerQueue(1)
                .listener(new EngineListener() {
                    @Override
                    public void dead(Attempt attempt, String reason) {
                        dead.add(attempt.key() + ": " + reason);
                    }

                    @Override
                    public void ended(Attempt attempt, PastAttempt past) {
                        ended.add(attempt.key() + past.hasSucceeded());
                    }
                })
                .target("t", (attempt, delivery) -> {
                    reached.add(attempt);
                    delivery.acknowledge();
                })
                .open();
        var scheduled = engine.schedule(timer("good"));
        threads.runUntilIdle();
        assertThat(scheduled).isCompleted();
        assertThat(reached).hasSize(1);
        assertThat(state(engine, "raw")).isEqualTo(TimerState.DEAD);
        assertThat(dead).singleElement().asString().startsWith("raw: the content cannot be read: ");
        assertThat(ended).containsExactlyInAnyOrder("rawfalse", "goodtrue");
        assertThat(engine.isRunning()).isTrue();
        assertCloses(engine);
    }

    private void assertCloses(Tickwheel engine) {
        var closed = engine.closeAsync();
        threads.runUntilIdle();
        assertThat(closed).isCompleted();
        assertThat(disk.openChannels()).isEmpty();
    }

    /** With one credit, which is taken for each of them. */
    @Test
    void timersThatAreTooLateGiveTheirCreditsBack() {
        List<String> reached = new ArrayList<>();
        Tickwheel engine = builder()
                .attemptsInAll(1)
                .attemptsPerQueue(1)
                .target("t", (attempt, delivery) -> {
                    reached.add(attempt.key());
                    delivery.acknowledge();
                })
                .open();
        var late = engine.schedule(TimerRequest.after("q", "late", Duration.ofSeconds(1))
                .withDestination(SOMEWHERE)
                .withExpireAfter(Duration.ofSeconds(2)));
        var good = engine.schedule(
                TimerRequest.after("q", "good", Duration.ofSeconds(1)).withDestination(SOMEWHERE));
        threads.runUntilIdle();
        assertThat(late).isCompleted();
        assertThat(good).isCompleted();
        threads.stall(Duration.ofSeconds(5));
        assertThat(reached).containsExactly("good");
        assertThat(state(engine, "late")).isEqualTo(TimerState.EXPIRED);
        assertCloses(engine);
    }

    /** An end that can hardly come must not be reckoned as one that has passed. */
    @Test
    void timerThatMayBeAsLateAsCanBeIsDelivered() {
        List<String> reached = new ArrayList<>();
        Tickwheel engine = builder()
                .target("t", (attempt, delivery) -> {
                    reached.add(attempt.key());
                    delivery.acknowledge();
                })
                .open();
        Duration longest = Duration.between(TimerRequest.FIRST_DUE, TimerRequest.LAST_DUE);
        for (Duration after : List.of(longest, longest.minusMillis(1))) {
            var scheduled = engine.schedule(TimerRequest.after("q", "" + after, Duration.ofSeconds(1))
                    .withDestination(SOMEWHERE)
                    .withExpireAfter(after));
            threads.runUntilIdle();
            assertThat(scheduled).isCompleted();
        }
        threads.stall(Duration.ofDays(10_000));
        assertThat(reached).hasSize(2);
        assertCloses(engine);
    }

    private void putRaw(byte[] content) {
        StoreContext context =
                new StoreContext(Runnable::run, Runnable::run, () -> {}, () -> 1L, () -> 0L, nanos -> {});
        CalendarListener listener = new RoomyListener() {};
        try (Calendar calendar = store.open(context, listener)) {
            calendar.schedule(
                    new ScheduleCommand(new TimerKey("q", "raw"), 0, content, 7, OnConflict.REPLACE, 0, null),
                    new Answer<>() {
                        @Override
                        public void accept(Scheduled result) {}

                        @Override
                        public void fail(StoreException failure) {
                            throw failure;
                        }
                    });
            while (!calendar.isQuiet()) {
                calendar.work(10);
            }
        }
    }

    /** Nothing is due and nobody asks for anything: all the same it looks, and takes the first timer that comes. */
    @Test
    void engineAtRestNoticesThatThereIsRoomOnTheDiskAgain() {
        Tickwheel engine = Tickwheel.builder(store.withSegmentBytes(4_096).withCheckpointBytes(8_192))
                .clock(clock)
                .threads(threads)
                .random(() -> 0)
                .open();
        CompletableFuture<Scheduled> taken = engine.schedule("q", "a", Duration.ofDays(1));
        threads.advance(Duration.ofSeconds(5));
        assertThat(taken).isCompleted();
        disk.capacityBytes(disk.usedBytes() + 1_000);
        threads.advance(Duration.ofSeconds(5));
        CompletableFuture<Scheduled> refused = engine.schedule("q", "b", Duration.ofDays(1));
        threads.advance(Duration.ofSeconds(5));
        CompletableFuture<Scheduled> refusedToo = engine.schedule("q", "b", Duration.ofDays(1));
        threads.advance(Duration.ofSeconds(5));
        assertThat(refusedToo).as("on a full disk").isCompletedExceptionally();
        disk.capacityBytes(Long.MAX_VALUE);
        threads.advance(Duration.ofSeconds(5));
        CompletableFuture<Scheduled> again = engine.schedule("q", "c", Duration.ofDays(1));
        threads.advance(Duration.ofSeconds(1));
        assertThat(again).isCompleted();
        assertThat(refused).isDone();
    }
}
