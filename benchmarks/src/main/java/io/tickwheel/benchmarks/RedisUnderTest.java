package io.tickwheel.benchmarks;

import io.tickwheel.redis.testkit.RedisBinary;
import io.tickwheel.redis.testkit.RedisCluster;
import io.tickwheel.redis.testkit.RedisReplicas;
import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.store.redis.RedisAddress;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;

/**
 * A Redis in a process of its own for one measurement, empty at first, that saves nothing; with a replica in another process,
 * or as a cluster, if wanted. Thread-safe.
 */
final class RedisUnderTest implements AutoCloseable {

    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(30);
    private static final int CLOCK_LOOKS = 50;

    private final RedisServer server;
    private final List<RedisServer> masters;
    private final Runnable end;

    private RedisUnderTest(List<RedisServer> masters, Runnable end) {
        this.server = masters.get(0);
        this.masters = masters;
        this.end = end;
    }

    /** Takes the program that the options name, if they do. */
    static void useServer(Options options) {
        String server = options.text("redis-server", "");
        if (!server.isEmpty()) {
            System.setProperty(RedisBinary.PROPERTY, server);
        }
    }

    static RedisUnderTest single() {
        RedisServer server =
                RedisServer.builder().commandTimeout(COMMAND_TIMEOUT).start();
        return new RedisUnderTest(List.of(server), server::close);
    }

    static RedisUnderTest withReplica() {
        RedisReplicas replicas = RedisReplicas.builder().replicas(1).start();
        replicas.awaitAcknowledgements(COMMAND_TIMEOUT);
        return new RedisUnderTest(List.of(replicas.master()), replicas::close);
    }

    /** A cluster of three masters. */
    static RedisUnderTest cluster() {
        RedisCluster cluster = RedisCluster.builder().replicasPerMaster(0).start();
        return new RedisUnderTest(cluster.nodes(), cluster::close);
    }

    RedisAddress address() {
        String[] uris = masters.stream().map(RedisUnderTest::uri).toArray(String[]::new);
        return uris.length == 1 ? RedisAddress.single(uris[0]) : RedisAddress.cluster(uris);
    }

    String uri() {
        return uri(server);
    }

    private static String uri(RedisServer server) {
        return "redis://127.0.0.1:" + server.port();
    }

    /** What its processes have used of the processors so far, but for replicas. */
    double cpuMicros() {
        return masters.stream().mapToDouble(RedisUnderTest::cpuMicros).sum();
    }

    private static double cpuMicros(RedisServer master) {
        return 1e6
                * (Double.parseDouble(info(master, "cpu", "used_cpu_user"))
                        + Double.parseDouble(info(master, "cpu", "used_cpu_sys")));
    }

    long usedMemory() {
        return Long.parseLong(info(server, "memory", "used_memory"));
    }

    /** Which program it is, and how its clock stands to ours. */
    String describe() {
        return String.format(
                Locale.ROOT,
                "redis:   %s, allocator %s, %s; its clock minus ours: %s",
                server.binary(),
                info(server, "memory", "mem_allocator"),
                info(server, "memory", "maxmemory_policy"),
                clockOffset());
    }

    /** A time that it tells lies between the asking and the answer. */
    private String clockOffset() {
        long least = Long.MIN_VALUE;
        long most = Long.MAX_VALUE;
        for (int i = 0; i < CLOCK_LOOKS; i++) {
            long before = micros(Instant.now());
            List<?> time = (List<?>) reply(server, "TIME");
            long after = micros(Instant.now());
            long its = Long.parseLong(String.valueOf(time.get(0))) * 1_000_000
                    + Long.parseLong(String.valueOf(time.get(1)));
            least = Math.max(least, its - after);
            most = Math.min(most, its - before);
        }
        return "%d to %d us".formatted(least, most);
    }

    private static long micros(Instant instant) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
    }

    private static String info(RedisServer server, String section, String field) {
        return reply(server, "INFO", section)
                .toString()
                .lines()
                .filter(line -> line.startsWith(field + ":"))
                .map(line -> line.substring(field.length() + 1).strip())
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("INFO " + section + " has no " + field));
    }

    private static Object reply(RedisServer server, String... command) {
        Object reply = server.command(command);
        if (reply == null) {
            throw new IllegalStateException(command[0] + " is answered with nothing");
        }
        return reply;
    }

    @Override
    public void close() {
        end.run();
    }
}
