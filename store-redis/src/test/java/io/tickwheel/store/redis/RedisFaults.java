package io.tickwheel.store.redis;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/** What goes wrong in a course: each has some faults of {@link Fault}. */
final class RedisFaults {

    /** What can go wrong. */
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

    private static final long MILLI = 1_000_000;
    private static final long MOST_APART_MICROS = 400_000;
    private static final int MOST_BEHIND_LEASES = 3;

    private final RedisCourse course;
    private final RedisWorld world;
    private final SplittableRandom random;
    private final long leaseNanos;
    private final Set<Fault> faults;

    RedisFaults(RedisCourse course, SplittableRandom random, long leaseNanos, Set<Fault> faults) {
        this.course = course;
        this.world = course.world();
        this.random = random;
        this.leaseNanos = leaseNanos;
        this.faults = EnumSet.copyOf(faults);
        world.hasLateCopies = faults.contains(Fault.LATE_COPY);
    }

    /** Lets come back those who talk to a former master, when it is time. */
    void passTime() {
        for (SimulatedMaster each : world.masters) {
            if (world.nowNanos() >= each.astrayNanos) {
                rejoin(each);
            }
        }
    }

    /** One of those, of some server or node. */
    void strike() {
        if (faults.isEmpty()) {
            return;
        }
        List<Fault> all = new ArrayList<>(faults);
        if (world.hasLateCopies) {
            all.addAll(List.of(Fault.LATE_COPY, Fault.LATE_COPY));
        }
        Fault fault = all.get(random.nextInt(all.size()));
        SimulatedMaster master = world.masters.get(random.nextInt(world.masters.size()));
        SimulatedNode node = course.anyNode();
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
                course.nodes().remove(node);
                node.die();
                course.openIfNone();
            }
            case LEAVE -> {
                if (!node.isLeaving()) {
                    note(fault, node.link.node);
                    node.leave();
                }
            }
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
        master.astrayNanos = world.nowNanos() + random.nextLong(3 * leaseNanos);
        note(Fault.SPLIT, master.index + ", with the former one " + master.astray.size());
        promote(master);
    }

    /** Nobody talks to a former master any more. */
    void rejoin(SimulatedMaster master) {
        master.astray.forEach(link -> link.cut(master));
        master.astray.clear();
    }

    private void failOver(SimulatedMaster master) {
        rejoin(master);
        promote(master);
    }

    /**
     * What a replica has at least that takes over. A cluster promotes none that was cut off for long; if it did, partitions that had been
     * owned for five leases would be gone, and the nodes would say so.
     */
    private int leastPosition(SimulatedMaster master) {
        return world.isCluster ? master.position(world.nowNanos() - MOST_BEHIND_LEASES * leaseNanos) : 0;
    }

    private void promote(SimulatedMaster master) {
        int unseen = master.journalSize() - master.replicated;
        int replicated = master.replicated + (random.nextBoolean() ? 0 : random.nextInt(unseen + 1));
        int position = Math.max(replicated, leastPosition(master));
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
        long range = random.nextBoolean() ? 100_000 : 8 * leaseNanos / 1_000;
        long offsetMicros = world.masters.get(0).offsetMicros + random.nextLong(2 * range) - range;
        for (SimulatedMaster each : world.masters) {
            each.offsetMicros = offsetMicros + random.nextLong(MOST_APART_MICROS);
        }
        note(Fault.CLOCK, offsetMicros);
        world.ledger.steps().clocksAreSet();
    }

    @Override
    public String toString() {
        return faults.toString();
    }
}
