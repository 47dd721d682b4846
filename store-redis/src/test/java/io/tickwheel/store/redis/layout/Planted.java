package io.tickwheel.store.redis.layout;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Timers written into Redis as {@code docs/redis-layout.md} has it, command by command and without the scripts; and a model of
 * them.
 */
public final class Planted implements AutoCloseable {

    public static final long NOW_MS = 1_763_765_000_000L;

    private static final long FIRST_DUE_MS = 12_345;

    /** A timer as the model knows it: every fourth of layout 1, the others with optional fields or without. */
    public record Timer(
            TimerKey key, TimerState state, boolean far, long dueAtMs, long seq, int partition, int contentBytes) {

        private boolean isOfLayout1() {
            return seq % 4 == 0;
        }

        private boolean hasRoute() {
            return seq % 4 == 2;
        }

        private boolean isRetried() {
            return seq % 4 == 3;
        }

        /** The name in slices. */
        public String member() {
            String prefix = isOfLayout1() ? "" : hasRoute() ? "\4\0\0\0\7" : "\0";
            return prefix + key.queue() + "\0" + key.key();
        }

        public long number() {
            return seq * 1024 + partition;
        }

        public TimerView view() {
            long firstDueAtMs = isRetried() ? FIRST_DUE_MS : dueAtMs;
            return new TimerView(key, Long.toHexString(number()), 3, firstDueAtMs, dueAtMs, state, 2);
        }

        public String slice() {
            long width = far ? 1L << 22 : 1L << 16;
            return (far ? "f" : "n") + Math.floorDiv(dueAtMs, width);
        }

        public long sliceFromMs() {
            long width = far ? 1L << 22 : 1L << 16;
            return Math.floorDiv(dueAtMs, width) * width;
        }
    }

    final Layout layout;
    public final List<Timer> timers = new ArrayList<>();
    private final RedisClient client;
    private final StatefulRedisConnection<byte[], byte[]> connection;
    public final RedisAsyncCommands<byte[], byte[]> redis;
    private final List<RedisFuture<?>> sent = new ArrayList<>();
    private long seqs;

    public Planted(int port, Layout layout) {
        this.layout = layout;
        client = RedisClient.create("redis://127.0.0.1:" + port);
        connection = client.connect(ByteArrayCodec.INSTANCE);
        redis = connection.async();
        send(redis.flushall());
        send(redis.hset(bytes(layout.namespace + ":{0}:config"), bytes("format"), bytes("3")));
        send(redis.hset(
                bytes(layout.namespace + ":{0}:config"),
                bytes("partitions"),
                bytes(Integer.toString(layout.partitions))));
    }

    public static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    public byte[] key(int partition, String name) {
        return layout.key(partition, name);
    }

    public static byte[] field(TimerKey key) {
        return bytes(key.queue() + "\0" + key.key());
    }

    public Timer timer(String queue, String key, TimerState state, boolean far, long dueAtMs, int contentBytes) {
        TimerKey name = new TimerKey(queue, key);
        // Neither in the order of due times nor of keys.
        long seq = NOW_MS * 1_000 + (seqs++ * 7_919) % 1_000_003;
        return new Timer(name, state, far, dueAtMs, seq, layout.partition(field(name)), contentBytes);
    }

    /** Writes all that there is to write for a timer, but counts. */
    public void plant(Timer timer) {
        timers.add(timer);
        byte[] field = field(timer.key());
        send(redis.hset(key(timer.partition(), "r"), field, record(timer)));
        double due = (double) timer.dueAtMs();
        switch (timer.state()) {
            case PENDING -> {
                send(redis.zadd(key(timer.partition(), "z" + timer.slice()), due, bytes(timer.member())));
                send(redis.zadd(key(timer.partition(), "i"), (double) timer.sliceFromMs(), bytes(timer.slice())));
            }
            case CLAIMED -> send(redis.zadd(key(timer.partition(), "f"), (double) (NOW_MS + timer.seq() % 977), field));
            case DEAD -> send(redis.zadd(key(timer.partition(), "x"), due, field));
            case COMPLETED, CANCELLED, EXPIRED ->
                send(redis.zadd(key(timer.partition(), "e"), NOW_MS * 1_000.0, field));
        }
    }

    /** Writes the counts of what was planted so far, and waits until all is there. */
    public void count() throws Exception {
        Map<Integer, Map<String, Long>> queues = new HashMap<>();
        Map<Integer, Long> live = new HashMap<>();
        Map<Integer, Long> seq = new HashMap<>();
        for (Timer timer : timers) {
            String letter = switch (timer.state()) {
                case PENDING -> "p";
                case CLAIMED -> "c";
                case DEAD -> "d";
                case COMPLETED, CANCELLED, EXPIRED -> "";
            };
            if (!letter.isEmpty()) {
                queues.computeIfAbsent(timer.partition(), p -> new HashMap<>())
                        .merge(letter + timer.key().queue(), 1L, Long::sum);
            }
            live.merge(timer.partition(), timer.state().isFinished() ? 0L : 1L, Long::sum);
            seq.merge(timer.partition(), timer.seq(), Math::max);
        }
        queues.forEach((p, counts) -> counts.forEach(
                (field, count) -> send(redis.hset(key(p, "q"), bytes(field), bytes(Long.toString(count))))));
        live.forEach((p, count) -> send(redis.hset(key(p, "m"), bytes("live"), bytes(Long.toString(count)))));
        seq.forEach((p, last) -> send(redis.hset(key(p, "m"), bytes("seq"), bytes(Long.toString(last)))));
        await();
    }

    public void send(RedisFuture<?> command) {
        sent.add(command);
    }

    /** Waits until everything sent before is executed. */
    public void await() throws Exception {
        for (RedisFuture<?> command : sent) {
            command.get(20, TimeUnit.SECONDS);
        }
        sent.clear();
    }

    public static byte[] record(Timer timer) {
        boolean hash = timer.seq() % 3 == 0;
        int state = switch (timer.state()) {
            case PENDING -> 0;
            case CLAIMED -> 1;
            case COMPLETED -> 2;
            case CANCELLED -> 3;
            case DEAD -> 4;
            case EXPIRED -> 5;
        };
        ByteBuffer record = ByteBuffer.allocate(80 + timer.contentBytes());
        int extended = timer.isOfLayout1() ? 0 : 1 << 7;
        record.put((byte) (state | (hash ? 1 << 5 : 0) | (timer.far() ? 1 << 6 : 0) | extended));
        record.putInt(3).putLong(timer.dueAtMs());
        record.put((byte) (timer.seq() >> 48))
                .putShort((short) (timer.seq() >> 32))
                .putInt((int) timer.seq());
        record.putLong(-77L).putShort((short) 2);
        if (hash) {
            record.putLong(99);
        }
        if (state == 1) {
            record.putLong(-1);
        }
        if (timer.hasRoute()) {
            record.putShort((short) 6).put(new byte[] {2, 4, 0, 0, 0, 7});
        } else if (timer.isRetried()) {
            // Beside one that is not known yet.
            record.putShort((short) 13).put(new byte[] {99, 1, 5, 1, 8}).putLong(FIRST_DUE_MS);
        } else if (!timer.isOfLayout1()) {
            record.putShort((short) 0);
        }
        boolean content = !timer.state().isFinished() || timer.state() == TimerState.DEAD;
        record.position(record.position() + (content ? timer.contentBytes() : 0));
        byte[] bytes = new byte[record.flip().remaining()];
        record.get(bytes);
        return bytes;
    }

    @Override
    public void close() {
        connection.close();
        client.shutdown(0, 0, TimeUnit.SECONDS);
    }
}
