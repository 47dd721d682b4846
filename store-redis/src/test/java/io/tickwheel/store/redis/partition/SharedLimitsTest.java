package io.tickwheel.store.redis.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Delivery;
import io.tickwheel.engine.Destination;
import io.tickwheel.engine.QueueChange;
import io.tickwheel.engine.QueueSettings;
import io.tickwheel.engine.RateLimit;
import io.tickwheel.engine.SlowStart;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.testkit.ManualClock;
import io.tickwheel.testkit.ManualThreads;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Several nodes keep to the limits of a queue together: engines in the time of a manual clock, each with timers of its own, and the real script. What runs and starts is
 * counted by their targets.
 */
final class SharedLimitsTest {

    private static final Duration HOLD = Duration.ofMillis(LimitScript.HOLD_MS);

    private static RedisServer server;

    private final ManualClock clock = new ManualClock(Instant.parse("2030-01-01T00:00:00Z"));
    private final ManualThreads threads = new ManualThreads(clock, new SplittableRandom(1));
    private final Map<String, LimitScript> scripts = LentStarts.scripts();
    private final List<Node> nodes = new ArrayList<>();

    /** How long each attempt runs. */
    private Duration lasts = Duration.ZERO;

    /** Attempts end this much late at most. */
    private Duration moment = Duration.ofMillis(10);

    private int mostRunning;

    @BeforeAll
    static void start() {
        server = RedisServer.builder().start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void forget() {
        server.command("FLUSHALL");
    }

    private record Running(Delivery delivery, Instant until) {}

    private final class Node {

        final LentStarts limits;
        final Tickwheel engine;
        final ArrayDeque<Running> running = new ArrayDeque<>();
        int started;
        boolean isDead;

        Node(QueueSettings settings) {
            limits = new LentStarts(server, clock, "node" + nodes.size(), scripts);
            nodes.add(this);
            engine = Tickwheel.builder(limits.store())
                    .clock(clock)
                    .threads(threads)
                    .random(new SplittableRandom(nodes.size())::nextLong)
                    .target("count", this::deliver)
                    .queue("q", settings.withTarget(new Destination("count", "x")))
                    .open();
            threads.runUntilIdle();
        }

        private void deliver(Attempt attempt, Delivery delivery) {
            started++;
            running.add(new Running(delivery, clock.now().plus(lasts)));
            mostRunning = Math.max(mostRunning, running());
            endOver();
        }

        void endOver() {
            while (!running.isEmpty() && !running.getFirst().until.isAfter(clock.now())) {
                running.remove().delivery.acknowledge();
            }
        }

        void schedule(int timers) {
            for (int i = 0; i < timers; i++) {
                settled(engine.schedule("q", "k" + i, Duration.ZERO));
            }
        }

        void die() {
            isDead = true;
            limits.isCutOff = true;
        }
    }

    private static QueueSettings concurrency(int concurrency) {
        return QueueSettings.NONE.withConcurrency(concurrency);
    }

    private static QueueSettings rate(double perSecond) {
        return QueueSettings.NONE.withRate(RateLimit.of(perSecond));
    }

    private void open(int count, QueueSettings settings) {
        for (int i = 0; i < count; i++) {
            Node unused = new Node(settings);
        }
    }

    private Node node(int index) {
        return nodes.get(index);
    }

    private <T> T settled(CompletableFuture<T> answer) {
        threads.runUntilIdle();
        assertThat(answer).as("answered").isDone();
        return answer.join();
    }

    /** What runs on nodes that live. */
    private int running() {
        return nodes.stream()
                .filter(node -> !node.isDead)
                .mapToInt(node -> node.running.size())
                .sum();
    }

    private int started() {
        return nodes.stream().mapToInt(node -> node.started).sum();
    }

    private int startedIn(Duration time) {
        int before = started();
        for (Duration left = time; !left.isZero(); left = left.minus(moment)) {
            threads.advance(moment);
            nodes.stream().filter(node -> !node.isDead).forEach(Node::endOver);
        }
        return started() - before;
    }

    // ---- the rate

    @Test
    void rateIsThatOfAllNodes() {
        open(3, rate(1_000));
        nodes.forEach(node -> node.schedule(3_000));
        startedIn(Duration.ofSeconds(1));
        for (int second = 0; second < 5; second++) {
            assertThat(startedIn(Duration.ofSeconds(1))).isBetween(980, 1_020);
        }
        assertThat(nodes).allSatisfy(node -> assertThat(node.started).isBetween(1_500, 2_500));
    }

    @Test
    void rateIsUsedByOneNodeThatHasAll() {
        open(3, rate(1_000));
        node(1).schedule(6_000);
        startedIn(Duration.ofSeconds(1));
        for (int second = 0; second < 4; second++) {
            assertThat(startedIn(Duration.ofSeconds(1))).isBetween(980, 1_020);
        }
        assertThat(node(0).limits.asked + node(2).limits.asked).isZero();
    }

    @Test
    void rateIsUsedWhenOthersHaveLittle() {
        open(3, rate(1_000));
        node(0).schedule(6_000);
        startedIn(Duration.ofSeconds(1));
        int started = 0;
        for (int i = 0; i < 40; i++) {
            int number = i;
            settled(node(1 + i % 2).engine.schedule("q", "l" + number, Duration.ZERO));
            started += startedIn(Duration.ofMillis(50));
        }
        assertThat(started).isBetween(1_900, 2_050);
        assertThat(node(1).started + node(2).started).isBetween(38, 40);
    }

    @Test
    void burstOfOneIsEnoughForTheRate() {
        open(3, QueueSettings.NONE.withRate(new RateLimit(1_000, 1)));
        nodes.forEach(node -> node.schedule(2_000));
        startedIn(Duration.ofSeconds(1));
        for (int second = 0; second < 3; second++) {
            assertThat(startedIn(Duration.ofSeconds(1))).isBetween(950, 1_010);
        }
    }

    @Test
    void slowRateIsSharedToo() {
        open(3, rate(1));
        nodes.forEach(node -> node.schedule(100));
        assertThat(startedIn(Duration.ofSeconds(60))).isBetween(60, 62);
        assertThat(nodes).allSatisfy(node -> assertThat(node.started).isBetween(18, 22));
    }

    @Test
    void slowStartIsThatOfAllNodes() {
        Instant since = clock.now();
        open(3, QueueSettings.NONE.withSlowStart(new SlowStart(50, since)));
        nodes.forEach(node -> node.schedule(1_500));
        for (int t = 1; t <= 8; t++) {
            startedIn(Duration.ofSeconds(1));
            double wanted = 50.0 * t + 25.0 * t * t;
            assertThat((double) started()).as("after %d s", t).isCloseTo(wanted, within(0.1 * wanted));
        }
    }

    @Test
    void otherRateApplies() {
        open(2, rate(1_000));
        nodes.forEach(node -> node.schedule(3_000));
        startedIn(Duration.ofSeconds(1));
        for (Node node : nodes) {
            settled(node.engine.changeQueue("q", QueueChange.set(rate(100))));
        }
        startedIn(Duration.ofSeconds(1));
        assertThat(startedIn(Duration.ofSeconds(5))).isBetween(490, 510);
    }

    @Test
    void nodeThatIsCutOffStartsNothingBeyondWhatItHad() {
        open(2, rate(1_000));
        nodes.forEach(node -> node.schedule(7_000));
        startedIn(Duration.ofSeconds(1));
        node(0).limits.isCutOff = true;
        int before = node(0).started;
        int others = node(1).started;
        startedIn(Duration.ofSeconds(3));
        assertThat(node(0).started - before).isLessThan(60);
        assertThat(node(1).started - others).isBetween(2_900, 3_050);
        node(0).limits.isCutOff = false;
        startedIn(Duration.ofSeconds(3));
        before = node(0).started;
        assertThat(startedIn(Duration.ofSeconds(1))).isBetween(980, 1_020);
        assertThat(node(0).started - before).isBetween(300, 700);
    }

    // ---- the concurrency

    @Test
    void concurrencyIsThatOfAllNodes() {
        lasts = Duration.ofMillis(100);
        open(3, concurrency(3));
        nodes.forEach(node -> node.schedule(200));
        startedIn(Duration.ofSeconds(1));
        assertThat(startedIn(Duration.ofSeconds(10))).isBetween(270, 300);
        assertThat(mostRunning).isEqualTo(3);
        assertThat(nodes).allSatisfy(node -> assertThat(node.started).isGreaterThan(80));
    }

    @Test
    void concurrencyIsUsedByOneNodeThatHasAll() {
        lasts = Duration.ofMillis(100);
        open(3, concurrency(3));
        node(2).schedule(400);
        startedIn(Duration.ofSeconds(1));
        assertThat(startedIn(Duration.ofSeconds(10))).isBetween(270, 300);
        assertThat(mostRunning).isEqualTo(3);
    }

    @Test
    void fewerSlotsThanNodesGoFromOneToTheNext() {
        lasts = Duration.ofMillis(50);
        moment = Duration.ofMillis(2);
        open(5, concurrency(2));
        nodes.forEach(node -> node.schedule(200));
        assertThat(startedIn(Duration.ofSeconds(10))).isBetween(360, 400);
        assertThat(mostRunning).isEqualTo(2);
        assertThat(nodes).allSatisfy(node -> assertThat(node.started).isGreaterThan(50));
    }

    @Test
    void slotsOfANodeThatHasNothingToDoAreUsedByOthersAtOnce() {
        lasts = Duration.ofMillis(100);
        open(2, concurrency(4));
        node(0).schedule(4);
        startedIn(Duration.ofMillis(110));
        node(1).schedule(100);
        startedIn(Duration.ofMillis(100));
        assertThat(node(1).running).hasSize(4);
        assertThat(mostRunning).isEqualTo(4);
    }

    @Test
    void slotsOfADeadNodeAreUsedOnceTheyHaveLapsed() {
        lasts = Duration.ofHours(1);
        open(2, concurrency(4));
        node(0).schedule(3);
        startedIn(Duration.ofSeconds(1));
        node(0).die();
        node(1).schedule(10);
        startedIn(HOLD.minusMillis(500));
        assertThat(node(1).running).hasSize(1);
        startedIn(Duration.ofSeconds(1));
        assertThat(node(1).running).hasSize(4);
    }

    @Test
    void slotsOfALiveNodeAreItsOwnHoweverLongItsAttemptsRun() {
        lasts = Duration.ofMinutes(10);
        open(2, concurrency(3));
        node(0).schedule(10);
        startedIn(Duration.ofSeconds(1));
        assertThat(node(0).running).hasSize(3);
        node(1).schedule(10);
        assertThat(startedIn(HOLD.multipliedBy(10))).isZero();
    }

    @Test
    void nodeThatIsCutOffStartsNothingOnceItsSlotsHaveLapsed() {
        lasts = Duration.ofMillis(100);
        open(2, concurrency(4));
        nodes.forEach(node -> node.schedule(2_000));
        startedIn(Duration.ofSeconds(1));
        node(0).limits.isCutOff = true;
        startedIn(HOLD.plus(lasts));
        // What had begun before ran on beside what others had begun since.
        mostRunning = 0;
        int before = node(0).started;
        assertThat(node(0).running).isEmpty();
        assertThat(startedIn(Duration.ofSeconds(5))).isBetween(180, 200);
        assertThat(node(0).started).isEqualTo(before);
        node(0).limits.isCutOff = false;
        startedIn(Duration.ofSeconds(3));
        assertThat(node(0).started).isGreaterThan(before + 20);
        assertThat(mostRunning).isEqualTo(4);
    }

    @Test
    void lostRepliesLendNothingTwice() {
        lasts = Duration.ofMillis(70);
        open(3, concurrency(4));
        nodes.forEach(node -> node.schedule(2_000));
        for (int i = 0; i < 30; i++) {
            Node node = node(i % 3);
            node.limits.losesReplies = true;
            startedIn(Duration.ofMillis(300));
            node.limits.losesReplies = false;
            startedIn(Duration.ofMillis(200));
        }
        assertThat(mostRunning).isEqualTo(4);
        assertThat(started()).isGreaterThan(500);
    }

    @Test
    void otherConcurrencyAppliesAsAttemptsEnd() {
        lasts = Duration.ofMillis(100);
        open(2, concurrency(6));
        nodes.forEach(node -> node.schedule(1_000));
        startedIn(Duration.ofSeconds(1));
        for (Node node : nodes) {
            settled(node.engine.changeQueue("q", QueueChange.set(concurrency(2))));
        }
        startedIn(Duration.ofSeconds(1));
        mostRunning = 0;
        assertThat(startedIn(Duration.ofSeconds(5))).isBetween(90, 100);
        assertThat(mostRunning).isEqualTo(2);
        for (Node node : nodes) {
            settled(node.engine.changeQueue("q", QueueChange.set(concurrency(10))));
        }
        startedIn(Duration.ofSeconds(1));
        assertThat(startedIn(Duration.ofSeconds(2))).isBetween(180, 200);
        assertThat(mostRunning).isEqualTo(10);
    }

    @Test
    void bothLimitsHoldTogether() {
        lasts = Duration.ofMillis(100);
        open(3, concurrency(5).withRate(RateLimit.of(20)));
        nodes.forEach(node -> node.schedule(300));
        startedIn(Duration.ofSeconds(1));
        assertThat(startedIn(Duration.ofSeconds(10))).isBetween(180, 202);
        lasts = Duration.ofSeconds(1);
        startedIn(Duration.ofSeconds(3));
        mostRunning = 0;
        assertThat(startedIn(Duration.ofSeconds(10))).isBetween(45, 50);
        assertThat(mostRunning).isEqualTo(5);
    }

    @Test
    void closedNodeGivesItsSlotsBack() {
        lasts = Duration.ofMillis(200);
        open(2, concurrency(3));
        node(0).schedule(100);
        startedIn(Duration.ofSeconds(1));
        CompletableFuture<Void> closed = node(0).engine.closeAsync();
        startedIn(Duration.ofMillis(400));
        assertThat(closed).isDone();
        node(1).schedule(10);
        startedIn(Duration.ofMillis(30));
        assertThat(node(1).running).hasSize(3);
    }

    @Test
    void tokensAreWorthNothingAfterAStall() {
        open(1, rate(1_000));
        node(0).schedule(3_000);
        startedIn(Duration.ofSeconds(1));
        node(0).limits.isCutOff = true;
        int before = started();
        threads.stall(Duration.ofSeconds(1));
        assertThat(started()).isEqualTo(before);
    }

    @Test
    void askedNoOftenerThanItIsTold() {
        lasts = Duration.ofMinutes(1);
        open(2, concurrency(1).withRate(RateLimit.of(1_000)));
        nodes.forEach(node -> node.schedule(10));
        startedIn(Duration.ofSeconds(10));
        assertThat(node(0).limits.asked).isLessThan(200);
        assertThat(node(1).limits.asked).isLessThan(200);
    }

    @Test
    void nothingIsAskedWhileThereIsNothingToDo() {
        lasts = Duration.ofMillis(100);
        open(2, concurrency(3).withRate(RateLimit.of(100)));
        nodes.forEach(node -> node.schedule(10));
        startedIn(Duration.ofSeconds(5));
        int asked = node(0).limits.asked + node(1).limits.asked;
        startedIn(Duration.ofMinutes(1));
        assertThat(node(0).limits.asked + node(1).limits.asked).isEqualTo(asked);
        assertThat(started()).isEqualTo(20);
    }
}
