package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Delivery;
import io.tickwheel.engine.Destination;
import io.tickwheel.engine.EngineListener;
import io.tickwheel.engine.RetryPolicy;
import io.tickwheel.engine.Target;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TickwheelBuilder;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.engine.WaitingQueue;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import io.tickwheel.testkit.ManualClock;
import io.tickwheel.testkit.ManualThreads;
import io.tickwheel.testkit.MemoryTimerStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** What queues and destinations that cannot deliver, or hang, take from the others: nothing that these need. */
class EngineNeighboursTest {

    private static final int ROOM = 1_024;
    private static final Instant START = Instant.parse("2030-01-01T00:00:00Z");
    private static final Destination WELL = new Destination("sim", "well/any");

    private final SplittableRandom random = new SplittableRandom(11);
    private final ManualClock clock = new ManualClock(START);
    private final MemoryTimerStore store = new MemoryTimerStore();
    private final ArrayDeque<Started> hanging = new ArrayDeque<>();
    private final List<String> delivered = new ArrayList<>();
    private final List<List<WaitingQueue>> told = new ArrayList<>();
    private ManualThreads threads = new ManualThreads(clock, random.split());

    private record Started(Attempt attempt, Delivery delivery) {}

    /** Addresses are {@code host/path}; what goes to {@code well} is acknowledged at once, the rest hangs. */
    private final Target target = new Target() {
        @Override
        public void deliver(Attempt attempt, Delivery delivery) {
            if (attempt.destination().address().startsWith("well/")) {
                delivered.add(attempt.key());
                delivery.acknowledge();
            } else {
                hanging.add(new Started(attempt, delivery));
            }
        }

        @Override
        public String route(String address) {
            return address.substring(0, address.indexOf('/'));
        }
    };

    private Tickwheel open(UnaryOperator<TickwheelBuilder> options) {
        threads = new ManualThreads(clock, random.split());
        TickwheelBuilder builder = Tickwheel.builder(store)
                .clock(clock)
                .threads(threads)
                .random(random.split()::nextLong)
                .loadedTimers(ROOM)
                .listener(new EngineListener() {
                    @Override
                    public void waiting(List<WaitingQueue> queues) {
                        told.add(queues);
                    }
                })
                .target("sim", target);
        return options.apply(builder).open();
    }

    private Tickwheel crashAndOpen(UnaryOperator<TickwheelBuilder> options) {
        store.crash();
        hanging.clear();
        delivered.clear();
        return open(options);
    }

    private void schedule(Tickwheel engine, List<TimerRequest> requests) {
        List<CompletableFuture<?>> scheduled = new ArrayList<>();
        requests.forEach(request -> scheduled.add(engine.schedule(request)));
        threads.runUntilIdle();
        assertThat(scheduled)
                .allMatch(CompletableFuture::isDone)
                .noneMatch(CompletableFuture::isCompletedExceptionally);
    }

    private static List<TimerRequest> timers(String queue, int count, Duration first) {
        List<TimerRequest> requests = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            requests.add(TimerRequest.after(queue, queue + "-" + i, first.plusMillis(i)));
        }
        return requests;
    }

    private static List<TimerRequest> timers(String queue, int count, Duration first, Destination destination) {
        return timers(queue, count, first).stream()
                .map(request -> request.withDestination(destination))
                .toList();
    }

    @Test
    void queuesWithoutATargetTakeNothingFromOneThatHasOne() {
        Tickwheel engine = open(options -> options);
        for (int queue = 0; queue < 24; queue++) {
            schedule(engine, timers("stuck" + queue, 200, Duration.ofMinutes(1)));
        }
        schedule(engine, timers("well", 300, Duration.ofMinutes(2), WELL));
        clock.advance(Duration.ofHours(1));
        engine = crashAndOpen(options -> options);
        threads.runUntilIdle();
        assertThat(delivered.size()).isEqualTo(300);
        assertThat(store.loadedCount()).isZero();
        schedule(engine, timers("well", 5, Duration.ofSeconds(3), WELL));
        threads.advance(Duration.ofSeconds(4));
        assertThat(delivered.size()).isEqualTo(305);
    }

    @Test
    void queueThatGetsAHandlerDrainsOldestFirst() {
        Tickwheel engine = open(options -> options);
        for (int queue = 0; queue < 3; queue++) {
            schedule(engine, timers("stuck" + queue, 1_500, Duration.ofMinutes(1)));
        }
        threads.advance(Duration.ofHours(1));
        List<String> handled = new ArrayList<>();
        engine.handle("stuck1", attempt -> handled.add(attempt.key()));
        threads.runUntilIdle();
        assertThat(handled).hasSize(1_500);
        List<String> inOrder = new ArrayList<>();
        timers("stuck1", 1_500, Duration.ZERO)
                .forEach(request -> inOrder.add(request.key().key()));
        for (int place = 0; place < inOrder.size(); place++) {
            assertThat(Math.abs(handled.indexOf(inOrder.get(place)) - place)).isLessThan(600);
        }
        assertThat(engine.liveCount()).isEqualTo(3_000);
    }

    @Test
    void hangingTargetsLeaveCreditsForOthers() {
        for (int lanes : new int[] {1, 16, 17, 200}) {
            Tickwheel engine =
                    crashAndOpen(options -> options.attemptsInAll(512).attemptsPerQueue(64));
            for (int i = 0; i < lanes; i++) {
                schedule(engine, timers("hangs" + i, 80, Duration.ZERO, new Destination("sim", "hangs" + i + "/")));
            }
            threads.advance(Duration.ofSeconds(5));
            assertThat(hanging.size()).as("%s lanes", lanes).isBetween(Math.min(56 * lanes, 128), 511);
            schedule(engine, timers("well", 500, Duration.ZERO, WELL));
            threads.advance(Duration.ofMillis(500));
            assertThat(delivered.size()).as("beside %s lanes", lanes).isEqualTo(500);
            hanging.forEach(started -> started.delivery().acknowledge());
        }
    }

    /** More destinations hang than attempts may run: what is quick goes on, and once the first attempts have come to their timeout, so does what is new. */
    @Test
    void moreHangingTargetsThanAttemptsLeaveSomeToOthers() {
        Tickwheel engine = open(options -> options.attemptsInAll(256)
                .attemptsPerQueue(64)
                .retry(RetryPolicy.fixed(RetryPolicy.MAX_ATTEMPTS, Duration.ofMillis(100))));
        schedule(engine, timers("well", 10, Duration.ZERO, WELL));
        threads.advance(Duration.ofMillis(10));
        assertThat(delivered).hasSize(10);
        // Of the queue there is always something to do, as of one that is known to be quick.
        for (int ms = 0; ms < 3_000; ms += 2) {
            schedule(
                    engine,
                    List.of(TimerRequest.after("well", "steady-" + ms, Duration.ofMillis(ms))
                            .withDestination(WELL)));
        }
        for (int i = 0; i < 400; i++) {
            schedule(engine, timers("hangs" + i, 3, Duration.ofMillis(200), new Destination("sim", "hangs" + i + "/")));
        }
        threads.advance(Duration.ofSeconds(2));
        assertThat(hanging.size()).as("all but the last ones").isEqualTo(248);
        delivered.clear();
        threads.advance(Duration.ofMillis(500));
        assertThat(delivered.size()).as("one each two milliseconds").isBetween(249, 251);

        for (int seconds = 0; seconds < 60; seconds += 5) {
            List.copyOf(hanging).forEach(started -> started.delivery().unreachable("no answer in 5 s"));
            hanging.clear();
            threads.advance(Duration.ofSeconds(5));
        }
        assertThat(hanging.size()).as("half").isEqualTo(128);
        delivered.clear();
        schedule(engine, timers("new", 500, Duration.ZERO, WELL));
        threads.advance(Duration.ofMillis(600));
        assertThat(delivered).hasSize(500);
    }

    @Test
    void targetsThatBeginToHangLeaveCreditsForOthers() {
        Tickwheel engine = open(options -> options.attemptsInAll(512).attemptsPerQueue(256));
        for (int i = 0; i < 16; i++) {
            schedule(engine, timers("q" + i, 10, Duration.ZERO, WELL));
        }
        threads.advance(Duration.ofMillis(500));
        assertThat(delivered.size()).isEqualTo(160);
        for (int i = 0; i < 16; i++) {
            schedule(engine, timers("q" + i, 300, Duration.ZERO, new Destination("sim", "hangs/")));
        }
        threads.advance(Duration.ofSeconds(5));
        delivered.clear();
        schedule(engine, timers("well", 500, Duration.ZERO, WELL));
        threads.advance(Duration.ofMillis(500));
        assertThat(delivered.size()).isEqualTo(500);
    }

    @Test
    void hangingDestinationLeavesAnotherOfTheSameQueueItsCredits() {
        Tickwheel engine = open(options -> options.attemptsInAll(2_048).attemptsPerQueue(2_048));
        schedule(engine, timers("q", 3_000, Duration.ofMillis(1), new Destination("sim", "hangs/")));
        threads.advance(Duration.ofSeconds(30));
        assertThat(hanging.size()).as("a quarter").isEqualTo(512);
        schedule(engine, timers("q", 1, Duration.ZERO, WELL));
        assertThat(delivered.size()).isEqualTo(1);
    }

    @Test
    void hangingDestinationDoesNotTakeAllAttemptsOfItsQueue() {
        Tickwheel engine = open(options -> options.attemptsInAll(2_048).attemptsPerQueue(256));
        schedule(engine, timers("q", 3_000, Duration.ofMillis(1), new Destination("sim", "hangs/")));
        threads.advance(Duration.ofSeconds(15));
        assertThat(hanging.size()).as("all but an eighth").isEqualTo(224);
        schedule(engine, timers("q", 500, Duration.ofMillis(1), WELL));
        threads.advance(Duration.ofMillis(700));
        assertThat(delivered.size()).isEqualTo(500);
    }

    @Test
    void laneThatIsSuspendedAndThenHasNothingLoadedGoesOn() {
        Tickwheel engine = open(options -> options.attemptsInAll(1));
        schedule(engine, timers("first", 1, Duration.ZERO, new Destination("sim", "hangs/")));
        schedule(engine, timers("q", 5, Duration.ZERO, WELL));
        threads.advance(Duration.ofSeconds(5));
        assertThat(store.loadedCount()).as("those that are kept").isEqualTo(2);
        assertThat(engine.cancel("q", "q-0")).isNotNull();
        assertThat(engine.cancel("q", "q-1")).isNotNull();
        threads.advance(Duration.ofSeconds(5));
        hanging.remove().delivery().acknowledge();
        threads.advance(Duration.ofSeconds(5));
        assertThat(delivered.size()).isEqualTo(3);
        assertThat(engine.liveCount()).isZero();
    }

    @Test
    void attemptsAreLimitedByTheirContentToo() {
        Tickwheel engine = open(options -> options.attemptBytes(1 << 20));
        Destination slow = new Destination("sim", "slow/");
        List<TimerRequest> large = new ArrayList<>();
        for (TimerRequest request : timers("large", 30, Duration.ZERO, slow)) {
            large.add(request.withPayload(new byte[200_000]));
        }
        schedule(engine, large);
        threads.advance(Duration.ofMillis(100));
        assertThat(hanging.size()).as("200 kB each, and none has ended").isEqualTo(2);
        schedule(engine, timers("well", 100, Duration.ZERO, WELL));
        threads.advance(Duration.ofMillis(100));
        assertThat(delivered).as("small ones go on").hasSize(100);
        schedule(
                engine,
                List.of(TimerRequest.after("huge", "huge", Duration.ZERO)
                        .withDestination(slow)
                        .withPayload(new byte[4 << 20])));
        int ended = 0;
        while (!hanging.isEmpty()) {
            assertThat(hanging.stream().filter(started -> started.attempt().payload().length == 200_000))
                    .hasSizeLessThanOrEqualTo(5);
            hanging.remove().delivery().acknowledge();
            threads.runUntilIdle();
            ended++;
        }
        assertThat(ended).as("also the one that is larger than the limit").isEqualTo(31);
        assertThat(engine.liveCount()).isZero();
    }

    @Test
    void hangingTargetsWithLargeContentsLeaveSomeToOthers() {
        Tickwheel engine = open(options -> options.attemptBytes(1 << 20));
        for (int host = 0; host < 15; host++) {
            List<TimerRequest> large = new ArrayList<>();
            for (TimerRequest request : timers("hangs" + host, 20, Duration.ZERO, new Destination("sim", "hangs/"))) {
                large.add(request.withPayload(new byte[80_000]));
            }
            schedule(engine, large);
            threads.advance(Duration.ofMillis(500));
        }
        assertThat(hanging.size()).isBetween(15, 25);
        List<TimerRequest> well = new ArrayList<>();
        for (TimerRequest request : timers("well", 50, Duration.ZERO, WELL)) {
            well.add(request.withPayload(new byte[80_000]));
        }
        schedule(engine, well);
        threads.advance(Duration.ofSeconds(1));
        assertThat(delivered).as("as large as those that hang").hasSize(50);
    }

    @Test
    void expiryCountsFromTheFirstDueTime() {
        Tickwheel engine = open(options -> options);
        schedule(
                engine,
                List.of(TimerRequest.after("q", "k", Duration.ZERO)
                        .withDestination(new Destination("sim", "fails/"))
                        .withRetry(RetryPolicy.exponential(10, Duration.ofMillis(400)))
                        .withExpireAfter(Duration.ofSeconds(1))));
        int attempts = 0;
        for (int ms = 0; ms < 20_000; ms += 10) {
            while (!hanging.isEmpty()) {
                Started started = hanging.remove();
                attempts++;
                assertThat(started.attempt().dueAt()).isEqualTo(START);
                assertThat(started.attempt().lateness())
                        .isBetween(Duration.between(START, started.attempt().attemptAt()), Duration.ofSeconds(1));
                assertThat(started.attempt().attemptAt()).isBetween(START, clock.now());
                started.delivery().fail("500");
                threads.runUntilIdle();
            }
            threads.advance(Duration.ofMillis(10));
        }
        assertThat(attempts).as("at 0 and 0.4 s; the third would be at 1.2 s").isEqualTo(2);
        CompletableFuture<Optional<TimerView>> found = engine.find("q", "k");
        threads.runUntilIdle();
        assertThat(found).isDone();
        assertThat(found.join().orElseThrow().state()).isEqualTo(TimerState.EXPIRED);
    }

    @Test
    void whatWaitsIsToldWithItsReason() {
        Tickwheel engine = open(options -> options.attemptsPerQueue(1));
        schedule(engine, timers("none", 3, Duration.ofSeconds(1)));
        schedule(engine, timers("hangs", 3, Duration.ofSeconds(2), new Destination("sim", "hangs/")));
        schedule(engine, timers("well", 3, Duration.ofSeconds(1), WELL));
        threads.advance(Duration.ofSeconds(1));
        assertThat(told).as("nothing waits for long").isEmpty();
        threads.advance(Duration.ofSeconds(5));
        assertThat(told.get(told.size() - 1))
                .containsExactlyInAnyOrder(
                        new WaitingQueue("none", WaitingQueue.Reason.NO_TARGET, START.plusSeconds(1)),
                        new WaitingQueue(
                                "hangs",
                                WaitingQueue.Reason.LIMIT,
                                START.plusSeconds(2).plusMillis(1)));
        engine.handle("none", attempt -> {});
        hanging.forEach(started -> started.delivery().acknowledge());
        assertThat(engine.cancel("hangs", "hangs-1")).isNotNull();
        assertThat(engine.cancel("hangs", "hangs-2")).isNotNull();
        threads.advance(Duration.ofSeconds(3));
        hanging.forEach(started -> started.delivery().acknowledge());
        threads.advance(Duration.ofSeconds(3));
        assertThat(told.get(told.size() - 1)).isEmpty();
        int tellings = told.size();
        threads.advance(Duration.ofSeconds(10));
        assertThat(told).as("once that nothing waits").hasSize(tellings);
    }
}
