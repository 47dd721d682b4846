package io.tickwheel.redis.testkit;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A slot of a cluster on its way from one master to another, in steps between which a test does what it likes. Not
 * thread-safe.
 *
 * <p>The steps are those of {@code CLUSTER SETSLOT}: from the beginning on the source answers {@code ASK} for keys that it
 * does not have, and the target serves them to those who say {@code ASKING}; from the end on the source answers
 * {@code MOVED}.
 */
public final class SlotMigration {

    private static final Duration MOVE_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration AGREE_LIMIT = Duration.ofSeconds(60);

    private final RedisCluster cluster;
    private final int slot;
    private final RedisServer from;
    private final RedisServer to;

    SlotMigration(RedisCluster cluster, int slot, RedisServer from, RedisServer to) {
        if (from == to) {
            throw new IllegalArgumentException("from and to are " + from + ", must be two nodes");
        }
        this.cluster = cluster;
        this.slot = slot;
        this.from = from;
        this.to = to;
    }

    /**
     * Lets all agree first: a target that has not heard of the epoch in which the source got the slot would take it in an
     * older one, lose it again as soon as it hears, and delete its keys. The target is told before the source, else there is a
     * moment in which both send a client away.
     */
    void begin() {
        cluster.awaitOk(AGREE_LIMIT);
        setSlot(to, "IMPORTING", cluster.idOf(from));
        setSlot(from, "MIGRATING", cluster.idOf(to));
    }

    /**
     * Moves some keys, whichever the source names, and returns how many: fewer than {@code count} only if no more are
     * left.
     *
     * @param count at least 1
     * @throws RedisError if a node refuses, also if the target has such a key already
     */
    public int moveKeys(int count) {
        if (count < 1) {
            throw new IllegalArgumentException("count is " + count + ", must be at least 1");
        }
        // Keys are any bytes, and these charsets keep them as they are.
        List<?> keys = (List<?>) Objects.requireNonNull(from.command(
                StandardCharsets.ISO_8859_1,
                "CLUSTER",
                "GETKEYSINSLOT",
                Integer.toString(slot),
                Integer.toString(count)));
        if (keys.isEmpty()) {
            return 0;
        }
        List<String> command = new ArrayList<>(List.of(
                "MIGRATE", "127.0.0.1", Integer.toString(to.port()), "", "0", Long.toString(MOVE_TIMEOUT.toMillis())));
        cluster.password().ifPresent(password -> command.addAll(List.of("AUTH", password)));
        command.add("KEYS");
        keys.forEach(key -> command.add(String.valueOf(key)));
        from.command(StandardCharsets.ISO_8859_1, command.toArray(String[]::new));
        return keys.size();
    }

    /**
     * Tells all masters that are up that the slot is the target's now.
     *
     * @throws IllegalStateException if the source still has keys of the slot
     */
    public void endMigration() {
        Object left = from.command("CLUSTER", "COUNTKEYSINSLOT", Integer.toString(slot));
        if (!Long.valueOf(0).equals(left)) {
            throw new IllegalStateException(from + " still has " + left + " keys of slot " + slot);
        }
        String owner = cluster.idOf(to);
        setSlot(to, "NODE", owner);
        setSlot(from, "NODE", owner);
        cluster.nodes().stream()
                .filter(node -> node != to && node != from && cluster.isMaster(node))
                .forEach(node -> setSlot(node, "NODE", owner));
    }

    /** Leaves the slot with the source; the keys that have been moved are out of reach until it is moved again. */
    public void abandon() {
        setSlot(from, "STABLE");
        setSlot(to, "STABLE");
    }

    private void setSlot(RedisServer node, String... state) {
        List<String> command = new ArrayList<>(List.of("CLUSTER", "SETSLOT", Integer.toString(slot)));
        command.addAll(List.of(state));
        node.command(command.toArray(String[]::new));
    }
}
