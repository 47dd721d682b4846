package io.tickwheel.store.redis;

import io.tickwheel.store.Durability;
import io.tickwheel.store.redis.partition.NodeSettings;
import java.time.Duration;
import java.util.OptionalInt;

/**
 * What {@link RedisTimerStore} was told; see there. An empty node stands for a random one, and without a number of partitions there are as
 * many as the namespace has.
 */
record RedisOptions(
        RedisAddress address,
        String namespace,
        OptionalInt partitions,
        Durability durability,
        String node,
        Duration lease,
        Duration timeout,
        int finishedRemembered) {

    private static final Duration LEASE = Duration.ofSeconds(5);
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final int FINISHED_REMEMBERED = 100_000;

    static RedisOptions defaults(RedisAddress address) {
        return new RedisOptions(
                address, "tickwheel", OptionalInt.empty(), Durability.MEMORY, "", LEASE, TIMEOUT, FINISHED_REMEMBERED);
    }

    static boolean offers(Durability level) {
        return switch (level.kind()) {
            case MEMORY, REPLICATED, FSYNC -> true;
            case SYNC, INTERVAL, NONE -> false;
        };
    }

    NodeSettings settings() {
        return new NodeSettings(durability, lease, timeout, finishedRemembered);
    }

    RedisOptions withNamespace(String value) {
        return new RedisOptions(address, value, partitions, durability, node, lease, timeout, finishedRemembered);
    }

    RedisOptions withPartitions(int value) {
        return new RedisOptions(
                address, namespace, OptionalInt.of(value), durability, node, lease, timeout, finishedRemembered);
    }

    RedisOptions withDurability(Durability value) {
        return new RedisOptions(address, namespace, partitions, value, node, lease, timeout, finishedRemembered);
    }

    RedisOptions withNode(String value) {
        return new RedisOptions(address, namespace, partitions, durability, value, lease, timeout, finishedRemembered);
    }

    RedisOptions withLease(Duration value) {
        return new RedisOptions(address, namespace, partitions, durability, node, value, timeout, finishedRemembered);
    }

    RedisOptions withTimeout(Duration value) {
        return new RedisOptions(address, namespace, partitions, durability, node, lease, value, finishedRemembered);
    }

    RedisOptions withFinishedRemembered(int value) {
        return new RedisOptions(address, namespace, partitions, durability, node, lease, timeout, value);
    }
}
