package io.tickwheel.store.redis;

import io.tickwheel.redis.testkit.RedisCluster;
import io.tickwheel.redis.testkit.RedisServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The contract on a cluster of three masters, with a replica each. */
@Tag("full")
final class RedisClusterContractTest extends RedisCalendarContract {

    private static RedisCluster cluster;

    @BeforeAll
    static void start() {
        // So long that no node takes a slow machine for the death of another one: nobody dies here.
        cluster = RedisCluster.builder().nodeTimeout(Duration.ofSeconds(30)).start();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @Override
    RedisAddress address() {
        return RedisAddress.cluster(
                "redis://127.0.0.1:" + cluster.nodes().get(0).port());
    }

    @Override
    RedisServer serverOf(byte[] key) {
        return cluster.masterOf(cluster.slotOf(new String(key, StandardCharsets.UTF_8)));
    }

    /** The partitions of several masters answer in any order, and each gives its next timers before it is known what the others have. */
    @Override
    protected int outOfOrderPercent() {
        return 15;
    }
}
