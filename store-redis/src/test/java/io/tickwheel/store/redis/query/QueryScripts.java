package io.tickwheel.store.redis.query;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.lettuce.core.ScriptOutputType;
import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.layout.Planted;
import io.tickwheel.store.redis.link.Script;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** Calls the scripts that read on a real server, as no store would. Bytes are written as characters. */
abstract class QueryScripts {

    static final long SEQ = 1_000;
    static final long DUE_MS = 5_000;
    static final int NEAR_MS = 65_536;
    static final int FAR_MS = 4_194_304;
    static final int MANY = 1_000;
    static final int MOST_BYTES = 262_144;

    private static RedisServer server;

    Planted planted;

    @BeforeAll
    static void startServer() {
        server = RedisServer.builder().start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @BeforeEach
    void connect() {
        planted = new Planted(server.port(), new Layout("test", 1));
    }

    @AfterEach
    void disconnect() {
        planted.close();
    }

    // ---- what is there

    static byte[] bytes(String text) {
        return text.getBytes(ISO_8859_1);
    }

    static String text(long number) {
        return Long.toString(number);
    }

    byte[] key(String name) {
        return planted.key(0, name);
    }

    /** Not finished and with nothing in it but {@code more} bytes behind the fixed part. */
    static String record(long dueAtMs, long seq, int more) {
        ByteBuffer record = ByteBuffer.allocate(30 + more).putInt(1, 3).putLong(5, dueAtMs);
        record.put(13, (byte) (seq >> 48)).putShort(14, (short) (seq >> 32)).putInt(16, (int) seq);
        return new String(record.array(), ISO_8859_1);
    }

    void put(String field, String record) {
        planted.send(planted.redis.hset(key("r"), bytes(field), bytes(record)));
    }

    void score(String set, double score, String member) {
        planted.send(planted.redis.zadd(key(set), score, bytes(member)));
    }

    /** In the slice, by its name in layout 1. */
    void plant(String set, long score, String member) {
        score(set, (double) score, member);
        put(member, record(score, SEQ, 0));
    }

    List<?> eval(Script script, List<String> keys, List<String> arguments) throws Exception {
        planted.await();
        byte[][] names = keys.stream().map(this::key).toArray(byte[][]::new);
        byte[][] values = arguments.stream().map(QueryScripts::bytes).toArray(byte[][]::new);
        Object all = planted.redis
                .<List<Object>>eval(Planted.bytes(script.source()), ScriptOutputType.MULTI, names, values)
                .get(20, TimeUnit.SECONDS);
        return (List<?>) readable(all);
    }

    static Object readable(Object value) {
        if (value instanceof List<?> list) {
            return list.stream().map(QueryScripts::readable).toList();
        }
        return value instanceof byte[] given ? new String(given, ISO_8859_1) : value;
    }
}
