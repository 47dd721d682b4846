package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.engine.CommandOptions;
import io.tickwheel.engine.Delivery;
import io.tickwheel.engine.Destination;
import io.tickwheel.engine.EngineListener;
import io.tickwheel.engine.Lease;
import io.tickwheel.engine.LeaseRequest;
import io.tickwheel.engine.OverloadedException;
import io.tickwheel.engine.QueueChange;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TickwheelBuilder;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.engine.WhenFull;
import io.tickwheel.recurrence.Recurrence;
import io.tickwheel.store.Answer;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.ChangeCommand;
import io.tickwheel.store.Changed;
import io.tickwheel.store.DueCountQuery;
import io.tickwheel.store.Durability;
import io.tickwheel.store.Lane;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreFailedException;
import io.tickwheel.store.StoreFullException;
import io.tickwheel.store.TimerPage;
import io.tickwheel.store.TimerQuery;
import io.tickwheel.store.TimerStore;
import io.tickwheel.testkit.ManualClock;
import io.tickwheel.testkit.ManualThreads;
import io.tickwheel.testkit.MemoryTimerStore;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a program may ask of the engine, and what it is answered when that cannot be done. */
final class EmbeddedCommandsTest {

    private static final int MEBIBYTE = 1 << 20;

    private final ManualClock clock = new ManualClock(Instant.parse("2030-01-01T00:00:00.123Z"));
    private final ManualThreads threads = new ManualThreads(clock, new SplittableRandom(1));
    private final List<String> told = new ArrayList<>();
    private final List<Delivery> running = new ArrayList<>();

    private TickwheelBuilder builder(TimerStore store) {
        return Tickwheel.builder(store)
                .clock(clock)
                .threads(threads)
                .random(() -> 0)
                .whenFull(WhenFull.REFUSE)
                .target("t", (attempt, delivery) -> running.add(delivery))
                .listener(new EngineListener() {
                    @Override
                    public void refused(StoreFullException refusal) {
                        told.add("refused " + refusal.getMessage());
                    }

                    @Override
                    public void stopped(Throwable cause) {
                        told.add("stopped " + cause.getMessage());
                    }
                });
    }

    private Tickwheel open() {
        return builder(new MemoryTimerStore()).open();
    }

    private <T> T settled(CompletableFuture<T> answer) {
        threads.runUntilIdle();
        assertThat(answer).as("answered").isDone();
        return answer.join();
    }

    private static TimerRequest timer(String key) {
        return TimerRequest.after("q", key, Duration.ofHours(1));
    }

    /** A store that shows what it is called with, first. */
    private static TimerStore watched(String call, Consumer<Object[]> watcher) {
        WatchedStore store = new WatchedStore(new MemoryTimerStore());
        store.before(call, (calendar, arguments) -> {
            watcher.accept(arguments);
            return false;
        });
        return store;
    }

    /** A store that has no room. */
    private static TimerStore full() {
        WatchedStore store = new WatchedStore(new MemoryTimerStore());
        store.before("schedule", (calendar, arguments) -> {
            ((Answer<?>) arguments[1]).fail(new StoreFullException("full"));
            return true;
        });
        return store;
    }

    /** What nobody can count is refused where it is said, and not by a close that finds it out. */
    @Test
    void durationsThatCannotBeCountedAreRefusedAtOnce() {
        Duration forEver = ChronoUnit.FOREVER.getDuration();
        Duration longest = Duration.ofDays(36_500);
        for (Duration tooLong : List.of(forEver, longest.plusNanos(1))) {
            TickwheelBuilder builder = builder(new MemoryTimerStore());
            assertThatThrownBy(() -> builder.drainTimeout(tooLong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("drainTimeout is " + tooLong + ", must be PT0S to PT876000H");
            assertThatThrownBy(() -> builder.deadTimers(tooLong, 0))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("keptFor is " + tooLong + ", must be PT1H to PT876000H");
        }
        assertThatThrownBy(() -> builder(new MemoryTimerStore()).drainTimeout(Duration.ofNanos(-1)))
                .hasMessage("drainTimeout is PT-0.000000001S, must be PT0S to PT876000H");
        assertThatThrownBy(() -> builder(new MemoryTimerStore())
                        .deadTimers(Duration.ofHours(1).minusNanos(1), 0))
                .hasMessage("keptFor is PT59M59.999999999S, must be PT1H to PT876000H");
        Tickwheel engine = builder(new MemoryTimerStore())
                .drainTimeout(longest)
                .deadTimers(longest, 0)
                .open();
        settled(engine.schedule(
                TimerRequest.after("q", "k", Duration.ZERO).withDestination(new Destination("t", "a"))));
        CompletableFuture<Void> closed = engine.closeAsync();
        threads.advance(Duration.ofDays(1));
        assertThat(closed).as("waits for what runs").isNotDone();
        running.remove(0).acknowledge();
        settled(closed);
        assertThat(engine.stats().delivered()).isEqualTo(1);
    }

    @Test
    void durabilityIsOfferedOrRefusedByName() {
        Tickwheel engine = open();
        assertThat(engine.durability()).isEqualTo(Durability.SYNC);
        assertThat(engine.offers(Durability.SYNC)).isTrue();
        assertThat(engine.offers(Durability.MEMORY)).isFalse();
        Scheduled scheduled = settled(engine.schedule(timer("a").withDurability(Durability.SYNC)));
        assertThat(scheduled.outcome()).isEqualTo(Scheduled.Outcome.CREATED);
        Cancelled cancelled = settled(engine.cancel("q", "a", CommandOptions.NONE.withDurability(Durability.SYNC)));
        assertThat(cancelled.outcome()).isEqualTo(Cancelled.Outcome.CANCELLED);
        String rule = "durability is memory, must be one that the store offers, such as sync";
        assertThatThrownBy(() -> engine.cancel("q", "a", CommandOptions.NONE.withDurability(Durability.MEMORY)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(rule);
        assertThatThrownBy(() -> engine.schedule(timer("a").withDurability(Durability.MEMORY)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(rule);
    }

    @Test
    void storeIsAskedForTheDurabilityOfTheRequest() {
        List<Durability> asked = new ArrayList<>();
        Tickwheel engine = builder(watched("schedule", call -> asked.add(((ScheduleCommand) call[0]).durability())))
                .open();
        settled(engine.schedule(timer("a").withDurability(Durability.SYNC)));
        settled(engine.schedule(timer("a")));
        assertThat(asked).containsExactly(Durability.SYNC, null);
    }

    @Test
    void whatIsAskedOfAPlanIsAskedOfTheStore() {
        List<ScheduleCommand> asked = new ArrayList<>();
        Tickwheel engine = builder(watched("schedule", call -> asked.add((ScheduleCommand) call[0])))
                .open();
        TimerRequest plan = TimerRequest.recurring("q", "k", Recurrence.fixedRate(Duration.ofMinutes(1)))
                .withRequestHash(77)
                .withDurability(Durability.SYNC);
        settled(engine.schedule(plan));
        settled(engine.schedule(plan.withRequestHash(78)));
        settled(engine.runNow("q", "k", CommandOptions.NONE.withDurability(Durability.SYNC)));
        assertThat(asked).extracting(ScheduleCommand::requestHash).containsExactly(77L, 78L, 0L);
        assertThat(asked)
                .extracting(ScheduleCommand::durability)
                .containsExactly(Durability.SYNC, Durability.SYNC, Durability.SYNC);
    }

    /** A lane whose attempts take less than a second gets on, though others of it wait. */
    @Test
    void laneIsSuspendedWhenNoneOfItsAttemptsHasMovedForASecond() {
        List<Lane> suspended = new ArrayList<>();
        Tickwheel engine = builder(watched("suspend", call -> suspended.add((Lane) call[0])))
                .attemptsPerQueue(1)
                .open();
        for (int i = 0; i < 50; i++) {
            settled(engine.schedule(
                    TimerRequest.after("q", "k" + i, Duration.ZERO).withDestination(new Destination("t", ""))));
        }
        for (int i = 0; i < 20; i++) {
            threads.advance(Duration.ofMillis(900));
            assertThat(suspended).isEmpty();
            running.remove(0).acknowledge();
            threads.runUntilIdle();
        }
        threads.advance(Duration.ofMillis(2_100));
        assertThat(suspended).hasSize(1);
        assertThat(suspended.get(0).queue()).isEqualTo("q");
    }

    @Test
    void namesAreCheckedWhateverIsAsked() {
        Tickwheel engine = open();
        assertThatThrownBy(() -> engine.handle("a/b", attempt -> {})).hasMessageContaining("U+002F at 1");
        assertThatThrownBy(() -> engine.find("", "k")).hasMessageContaining("0 characters");
        assertThatThrownBy(() -> engine.cancel("q", "")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> engine.list(TimerQuery.of("a b"))).hasMessageContaining("U+0020 at 1");
        assertThatThrownBy(() -> engine.list(TimerQuery.of("q").withKeyPrefix("\n")))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> engine.countDue("a b", Duration.ofSeconds(1), 1))
                .hasMessageContaining("U+0020 at 1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0.999S", "PT-1S", "PT876000H0.001S", "PT1.0000001S", "PT1000000000000H"})
    void lengthOfABucketIsOutOfRange(String bucket) {
        Tickwheel engine = open();
        assertThatThrownBy(() -> engine.countDue("q", Duration.parse(bucket), 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("bucket is " + bucket + ", must be ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT1S", "PT1M", "PT876000H"})
    void bucketsBeginAtMultiplesOfTheirLength(String bucket) {
        Tickwheel engine = open();
        settled(engine.schedule(TimerRequest.after("q", "a", Duration.ofMillis(500))));
        long bucketMs = Duration.parse(bucket).toMillis();
        var counts = settled(engine.countDue("q", Duration.parse(bucket), 2));
        assertThat(counts.fromMs() % bucketMs).isZero();
        assertThat(clock.wallMs() - counts.fromMs()).isBetween(0L, bucketMs - 1);
        assertThat(counts.bucketMs()).isEqualTo(bucketMs);
        assertThat(counts.counts()).containsExactly(1L, 0L);
    }

    @Test
    void pagesAndCountsAreGiven() {
        Tickwheel engine = open();
        settled(engine.schedule(timer("a")));
        settled(engine.schedule(timer("b")));
        TimerPage page = settled(engine.list(TimerQuery.of("q").withLimit(1)));
        assertThat(page.timers())
                .singleElement()
                .satisfies(view -> assertThat(view.key().key()).isEqualTo("a"));
        assertThat(page.next()).isNotNull();
        assertThat(settled(engine.countDue(new DueCountQuery(null, clock.wallMs(), 3_600_000, 2)))
                        .counts())
                .containsExactly(0L, 2L);
        assertThat(engine.liveCount()).isEqualTo(2);
    }

    /** So many bytes may wait for their answers; when these are given, as many may again. */
    @Test
    void moreThanMayWaitIsRefusedUntilThereIsRoom() {
        Tickwheel engine = open();
        int first = fill(engine);
        assertThat(first).isGreaterThan(2);
        for (int round = 0; round < 3; round++) {
            threads.runUntilIdle();
            assertThat(fill(engine)).as("round %s", round).isEqualTo(first);
        }
        threads.runUntilIdle();
        assertThat(engine.liveCount()).isEqualTo(first);
    }

    @Test
    void pollForWhichThereIsNoRoomIsRefused() {
        Tickwheel engine = open();
        fill(engine);
        CompletableFuture<?> last = engine.schedule(timer("small"));
        while (!last.isDone()) {
            last = engine.schedule(timer("small"));
        }
        CompletableFuture<List<Lease>> poll = engine.lease(LeaseRequest.of("pulled"));
        assertThat(poll).isDone();
        assertThatThrownBy(poll::join).hasCauseInstanceOf(OverloadedException.class);
    }

    /** How many commands with content are taken. */
    private static int fill(Tickwheel engine) {
        for (int taken = 0; ; taken++) {
            CompletableFuture<Scheduled> answer =
                    engine.schedule(timer("k" + taken).withPayload(new byte[MEBIBYTE]));
            if (answer.isDone()) {
                assertThatThrownBy(answer::join).hasCauseInstanceOf(OverloadedException.class);
                return taken;
            }
        }
    }

    /** A page may be large, and a count: that many of them are refused long before as many commands are. */
    @Test
    void answersAreReckonedByWhatTheyMayHave() {
        Tickwheel engine = open();
        int pages = 0;
        while (!engine.list(TimerQuery.of("q").withLimit(1_000)).isDone()) {
            pages++;
        }
        threads.runUntilIdle();
        int counts = 0;
        while (!engine.countDue(new DueCountQuery("q", 0, 1_000, 1_000)).isDone()) {
            counts++;
        }
        threads.runUntilIdle();
        int finds = 0;
        while (!engine.find("q", "k").isDone()) {
            finds++;
        }
        assertThat(finds).isGreaterThan(20 * counts);
        assertThat(counts).isGreaterThan(10 * pages);
        assertThat(pages).isGreaterThan(1);
    }

    @Test
    void whatComesAfterTheCloseIsRefusedAndTakesNoRoom() {
        Tickwheel engine = open();
        CompletableFuture<Void> closed = engine.closeAsync();
        threads.runUntilIdle();
        assertThat(closed).isCompleted();
        assertThat(engine.isRunning()).isFalse();
        for (int i = 0; i < 1_000; i++) {
            CompletableFuture<Scheduled> refused = engine.schedule(timer("k").withPayload(new byte[MEBIBYTE]));
            assertThatThrownBy(refused::join)
                    .hasCauseInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("the engine is closed");
        }
        assertThatThrownBy(() -> engine.handle("q", attempt -> {})).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void handlerIsOneForAQueue() {
        Tickwheel engine = open();
        List<String> handled = new ArrayList<>();
        settled(engine.schedule(TimerRequest.after("q", "a", Duration.ZERO)));
        assertThat(handled).isEmpty();
        engine.handle("q", attempt -> handled.add(attempt.key()));
        threads.runUntilIdle();
        assertThat(handled).containsExactly("a");
        assertThatThrownBy(() -> engine.handle("q", attempt -> {})).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void refusalForWantOfRoomIsToldToTheCallerAndTheListener() {
        Tickwheel engine = builder(full()).open();
        CompletableFuture<Scheduled> refused = engine.schedule(timer("a"));
        threads.runUntilIdle();
        assertThatThrownBy(refused::join).hasCauseInstanceOf(StoreFullException.class);
        assertThat(told).containsExactly("refused full");
        assertThat(engine.isRunning()).isTrue();
    }

    /** Also what waits when it stops: everything is answered, once, and the room of it is free. */
    @Test
    void storeThatFailsStopsTheEngineOnce() {
        boolean[] fails = new boolean[1];
        Tickwheel engine = builder(watched("work", call -> {
                    if (fails[0]) {
                        throw new StoreFailedException("planted", true, new IllegalStateException("disk"));
                    }
                }))
                .open();
        settled(engine.schedule(timer("a")));
        CompletableFuture<List<Lease>> poll =
                engine.lease(LeaseRequest.of("pulled").withWait(Duration.ofSeconds(60)));
        threads.runUntilIdle();
        fails[0] = true;
        CompletableFuture<Scheduled> unknown = engine.schedule(timer("b"));
        threads.runUntilIdle();
        assertThatThrownBy(unknown::join).hasCauseInstanceOf(StoreFailedException.class);
        assertThat(poll).as("a poll that waited").isDone();
        assertThatThrownBy(poll::join).hasCauseInstanceOf(StoreFailedException.class);
        assertThat(told).containsExactly("stopped planted");
        assertThat(engine.isRunning()).isFalse();
        for (int i = 0; i < 200; i++) {
            CompletableFuture<Scheduled> refused = engine.schedule(timer("c").withPayload(new byte[MEBIBYTE]));
            threads.runUntilIdle();
            assertThatThrownBy(refused::join).hasCauseInstanceOf(StoreFailedException.class);
        }
        threads.advance(Duration.ofMinutes(3));
        assertThat(told).containsExactly("stopped planted");
        CompletableFuture<Void> closed = engine.closeAsync();
        threads.runUntilIdle();
        assertThat(closed).isCompleted();
    }

    @Test
    void anAttemptEndsOnce() {
        Tickwheel engine = open();
        settled(engine.schedule(TimerRequest.after("q", "a", Duration.ZERO).withDestination(new Destination("t", ""))));
        Delivery delivery = running.remove(0);
        assertThatThrownBy(() -> delivery.fail("busy", Duration.ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("PT-0.001S");
        delivery.fail("busy", Duration.ofDays(40));
        delivery.acknowledge();
        threads.runUntilIdle();
        var view = settled(engine.find("q", "a")).orElseThrow();
        assertThat(Duration.between(clock.now(), view.attemptAt())).isEqualTo(Duration.ofDays(30));
        settled(engine.schedule(TimerRequest.after("q", "b", Duration.ZERO).withDestination(new Destination("t", ""))));
        running.remove(0).fail("busy", Duration.ofDays(30).minusMillis(1));
        threads.runUntilIdle();
        view = settled(engine.find("q", "b")).orElseThrow();
        assertThat(Duration.between(clock.now(), view.attemptAt()))
                .isEqualTo(Duration.ofDays(30).minusMillis(1));
    }

    @Test
    void changesAreAsDurableAsIsAskedFor() {
        List<Durability> asked = new ArrayList<>();
        Tickwheel engine = builder(watched("change", call -> asked.add(((ChangeCommand) call[0]).durability())))
                .open();
        CommandOptions sync = CommandOptions.NONE.withDurability(Durability.SYNC);
        settled(engine.schedule(timer("k")));
        settled(engine.schedule(TimerRequest.recurring("q", "p", Recurrence.fixedRate(Duration.ofMinutes(1)))));
        settled(engine.runNow("q", "k", sync));
        settled(engine.pausePlan("q", "p", sync));
        settled(engine.resumePlan("q", "p", sync));
        assertThat(asked).containsExactly(Durability.SYNC, Durability.SYNC, Durability.SYNC);
    }

    /** A change that comes to nothing, too. */
    @Test
    void otherChangesAreAsDurableAsIsAskedFor() {
        List<Durability> asked = new ArrayList<>();
        Tickwheel engine = builder(watched("change", call -> asked.add(((ChangeCommand) call[0]).durability())))
                .open();
        CommandOptions sync = CommandOptions.NONE.withDurability(Durability.SYNC);
        settled(engine.schedule(timer("k").withTouchable()));
        settled(engine.reschedule("q", "k", Duration.ofHours(2), sync));
        settled(engine.touch("q", "k", sync));
        settled(engine.redrive("q", "k", sync));
        settled(engine.purge("q", "k", sync));
        settled(engine.redrive(
                settled(engine.read("q", "k")).orElseThrow(), timer("k").withDurability(Durability.SYNC)));
        assertThat(asked).hasSize(5).allMatch(Durability.SYNC::equals);
    }

    @Test
    void cancelIsAsDurableAsIsAskedFor() {
        List<Object> asked = new ArrayList<>();
        Tickwheel engine =
                builder(watched("cancel", call -> asked.add(call[2]))).open();
        settled(engine.schedule(timer("k")));
        settled(engine.cancel("q", "k", CommandOptions.NONE.withDurability(Durability.SYNC)));
        assertThat(asked).containsExactly(Durability.SYNC);
    }

    @Test
    void scheduleWithALongestWaitIsAsDurableAsIsAskedForAndKeepsItsHash() {
        List<ScheduleCommand> asked = new ArrayList<>();
        Tickwheel engine = builder(watched("schedule", call -> asked.add((ScheduleCommand) call[0])))
                .open();
        TimerRequest event = timer("k")
                .withOnConflict(OnConflict.LATEST)
                .withMaxWait(Duration.ofHours(2))
                .withRequestHash(77)
                .withDurability(Durability.SYNC);
        settled(engine.schedule(event));
        settled(engine.schedule(event));
        assertThat(asked).extracting(ScheduleCommand::requestHash).containsExactly(77L, 77L);
        assertThat(asked).extracting(ScheduleCommand::durability).containsExactly(Durability.SYNC, Durability.SYNC);
    }

    @Test
    void settingsAreForgottenAsDurablyAsIsAskedFor() {
        List<Object> asked = new ArrayList<>();
        Tickwheel engine =
                builder(watched("cancel", call -> asked.add(call[2]))).open();
        settled(engine.changeQueue("q", QueueChange.pause()));
        settled(engine.forgetQueue("q", CommandOptions.NONE.withDurability(Durability.SYNC)));
        assertThat(asked).containsExactly(Durability.SYNC);
    }

    @Test
    void planThatWasCancelledMakesNoRun() {
        Tickwheel engine = open();
        settled(engine.schedule(TimerRequest.recurring("q", "p", Recurrence.fixedRate(Duration.ofMinutes(1)))));
        settled(engine.cancel("q", "p"));
        assertThat(settled(engine.runNow("q", "p")).outcome()).isNotEqualTo(Changed.Outcome.CHANGED);
        assertThat(engine.liveCount()).isZero();
    }
}
