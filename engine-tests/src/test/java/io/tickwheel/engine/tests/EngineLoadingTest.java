package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Delivery;
import io.tickwheel.engine.Destination;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TickwheelBuilder;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.engine.WaitingQueue;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.Durability;
import io.tickwheel.testkit.ManualClock;
import io.tickwheel.testkit.ManualThreads;
import io.tickwheel.testkit.MemoryTimerStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** What the engine has in memory, and in which order a backlog and fresh timers are delivered from there. */
class EngineLoadingTest {

    private static final int ROOM = 1_024;

    /** What one lane with a backlog may have of it: as much as is left of a half, but for a quarter of that. */
    private static final int ALONE = 192;

    private static final Destination DESTINATION = new Destination("sim", "anywhere");

    private final SplittableRandom random = new SplittableRandom(7);
    private final ManualClock clock = new ManualClock(Instant.parse("2030-01-01T00:00:00Z"));
    private final MemoryTimerStore store = new MemoryTimerStore();
    private final ArrayDeque<Started> started = new ArrayDeque<>();
    private ManualThreads threads = new ManualThreads(clock, random.split());

    private record Started(Attempt attempt, Delivery delivery) {

        String key() {
            return attempt.key();
        }
    }

    private Tickwheel open(UnaryOperator<TickwheelBuilder> options) {
        threads = new ManualThreads(clock, random.split());
        TickwheelBuilder builder = Tickwheel.builder(store)
                .clock(clock)
                .threads(threads)
                .random(random.split()::nextLong)
                .loadedTimers(ROOM)
                .target("sim", (attempt, delivery) -> started.add(new Started(attempt, delivery)));
        return options.apply(builder).open();
    }

    private Tickwheel crashAndOpen(UnaryOperator<TickwheelBuilder> options) {
        store.crash();
        started.clear();
        return open(options);
    }

    private void schedule(Tickwheel engine, String queue, String key, Duration delay) {
        CompletableFuture<?> scheduled =
                engine.schedule(TimerRequest.after(queue, key, delay).withDestination(DESTINATION));
        threads.runUntilIdle();
        assertThat(scheduled).isCompleted();
    }

    private void scheduleBacklog(Tickwheel engine, String queue, int count) {
        List<CompletableFuture<?>> scheduled = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            scheduled.add(engine.schedule(
                    TimerRequest.after(queue, "old" + i, Duration.ofMinutes(1).plusMillis(i))
                            .withDestination(DESTINATION)));
        }
        threads.runUntilIdle();
        assertThat(scheduled).allMatch(CompletableFuture::isDone);
    }

    /** Ends running attempts, the oldest first, until none is left or so many have started; returns the keys in order. */
    private List<String> drain(int most) {
        List<String> keys = new ArrayList<>();
        while (!started.isEmpty() && keys.size() < most) {
            Started next = started.remove();
            keys.add(next.key());
            next.delivery().acknowledge();
            threads.runUntilIdle();
        }
        return keys;
    }

    @Test
    void indexHoldsNoMoreThanItsRoom() {
        Tickwheel engine = open(options -> options);
        scheduleBacklog(engine, "q", 3_000);
        clock.advance(Duration.ofHours(1));
        engine = crashAndOpen(options -> options.attemptsPerQueue(8));
        threads.runUntilIdle();
        assertThat(started).hasSize(8);
        assertThat(store.loadedCount())
                .as("as much as is left for other queues, beyond the reserve")
                .isEqualTo(ALONE);
        for (int other = 0; other < 20; other++) {
            scheduleBacklog(engine, "q" + other, 200);
        }
        threads.advance(Duration.ofMinutes(2));
        assertThat(store.mostLoaded()).as("loaded when they were fresh").isBetween(ROOM / 2, ROOM);
        assertThat(store.loadedCount()).as("two of each lane that waits").isEqualTo(42);
        for (int i = 0; i < 500; i++) {
            schedule(engine, "q", "fresh" + i, Duration.ofMillis(i % 3));
        }
        for (int i = 0; i < 500; i++) {
            started.element().delivery().fail("again");
            started.remove();
            threads.advance(Duration.ofMillis(1));
        }
        assertThat(store.mostLoaded()).isLessThanOrEqualTo(ROOM);
    }

    /** Of those that are loaded, as there is no room for all. */
    @Test
    void ofAQueueThatWaitsTheOldestTimerIsTold() {
        Tickwheel engine = open(options -> options);
        scheduleBacklog(engine, "q", 500);
        Instant scheduled = clock.now();
        clock.advance(Duration.ofHours(1));
        engine = crashAndOpen(options -> options.attemptsPerQueue(8));
        threads.advance(Duration.ofSeconds(3));
        assertThat(started).hasSize(8);
        assertThat(engine.stats().waiting())
                .containsExactly(new WaitingQueue(
                        "q",
                        WaitingQueue.Reason.LIMIT,
                        scheduled.plus(Duration.ofMinutes(1)).plusMillis(8)));
    }

    @Test
    void laneThatStalledIsLoadedAgainAsSoonAsOneOfItsAttemptsEnds() {
        Tickwheel engine = open(options -> options);
        scheduleBacklog(engine, "q", 500);
        clock.advance(Duration.ofHours(1));
        engine = crashAndOpen(options -> options.attemptsPerQueue(8));
        threads.advance(Duration.ofSeconds(3));
        assertThat(started).hasSize(8);
        assertThat(store.loadedCount()).as("kept of a lane that stalls").isEqualTo(2);
        started.remove().delivery().acknowledge();
        threads.advance(Duration.ofMillis(1));
        assertThat(started).hasSize(8);
        assertThat(store.loadedCount()).isEqualTo(ALONE);
        assertThat(engine.isRunning()).isTrue();
    }

    @Test
    void roomThatIsMadeIsFilledAtOnce() {
        Tickwheel engine = open(options -> options);
        scheduleBacklog(engine, "q", 3_000);
        clock.advance(Duration.ofHours(1));
        engine = crashAndOpen(options -> options.attemptsPerQueue(1));
        threads.runUntilIdle();
        drain(10);
        assertThat(store.loadedCount()).as("an outcome makes room").isEqualTo(ALONE);
        CompletableFuture<Cancelled> cancelled = engine.cancel("q", "old500");
        threads.runUntilIdle();
        assertThat(cancelled).isCompleted();
        assertThat(store.loadedCount()).as("a cancel makes room").isEqualTo(ALONE);
    }

    @Test
    void everyTimerIsDeliveredThroughASmallRoomOldestFirst() {
        Tickwheel engine = open(options -> options);
        scheduleBacklog(engine, "q", 5_000);
        clock.advance(Duration.ofHours(1));
        engine = crashAndOpen(options -> options.attemptsPerQueue(1));
        threads.runUntilIdle();
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) {
            expected.add("old" + i);
        }
        assertThat(drain(Integer.MAX_VALUE)).isEqualTo(expected);
        assertThat(engine.liveCount()).isZero();
    }

    @Test
    void freshTimerWaitsForABoundedNumberOfAttemptsOfABacklog() {
        Tickwheel engine = open(options -> options);
        scheduleBacklog(engine, "q", 5_000);
        clock.advance(Duration.ofHours(1));
        engine = crashAndOpen(options -> options.attemptsPerQueue(4));
        threads.runUntilIdle();
        drain(100);
        for (int i = 0; i < 10; i++) {
            schedule(engine, "q", "fresh" + i, Duration.ofMillis(50));
        }
        threads.advance(Duration.ofMillis(50));
        List<String> next = drain(60);
        for (int i = 0; i < 10; i++) {
            assertThat(next.indexOf("fresh" + i)).as("fresh%s", i).isBetween(0, 4 + 2 * (i + 1) + 8);
        }
        assertThat(next)
                .filteredOn(key -> key.startsWith("old"))
                .as("both go on")
                .hasSize(50);
    }

    @Test
    void backlogGoesOnBesideALoadOfFreshTimers() {
        Tickwheel engine = open(options -> options);
        scheduleBacklog(engine, "q", 500);
        clock.advance(Duration.ofHours(1));
        engine = crashAndOpen(options -> options.attemptsPerQueue(2));
        for (int i = 0; i < 500; i++) {
            schedule(engine, "q", "fresh" + i, Duration.ZERO);
        }
        List<String> first = drain(100);
        assertThat(first).filteredOn(key -> key.startsWith("old")).hasSizeBetween(48, 52);
    }

    @Test
    void backlogOfAQueueLeavesRoomForOthers() {
        Tickwheel engine = open(options -> options.attemptsPerQueue(1));
        scheduleBacklog(engine, "q", ROOM + 1);
        threads.advance(Duration.ofHours(1));
        schedule(engine, "other", "past", Duration.ZERO);
        assertThat(started).extracting(Started::key).containsExactly("old0", "past");
        assertThat(drain(Integer.MAX_VALUE)).hasSize(ROOM + 2);
    }

    @Test
    void loopSleepsWhileThereIsNoRoom() {
        Tickwheel engine = open(options -> options.attemptsPerQueue(1));
        scheduleBacklog(engine, "q", 2 * ROOM);
        threads.advance(Duration.ofHours(1));
        int steps = 0;
        for (int ms = 0; ms < 10_000; ms++) {
            clock.advance(Duration.ofMillis(1));
            while (threads.step()) {
                steps++;
            }
        }
        assertThat(steps).as("two looks at the clock a second").isLessThanOrEqualTo(20);
        assertThat(engine.isRunning()).isTrue();
    }

    @Test
    void farTimerIsDeliveredAtItsMillisecondHoweverLongTheLoopSlept() {
        Tickwheel engine = open(options -> options);
        schedule(engine, "q", "far", Duration.ofHours(30));
        threads.advance(Duration.ofHours(30).minusMillis(1));
        assertThat(started).isEmpty();
        threads.advance(Duration.ofMillis(1));
        assertThat(drain(1)).containsExactly("far");
    }

    @Test
    void durabilityIsThatOfTheStore() {
        assertThat(open(options -> options).durability()).isEqualTo(Durability.SYNC);
    }

    @Test
    void roomHasALowerLimit() {
        assertThatThrownBy(() -> Tickwheel.builder(store).loadedTimers(1_023))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("loadedTimers is 1023, must be at least 1024");
    }
}
