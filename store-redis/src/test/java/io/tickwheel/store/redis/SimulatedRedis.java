package io.tickwheel.store.redis;

import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.layout.Text;
import io.tickwheel.store.redis.link.Script;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The one real Redis that carries out the scripts of all servers of a simulation, each of which has databases of it. It is driven over
 * one connection, many commands in a write. The scripts are changed before they are loaded: they take the time from a key, and
 * leave what they publish in a list. Not thread-safe.
 */
final class SimulatedRedis implements AutoCloseable {

    private static final String TIME = "call('TIME')";
    private static final String SIMULATED_TIME = "call('MGET', 'sim:s', 'sim:us')";
    private static final String PUBLISH = "pcall('PUBLISH', ";
    private static final String SIMULATED_PUBLISH = "pcall('RPUSH', 'sim:published', ";
    private static final byte[] LINE_END = {'\r', '\n'};

    private final RedisServer server;
    private final SocketChannel channel;
    private final ByteArrayOutputStream request = new ByteArrayOutputStream(1 << 16);
    private final Map<String, byte[]> loaded = new HashMap<>();
    private byte[] reply = new byte[1 << 16];
    private int from;
    private int to;
    private final BitSet quiet = new BitSet();
    private int owed;
    private int database;

    /** An error instead of a reply. */
    record Refused(String text) {}

    SimulatedRedis() {
        server = RedisServer.builder().config("unixsocket", "redis.sock").start();
        try {
            channel = SocketChannel.open(
                    UnixDomainSocketAddress.of(server.directory().resolve("redis.sock")));
        } catch (IOException e) {
            server.close();
            throw new UncheckedIOException(e);
        }
    }

    // ---- scripts

    /** The name of a script as it is simulated, with a bug or without. */
    byte[] load(Script script, RedisBug bug) {
        return loaded.computeIfAbsent(bug.isIn(script) ? bug + " " + script.sha1() : script.sha1(), name -> {
            queue(Layout.bytes("SCRIPT"), Layout.bytes("LOAD"), Layout.bytes(simulated(bug.plant(script))));
            List<Object> replies = flush();
            if (!(replies.get(replies.size() - 1) instanceof byte[] sha1)) {
                throw new AssertionError(script.name() + " cannot be loaded: " + replies);
            }
            return sha1;
        });
    }

    private static String simulated(String source) {
        String simulated = source.replace(TIME, SIMULATED_TIME).replace(PUBLISH, SIMULATED_PUBLISH);
        if (simulated.contains("'TIME'") || simulated.contains("'PUBLISH'")) {
            throw new AssertionError("a script asks for the time, or publishes, in another way than is known here");
        }
        return simulated;
    }

    // ---- commands

    /** Has the following commands go to a database. */
    void select(int wanted) {
        if (database != wanted) {
            database = wanted;
            queueQuietly("SELECT", Integer.toString(wanted));
        }
    }

    /** The reply is not wanted. */
    void queueQuietly(String... words) {
        quiet.set(owed);
        queue(words);
    }

    void queue(String... words) {
        byte[][] bytes = new byte[words.length][];
        for (int i = 0; i < words.length; i++) {
            bytes[i] = Layout.bytes(words[i]);
        }
        queue(bytes);
    }

    void queue(byte[]... words) {
        queue(Arrays.asList(words));
    }

    void queue(List<byte[]> words) {
        owed++;
        writeLength('*', words.size());
        for (byte[] word : words) {
            writeLength('$', word.length);
            request.writeBytes(word);
            request.writeBytes(LINE_END);
        }
    }

    private void writeLength(char kind, int length) {
        request.write(kind);
        request.writeBytes(Text.bytes(length));
        request.writeBytes(LINE_END);
    }

    /** Sends what was queued, and gives the replies: {@code Long}, {@code byte[]}, {@code List}, {@link Refused} or null. */
    List<@Nullable Object> flush() {
        try {
            ByteBuffer out = ByteBuffer.wrap(request.toByteArray());
            request.reset();
            while (out.hasRemaining()) {
                channel.write(out);
            }
            List<@Nullable Object> replies = new ArrayList<>(owed);
            for (int i = 0; i < owed; i++) {
                Object next = read();
                if (!quiet.get(i)) {
                    replies.add(next);
                } else if (next instanceof Refused refused) {
                    throw new AssertionError("Redis refuses: " + refused.text());
                }
            }
            owed = 0;
            quiet.clear();
            return replies;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private @Nullable Object read() throws IOException {
        byte kind = next();
        switch (kind) {
            case '+' -> {
                return Layout.bytes(line());
            }
            case '-' -> {
                return new Refused(line());
            }
            case ':' -> {
                return Long.parseLong(line());
            }
            case '$' -> {
                int length = Integer.parseInt(line());
                return length < 0 ? null : bytes(length);
            }
            case '*' -> {
                int length = Integer.parseInt(line());
                if (length < 0) {
                    return null;
                }
                List<@Nullable Object> all = new ArrayList<>(length);
                for (int i = 0; i < length; i++) {
                    all.add(read());
                }
                return all;
            }
            default -> throw new IOException("no reply begins with " + kind);
        }
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (byte each = next(); each != '\r'; each = next()) {
            line.append((char) each);
        }
        next();
        return line.toString();
    }

    private byte[] bytes(int length) throws IOException {
        byte[] bytes = new byte[length];
        for (int done = 0; done < length; ) {
            fill();
            int piece = Math.min(length - done, to - from);
            System.arraycopy(reply, from, bytes, done, piece);
            from += piece;
            done += piece;
        }
        next();
        next();
        return bytes;
    }

    private byte next() throws IOException {
        fill();
        return reply[from++];
    }

    private void fill() throws IOException {
        while (from == to) {
            from = 0;
            to = channel.read(ByteBuffer.wrap(reply));
            if (to < 0) {
                throw new EOFException("Redis has closed the connection");
            }
        }
    }

    /** Forgets all data, of all databases. */
    void clear() {
        queue("FLUSHALL");
        flush();
    }

    static String text(@Nullable Object reply) {
        return reply instanceof byte[] bytes ? new String(bytes, StandardCharsets.UTF_8) : "";
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            server.close();
        }
    }
}
