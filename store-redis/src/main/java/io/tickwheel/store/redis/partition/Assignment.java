package io.tickwheel.store.redis.partition;

import io.tickwheel.store.redis.namespace.Membership;
import java.util.ArrayDeque;
import java.util.List;

/**
 * Says which partitions this node is to own. What another node is to own from now on is given away a few at a time: that node may
 * have been started just now, and what it does for the first time takes long. Until then this node goes on with them. A node that
 * closes gives all away at once. Used by the loop only.
 */
final class Assignment {

    private static final long STEP_NANOS = 50_000_000;

    /** A third of the partitions, which go to a third node, go in about a second. */
    private static final int STEPS = 64;

    private final Membership membership;
    private final List<Partition> partitions;
    private final ArrayDeque<Partition> leaving = new ArrayDeque<>();
    private int seenChanges;
    private long stepNanos;
    private boolean ended;

    Assignment(Membership membership, List<Partition> partitions) {
        this.membership = membership;
        this.partitions = partitions;
    }

    /** Whether it is known which nodes there are. */
    boolean isKnown() {
        return seenChanges > 0;
    }

    void work(long nowNanos) {
        if (ended) {
            return;
        }
        if (seenChanges != membership.changes()) {
            seenChanges = membership.changes();
            assign(nowNanos);
        }
        if (!leaving.isEmpty() && nowNanos - stepNanos >= 0) {
            stepNanos = nowNanos + STEP_NANOS;
            int step = Math.max(1, partitions.size() / STEPS);
            for (int i = 0; i < step && !leaving.isEmpty(); i++) {
                leaving.remove().want(false);
            }
        }
    }

    private void assign(long nowNanos) {
        leaving.clear();
        for (Partition partition : partitions) {
            boolean wanted = membership.owner(partition.index).equals(membership.node());
            if (!wanted && partition.isOwned()) {
                leaving.add(partition);
            } else if (wanted != partition.isWanted()) {
                partition.want(wanted);
            }
        }
        stepNanos = nowNanos;
    }

    /** How long it can be left alone. */
    long idleNanos(long nowNanos) {
        return leaving.isEmpty() ? Long.MAX_VALUE : Math.max(0, stepNanos - nowNanos);
    }

    /** Gives all away. */
    void end() {
        ended = true;
        leaving.clear();
        partitions.forEach(partition -> partition.want(false));
    }
}
