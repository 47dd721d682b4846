package io.tickwheel.benchmarks;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * The published scheme of one sorted set per minute of the wall clock, straightforwardly: the score is the second, the member
 * the whole task as JSON, and a set per minute has the keys that were deleted. Once a second a node runs one script that reads
 * the deleted keys and the tasks of this second and the next one from the set of this minute, removes those tasks and returns
 * all of it. There is no cursor and nothing is acknowledged.
 */
final class MinuteSetsPeer implements RedisNode {

    private static final DateTimeFormatter MINUTE =
            DateTimeFormatter.ofPattern("yyyy-MM-dd-HH:mm").withZone(ZoneOffset.UTC);

    private static final String TASKS = "minute_tasks_";

    private static final String ADD = """
            redis.call('SREM', KEYS[2], ARGV[3])
            return redis.call('ZADD', KEYS[1], ARGV[1], ARGV[2])
            """;

    private static final String TICK = """
            local deleted = redis.call('SMEMBERS', KEYS[2])
            local due = redis.call('ZRANGEBYSCORE', KEYS[1], ARGV[1], ARGV[2])
            redis.call('ZREMRANGEBYSCORE', KEYS[1], ARGV[1], ARGV[2])
            return {deleted, due}
            """;

    private static final Duration CLIENT_TIMEOUT = Duration.ofMinutes(1);
    private static final long CLOSE_SECONDS = 10;

    private final RedisClient client;
    private final StatefulRedisConnection<String, String> connection;
    private final String add;
    private final String tick;
    private final ScheduledExecutorService ticker = Executors.newSingleThreadScheduledExecutor();

    private MinuteSetsPeer(RedisClient client) {
        this.client = client;
        this.connection = client.connect();
        connection.setTimeout(CLIENT_TIMEOUT);
        this.add = connection.sync().scriptLoad(ADD);
        this.tick = connection.sync().scriptLoad(TICK);
    }

    static MinuteSetsPeer open(RedisUnderTest redis) {
        return new MinuteSetsPeer(RedisClient.create(redis.uri()));
    }

    @Override
    public CompletionStage<?> schedule(long number, long dueAtMs) {
        String key = RedisLoad.key(number);
        String payload = new String(RedisLoad.payload(number, dueAtMs), US_ASCII);
        return connection
                .async()
                .evalsha(
                        add,
                        ScriptOutputType.INTEGER,
                        keys(dueAtMs),
                        Long.toString(Math.floorDiv(dueAtMs, 1_000L)),
                        new Task(key, payload).json(),
                        key);
    }

    /** Ticks from now on, at whatever part of a second this is. */
    @Override
    public void deliverTo(HandledTimers handled) {
        var unused = ticker.scheduleAtFixedRate(() -> tick(handled), 0, 1, TimeUnit.SECONDS);
    }

    private void tick(HandledTimers handled) {
        long nowMs = System.currentTimeMillis();
        long second = Math.floorDiv(nowMs, 1_000L);
        List<List<String>> found = connection
                .sync()
                .evalsha(tick, ScriptOutputType.MULTI, keys(nowMs), Long.toString(second), Long.toString(second + 1));
        Set<String> deleted = new HashSet<>(found.get(0));
        for (String json : found.get(1)) {
            Task task = Task.of(json);
            if (!deleted.contains(task.key())) {
                byte[] payload = task.payload().getBytes(US_ASCII);
                handled.arrived(RedisLoad.number(payload), Instant.ofEpochMilli(RedisLoad.dueAtMs(payload)));
            }
        }
    }

    /** The minute in braces, as published, so that both lie in one slot of a cluster. */
    private static String[] keys(long atMs) {
        String minute = MINUTE.format(Instant.ofEpochMilli(atMs));
        return new String[] {TASKS + "{" + minute + "}", "minute_deleted_{" + minute + "}"};
    }

    @Override
    public long left() {
        return connection.sync().keys(TASKS + "*").stream()
                .mapToLong(connection.sync()::zcard)
                .sum();
    }

    @Override
    public void awaitAcknowledged() {
        // A task is gone before it is run.
    }

    @Override
    public void close() {
        ticker.shutdown();
        try {
            if (!ticker.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
                System.out.println("    the ticker of the minute sets has not ended");
            }
        } catch (InterruptedException e) {
            // Whoever ends this program does not wait for the ticker; its connection is closed next.
            Thread.currentThread().interrupt();
        }
        client.shutdown(Duration.ZERO, Duration.ofSeconds(CLOSE_SECONDS));
    }

    /** What a member is. Neither part has a character that JSON would escape. */
    private record Task(String key, String payload) {

        private static final String BEFORE_KEY = "{\"key\":\"";
        private static final String BEFORE_PAYLOAD = "\",\"body\":\"";
        private static final String END = "\"}";

        String json() {
            return BEFORE_KEY + key + BEFORE_PAYLOAD + payload + END;
        }

        static Task of(String json) {
            int keyEnd = json.indexOf(BEFORE_PAYLOAD);
            return new Task(
                    json.substring(BEFORE_KEY.length(), keyEnd),
                    json.substring(keyEnd + BEFORE_PAYLOAD.length(), json.length() - END.length()));
        }
    }
}
