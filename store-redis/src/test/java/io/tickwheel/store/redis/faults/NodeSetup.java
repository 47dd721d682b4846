package io.tickwheel.store.redis.faults;

import io.tickwheel.store.Durability;
import io.tickwheel.store.redis.RedisAddress;
import io.tickwheel.store.redis.RedisTimerStore;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/**
 * What a node of a fault test is told to be; goes to its process as the words of a command line.
 *
 * @param servers {@code single}, {@code cluster} or {@code sentinel}, and behind it, each after a bar, what the address is of
 * @param replicas how many replicas must have what is answered
 */
record NodeSetup(
        String servers, String namespace, int partitions, Duration lease, Duration timeout, int replicas, String name) {

    private static final Duration LEASE = Duration.ofSeconds(1);
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    /** One server at a port of this machine. */
    static NodeSetup single(int port, String namespace, int partitions) {
        return new NodeSetup("single|" + uri(port), namespace, partitions, LEASE, TIMEOUT, 0, "");
    }

    static NodeSetup cluster(List<Integer> ports, String namespace, int partitions) {
        return new NodeSetup("cluster|" + uris(ports), namespace, partitions, LEASE, TIMEOUT, 0, "");
    }

    static NodeSetup sentinel(String master, List<Integer> ports, String namespace, int partitions) {
        return new NodeSetup("sentinel|" + master + "|" + uris(ports), namespace, partitions, LEASE, TIMEOUT, 0, "");
    }

    private static String uris(List<Integer> ports) {
        return String.join("|", ports.stream().map(NodeSetup::uri).toList());
    }

    private static String uri(int port) {
        return "redis://127.0.0.1:" + port;
    }

    NodeSetup named(String value) {
        return new NodeSetup(servers, namespace, partitions, lease, timeout, replicas, value);
    }

    NodeSetup withLease(Duration value) {
        return new NodeSetup(servers, namespace, partitions, value, timeout, replicas, name);
    }

    NodeSetup withTimeout(Duration value) {
        return new NodeSetup(servers, namespace, partitions, lease, value, replicas, name);
    }

    NodeSetup withReplicas(int value) {
        return new NodeSetup(servers, namespace, partitions, lease, timeout, value, name);
    }

    NodeSetup withServers(NodeSetup other) {
        return new NodeSetup(other.servers, namespace, partitions, lease, timeout, replicas, name);
    }

    RedisAddress address() {
        String[] words = servers.split("\\|", -1);
        return switch (words[0]) {
            case "single" -> RedisAddress.single(words[1]);
            case "cluster" -> RedisAddress.cluster(Arrays.copyOfRange(words, 1, words.length));
            case "sentinel" -> RedisAddress.sentinel(words[1], Arrays.copyOfRange(words, 2, words.length));
            default -> throw new IllegalArgumentException("servers is " + servers);
        };
    }

    RedisTimerStore store() {
        return RedisTimerStore.at(address())
                .withNamespace(namespace)
                .withPartitions(partitions)
                .withLease(lease)
                .withTimeout(timeout)
                .withDurability(replicas == 0 ? Durability.MEMORY : Durability.replicated(replicas))
                .withNode(name);
    }

    List<String> words() {
        return List.of(
                servers,
                namespace,
                Integer.toString(partitions),
                lease.toString(),
                timeout.toString(),
                Integer.toString(replicas),
                name);
    }

    static NodeSetup of(String... words) {
        return new NodeSetup(
                words[0],
                words[1],
                Integer.parseInt(words[2]),
                Duration.parse(words[3]),
                Duration.parse(words[4]),
                Integer.parseInt(words[5]),
                words[6]);
    }
}
