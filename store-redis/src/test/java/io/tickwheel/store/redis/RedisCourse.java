package io.tickwheel.store.redis;

import static io.tickwheel.store.redis.RedisLedger.check;

import io.tickwheel.store.Durability;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.TimerKey;
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

    /** What a course may have in it; each has some of these. */
    enum Fault {
        /** A connection breaks. */
        CUT,
        /** A reply does not come. */
        LOST_REPLY,
        /** A server does nothing for a call. */
        REFUSED,
        /** What nobody waits for any more is carried out after all. */
        LATE_COPY,
        /** A server is away for a while. */
        DOWN,
        /** A replica gets nothing for a while. */
        REPLICA_DOWN,
        /** A replica takes over, without the last calls. */
        FAILOVER,
        /** A replica takes over, and its former master goes on for some nodes for a while. */
        SPLIT,
        /** A server has no memory left. */
        FULL,
        /** The clock of a server is set. */
        CLOCK,
        /** A node gets no turns for a while. */
        STALL,
        /** A node dies. */
        DEATH,
        /** A node is stopped in order. */
        LEAVE
    }

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
    private static final long MOST_APART_MICROS = 400_000;
    private static final int PATIENCE_LEASES = 5;
    private static final int PATIENCE_MS = 3_000;
    private static final int MOST_ROUNDS = 1_500;

    private final RedisWorld world;
    private final SplittableRandom random;
    private final RedisOptions options;
    private final Set<Fault> faults = EnumSet.noneOf(Fault.class);
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
        for (Fault fault : Fault.values()) {
            if (random.nextInt(3) == 0) {
                faults.add(fault);
            }
        }
        world = new RedisWorld(redis, bug, random.split(), options, isCluster);
        world.hasLateCopies = faults.contains(Fault.LATE_COPY);
        for (int i = 0; i < 2 + random.nextInt(6); i++) {
            keys.add(new TimerKey(i % 2 == 0 ? "a" : "b", "k" + i));
        }
        steps = 200 + random.nextInt(600);
        commandsOneIn = 1 + random.nextInt(4);
        faultsOneIn = 1 + random.nextInt(3);
        mostNodes = 1 + random.nextInt(MOST_NODES);
    }

    RedisWorld world() {
        return world;
    }

    @Override
    public String toString() {
        return options.partitions() + " partitions" + (world.isCluster ? " on a cluster" : "") + ", lease "
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
        for (SimulatedMaster each : world.masters) {
            if (world.nowNanos() >= each.astrayNanos) {
                rejoin(each);
            }
        }
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
            fault();
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

    private SimulatedNode anyNode() {
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
        TimerKey key = keys.get(random.nextInt(keys.size()));
        switch (random.nextInt(10)) {
            case 0, 1 -> node.cancel(key, level());
            case 2 -> node.find(key);
            default -> node.schedule(key, someDueMs(), RULES[random.nextInt(RULES.length)], level());
        }
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

    // ---- faults

    private void fault() {
        if (faults.isEmpty()) {
            return;
        }
        List<Fault> all = new ArrayList<>(faults);
        if (world.hasLateCopies) {
            all.addAll(List.of(Fault.LATE_COPY, Fault.LATE_COPY));
        }
        Fault fault = all.get(random.nextInt(all.size()));
        SimulatedMaster master = world.masters.get(random.nextInt(world.masters.size()));
        SimulatedNode node = anyNode();
        long leaseNanos = options.lease().toNanos();
        if (fault == Fault.REPLICA_DOWN
                && faults.contains(Fault.FAILOVER)
                && world.nowNanos() < master.replicaDownNanos) {
            fault = Fault.FAILOVER;
        }
        switch (fault) {
            case CUT -> cut(node);
            case LOST_REPLY -> loseReply(node);
            case REFUSED -> refuse(node);
            case LATE_COPY -> cutBusy();
            case DOWN -> {
                note(fault, master.index);
                master.downNanos = world.nowNanos() + random.nextLong(2 * leaseNanos);
                world.links.forEach(link -> link.cut(master));
            }
            case REPLICA_DOWN -> {
                note(fault, master.index);
                master.replicaDownNanos = world.nowNanos() + random.nextLong(6 * leaseNanos);
            }
            case FAILOVER -> failOver(master);
            case SPLIT -> split(master);
            case FULL -> {
                master.isFull = !master.isFull;
                note(fault, master.isFull);
            }
            case CLOCK -> setClocks();
            case STALL -> {
                note(fault, node.link.node);
                node.stalledNanos = world.nowNanos() + random.nextLong(3 * leaseNanos);
            }
            case DEATH -> {
                note(fault, node.link.node);
                nodes.remove(node);
                node.die();
                openIfNone();
            }
            case LEAVE -> {
                if (!node.isLeaving()) {
                    note(fault, node.link.node);
                    node.leave();
                }
            }
        }
        if (nodes.size() < mostNodes && random.nextInt(3) == 0) {
            open();
        }
    }

    private void note(Fault fault, Object what) {
        world.note("---- " + fault + " " + what);
    }

    private void cut(SimulatedNode node) {
        int which = random.nextInt(node.link.connections());
        long closedNanos = random.nextBoolean() ? 0 : random.nextLong(500 * MILLI);
        note(Fault.CUT, node.link.node + " " + which);
        node.link.cut(which, world.nowNanos() + closedNanos, true);
    }

    /** Breaks a connection over which the server has got something that it has not carried out. */
    private void cutBusy() {
        List<SimulatedCall> all = new ArrayList<>();
        world.links.forEach(link -> all.addAll(link.executable()));
        all.removeIf(call -> !call.name().equals("commands") && !world.chance(3));
        if (!all.isEmpty()) {
            SimulatedCall call = all.get(random.nextInt(all.size()));
            note(Fault.LATE_COPY, call);
            call.link.cutUnder(call);
        }
    }

    private void loseReply(SimulatedNode node) {
        List<SimulatedCall> all = node.link.unanswered();
        if (!all.isEmpty()) {
            SimulatedCall call = all.get(random.nextInt(all.size()));
            note(Fault.LOST_REPLY, call);
            node.link.lose(call);
        }
    }

    private void refuse(SimulatedNode node) {
        List<SimulatedCall> all = node.link.executable();
        if (!all.isEmpty()) {
            SimulatedCall call = all.get(random.nextInt(all.size()));
            note(Fault.REFUSED, call);
            node.link.refuse(call);
        }
    }

    private void split(SimulatedMaster master) {
        rejoin(master);
        for (SimulatedLink link : world.links) {
            if (random.nextBoolean()) {
                link.stray(master);
                master.astray.add(link);
            }
        }
        master.astrayNanos =
                world.nowNanos() + random.nextLong(3 * options.lease().toNanos());
        note(Fault.SPLIT, master.index + ", with the former one " + master.astray.size());
        promote(master);
    }

    /** Nobody talks to a former master any more. */
    private void rejoin(SimulatedMaster master) {
        master.astray.forEach(link -> link.cut(master));
        master.astray.clear();
    }

    private void failOver(SimulatedMaster master) {
        rejoin(master);
        promote(master);
    }

    private void promote(SimulatedMaster master) {
        int unseen = master.journalSize() - master.replicated;
        int position = master.replicated + (random.nextBoolean() ? 0 : random.nextInt(unseen + 1));
        note(Fault.FAILOVER, master.index + " with " + position + " of " + master.journalSize());
        int lastSeq = master.lastSeq(position);
        // Who has a reply already has it.
        world.links.stream().filter(link -> !master.astray.contains(link)).forEach(link -> link.cut(master));
        long offsetMicros = master.offsetMicros + (random.nextBoolean() ? 0 : random.nextInt(100_000) - 50_000);
        world.ledger.steps().clocksAreSet();
        world.ledger.failedOver(master, lastSeq, master.failOver(position, offsetMicros));
    }

    /** Servers differ by less than a command has time. */
    private void setClocks() {
        long range = random.nextBoolean() ? 100_000 : 8 * options.lease().toNanos() / 1_000;
        long offsetMicros = world.masters.get(0).offsetMicros + random.nextLong(2 * range) - range;
        for (SimulatedMaster each : world.masters) {
            each.offsetMicros = offsetMicros + random.nextLong(MOST_APART_MICROS);
        }
        note(Fault.CLOCK, offsetMicros);
        world.ledger.steps().clocksAreSet();
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

    private void openIfNone() {
        while (nodes.isEmpty()) {
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
            rejoin(each);
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
        RedisVerification.Report report = RedisVerification.verify(link, NAMESPACE);
        check(report.isSound(), "damaged: " + report.findings());
        check(report.pending() + report.claimed() == 0, "left behind: " + report);
    }
}
