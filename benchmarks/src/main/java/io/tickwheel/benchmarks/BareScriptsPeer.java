package io.tickwheel.benchmarks;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The floor: what Redis takes for the same data when scripts do nothing but keep it. A hash has the payloads, a sorted set those that
 * wait, another one those that are delivered; 64 timers go in one call. Nothing is decided, and there are no partitions, owners,
 * versions, conflicts, counts, directories or remembered ends: no product could do with so little.
 */
final class BareScriptsPeer implements RedisNode {

    private static final byte[][] KEYS = {key("bare:r"), key("bare:z"), key("bare:f")};
    private static final int TIMERS_A_CALL = 64;
    private static final int CALLS_UNDER_WAY = 4;
    private static final long FLUSH_NANOS = 300_000;
    private static final long CLOSE_SECONDS = 10;

    private static final String ADD = """
            local records, slice = {}, {}
            for j = 1, #ARGV, 3 do
              local n = #records
              records[n + 1], records[n + 2] = ARGV[j + 1], ARGV[j + 2]
              slice[n + 1], slice[n + 2] = ARGV[j], ARGV[j + 1]
            end
            redis.call('HSET', KEYS[1], unpack(records))
            redis.call('ZADD', KEYS[2], unpack(slice))
            return 1
            """;

    private static final String CLAIM = """
            local time = redis.call('TIME')
            local now = time[1] * 1000 + math.floor(time[2] / 1000)
            local keys = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now, 'LIMIT', 0, ARGV[1])
            if not keys[1] then
              return {keys, keys}
            end
            local held, claims = string.format('%.0f', now + 5000), {}
            for j = 1, #keys do
              claims[2 * j - 1], claims[2 * j] = held, keys[j]
            end
            redis.call('ZREM', KEYS[2], unpack(keys))
            redis.call('ZADD', KEYS[3], unpack(claims))
            return {keys, redis.call('HMGET', KEYS[1], unpack(keys))}
            """;

    private static final String FINISH = """
            redis.call('ZREM', KEYS[3], unpack(ARGV))
            redis.call('HDEL', KEYS[1], unpack(ARGV))
            return 1
            """;

    private final RedisClient client;
    private final StatefulRedisConnection<byte[], byte[]> connection;
    private final String add;
    private final String claim;
    private final String finish;
    private final AtomicLong unacknowledged = new AtomicLong();
    private final ExecutorService threads = Executors.newFixedThreadPool(2);
    private List<byte[]> gathered = new ArrayList<>();
    private List<CompletableFuture<Void>> waiting = new ArrayList<>();
    private volatile boolean closed;

    private BareScriptsPeer(RedisClient client) {
        this.client = client;
        this.connection = client.connect(ByteArrayCodec.INSTANCE);
        this.add = connection.sync().scriptLoad(ADD.getBytes(US_ASCII));
        this.claim = connection.sync().scriptLoad(CLAIM.getBytes(US_ASCII));
        this.finish = connection.sync().scriptLoad(FINISH.getBytes(US_ASCII));
        threads.execute(this::flushNowAndThen);
    }

    static BareScriptsPeer open(RedisUnderTest redis) {
        return new BareScriptsPeer(RedisClient.create(redis.uri()));
    }

    private static byte[] key(String name) {
        return name.getBytes(US_ASCII);
    }

    @Override
    public synchronized CompletionStage<?> schedule(long number, long dueAtMs) {
        gathered.add(Long.toString(dueAtMs).getBytes(US_ASCII));
        gathered.add(RedisLoad.key(number).getBytes(US_ASCII));
        gathered.add(RedisLoad.payload(number, dueAtMs));
        CompletableFuture<Void> answer = new CompletableFuture<>();
        waiting.add(answer);
        if (waiting.size() == TIMERS_A_CALL) {
            flush();
        }
        return answer;
    }

    private synchronized void flush() {
        if (waiting.isEmpty()) {
            return;
        }
        List<CompletableFuture<Void>> answers = waiting;
        byte[][] arguments = gathered.toArray(byte[][]::new);
        waiting = new ArrayList<>();
        gathered = new ArrayList<>();
        var unused = connection
                .async()
                .evalsha(add, ScriptOutputType.INTEGER, KEYS, arguments)
                .whenComplete((value, thrown) -> answers.forEach(answer -> {
                    if (thrown == null) {
                        answer.complete(null);
                    } else {
                        answer.completeExceptionally(thrown);
                    }
                }));
    }

    private void flushNowAndThen() {
        try {
            while (!closed) {
                TimeUnit.NANOSECONDS.sleep(FLUSH_NANOS);
                flush();
            }
        } catch (InterruptedException closing) {
            // Only close interrupts it: the round is over, and nobody waits for what is gathered.
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void deliverTo(HandledTimers handled) {
        threads.execute(() -> take(handled));
    }

    /** Several calls are under way, so that Redis never waits for this thread. */
    private void take(HandledTimers handled) {
        List<RedisFuture<List<List<byte[]>>>> calls = new ArrayList<>();
        byte[] most = Integer.toString(TIMERS_A_CALL).getBytes(US_ASCII);
        try {
            while (!closed) {
                while (calls.size() < CALLS_UNDER_WAY) {
                    calls.add(connection.async().evalsha(claim, ScriptOutputType.MULTI, KEYS, most));
                }
                List<List<byte[]>> found = calls.remove(0).get();
                if (found.get(0).isEmpty()) {
                    TimeUnit.MILLISECONDS.sleep(1);
                } else {
                    deliver(found, handled);
                }
            }
        } catch (InterruptedException closing) {
            // Only close interrupts it: the round is over.
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            if (!closed) {
                throw new IllegalStateException("Redis has refused a claim of the bare scripts", e);
            }
        }
    }

    private void deliver(List<List<byte[]>> found, HandledTimers handled) {
        for (byte[] payload : found.get(1)) {
            handled.arrived(RedisLoad.number(payload), Instant.ofEpochMilli(RedisLoad.dueAtMs(payload)));
        }
        unacknowledged.incrementAndGet();
        var unused = connection
                .async()
                .evalsha(finish, ScriptOutputType.INTEGER, KEYS, found.get(0).toArray(byte[][]::new))
                .whenComplete((value, thrown) -> {
                    // What is not acknowledged is waited for in vain, and seen.
                    if (thrown == null) {
                        unacknowledged.decrementAndGet();
                    }
                });
    }

    @Override
    public void awaitAcknowledged() throws InterruptedException {
        while (unacknowledged.get() > 0) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
    }

    @Override
    public long left() {
        return connection.sync().hlen(KEYS[0]);
    }

    @Override
    public void close() {
        closed = true;
        threads.shutdownNow();
        client.shutdown(Duration.ZERO, Duration.ofSeconds(CLOSE_SECONDS));
    }
}
