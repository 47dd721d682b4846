package io.tickwheel.store.redis.link;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.tickwheel.store.Durability;
import io.tickwheel.store.redis.layout.HashSlots;
import io.tickwheel.store.redis.layout.Layout;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A link to one server that executes a call when its reply is asked for: in any order, and now and then not at all, or without
 * a reply. Refuses a script that touches a key of another partition, or too many arguments. Counts.
 */
public final class DirectLink implements Link {

    private static final int MOST_ARGUMENTS = 1_000;

    private final RedisClient client;
    private final StatefulRedisConnection<byte[], byte[]> connection;
    private final Random random = new Random(1);
    private final Set<String> loaded = new HashSet<>();
    private final List<Call> queued = new ArrayList<>();
    private final List<Call> sent = new ArrayList<>();

    /** One call of so many has no reply; 0 for none. */
    public int faultEvery;

    /** Whether a call may have keys of several partitions, as it may on one server. */
    public boolean crossesSlots;

    public boolean dead;
    public int calls;
    public int mostUnderWay;

    public DirectLink(int port) {
        client = RedisClient.create("redis://127.0.0.1:" + port);
        connection = client.connect(ByteArrayCodec.INSTANCE);
    }

    @Override
    public void send(Call call) {
        queued.add(call);
    }

    @Override
    public void flush() {
        sent.addAll(queued);
        queued.clear();
        mostUnderWay = Math.max(mostUnderWay, sent.size());
    }

    @Override
    public int deliver(int limit) {
        int given = 0;
        while (given < limit && !sent.isEmpty()) {
            Call call = sent.remove(random.nextInt(sent.size()));
            calls++;
            given++;
            call.answered(reply(call));
        }
        return given;
    }

    private Reply reply(Call call) {
        boolean fault = dead || (faultEvery > 0 && random.nextInt(faultEvery) == 0);
        if (fault && random.nextBoolean()) {
            return new Reply(Reply.Outcome.UNAVAILABLE, null, "no connection", 0);
        }
        Reply reply = execute(call);
        return fault ? new Reply(Reply.Outcome.UNKNOWN, null, "no reply", 0) : reply;
    }

    private Reply execute(Call call) {
        checkKeys(call);
        List<byte[]> words = new ArrayList<>();
        CommandType type = CommandType.EVALSHA;
        if (call.script == null) {
            type = CommandType.valueOf(call.command);
        } else {
            if (loaded.add(call.script.sha1())) {
                connection.sync().scriptLoad(Layout.bytes(call.script.source()));
            }
            words.add(Layout.bytes(call.script.sha1()));
            words.add(Layout.bytes(Integer.toString(call.keys.size())));
        }
        words.addAll(call.keys);
        words.addAll(call.arguments);
        CommandArgs<byte[], byte[]> args = new CommandArgs<>(ByteArrayCodec.INSTANCE);
        words.forEach(args::add);
        try {
            Object value = connection.sync().dispatch(type, new NestedMultiOutput<>(ByteArrayCodec.INSTANCE), args);
            return new Reply(Reply.Outcome.DONE, value, "", 1);
        } catch (RedisCommandExecutionException e) {
            return new Reply(Reply.Outcome.REFUSED, null, String.valueOf(e.getMessage()), 1);
        }
    }

    private void checkKeys(Call call) {
        if (call.arguments.size() + call.keys.size() > MOST_ARGUMENTS) {
            throw new AssertionError("a call has " + call.arguments.size() + " arguments");
        }
        for (byte[] key : crossesSlots ? List.<byte[]>of() : call.keys) {
            String text = new String(key, StandardCharsets.UTF_8);
            String tag = text.substring(text.indexOf('{') + 1, text.indexOf('}'));
            if (HashSlots.slot(Layout.bytes(tag)) != call.slot) {
                throw new AssertionError(text + " is not in the slot of the call: " + Arrays.toString(key));
            }
        }
    }

    @Override
    public boolean isQuiet() {
        return queued.isEmpty() && sent.isEmpty();
    }

    @Override
    public Reply await(Call call, Duration timeout) {
        calls++;
        return execute(call);
    }

    /** Nothing is known of the server. */
    @Override
    public @Nullable String cannot(Durability level) {
        return null;
    }

    @Override
    public @Nullable String doubt(Durability level) {
        return null;
    }

    @Override
    public boolean isCluster() {
        return false;
    }

    /** There is one connection only. */
    @Override
    public void greet(Greeting greeting) {}

    @Override
    public void subscribe(String channel, Consumer<String> receiver) {
        throw new UnsupportedOperationException("no channels");
    }

    @Override
    public long idleNanos() {
        return 0;
    }

    @Override
    public boolean hears() {
        return false;
    }

    @Override
    public void close() {
        connection.close();
        client.shutdown(0, 0, TimeUnit.SECONDS);
    }
}
