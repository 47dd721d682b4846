package io.tickwheel.store.redis.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.redis.testkit.Patience;
import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.store.TimerState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Nodes that die, stand still, come and go, while Redis is well. */
@Tag("outage")
final class OwnerFaultTest {

    private static final int PARTITIONS = 16;

    private static RedisServer server;

    @BeforeAll
    static void start() {
        server = RedisServer.builder().start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static NodeSetup setup() {
        return NodeSetup.single(server.port(), FaultRun.fresh("owner"), PARTITIONS);
    }

    /** In turn the owner of a timer dies at each phase of it: another node delivers that timer, and all others. */
    @Test
    void timersOfANodeThatDiesAtAnyPhaseAreDelivered() {
        NodeSetup setup = setup();
        Owners owners = new Owners(setup, slot -> server);
        try (FaultRun run = new FaultRun("owner killed at each phase", setup)) {
            LocalNode survivor = run.local();
            FaultLoad load = run.load(100);
            for (int round = 0; round < FaultSettings.rounds(); round++) {
                Map<NodePhase, FaultProcess> victims = new EnumMap<>(NodePhase.class);
                for (NodePhase phase : NodePhase.values()) {
                    // One after the other: many that start at once may connect too late for the limit that they have.
                    victims.put(phase, run.process().awaitReady());
                }
                for (Map.Entry<NodePhase, FaultProcess> each : victims.entrySet()) {
                    NodePhase phase = each.getKey();
                    FaultProcess victim = each.getValue();
                    String key = dieAt(phase, victim, survivor, run, owners);
                    assertThat(victim.lastWords()).isEqualTo("dying " + phase + " " + key);
                    boolean ran = phase == NodePhase.RUNNING || phase == NodePhase.HANDLED;
                    Patience.until(
                            key + " comes",
                            () -> run.ledger.deliveriesOf(key).stream()
                                    .anyMatch(delivery -> !delivery.node().equals(victim.name())));
                    assertThat(run.ledger.deliveriesOf(key)).hasSize(ran ? 2 : 1);
                }
            }
            load.stop();
            FaultReport report = run.conclude();
            assertThat(report.tiedDuplicates).isGreaterThanOrEqualTo(2 * FaultSettings.rounds());
        }
    }

    /** Has a node die of one of its timers, and returns the key of that: at the first try, unless partitions still move. */
    private static String dieAt(NodePhase phase, FaultProcess victim, LocalNode survivor, FaultRun run, Owners owners) {
        while (true) {
            String key = owners.keyOf(victim.name(), FaultRun.fresh(phase + "-") + "-");
            victim.dieAt(phase, key);
            // It has heard that when it answers what comes behind.
            assertThat(victim.cancel("nothing").join().kind()).isEqualTo(FaultAnswer.Kind.NOT_FOUND);
            CompletableFuture<FaultAnswer> unused =
                    run.ledger.schedule(survivor, key, key, System.currentTimeMillis() + 200);
            // What has come to the victim kills it, however long that takes; what has come to another one may have come
            // to nobody else.
            Patience.until(
                    key + " is met",
                    () -> !victim.isAlive()
                            || run.ledger.deliveriesOf(key).stream()
                                    .anyMatch(delivery -> !delivery.node().equals(victim.name())));
            if (victim.awaitDeath(500)) {
                return key;
            }
        }
    }

    /**
     * A node stands still for longer than its lease, with an attempt that runs and with a timer that comes due meanwhile. When it
     * goes on, its late acknowledgement ends nothing, and it claims nothing of what is another's by now.
     */
    @Test
    void nodeThatStoodStillPastItsLeaseIsFenced() {
        NodeSetup setup = setup();
        Owners owners = new Owners(setup, slot -> server);
        try (FaultRun run = new FaultRun("owner stopped past its lease", setup)) {
            LocalNode other = run.local();
            FaultProcess owner = run.process().awaitReady();
            FaultLoad load = run.load(50);
            for (int round = 0; round < FaultSettings.rounds(); round++) {
                String held = owners.keyOf(owner.name(), NodeEngine.HELD + round + "-");
                String due = owners.keyOf(owner.name(), "due" + round + "-");
                run.ledger
                        .schedule(other, held, held, System.currentTimeMillis())
                        .join();
                Patience.until("the owner runs it", () -> run.ledger.isDelivered(held));
                run.ledger
                        .schedule(other, due, due, System.currentTimeMillis() + 2_500)
                        .join();
                owner.stop();
                Patience.until(
                        "another runs it", () -> run.ledger.deliveriesOf(held).size() == 2);
                Patience.until("another delivers what came due", () -> run.ledger.isDelivered(due));
                owner.goOn();
                owner.free();
                Patience.until("the late attempt ends", () -> run.ledger.isHandled(held, owner.name()));
                // Behind the late acknowledgement.
                assertThat(run.ledger.cancel(owner, "nothing").join().kind()).isEqualTo(FaultAnswer.Kind.NOT_FOUND);
                if (round == 0) {
                    assertThat(other.find(held).state()).isEqualTo(TimerState.CLAIMED);
                    other.free();
                }
                Patience.until("it is completed", () -> other.find(held).state() == TimerState.COMPLETED);
                assertThat(run.ledger.deliveriesOf(due))
                        .extracting(FaultDelivery::node)
                        .containsExactly(other.name());
                assertThat(run.ledger.deliveriesOf(held))
                        .extracting(FaultDelivery::attempt)
                        .containsExactly(1, 2);
            }
            load.stop();
            run.conclude();
        }
    }

    /** With the default lease of 5 s. */
    @Tag("full")
    @Test
    void anotherNodeTakesOverWithinTenSeconds() {
        NodeSetup setup = setup().withLease(Duration.ofSeconds(5));
        Owners owners = new Owners(setup, slot -> server);
        try (FaultRun run = new FaultRun("take-over with the default lease", setup)) {
            LocalNode other = run.local();
            FaultProcess victim = run.process().awaitReady();
            String key = owners.keyOf(victim.name(), "k");
            String held = owners.keyOf(victim.name(), NodeEngine.HELD);
            run.ledger.schedule(other, held, held, System.currentTimeMillis()).join();
            Patience.until("the victim runs it", () -> run.ledger.isDelivered(held));
            run.ledger
                    .schedule(other, key, key, System.currentTimeMillis() + 200)
                    .join();
            other.free();
            victim.kill();
            long killedMs = System.currentTimeMillis();
            Patience.until(
                    "it comes",
                    () -> run.ledger.isDelivered(key)
                            && run.ledger.deliveriesOf(held).size() == 2);
            long tookMs = System.currentTimeMillis() - killedMs;
            run.say("the claimed and the pending timer of a dead node came after " + tookMs + " ms");
            assertThat(tookMs).isLessThan(10_000);
            run.conclude();
        }
    }

    /** What came due while no node ran comes when one does, whatever slice it lies in, the oldest of a partition first. */
    @Test
    void allThatCameDueWhileNoNodeRanIsDeliveredOldestFirst() {
        NodeSetup setup = NodeSetup.single(server.port(), FaultRun.fresh("down"), 4);
        Owners owners = new Owners(setup, slot -> server);
        try (FaultRun run = new FaultRun("backlog over slices", setup)) {
            LocalNode silent = run.silent(setup, 1);
            SplittableRandom random = new SplittableRandom(FaultSettings.seed());
            long nowMs = System.currentTimeMillis();
            List<CompletableFuture<FaultAnswer>> answers = new ArrayList<>();
            for (int i = 0; i < 400; i++) {
                // 10 minutes, in slices of 65.5 s; with some of them in one millisecond.
                long agoMs = 1_000 + random.nextInt(6_000) * 100L;
                answers.add(run.ledger.schedule(silent, "k" + i, "k" + i, nowMs - agoMs));
            }
            answers.forEach(CompletableFuture::join);
            run.end(silent);
            LocalNode node = run.silent(setup, 1);
            node.handle();
            Patience.until("all came", () -> run.ledger.deliveries().size() >= 400);
            Map<Integer, Long> reached = new HashMap<>();
            for (FaultDelivery each : run.ledger.deliveries()) {
                Long before = reached.put(owners.partition(each.key()), each.dueAtMs());
                assertThat(each.dueAtMs()).as(each.toString()).isGreaterThanOrEqualTo(before == null ? 0 : before);
            }
            run.conclude();
        }
    }

    /** All nodes are killed, and others come later: what came due meanwhile comes, and fresh timers do not wait for it. */
    @Tag("full")
    @Test
    void backlogOfAnOutageOfAllNodesDoesNotHoldUpFreshTimers() {
        NodeSetup setup = setup();
        try (FaultRun run = new FaultRun("all nodes down " + FaultSettings.outageSeconds() + " s", setup)) {
            FaultProcess first = run.process();
            FaultProcess second = run.process();
            first.awaitReady();
            second.awaitReady();
            int outageMs = FaultSettings.outageSeconds() * 1_000;
            FaultLoad load = run.load(1_000, 1_500, outageMs);
            load.awaitAnswers(1_500);
            first.kill();
            second.kill();
            long killedMs = System.currentTimeMillis();
            Patience.awaitMs(killedMs + 1_500 + outageMs);
            run.local();
            run.local();
            load.stop();
            for (int i = 0; i < 60; i++) {
                long nowMs = System.currentTimeMillis();
                CompletableFuture<FaultAnswer> unused = run.ledger.schedule(
                        run.nodes().get(run.nodes().size() - 1), "fresh" + i, "fresh" + i, nowMs + 100);
                Patience.awaitMs(nowMs + 50);
            }
            FaultReport report = run.conclude();
            long[] freshMs = run.ledger.deliveries().stream()
                    .filter(each -> each.key().startsWith("fresh"))
                    .mapToLong(each -> each.wallMs() - each.dueAtMs())
                    .sorted()
                    .toArray();
            long lastMs = freshMs[freshMs.length - 1];
            run.say("fresh timers late, ms: " + freshMs[freshMs.length / 2] + " in the median, at most " + lastMs);
            // The first ones wait until their partitions have owners; none waits for the backlog.
            assertThat(freshMs[freshMs.length / 2]).isLessThan(2_000);
            assertThat(report.deliveries).isGreaterThan(1_000);
        }
    }

    /** Nodes come and go all the time, some in an orderly way and some not. */
    @Tag("full")
    @Test
    void nothingIsLostWhenNodesComeAndGo() {
        NodeSetup setup = setup();
        Owners owners = new Owners(setup, slot -> server);
        SplittableRandom random = new SplittableRandom(FaultSettings.seed());
        try (FaultRun run = new FaultRun("nodes come and go", setup)) {
            run.local();
            FaultLoad load = run.load(100);
            List<FaultProcess> processes = new ArrayList<>();
            for (int i = 0; i < 3 * FaultSettings.rounds(); i++) {
                processes.add(run.process());
                LocalNode guest = run.local();
                processes.get(processes.size() - 1).awaitReady();
                load.awaitAnswers(50);
                run.end(guest);
                FaultProcess leaving = processes.remove(random.nextInt(processes.size()));
                if (i % 2 == 0) {
                    leaving.kill();
                } else {
                    run.end(leaving);
                }
                load.awaitAnswers(50);
            }
            load.stop();
            Set<String> running = run.nodes().stream()
                    .filter(FaultNode::isRunning)
                    .map(FaultNode::name)
                    .collect(Collectors.toSet());
            Patience.until("only those that run own something", () -> running.containsAll(owners.all()));
            run.conclude();
        }
    }
}
