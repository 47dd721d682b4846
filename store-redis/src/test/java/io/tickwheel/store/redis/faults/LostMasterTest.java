package io.tickwheel.store.redis.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Tickwheel;
import io.tickwheel.redis.testkit.Patience;
import io.tickwheel.redis.testkit.RedisCluster;
import io.tickwheel.redis.testkit.RedisReplicas;
import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.store.redis.RedisAddress;
import io.tickwheel.store.redis.RedisNamespace;
import io.tickwheel.store.redis.RedisTimerStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Masters that fail over, which goes on without a word, and masters that come back without what they held. */
@Tag("outage")
final class LostMasterTest {

    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final Duration LEASE = Duration.ofMillis(600);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final byte[] PAYLOAD = {1};
    private static final int PARTITIONS = 12;
    private static final String CONFIG = "tickwheel:{0}:config";

    private final Collection<Tickwheel> nodes = new ArrayList<>();
    private final Queue<String> delivered = new ConcurrentLinkedQueue<>();
    private final Queue<String> said = new ConcurrentLinkedQueue<>();

    @AfterEach
    void close() {
        nodes.forEach(Tickwheel::close);
    }

    private Tickwheel open(RedisAddress address) {
        Tickwheel node = Tickwheel.open(
                RedisTimerStore.at(address).withPartitions(PARTITIONS).withLease(LEASE));
        nodes.add(node);
        node.handle("q", attempt -> delivered.add(attempt.key()));
        return node;
    }

    private static RedisAddress address(RedisCluster cluster) {
        return RedisAddress.cluster(cluster.nodes().stream()
                .map(node -> "redis://127.0.0.1:" + node.port())
                .toArray(String[]::new));
    }

    private static RedisServer home(RedisCluster cluster) {
        return cluster.masterOf(cluster.slotOf(CONFIG));
    }

    private static void schedule(Tickwheel node, String key, Duration delay) {
        node.schedule("q", key, delay, PAYLOAD).join();
    }

    private void schedule(String prefix, int count, Duration delay) {
        for (int i = 0; i < count; i++) {
            for (Tickwheel node : nodes) {
                schedule(node, prefix + i, delay);
            }
        }
    }

    private void awaitDelivered(String prefix, int count) {
        Patience.until("all are delivered", () -> {
            nodes.forEach(node -> node.unready().ifPresent(said::add));
            return delivered.stream()
                            .filter(key -> key.startsWith(prefix))
                            .distinct()
                            .count()
                    == count;
        });
    }

    private void awaitAllGone() {
        Patience.until(
                "all nodes say that it is gone",
                () -> nodes.stream().allMatch(node -> node.unready().isPresent()));
    }

    private void awaitAllGoingOn() {
        Patience.until(
                "all nodes go on",
                () -> nodes.stream().allMatch(node -> node.unready().isEmpty()));
    }

    @Tag("full")
    @Test
    void failoverBySentinelsGoesOnWithoutAWord() {
        try (RedisReplicas redis = RedisReplicas.builder()
                .replicas(1)
                .sentinels(Duration.ofMillis(500))
                .start()) {
            RedisAddress address = RedisAddress.sentinel(
                    redis.masterName(),
                    redis.sentinelPorts().stream()
                            .map(port -> "redis://127.0.0.1:" + port)
                            .toArray(String[]::new));
            open(address);
            open(address);
            schedule("before", 20, Duration.ofSeconds(5));
            redis.awaitReplication(LIMIT);
            RedisServer master = redis.master();
            master.kill();
            redis.awaitMaster(server -> server != master, LIMIT);
            schedule("after", 20, Duration.ofMillis(100));
            awaitDelivered("after", 20);
            awaitDelivered("before", 20);
            assertThat(said).isEmpty();
            close();
            nodes.clear();
        }
    }

    @Tag("full")
    @Test
    void failoverOfTheMasterWithTheSettingsGoesOnWithoutAWord() {
        try (RedisCluster cluster = RedisCluster.builder().start()) {
            open(address(cluster));
            open(address(cluster));
            schedule("before", 20, Duration.ofSeconds(5));
            RedisServer master = home(cluster);
            assertThat(master.command("WAIT", "0", "0")).isNotNull();
            master.kill();
            cluster.awaitMasterChange(cluster.slotOf(CONFIG), master, LIMIT);
            schedule("after", 20, Duration.ofMillis(100));
            awaitDelivered("after", 20);
            awaitDelivered("before", 20);
            assertThat(said).isEmpty();
            close();
            nodes.clear();
        }
    }

    @Tag("full")
    @Test
    void nodesStopWhenTheMasterWithTheSettingsComesBackEmpty() {
        try (RedisCluster cluster = RedisCluster.builder().replicasPerMaster(0).start()) {
            open(address(cluster));
            open(address(cluster));
            stopAndGoOn(cluster, home(cluster), id -> "its id was " + id + ", and the server has none");
        }
    }

    /** Neither its partitions nor the settings are on one master. */
    @Test
    void nodesStopWhenAnotherMasterComesBackEmpty() {
        try (RedisCluster cluster = RedisCluster.builder().replicasPerMaster(0).start()) {
            open(address(cluster));
            open(address(cluster));
            RedisServer home = home(cluster);
            RedisServer other = cluster.nodes().stream()
                    .filter(node -> node != home)
                    .findFirst()
                    .orElseThrow();
            awaitOwners(cluster);
            stopAndGoOn(cluster, other, id -> "gone in part");
        }
    }

    /** A master comes back empty: the nodes say why they stop, write nothing there, and go on by the word of an operator. */
    private void stopAndGoOn(RedisCluster cluster, RedisServer master, UnaryOperator<String> reason) {
        schedule("before", 50, HOUR);
        String id = String.valueOf(home(cluster).command("HGET", CONFIG, "id"));
        master.kill();
        master.restart();
        cluster.awaitOk(LIMIT);
        awaitAllGone();
        assertThat(nodes)
                .allSatisfy(node -> assertThat(node.unready().orElseThrow())
                        .contains(reason.apply(id))
                        .contains("--lost " + id));
        assertThat((List<?>) master.command("KEYS", "*:z*")).as("timers").isEmpty();
        RedisNamespace.acceptEmpty(address(cluster), "tickwheel", id);
        awaitAllGoingOn();
        schedule("before", 50, Duration.ofMillis(100));
        awaitDelivered("before", 50);
        close();
        nodes.clear();
    }

    /** For longer than five leases. */
    private static void awaitOwners(RedisCluster cluster) {
        RedisServer home = home(cluster);
        double since = heartbeat(home);
        Patience.until("hearts beat", () -> heartbeat(home) > since + 7 * LEASE.toMillis());
    }

    private static double heartbeat(RedisServer home) {
        List<?> last = (List<?>) home.command("ZRANGE", "tickwheel:{0}:nodes", "0", "0", "WITHSCORES");
        return Double.parseDouble(String.valueOf(last.get(1)));
    }
}
