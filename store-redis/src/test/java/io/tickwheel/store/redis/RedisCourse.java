package io.tickwheel.store.redis;

import static io.tickwheel.store.redis.RedisLedger.check;

import io.tickwheel.store.ChangeCommand;
import io.tickwheel.store.Durability;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.SpawnCommand;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.redis.RedisFaults.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * One course of a simulation: some nodes on some servers, clients that want the same few keys, and all that can go wrong. What is next is
 * drawn each time, and everything comes from the seed. In the end all is well again, and every timer must have had its due.
 */
final class RedisCourse {

    private static final String NAMESPACE = "courses";
    private static final int MOST_NODES = 3;
    private static final OnConflict[] RULES = {
        OnConflict.REPLACE,
        OnConflict.REPLACE,
        OnConflict.REPLACE,
        OnConflict.KEEP,
        OnConflict.FAIL,
        OnConflict.EARLIEST,
        OnConflict.LATEST,
        OnConflict.ONCE
    };
    private static final long MILLI = 1_000_000;
    private static final int PATIENCE_LEASES = 8;
    private static final int PATIENCE_MS = 3_000;
    private static final int MOST_OPENINGS = 1_000;
    private static final int MOST_ROUNDS = 1_500;

    private final RedisWorld world;
    private final SplittableRandom random;
    private final RedisOptions options;
    private final RedisFaults faults;
    private final List<SimulatedNode> nodes = new ArrayList<>();
    private final List<TimerKey> keys = new ArrayList<>();
    private final int steps;
    private final int commandsOneIn;
    private final int faultsOneIn;
    private final int mostNodes;
    private int opened;

    RedisCourse(SimulatedRedis redis, long seed, RedisBug bug) {
        random = new SplittableRandom(seed);
        boolean isCluster = random.nextInt(3) == 0;
        int partitions = 1 + random.nextInt(3);
        long leaseMs = random.nextBoolean() ? 1_000 : 3_000;
        options = RedisOptions.defaults(RedisAddress.single("redis://127.0.0.1:1"))
                .withNamespace(NAMESPACE)
                .withPartitions(partitions)
                .withLease(Duration.ofMillis(leaseMs))
                .withTimeout(Duration.ofMillis(2 * leaseMs))
                .withDurability(random.nextBoolean() ? Durability.replicated(1) : Durability.MEMORY)
                .withFinishedRemembered(random.nextInt(4) == 0 ? 2 * partitions : 1_000);
        world = new RedisWorld(redis, bug, random.split(), options, isCluster);
        Set<Fault> some = EnumSet.noneOf(Fault.class);
        for (Fault fault : Fault.values()) {
            if (random.nextInt(3) == 0) {
                some.add(fault);
            }
        }
        faults = new RedisFaults(this, random.split(), options.lease().toNanos(), some);
        for (int i = 0; i < 2 + random.nextInt(6); i++) {
            keys.add(new TimerKey(i % 2 == 0 ? "a" : "b", "k" + i));
        }
        steps = 200 + random.nextInt(600);
        commandsOneIn = 1 + random.nextInt(4);
        faultsOneIn = 1 + random.nextInt(3);
        mostNodes = 1 + random.nextInt(MOST_NODES);
    }

    List<SimulatedNode> nodes() {
        return nodes;
    }

    RedisWorld world() {
        return world;
    }

    @Override
    public String toString() {
        return options.partitions().orElseThrow() + " partitions" + (world.isCluster ? " on a cluster" : "")
                + ", lease "
                + options.lease() + ", " + options.durability() + ", " + options.finishedRemembered() + " remembered, "
                + mostNodes + " nodes, " + faults;
    }

    void run() {
        while (nodes.size() < mostNodes) {
            open();
        }
        // A namespace that is lost as a whole is another matter.
        world.masters.forEach(each -> each.replicated = each.journalSize());
        for (int i = 0; i < steps; i++) {
            step();
        }
        heal();
        drain();
        close();
        world.ledger.judge();
    }

    // ---- steps

    private void step() {
        faults.passTime();
        int next = random.nextInt(20);
        if (next < 6) {
            turnAny();
        } else if (next < 11) {
            executeSome();
        } else if (next < 15) {
            arriveSome();
        } else if (next < 17) {
            world.advance(someNanos());
        } else if (next == 17 && random.nextInt(faultsOneIn) == 0) {
            faults.strike();
            if (nodes.size() < mostNodes && random.nextInt(3) == 0) {
                open();
            }
        } else if (random.nextInt(commandsOneIn) == 0) {
            commandAny();
        }
    }

    private void turnAny() {
        SimulatedNode node = anyNode();
        if (!node.isStalled()) {
            turn(node);
        }
    }

    private void turn(SimulatedNode node) {
        node.turn();
        if (node.isLeaving() && node.isDone()) {
            world.note(node.link.node + " closes");
            nodes.remove(node);
            node.close();
            openIfNone();
        }
    }

    SimulatedNode anyNode() {
        return nodes.get(random.nextInt(nodes.size()));
    }

    private long someNanos() {
        return switch (random.nextInt(8)) {
            case 0, 1, 2 -> random.nextLong(5 * MILLI);
            case 3, 4, 5 -> random.nextLong(100 * MILLI);
            case 6 -> random.nextLong(500 * MILLI);
            default -> random.nextLong(options.lease().toNanos());
        };
    }

    private void executeSome() {
        List<SimulatedCall> all = new ArrayList<>();
        for (int i = random.nextInt(6); i >= 0; i--) {
            List<SimulatedCall> next = new ArrayList<>();
            world.links.forEach(link -> next.addAll(link.executable()));
            if (next.isEmpty()) {
                break;
            }
            SimulatedCall call = next.get(random.nextInt(next.size()));
            call.link.taken(call);
            all.add(call);
        }
        world.execute(all);
        if (world.hasLateCopies && world.chance(8)) {
            SimulatedCall late = world.nextLate();
            if (late != null) {
                world.note("late: " + late);
                late.isLate = true;
                world.execute(List.of(late));
            }
        }
    }

    private void arriveSome() {
        if (random.nextBoolean()) {
            replicate();
        }
        for (int i = random.nextInt(6); i >= 0; i--) {
            List<SimulatedCall> next = new ArrayList<>();
            world.links.forEach(link -> next.addAll(link.arrivable()));
            if (next.isEmpty()) {
                return;
            }
            SimulatedCall call = next.get(random.nextInt(next.size()));
            call.link.arrive(call);
        }
    }

    private void replicate() {
        for (SimulatedMaster each : world.masters) {
            if (world.nowNanos() >= each.replicaDownNanos) {
                each.replicated += random.nextInt(each.journalSize() - each.replicated + 1);
            }
        }
    }

    private void commandAny() {
        SimulatedNode node = anyNode();
        if (node.isLeaving() || node.isStalled()) {
            return;
        }
        TimerKey any = keys.get(random.nextInt(keys.size()));
        TimerKey key = random.nextInt(8) == 0 ? runOf(any, random) : any;
        String expectedId = random.nextInt(4) == 0 ? world.ledger.anyId(key, random) : null;
        switch (random.nextInt(14)) {
            case 0, 1 -> node.cancel(key, level(), expectedId);
            case 2 -> node.find(key);
            case 3, 4 -> node.change(ChangeCommand.reschedule(key, someDueMs()), level(), expectedId);
            case 5, 6 -> node.change(ChangeCommand.redrive(key, someDueMs()), level(), expectedId);
            case 7 -> node.change(ChangeCommand.purge(key), level(), expectedId);
            default -> node.schedule(key, someDueMs(), RULES[random.nextInt(RULES.length)], level(), expectedId);
        }
    }

    /** One of the few runs of a plan. */
    static TimerKey runOf(TimerKey plan, SplittableRandom random) {
        return new TimerKey(plan.queue(), plan.key() + SpawnCommand.SEPARATOR + random.nextInt(3));
    }

    private Durability level() {
        return random.nextInt(8) > 0
                ? options.durability()
                : random.nextBoolean() ? Durability.replicated(1) : Durability.MEMORY;
    }

    private long someDueMs() {
        long nowMs = world.masters.get(0).micros(world.nowNanos()) / 1_000;
        return nowMs
                + switch (random.nextInt(6)) {
                    case 0 -> -random.nextInt(100_000);
                    case 1, 2 -> random.nextInt(20);
                    case 3, 4 -> random.nextInt(1_000);
                    default -> random.nextInt(5_000);
                };
    }

    private void open() {
        String name = "n" + ++opened;
        try {
            nodes.add(new SimulatedNode(world, name, options));
            world.note(name + " opens");
        } catch (StoreException e) {
            world.note(name + " does not open: " + e.getMessage());
        }
    }

    void openIfNone() {
        for (int i = 0; nodes.isEmpty(); i++) {
            check(i < MOST_OPENINGS, "no node opens");
            world.advance(random.nextLong(100 * MILLI));
            open();
        }
    }

    // ---- the end

    private void heal() {
        world.note("---- healed");
        world.isHealed = true;
        world.ledger.healed(world.masters.get(0).micros(world.nowNanos()) / 1_000);
        for (SimulatedMaster each : world.masters) {
            faults.rejoin(each);
            each.downNanos = 0;
            each.replicaDownNanos = 0;
            // Deliveries go on without memory.
            each.isFull &= random.nextBoolean();
        }
        nodes.forEach(node -> node.stalledNanos = 0);
        openIfNone();
    }

    /** Lets all go on until every timer is delivered and every command answered. */
    private void drain() {
        for (int round = 0; !world.ledger.isDrained() || !areQuiet(); round++) {
            check(round < MOST_ROUNDS, "not drained: " + world.ledger.live());
            long nowMs = world.masters.get(0).micros(world.nowNanos()) / 1_000;
            check(nowMs < world.ledger.lastDueMs() + patienceMs(), "not delivered in time: " + world.ledger.live());
            round();
        }
    }

    /** How long a timer may wait, when its node is dead, and claims hold since before a clock was set back. */
    private long patienceMs() {
        return PATIENCE_LEASES * options.lease().toMillis() + PATIENCE_MS;
    }

    private boolean areQuiet() {
        return nodes.stream().allMatch(SimulatedNode::isDone);
    }

    private void round() {
        for (SimulatedNode node : List.copyOf(nodes)) {
            turn(node);
        }
        roundOfServers();
    }

    /** All that is under way is carried out, and answered. */
    private void roundOfServers() {
        List<SimulatedCall> all = new ArrayList<>();
        for (SimulatedLink link : world.links) {
            for (List<SimulatedCall> next = link.executable(); !next.isEmpty(); next = link.executable()) {
                next.forEach(link::taken);
                all.addAll(next);
            }
        }
        world.execute(all);
        boolean isStill = all.isEmpty();
        world.masters.forEach(each -> each.replicated = each.journalSize());
        for (SimulatedLink link : world.links) {
            List<SimulatedCall> next = link.arrivable();
            next.forEach(link::arrive);
            isStill &= next.isEmpty();
        }
        world.advance(isStill ? options.lease().toNanos() / 3 : MILLI);
    }

    private void close() {
        for (SimulatedMaster each : world.masters) {
            each.isFull = false;
        }
        for (SimulatedNode node : List.copyOf(nodes)) {
            if (!node.isLeaving()) {
                node.leave();
            }
        }
        for (int round = 0; !nodes.isEmpty() && round < MOST_ROUNDS; round++) {
            for (SimulatedNode node : List.copyOf(nodes)) {
                node.turn();
                if (node.isDone()) {
                    nodes.remove(node);
                    node.close();
                }
            }
            roundOfServers();
        }
        check(nodes.isEmpty(), "nodes do not close");
        SimulatedLink link =
                new SimulatedLink(world, "verify", options.timeout().toNanos());
        RedisVerification.Report report = RedisVerification.verify(link, NAMESPACE, (done, total) -> {});
        check(report.isSound(), "damaged: " + report.findings());
        check(report.pending() + report.claimed() == 0, "left behind: " + report);
    }
}
