package io.tickwheel.store.redis.partition;

import io.tickwheel.store.Lane;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.WaitingLane;
import io.tickwheel.store.redis.link.Call;
import io.tickwheel.store.redis.loading.LoadTurns;
import io.tickwheel.store.redis.loading.Loading;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * All partitions of a namespace, as one node works with them in its turns: which of them it is to own, whose turn it is to load, and
 * who sends their commands. Used by the loop only.
 */
public final class Partitions {

    /** A partition, as nodes name it to each other. */
    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,9}");

    /** A lease is renewed so much later at most. */
    private static final int IDLE_PART_OF_LEASE = 20;

    private final NodeContext node;
    private final Partition[] partitions;
    private final Assignment assignment;
    private final HintPoll hintPoll;
    private final LoadTurns turns;
    private final List<CommandSender> senders;
    private final List<Loading> loadings;
    private long extendNanos;
    private int nextPartition;

    public Partitions(NodeContext node) {
        this.node = node;
        this.partitions = new Partition[node.layout.partitions];
        for (int i = 0; i < partitions.length; i++) {
            partitions[i] = new Partition(i, node);
        }
        List<Partition> all = List.of(partitions);
        this.assignment = new Assignment(node.membership, all);
        this.senders = CommandSender.of(node, all);
        this.hintPoll = new HintPoll(all, node.link);
        this.turns = new LoadTurns(all, node.lanes, node.budget);
        this.loadings = all.stream().map(partition -> partition.loading).toList();
    }

    Partition get(int index) {
        return partitions[index];
    }

    // ---- in each turn

    /** Works with them, while the namespace is there. */
    public void work() {
        long nowNanos = node.nowNanos();
        hintPoll.work(nowNanos);
        assignment.work(nowNanos);
        boolean extend = nowNanos - extendNanos >= 0;
        if (extend) {
            extendNanos = nowNanos + node.leaseNanos / 12;
        }
        node.lanes.work(nowNanos);
        turns.work(node.loadNowMs(), nowNanos);
        // Each turn another one is first to ask for room.
        nextPartition = (nextPartition + 1) % partitions.length;
        for (int i = 0; i < partitions.length; i++) {
            Partition partition = partitions[(nextPartition + i) % partitions.length];
            if (extend) {
                partition.timers.extend(nowNanos);
            }
            partition.drive(nowNanos);
        }
        for (CommandSender sender : senders) {
            sender.drive(nowNanos);
        }
        node.claimLog.work(nowNanos);
        node.claimWarnings.work(nowNanos);
    }

    /** Gives up what nobody waits for any more, while it is not known whether the namespace is there. */
    public void expire() {
        for (Partition partition : partitions) {
            partition.expire(node.nowNanos());
        }
    }

    /** Lets go of everything: the namespace is gone. */
    public void leave(String reason) {
        for (Partition partition : partitions) {
            partition.leave(reason);
        }
    }

    /** Gives all of them to other nodes. */
    public void handOver() {
        assignment.end();
    }

    /** Takes a message that names a partition. What this version does not know is passed over: it is only a hint. */
    public void hint(String message) {
        if (NUMBER.matcher(message).matches()) {
            hint(Integer.parseInt(message));
        }
    }

    /** Takes that near inserts wait in a partition, or that it was given back. */
    void hint(int index) {
        if (index >= 0 && index < partitions.length) {
            partitions[index].hint();
        }
    }

    /** Fails every command that is not answered; no reply comes after that. */
    public void failAll(StoreException reason) {
        for (Partition partition : partitions) {
            partition.failAll(reason);
        }
    }

    /** How long they can be left alone. */
    public long idleNanos() {
        long nowNanos = node.nowNanos();
        long idle = Math.min(node.leaseNanos / IDLE_PART_OF_LEASE, assignment.idleNanos(nowNanos));
        for (Partition partition : partitions) {
            idle = Math.min(idle, partition.idleNanos(nowNanos));
        }
        for (CommandSender sender : senders) {
            idle = Math.min(idle, sender.idleNanos(nowNanos));
        }
        return idle;
    }

    /** Whether no command waits or is under way. */
    public boolean isQuiet() {
        for (Partition partition : partitions) {
            if (!partition.isQuiet()) {
                return false;
            }
        }
        return true;
    }

    /** How many timers are live in those that this node owns. */
    public long liveCount() {
        long live = 0;
        for (Partition partition : partitions) {
            live += partition.live();
        }
        return live;
    }

    /** The last calls of a node that closes. */
    public List<Call> farewells() {
        node.claimLog.flush(node.nowNanos());
        node.claimWarnings.flush(node.nowNanos());
        List<Call> farewells = new ArrayList<>();
        for (Partition partition : partitions) {
            Call farewell = partition.farewell();
            if (farewell != null) {
                farewells.add(farewell);
            }
        }
        return farewells;
    }

    // ---- loading

    /** Has timers loaded that are due before then, at most so many; returns whether all of them are. */
    public boolean load(long toMs, int limit) {
        boolean all = assignment.isKnown();
        int owned = 0;
        for (Partition partition : partitions) {
            partition.loading.want(toMs);
            owned += partition.isOwned() ? 1 : 0;
            all &= partition.isOwned() || !partition.isWanted();
        }
        node.budget.begin(limit, owned);
        return all && (owned == 0 || loadedTo() >= toMs);
    }

    /** All that is due before this is loaded, of the partitions that this node owns. */
    public long loadedTo() {
        long lookedTo = Long.MAX_VALUE;
        for (Partition partition : partitions) {
            if (partition.isOwned()) {
                lookedTo = Math.min(lookedTo, partition.loading.lookedTo());
            }
        }
        return lookedTo == Long.MAX_VALUE ? Long.MIN_VALUE : Math.min(lookedTo, node.lanes.loadedTo());
    }

    public void suspend(Lane lane) {
        node.lanes.suspend(lane, loadings);
    }

    public void resume(Lane lane) {
        node.lanes.resume(lane, loadings);
    }

    public List<WaitingLane> waiting() {
        return node.lanes.waiting(node.loadNowMs());
    }
}
