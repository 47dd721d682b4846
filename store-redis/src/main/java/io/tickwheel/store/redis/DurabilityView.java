package io.tickwheel.store.redis;

import io.tickwheel.store.Durability;
import io.tickwheel.store.redis.link.Link;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the servers can promise, looked at now and then: masters and the number of their replicas change while a node runs. Used by the
 * loop only, except for {@link #offers}.
 */
final class DurabilityView {

    private static final Logger LOG = LoggerFactory.getLogger(DurabilityView.class);

    private final Link link;
    private final Durability durability;
    private final long periodNanos;
    private final Set<String> toldDoubts = new HashSet<>();
    private long nextNanos;

    /** Whether all servers can say that something is synced. */
    private volatile boolean syncs;

    /** @param durability what commands are to get that do not ask for another level */
    DurabilityView(Link link, Durability durability, long periodNanos) {
        this.link = link;
        this.durability = durability;
        this.periodNanos = periodNanos;
    }

    /** Looks again when it is time to. */
    void work(long nowNanos) {
        if (nowNanos - nextNanos >= 0) {
            nextNanos = nowNanos + periodNanos;
            look();
        }
    }

    /** Looks, and tells each new reason once why what is so durable may be lost nevertheless. */
    void look() {
        syncs = link.cannot(Durability.fsync(0)) == null;
        String doubt = link.doubt(durability);
        if (doubt != null && toldDoubts.add(doubt)) {
            LOG.warn("{}", doubt);
        }
    }

    /** Whether commands can ask for a level. From any thread. */
    boolean offers(Durability level) {
        return RedisOptions.offers(level) && (level.kind() != Durability.Kind.FSYNC || syncs);
    }
}
