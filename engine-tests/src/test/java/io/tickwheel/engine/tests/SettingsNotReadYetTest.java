package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.engine.QueueChange;
import io.tickwheel.engine.QueueSettings;
import io.tickwheel.engine.QuotaExceededException;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.recurrence.Recurrence;
import io.tickwheel.store.Answer;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreFailedException;
import io.tickwheel.store.StoreUnavailableException;
import io.tickwheel.testkit.ManualClock;
import io.tickwheel.testkit.ManualThreads;
import io.tickwheel.testkit.MemoryTimerStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What depends on the settings of a queue must not be decided, after an opening, before the store has said what they are. */
final class SettingsNotReadYetTest {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final List<Duration> LEVELS = List.of(Duration.ofDays(1), Duration.ofDays(2));

    private final ManualClock clock = new ManualClock(Instant.parse("2030-01-01T00:00:00Z"));
    private final ManualThreads threads = new ManualThreads(clock, new SplittableRandom(1));
    private final WatchedStore store = new WatchedStore(new MemoryTimerStore());
    private final List<Runnable> held = new ArrayList<>();
    private Tickwheel engine;

    private Tickwheel open() {
        return Tickwheel.builder(store).clock(clock).threads(threads).open();
    }

    /** Sets a quota of one timer, and opens the store again, which does not say yet what is set. */
    @BeforeEach
    void openAgain() {
        try (Tickwheel before = open()) {
            var set = before.changeQueue(
                    "q", QueueChange.set(QueueSettings.NONE.withMaxPending(1L).withDelayLevels(LEVELS)));
            threads.runUntilIdle();
            assertThat(set).isCompleted();
            var closed = before.closeAsync();
            threads.runUntilIdle();
            assertThat(closed).isCompleted();
        }
        store.hold("find", held);
        engine = open();
        threads.runUntilIdle();
    }

    private void sayWhatIsSet() {
        store.hold("", List.of());
        assertThat(held).as("looks").hasSize(1);
        held.forEach(Runnable::run);
        // Wakes the loop, as a store does that has an answer.
        var unused = engine.find("q", "nobody");
        threads.runUntilIdle();
    }

    private static <T> T answer(CompletableFuture<T> asked) {
        assertThat(asked).isCompleted();
        return asked.join();
    }

    private void assertHeldToTheQuota(Supplier<CompletableFuture<Scheduled>> schedule) {
        CompletableFuture<Scheduled> first = engine.schedule("q", "first", HOUR);
        CompletableFuture<Scheduled> second = schedule.get();
        threads.runUntilIdle();
        assertThat(List.of(first, second)).noneMatch(CompletableFuture::isDone);
        sayWhatIsSet();
        assertThat(answer(first).outcome()).isEqualTo(Scheduled.Outcome.CREATED);
        assertThat(second).isCompletedExceptionally();
        assertThatThrownBy(second::join).hasCauseInstanceOf(QuotaExceededException.class);
    }

    @Test
    void scheduleWaitsForTheQuota() {
        assertHeldToTheQuota(() -> engine.schedule("q", "second", HOUR));
    }

    @Test
    void scheduleWithALongestWaitWaitsForTheQuota() {
        assertHeldToTheQuota(() -> engine.schedule(
                TimerRequest.after("q", "second", HOUR).withMaxWait(HOUR).withOnConflict(OnConflict.LATEST)));
    }

    @Test
    void scheduleOfAPlanWaitsForTheQuota() {
        assertHeldToTheQuota(() -> engine.schedule(TimerRequest.recurring("q", "second", Recurrence.fixedRate(HOUR))));
    }

    @Test
    void settingsAreNotTakenForNoneBeforeTheyAreKnown() {
        assertThatThrownBy(() -> engine.settingsOf("q"))
                .isInstanceOfSatisfying(
                        StoreUnavailableException.class,
                        e -> assertThat(e.outcomeUnknown()).isFalse())
                .hasMessage(
                        "what is set of queue q is not known yet, must have been read from the store since the start");
        sayWhatIsSet();
        assertThat(engine.settingsOf("q").delayLevels()).isEqualTo(LEVELS);
        assertThat(engine.settingsOf("other").isEmpty()).isTrue();
    }

    @Test
    void listOfQueuesWaitsForThoseOfWhichSomethingIsSet() {
        var queues = engine.queues();
        threads.runUntilIdle();
        assertThat(queues).isNotDone();
        sayWhatIsSet();
        assertThat(answer(queues))
                .singleElement()
                .satisfies(counts -> assertThat(counts.queue()).isEqualTo("q"));
    }

    @Test
    void commandsOnTheKeyOfAScheduleThatWaitsKeepTheirOrder() {
        var scheduled = engine.schedule("q", "k", HOUR);
        CompletableFuture<Cancelled> cancelled = engine.cancel("q", "k");
        var again = engine.schedule("q", "k", HOUR);
        CompletableFuture<Cancelled> other = engine.cancel("q", "other");
        threads.runUntilIdle();
        assertThat(cancelled).isNotDone();
        assertThat(other).as("depends on no settings").isCompleted();
        sayWhatIsSet();
        assertThat(answer(scheduled).outcome()).isEqualTo(Scheduled.Outcome.CREATED);
        assertThat(answer(cancelled).outcome()).isEqualTo(Cancelled.Outcome.CANCELLED);
        assertThat(again).isDone();
    }

    @Test
    void scheduleIsRefusedWhenTheSettingsCannotBeRead() {
        CompletableFuture<Scheduled> refused = engine.schedule("q", "k", HOUR);
        List<Answer<?>> lists = new ArrayList<>();
        store.before("list", (calendar, arguments) -> lists.add((Answer<?>) arguments[1]));
        sayWhatIsSet();
        store.before("", (calendar, arguments) -> false);
        assertThat(lists).hasSize(1);
        lists.get(0).fail(new StoreUnavailableException("away", true));
        var unused = engine.find("q", "nobody");
        threads.runUntilIdle();
        assertThat(refused).isDone();
        assertThatThrownBy(() -> Tickwheel.await(refused))
                .isInstanceOfSatisfying(
                        StoreUnavailableException.class,
                        e -> assertThat(e.outcomeUnknown()).isFalse());
        var taken = engine.schedule("q", "k", HOUR);
        threads.runUntilIdle();
        assertThat(answer(taken).outcome())
                .as("what it says is of a look of its own, not of one before")
                .isEqualTo(Scheduled.Outcome.CREATED);
    }

    @Test
    void scheduleThatWaitsIsRefusedWhenTheEngineIsClosed() {
        var scheduled = engine.schedule("q", "k", HOUR);
        threads.runUntilIdle();
        var closed = engine.closeAsync();
        threads.advance(Duration.ofSeconds(30));
        assertThat(closed).isCompleted();
        assertThat(scheduled).isCompletedExceptionally();
        assertThatThrownBy(scheduled::join).hasCauseInstanceOf(IllegalStateException.class);
    }

    @Test
    void scheduleThatWaitsIsRefusedWhenTheStoreFails() {
        var scheduled = engine.schedule("q", "k", HOUR);
        threads.runUntilIdle();
        store.before("cancel", (calendar, arguments) -> {
            throw new StoreFailedException("the disk is gone", true, null);
        });
        var unused = engine.cancel("q", "another");
        threads.runUntilIdle();
        assertThat(scheduled).isCompletedExceptionally();
        assertThatThrownBy(scheduled::join).hasCauseInstanceOf(StoreFailedException.class);
    }
}
