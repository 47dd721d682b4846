package io.tickwheel.benchmarks.proof;

import io.tickwheel.redis.testkit.RedisReplicas;
import io.tickwheel.redis.testkit.RedisServer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** One server on files, or two on one Redis, and what is done to them. Used by one thread. */
final class PlanServers implements AutoCloseable {

    private static final String LEASE = "1s";
    private static final long LEASE_MS = 1_000;
    private static final Duration FAILOVER_LIMIT = Duration.ofSeconds(40);

    private final List<Node> nodes = new ArrayList<>();
    private final List<PlanHistory.Down> downs = new ArrayList<>();
    private final @Nullable RedisReplicas replicas;
    private final @Nullable RedisServer single;
    private int kills;
    private int stops;
    private int failovers;
    private int next;

    private PlanServers(@Nullable RedisReplicas replicas, @Nullable RedisServer single) {
        this.replicas = replicas;
        this.single = single;
    }

    static PlanServers onFiles(Path directory, String jvmOptions) throws IOException, InterruptedException {
        PlanServers servers = new PlanServers(null, null);
        servers.nodes.add(new Node(directory, "server", Node.onFiles(directory, "sync"), jvmOptions));
        return servers;
    }

    static PlanServers onRedis(Path directory, String jvmOptions, boolean failover)
            throws IOException, InterruptedException {
        PlanServers servers = failover
                ? new PlanServers(
                        RedisReplicas.builder()
                                .replicas(1)
                                .config("appendonly", "yes")
                                .sentinels(Duration.ofMillis(500))
                                .start(),
                        null)
                : new PlanServers(null, RedisServer.builder().start());
        try {
            for (int i = 1; i <= 2; i++) {
                servers.nodes.add(new Node(directory, "node-" + i, servers.redis(), jvmOptions));
            }
        } catch (IOException | InterruptedException e) {
            servers.close();
            throw e;
        }
        return servers;
    }

    private String redis() {
        if (single != null) {
            return """
                   store:
                     kind: redis
                     redis:
                       uri: redis://127.0.0.1:%d
                       partitions: 8
                       lease: %s
                   """.formatted(single.port(), LEASE);
        }
        String sentinels = requireReplicas().sentinelPorts().stream()
                .map(port -> "redis://127.0.0.1:" + port)
                .collect(Collectors.joining(","));
        return """
               store:
                 kind: redis
                 redis:
                   uri: %s
                   sentinelMaster: %s
                   partitions: 8
                   lease: %s
                   durability: replicated(1)
               """.formatted(sentinels, requireReplicas().masterName(), LEASE);
    }

    /** Kills a server and starts it again, stops it for longer than its lease, or has Redis fail over; on Redis in turns. */
    void hurt(SplittableRandom random) throws IOException, InterruptedException {
        long fromMs = System.currentTimeMillis();
        if (nodes.size() == 1) {
            kill(nodes.get(0));
        } else {
            Node node = nodes.get(next++ % nodes.size());
            switch (random.nextInt(replicas == null ? 2 : 3)) {
                case 0 -> kill(node);
                case 1 -> {
                    stops++;
                    node.process().stop();
                    Thread.sleep(2 * LEASE_MS + random.nextLong(2 * LEASE_MS));
                    node.process().goOn();
                }
                default -> failOver(requireReplicas());
            }
        }
        downs.add(new PlanHistory.Down(fromMs, System.currentTimeMillis()));
    }

    private void kill(Node node) throws IOException, InterruptedException {
        kills++;
        node.kill();
        node.start();
    }

    /** The master dies, and comes back as a replica: without one nothing is acknowledged. */
    private void failOver(RedisReplicas redis) {
        failovers++;
        RedisServer first = redis.master();
        first.kill();
        redis.awaitMaster(master -> master != first, FAILOVER_LIMIT);
        first.restart();
        redis.awaitReplication(FAILOVER_LIMIT);
    }

    private RedisReplicas requireReplicas() {
        if (replicas == null) {
            throw new IllegalStateException("there are no replicas");
        }
        return replicas;
    }

    /** To one of the servers, another one each time. */
    HttpCalls calls() {
        return new HttpCalls(nodes.get(next % nodes.size()).address());
    }

    List<PlanHistory.Down> downs() {
        return downs;
    }

    String faults() {
        return "%,d kills, %,d stops, %,d failovers".formatted(kills, stops, failovers);
    }

    @Override
    public void close() throws IOException {
        try {
            for (Node node : nodes) {
                node.close();
            }
        } finally {
            if (replicas != null) {
                replicas.close();
            }
            if (single != null) {
                single.close();
            }
        }
    }
}
