package io.tickwheel.store.redis.partition;

import io.tickwheel.store.redis.link.Call;
import io.tickwheel.store.redis.link.Link;
import io.tickwheel.store.redis.link.Reply;
import java.util.ArrayList;
import java.util.List;

/**
 * Looks now and then whether near inserts wait in own partitions, for the case that the hint was lost: seldom while messages come, as
 * then only a server that ends loses one. On a single server one call asks for all of them, and only when there are some each is
 * asked. Used by the loop only.
 */
final class HintPoll {

    private static final long SELDOM_NANOS = 1_000_000_000;
    private static final long OFTEN_NANOS = 80_000_000;

    private final List<Partition> partitions;
    private final Link link;
    private long nextNanos;
    private int underWay;

    HintPoll(List<Partition> partitions, Link link) {
        this.partitions = partitions;
        this.link = link;
    }

    void work(long nowNanos) {
        boolean hears = link.hears();
        if (!hears && nextNanos - nowNanos > OFTEN_NANOS) {
            nextNanos = nowNanos + OFTEN_NANOS;
        }
        if (underWay > 0 || nowNanos - nextNanos < 0) {
            return;
        }
        nextNanos = nowNanos + (hears ? SELDOM_NANOS : OFTEN_NANOS);
        List<Partition> owned = partitions.stream().filter(Partition::isOwned).toList();
        if (owned.isEmpty()) {
            return;
        }
        if (link.isCluster()) {
            owned.forEach(partition -> send(new Look(List.of(partition))));
        } else {
            send(new Look(owned));
        }
    }

    private void send(Look look) {
        underWay++;
        link.send(look);
    }

    private final class Look extends Call {

        private final List<Partition> seen;

        Look(List<Partition> seen) {
            super(seen.get(0).slot(), "EXISTS", keys(seen), List.of());
            this.seen = seen;
        }

        @Override
        public void answered(Reply reply) {
            underWay--;
            if (reply.outcome() != Reply.Outcome.DONE || !(reply.value() instanceof Long there) || there == 0) {
                return;
            }
            if (seen.size() == 1) {
                seen.get(0).hint();
            } else {
                seen.forEach(partition -> send(new Look(List.of(partition))));
            }
        }
    }

    private static List<byte[]> keys(List<Partition> partitions) {
        List<byte[]> keys = new ArrayList<>(partitions.size());
        partitions.forEach(partition -> keys.add(partition.nearKey()));
        return keys;
    }
}
