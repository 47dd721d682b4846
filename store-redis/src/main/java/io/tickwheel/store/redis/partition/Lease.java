package io.tickwheel.store.redis.partition;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whether this node owns a partition, as far as it knows: only the epoch in the partition's own slot decides. Used by the loop only. */
final class Lease {

    private static final Logger LOG = LoggerFactory.getLogger(Lease.class);

    /** No failover loses that a partition was owned for so long. */
    private static final int OLD_LEASES = 5;

    private enum Hold {
        /** Not owned by this node. */
        NONE,
        /** Owned by this node, as far as it knows. */
        OWNED,
        /** Owned, and about to be given back. */
        LEAVING
    }

    private final int partition;
    private final Runnable whenLost;
    private Hold hold = Hold.NONE;
    private String epoch = "";
    private long live;
    private long ownedNanos;
    private long tendedNanos;
    private long tendedConnection;

    /** @param whenLost told when this node does not own it any more */
    Lease(int partition, Runnable whenLost) {
        this.partition = partition;
        this.whenLost = whenLost;
    }

    boolean isOwned() {
        return hold == Hold.OWNED;
    }

    /** Whether it is owned and about to be given back. */
    boolean isLeaving() {
        return hold == Hold.LEAVING;
    }

    /** Whether it is owned, to be kept or to be given back. */
    boolean isHeld() {
        return hold != Hold.NONE;
    }

    /** Empty without one. */
    String epoch() {
        return epoch;
    }

    /** Live timers, while it is owned. */
    long live() {
        return isHeld() ? live : 0;
    }

    /** Takes how many timers are live. */
    void count(long liveTimers) {
        live = liveTimers;
    }

    /** It was granted. */
    void begin(String granted, boolean isWanted, long nowNanos) {
        epoch = granted;
        hold = isWanted ? Hold.OWNED : Hold.LEAVING;
        ownedNanos = nowNanos;
        tendedNanos = nowNanos;
        LOG.debug("partition {}: owned with epoch {}", partition, epoch);
    }

    /** It was renewed. */
    void renewed(long connection, long nowNanos) {
        tendedConnection = connection;
        tendedNanos = nowNanos;
    }

    /** It is to be given back. */
    void leave() {
        LOG.debug("partition {}: going to another node", partition);
        hold = Hold.LEAVING;
    }

    /** This node does not own it any more. What is claimed goes on, by the token of its claim. */
    void lose(String why) {
        if (hold == Hold.NONE) {
            return;
        }
        LOG.debug("partition {}: not owned any more: {}", partition, why);
        hold = Hold.NONE;
        epoch = "";
        whenLost.run();
    }

    /**
     * Whether a partition of which a server has no trace was there. Over another connection the server may be one that a failover has
     * promoted, without what was owned first just before. The settings tell whether it is empty; but on a cluster they are of
     * another master. How long the failover took does not count.
     */
    boolean wasThere(long connection, boolean isCluster, long leaseNanos) {
        boolean isSameServer = connection == tendedConnection;
        return isSameServer || (isCluster && isOld(leaseNanos));
    }

    /** Whether no failover can have lost that it is owned. */
    boolean isOld(long leaseNanos) {
        return tendedNanos - ownedNanos > OLD_LEASES * leaseNanos;
    }
}
