package io.tickwheel.redis.testkit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A Redis cluster of real processes: masters that share the slots evenly, each with as many replicas as wanted. All know
 * each other, and the cluster takes commands, when it is built; that takes a little more than the two seconds that
 * every Redis lets pass before it takes writes. Thread-safe.
 *
 * <pre>{@code
 * try (RedisCluster redis = RedisCluster.builder().start()) {
 *     int slot = redis.slotOf("order");
 *     RedisServer first = redis.masterOf(slot);
 *     first.kill();
 *     RedisServer second = redis.awaitMasterChange(slot, first, Duration.ofSeconds(20));
 *     ...
 * }
 * }</pre>
 */
public final class RedisCluster implements AutoCloseable {

    /** How many slots a cluster has, from 0 on. */
    public static final int SLOTS = 16_384;

    private static final Duration JOIN_LIMIT = Duration.ofSeconds(60);

    private final List<RedisServer> nodes = new ArrayList<>();
    private final Optional<String> password;

    private RedisCluster(Optional<String> password) {
        this.password = password;
    }

    public static Builder builder() {
        return new Builder();
    }

    /** All nodes, in an order that stays: those that were masters at first, then the replicas of the first, and so on. */
    public List<RedisServer> nodes() {
        return List.copyOf(nodes);
    }

    /** The slot of a key, where what is between the first braces counts alone. */
    public int slotOf(String key) {
        return Math.toIntExact((Long) Objects.requireNonNull(anyAwake().command("CLUSTER", "KEYSLOT", key)));
    }

    /**
     * The master of the slot, in the view of the node that has the latest news. It stays the master when it goes down,
     * until a replica has been promoted.
     *
     * @throws IllegalStateException if no node is up, or the slot has no master
     */
    public RedisServer masterOf(int slot) {
        checkSlot(slot);
        return findMaster(slot)
                .orElseThrow(() -> new IllegalStateException("slot " + slot + " has no master: " + describe()));
    }

    /** Whether the node is up and thinks that it is a master, right or wrong. */
    public boolean isMaster(RedisServer node) {
        return node.ask("ROLE")
                .filter(role -> role instanceof List<?> parts && "master".equals(parts.get(0)))
                .isPresent();
    }

    /**
     * Waits until all nodes that are up take commands for all slots, and agree on whose they are.
     *
     * @throws AssertionError if that does not come about within the limit; the message has what each node thinks
     */
    public void awaitOk(Duration limit) {
        if (!Patience.tryUntil(limit, this::isOk)) {
            throw new AssertionError("the cluster is not well after " + limit + ": " + describe());
        }
    }

    /**
     * Waits until all nodes that are up take commands, and agree that the slot has another master, and returns that.
     *
     * @param old the node that is to be master no longer
     * @throws AssertionError if that does not come about within the limit; the message has what each node thinks
     */
    public RedisServer awaitMasterChange(int slot, RedisServer old, Duration limit) {
        checkSlot(slot);
        return Patience.tryFind(limit, () -> isOk() ? findMaster(slot).filter(found -> found != old) : Optional.empty())
                .orElseThrow(() -> new AssertionError(
                        "no master of slot " + slot + " but " + old + " after " + limit + ": " + describe()));
    }

    /**
     * Begins to move a slot to another master as soon as all nodes agree, and leaves the keys to
     * {@link SlotMigration#moveKeys}. From then on the source answers {@code ASK} for keys that it does not have.
     *
     * @throws AssertionError if they do not come to agree
     */
    public SlotMigration beginMigration(int slot, RedisServer from, RedisServer to) {
        checkSlot(slot);
        SlotMigration migration = new SlotMigration(this, slot, from, to);
        migration.begin();
        return migration;
    }

    /** Moves a slot with all its keys to another master. */
    public void migrateSlot(int slot, RedisServer from, RedisServer to) {
        SlotMigration migration = beginMigration(slot, from, to);
        int moved;
        do {
            moved = migration.moveKeys(100);
        } while (moved > 0);
        migration.endMigration();
    }

    /** The id by which the nodes know this one. */
    String idOf(RedisServer node) {
        return String.valueOf(node.command("CLUSTER", "MYID"));
    }

    /** What nodes ask each other for; empty without. */
    Optional<String> password() {
        return password;
    }

    private void await(String what, Predicate<RedisServer> condition) {
        if (!Patience.tryUntil(JOIN_LIMIT, () -> nodes.stream().allMatch(condition))) {
            throw new AssertionError("waited " + JOIN_LIMIT + " in vain until " + what + ": " + describe());
        }
    }

    private boolean isOk() {
        Set<Set<String>> divisions = new HashSet<>();
        for (RedisServer node : nodes) {
            if (node.isAwake()) {
                Optional<ClusterView> view = ClusterView.of(node);
                if (view.isEmpty() || !isServing(node)) {
                    return false;
                }
                divisions.add(view.get().division());
            }
        }
        return divisions.size() == 1;
    }

    private static boolean isServing(RedisServer node) {
        return node.ask("CLUSTER", "INFO")
                .filter(state -> state.toString().contains("cluster_state:ok"))
                .isPresent();
    }

    private Optional<RedisServer> findMaster(int slot) {
        return nodes.stream()
                .flatMap(node -> ClusterView.of(node).stream())
                .flatMap(view -> view.ownerOf(slot).stream())
                .max(Comparator.comparingLong(ClusterView.Entry::epoch))
                .map(this::node);
    }

    private RedisServer node(ClusterView.Entry entry) {
        return nodes.stream()
                .filter(node -> node.port() == entry.port())
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("not a node of this cluster: " + entry));
    }

    private RedisServer anyAwake() {
        return nodes.stream()
                .filter(RedisServer::isAwake)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no node is up"));
    }

    private static void checkSlot(int slot) {
        if (slot < 0 || slot >= SLOTS) {
            throw new IllegalArgumentException("slot is " + slot + ", must be from 0 to " + (SLOTS - 1));
        }
    }

    private String describe() {
        StringBuilder all = new StringBuilder();
        for (RedisServer node : nodes) {
            all.append('\n').append(node).append(": ").append(node.ask("CLUSTER", "NODES"));
        }
        return all.toString();
    }

    /** Kills all nodes and deletes their directories. Without effect if it is closed already. */
    @Override
    public void close() {
        nodes.forEach(RedisServer::close);
    }

    /** The settings of a cluster. Not thread-safe. */
    public static final class Builder {

        private final RedisServer.Builder node = RedisServer.builder();
        private int masters = 3;
        private int replicasPerMaster = 1;
        private Duration nodeTimeout = Duration.ofSeconds(1);
        private Optional<String> password = Optional.empty();

        private Builder() {}

        /** The program of all; by default {@link RedisBinary#preferred()}. */
        public Builder binary(RedisBinary binary) {
            node.binary(binary);
            return this;
        }

        /** How many masters; from 1 to 10, three by default. A replica is promoted only where three or more vote. */
        public Builder masters(int masters) {
            if (masters < 1 || masters > 10) {
                throw new IllegalArgumentException("masters is " + masters + ", must be from 1 to 10");
            }
            this.masters = masters;
            return this;
        }

        /** How many replicas each master has; from 0 to 2, one by default. */
        public Builder replicasPerMaster(int replicas) {
            if (replicas < 0 || replicas > 2) {
                throw new IllegalArgumentException("replicas is " + replicas + ", must be from 0 to 2");
            }
            this.replicasPerMaster = replicas;
            return this;
        }

        /** How long a node must not answer before the others think that it is down; a second by default. */
        public Builder nodeTimeout(Duration timeout) {
            if (timeout.toMillis() < 100) {
                throw new IllegalArgumentException("timeout is " + timeout + ", must be at least PT0.1S");
            }
            nodeTimeout = timeout;
            return this;
        }

        /** A line of the configuration file of every node, see {@link RedisServer.Builder#config}. */
        public Builder config(String directive, String arguments) {
            node.config(directive, arguments);
            return this;
        }

        /** The password of every node, see {@link RedisServer.Builder#password}. */
        public Builder password(String password) {
            node.password(password);
            this.password = Optional.of(password);
            return this;
        }

        /**
         * Starts the nodes, makes a cluster of them and waits until it takes commands and the replicas follow.
         *
         * @throws IllegalStateException if a node does not start
         * @throws AssertionError if they do not become a cluster in time
         */
        public RedisCluster start() {
            RedisCluster cluster = new RedisCluster(password);
            try {
                for (int i = 0; i < masters * (1 + replicasPerMaster); i++) {
                    cluster.nodes.add(startNode());
                }
                shareSlots(cluster.nodes);
                introduce(cluster.nodes);
                cluster.await("every node knows all", node -> knowsAll(node, cluster.nodes.size()));
                assignReplicas(cluster);
                cluster.await("every replica follows", node -> cluster.nodes.indexOf(node) < masters || follows(node));
                cluster.awaitOk(JOIN_LIMIT);
            } catch (RuntimeException | AssertionError e) {
                cluster.close();
                throw e;
            }
            return cluster;
        }

        private RedisServer startNode() {
            return node.copy()
                    .config("cluster-enabled", "yes")
                    .config("cluster-node-timeout", Long.toString(nodeTimeout.toMillis()))
                    // Else a replica that was apart from its master for ten timeouts may not take its place.
                    .config("cluster-replica-validity-factor", "0")
                    // Replicas stay with the master that they were given.
                    .config("cluster-migration-barrier", "100")
                    .start();
        }

        private void shareSlots(List<RedisServer> nodes) {
            for (int i = 0; i < nodes.size(); i++) {
                nodes.get(i).command("CLUSTER", "SET-CONFIG-EPOCH", Integer.toString(i + 1));
            }
            for (int i = 0; i < masters; i++) {
                Stream<String> slots = IntStream.range(SLOTS * i / masters, SLOTS * (i + 1) / masters)
                        .mapToObj(Integer::toString);
                nodes.get(i)
                        .command(Stream.concat(Stream.of("CLUSTER", "ADDSLOTS"), slots)
                                .toArray(String[]::new));
            }
        }

        /** Each to each, because gossip takes longer. */
        private static void introduce(List<RedisServer> nodes) {
            for (int i = 0; i < nodes.size(); i++) {
                for (RedisServer earlier : nodes.subList(0, i)) {
                    nodes.get(i).command("CLUSTER", "MEET", "127.0.0.1", Integer.toString(earlier.port()));
                }
            }
        }

        private void assignReplicas(RedisCluster cluster) {
            for (int i = masters; i < cluster.nodes.size(); i++) {
                RedisServer master = cluster.nodes.get((i - masters) / replicasPerMaster);
                cluster.nodes.get(i).command("CLUSTER", "REPLICATE", cluster.idOf(master));
            }
        }

        private static boolean knowsAll(RedisServer node, int count) {
            return ClusterView.of(node).filter(view -> view.isWhole(count)).isPresent();
        }

        private static boolean follows(RedisServer node) {
            return node.ask("INFO", "replication")
                    .filter(section -> section.toString().contains("master_link_status:up"))
                    .isPresent();
        }
    }
}
