package io.tickwheel.redis.testkit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * A Redis master with replicas, and if wanted three sentinels that promote a replica when two of them miss the master. All
 * are up, and know each other, when it is built. Thread-safe.
 *
 * <pre>{@code
 * try (RedisReplicas redis = RedisReplicas.builder().sentinels(Duration.ofMillis(500)).start()) {
 *     RedisServer first = redis.master();
 *     first.kill();
 *     RedisServer second = redis.awaitMaster(master -> master != first, Duration.ofSeconds(20));
 *     ...
 * }
 * }</pre>
 */
public final class RedisReplicas implements AutoCloseable {

    private static final String MASTER_NAME = "tickwheel";
    private static final int SENTINELS = 3;
    private static final int QUORUM = 2;
    private static final Duration JOIN_LIMIT = Duration.ofSeconds(60);

    private final List<RedisServer> servers = new ArrayList<>();
    private final List<RedisServer> sentinels = new ArrayList<>();

    private RedisReplicas() {}

    public static Builder builder() {
        return new Builder();
    }

    /** Master and replicas, in an order that stays when their roles change. */
    public List<RedisServer> servers() {
        return List.copyOf(servers);
    }

    /**
     * The master: the server that two sentinels name, or without sentinels the one that is up and calls itself a master. A
     * master that went down or was deposed is the master until the sentinels have agreed on another.
     *
     * @throws IllegalStateException if there is none, or without sentinels more than one
     */
    public RedisServer master() {
        return findMaster()
                .orElseThrow(() -> new IllegalStateException("there is no master, or more than one, among " + servers));
    }

    /** All servers but the {@link #master}, also those that are down. */
    public List<RedisServer> replicas() {
        RedisServer master = master();
        return servers.stream().filter(server -> server != master).toList();
    }

    /** The ports of the sentinels; empty without. */
    public List<Integer> sentinelPorts() {
        return sentinels.stream().map(RedisServer::port).toList();
    }

    /** The sentinels, to kill or pause them; empty without. */
    public List<RedisServer> sentinels() {
        return List.copyOf(sentinels);
    }

    /** What the sentinels call the master. */
    public String masterName() {
        return MASTER_NAME;
    }

    /**
     * Waits until there is a {@link #master} that calls itself one too and is as wanted, and returns it.
     *
     * @throws AssertionError if there is none within the limit; the message has what each server says
     */
    public RedisServer awaitMaster(Predicate<RedisServer> wanted, Duration limit) {
        return Patience.tryFind(
                        limit,
                        () -> findMaster()
                                .filter(RedisReplicas::callsItselfMaster)
                                .filter(wanted))
                .orElseThrow(() -> new AssertionError("no such master within " + limit + ": " + describe()));
    }

    /**
     * Has a sentinel promote a replica although the master is well, as an operator does: the old master answers on for a while.
     * Returns when the sentinel has agreed, which may be before there is another master.
     *
     * @throws AssertionError if no sentinel agrees within the limit; the message has what each server says
     */
    public void orderFailover(Duration limit) {
        if (!Patience.tryUntil(limit, () -> sentinels.stream().anyMatch(RedisReplicas::agreesToFailOver))) {
            throw new AssertionError("no sentinel fails over within " + limit + ": " + describe());
        }
    }

    private static boolean agreesToFailOver(RedisServer sentinel) {
        return sentinel.ask("SENTINEL", "FAILOVER", MASTER_NAME)
                .filter("OK"::equals)
                .isPresent();
    }

    /**
     * Waits until the master has as many replicas as it had at first, and each has what the master had when it was looked
     * at.
     *
     * @throws AssertionError if that does not come about within the limit; the message has what each server says
     */
    public void awaitReplication(Duration limit) {
        if (!Patience.tryUntil(limit, this::isReplicated)) {
            throw new AssertionError("not replicated within " + limit + ": " + describe());
        }
    }

    /**
     * Waits until all servers but one that is down follow a master. One that still follows the server that is down becomes empty when that
     * comes back without what it held, and may be promoted later.
     *
     * @throws AssertionError if that does not come about within the limit; the message has what each server says
     */
    public void awaitFollowers(RedisServer master, RedisServer down, Duration limit) {
        boolean follow = Patience.tryUntil(
                limit,
                () -> servers.stream()
                        .filter(server -> server != master && server != down)
                        .map(Replication::of)
                        .allMatch(other -> other.isPresent() && other.get().follows(master)));
        if (!follow) {
            throw new AssertionError("not all follow " + master + " within " + limit + ": " + describe());
        }
    }

    /**
     * Waits until each replica has told the master how far it is. A master sends nothing to a new replica before that, which tells it once
     * a second: whoever measures must wait for it.
     *
     * @throws AssertionError if that does not come about within the limit; the message has what each server says
     */
    public void awaitAcknowledgements(Duration limit) {
        // Something to acknowledge.
        master().command("PUBLISH", "acknowledge", "");
        if (!Patience.tryUntil(limit, this::haveAcknowledged)) {
            throw new AssertionError("not acknowledged within " + limit + ": " + describe());
        }
    }

    private boolean haveAcknowledged() {
        return findMaster()
                .flatMap(Replication::of)
                .filter(master -> master.acknowledgedBy() == servers.size() - 1)
                .isPresent();
    }

    private boolean isReplicated() {
        return findMaster().filter(this::haveCaughtUpWith).isPresent();
    }

    private boolean haveCaughtUpWith(RedisServer master) {
        Optional<Replication> own = Replication.of(master);
        return own.isPresent()
                && servers.stream()
                        .filter(server -> server != master)
                        .map(Replication::of)
                        .allMatch(other -> other.isPresent() && other.get().hasAllOf(master, own.get()));
    }

    private Optional<RedisServer> findMaster() {
        if (!sentinels.isEmpty()) {
            return servers.stream()
                    .filter(server -> sentinels.stream()
                                    .filter(sentinel -> names(sentinel, server))
                                    .count()
                            >= QUORUM)
                    .findFirst();
        }
        List<RedisServer> masters =
                servers.stream().filter(RedisReplicas::callsItselfMaster).toList();
        return masters.size() == 1 ? Optional.of(masters.get(0)) : Optional.empty();
    }

    private static boolean names(RedisServer sentinel, RedisServer server) {
        List<String> address = List.of("127.0.0.1", Integer.toString(server.port()));
        return sentinel.ask("SENTINEL", "GET-MASTER-ADDR-BY-NAME", MASTER_NAME)
                .filter(address::equals)
                .isPresent();
    }

    private static boolean callsItselfMaster(RedisServer server) {
        return Replication.of(server).filter(Replication::isMaster).isPresent();
    }

    /** Whether the sentinel sees the other sentinels and all replicas, and nothing wrong. */
    private boolean knowsAll(RedisServer sentinel) {
        return sentinel.ask("SENTINEL", "MASTER", MASTER_NAME)
                .filter(state -> state instanceof List<?> fields
                        && "master".equals(field(fields, "flags"))
                        && Integer.toString(servers.size() - 1).equals(field(fields, "num-slaves"))
                        && Integer.toString(SENTINELS - 1).equals(field(fields, "num-other-sentinels")))
                .isPresent();
    }

    private static Object field(List<?> namesAndValues, String name) {
        int index = namesAndValues.indexOf(name);
        return index < 0 ? "" : namesAndValues.get(index + 1);
    }

    private String describe() {
        StringBuilder all = new StringBuilder();
        for (RedisServer server : servers) {
            all.append('\n').append(server).append(": ").append(server.ask("INFO", "replication"));
        }
        for (RedisServer sentinel : sentinels) {
            all.append('\n').append(sentinel).append(": ").append(sentinel.ask("SENTINEL", "MASTER", MASTER_NAME));
        }
        return all.toString();
    }

    /** Kills all and deletes their directories. Without effect if it is closed already. */
    @Override
    public void close() {
        sentinels.forEach(RedisServer::close);
        servers.forEach(RedisServer::close);
    }

    /** The settings of a master with replicas. Not thread-safe. */
    public static final class Builder {

        private final RedisServer.Builder server = RedisServer.builder();
        private RedisBinary binary = RedisBinary.preferred();
        private int replicas = 1;
        private Optional<Duration> downAfter = Optional.empty();
        private Optional<String> password = Optional.empty();

        private Builder() {}

        /** The program of all; by default {@link RedisBinary#preferred()}. */
        public Builder binary(RedisBinary binary) {
            this.binary = binary;
            return this;
        }

        /** How many replicas; from 1 to 5, one by default. */
        public Builder replicas(int replicas) {
            if (replicas < 1 || replicas > 5) {
                throw new IllegalArgumentException("replicas is " + replicas + ", must be from 1 to 5");
            }
            this.replicas = replicas;
            return this;
        }

        /**
         * With three sentinels, two of which must miss the master before they depose it; none by default.
         *
         * @param downAfter how long the master must not answer before a sentinel misses it; at least 100 ms
         */
        public Builder sentinels(Duration downAfter) {
            if (downAfter.toMillis() < 100) {
                throw new IllegalArgumentException("downAfter is " + downAfter + ", must be at least PT0.1S");
            }
            this.downAfter = Optional.of(downAfter);
            return this;
        }

        /** A line of the configuration file of master and replicas, see {@link RedisServer.Builder#config}. */
        public Builder config(String directive, String arguments) {
            server.config(directive, arguments);
            return this;
        }

        /** The password of master and replicas, see {@link RedisServer.Builder#password}; sentinels ask for none. */
        public Builder password(String password) {
            server.password(password);
            this.password = Optional.of(password);
            return this;
        }

        /**
         * Starts them all and waits until the replicas have caught up and the sentinels know each other.
         *
         * @throws IllegalStateException if a server does not start
         * @throws AssertionError if they do not find each other in time
         */
        public RedisReplicas start() {
            RedisReplicas all = new RedisReplicas();
            try {
                startServers(all);
                all.awaitReplication(JOIN_LIMIT);
                if (downAfter.isPresent()) {
                    startSentinels(all, downAfter.get());
                }
            } catch (IllegalStateException | AssertionError e) {
                all.close();
                throw e;
            }
            return all;
        }

        private void startServers(RedisReplicas all) {
            RedisServer master = server.copy().binary(binary).start();
            all.servers.add(master);
            for (int i = 0; i < replicas; i++) {
                all.servers.add(server.copy()
                        .binary(binary)
                        .config("replicaof", "127.0.0.1 " + master.port())
                        .start());
            }
        }

        private void startSentinels(RedisReplicas all, Duration limit) {
            int masterPort = all.servers.get(0).port();
            for (int i = 0; i < SENTINELS; i++) {
                RedisServer.Builder sentinel = RedisServer.builder()
                        .sentinel()
                        .binary(binary)
                        .config("sentinel monitor", MASTER_NAME + " 127.0.0.1 " + masterPort + " " + QUORUM)
                        .config("sentinel down-after-milliseconds", MASTER_NAME + " " + limit.toMillis())
                        // Three minutes by default: so long nothing happens after a vote that nobody won.
                        .config("sentinel failover-timeout", MASTER_NAME + " 3000");
                password.ifPresent(secret ->
                        sentinel.config("sentinel auth-pass", MASTER_NAME + " " + RedisServer.Builder.quoted(secret)));
                all.sentinels.add(sentinel.start());
            }
            if (!Patience.tryUntil(JOIN_LIMIT, () -> all.sentinels.stream().allMatch(all::knowsAll))) {
                throw new AssertionError("the sentinels do not know all within " + JOIN_LIMIT + ": " + all.describe());
            }
        }
    }

    /**
     * What a server says of its replication.
     *
     * @param fields by name
     */
    private record Replication(Map<String, String> fields) {

        static Optional<Replication> of(RedisServer server) {
            return server.ask("INFO", "replication")
                    .map(section -> new Replication(section.toString()
                            .lines()
                            .filter(line -> line.contains(":"))
                            .collect(Collectors.toMap(
                                    line -> line.substring(0, line.indexOf(':')),
                                    line -> line.substring(line.indexOf(':') + 1)))));
        }

        boolean isMaster() {
            return is("role", "master");
        }

        /** The offset of a replica is that of the bytes that it has carried out. */
        boolean hasAllOf(RedisServer master, Replication its) {
            return its.isMaster()
                    && follows(master)
                    && is("slave_repl_offset", String.valueOf(its.fields.get("master_repl_offset")));
        }

        boolean follows(RedisServer master) {
            return is("master_port", Integer.toString(master.port())) && is("master_link_status", "up");
        }

        /** How many replicas have told this master how far they are. */
        long acknowledgedBy() {
            return fields.entrySet().stream()
                    .filter(field -> field.getKey().matches("slave[0-9]+"))
                    .filter(field -> field.getValue().matches(".*,offset=[1-9].*"))
                    .count();
        }

        private boolean is(String name, String value) {
            return value.equals(fields.get(name));
        }
    }
}
