package io.tickwheel.benchmarks;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * A target of callbacks that treats each connection badly. It has one thread, and sends no faster than it must to be as bad as it can be: at once more than anybody should read,
 * and from then on a little now and then, for ever, to each when its time has come. So the processors are the server's, as if the target were on another machine.
 */
final class HostileTarget implements AutoCloseable {

    private static final String OK = "HTTP/1.1 200 OK\r\n";
    private static final int BACKLOG = 1_024;
    private static final int CLOG_MS = 200;
    private static final int PACE_MS = 50;
    private static final int PAUSE_MS = 1;
    private static final int REQUEST_BYTES = 4_096;
    private static final int AGAIN_BYTES = 1_000;
    private static final int BOMB_BYTES = 32 << 20;

    /** What it does with a connection. */
    enum Manner {
        NEVER_ACCEPTS("", 0, ""),
        HANGS("", 0, ""),
        TRICKLES(OK + "X: ", 1, "x"),
        RESETS("", 0, ""),
        /** A head of more than 16 KiB. */
        ENDLESS_HEADERS(OK, 20_000, "X-Header: " + "x".repeat(88) + "\r\n"),
        /** A body of more than 64 KiB. */
        ENDLESS_BODY(OK + "Connection: close\r\n\r\n", 80_000, "x"),
        /** A body of 32 KiB that would be 32 MiB, were it decompressed. */
        GZIP_BOMB(bomb(), 0, ""),
        REDIRECTS_TO_ITSELF("", 0, "");

        private final String first;
        private final String again;

        /**
         * @param first how its answer begins
         * @param bytes how many of the following it sends at once, about
         * @param again what it sends without end
         */
        Manner(String first, int bytes, String again) {
            int times = again.isEmpty() ? 0 : bytes / again.length();
            this.first = first + again.repeat(times);
            this.again = again.repeat(bytes > AGAIN_BYTES ? AGAIN_BYTES / again.length() : 1);
        }

        private static String bomb() {
            ByteArrayOutputStream body = new ByteArrayOutputStream();
            try (GZIPOutputStream gzip = new GZIPOutputStream(body)) {
                gzip.write(new byte[BOMB_BYTES]);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return OK + "Content-Encoding: gzip\r\nContent-Length: " + body.size() + "\r\n\r\n"
                    + body.toString(ISO_8859_1);
        }

        String title() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }

        static Manner named(String name) {
            return Arrays.stream(values())
                    .filter(manner -> manner.title().replace(' ', '-').equals(name))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("no manner " + name));
        }
    }

    /** A connection, and what is still to be sent on it; null before the first request. */
    private static final class Victim {

        private final SocketChannel channel;
        private @Nullable ByteBuffer out;
        private long moreAtMs;

        Victim(SocketChannel channel) {
            this.channel = channel;
        }
    }

    private final Manner manner;
    private final ServerSocketChannel listener;
    private final Selector selector;
    private final List<Socket> clogging = new ArrayList<>();
    private final ByteBuffer in = ByteBuffer.allocate(REQUEST_BYTES);

    /** Those that are sent more, the next one first. */
    private final Deque<Victim> answered = new ArrayDeque<>();

    private final ByteBuffer first;
    private final ByteBuffer again;
    private final ByteBuffer redirect;
    private final CompletableFuture<Void> stopped = new CompletableFuture<>();
    private volatile boolean closing;

    HostileTarget(Manner manner) throws IOException {
        this.manner = manner;
        selector = Selector.open();
        listener = ServerSocketChannel.open();
        listener.bind(Loopback.port(0), manner == Manner.NEVER_ACCEPTS ? 1 : BACKLOG);
        first = bytes(manner.first);
        again = bytes(manner.again);
        redirect = bytes("HTTP/1.1 302 Found\r\nLocation: http://" + Loopback.authority(address())
                + "/\r\nContent-Length: 0\r\n\r\n");
        if (manner == Manner.NEVER_ACCEPTS) {
            clog();
        } else {
            listener.configureBlocking(false);
            listener.register(selector, SelectionKey.OP_ACCEPT);
        }
        Thread thread = new Thread(this::loop, "hostile-target");
        thread.setDaemon(true);
        thread.start();
    }

    InetSocketAddress address() {
        return Loopback.port(listener.socket().getLocalPort());
    }

    /** Fills the queue of the listener, from which nobody takes. */
    private void clog() throws IOException {
        while (true) {
            Socket socket = new Socket();
            clogging.add(socket);
            try {
                socket.connect(address(), CLOG_MS);
            } catch (SocketTimeoutException e) {
                return;
            }
        }
    }

    private void loop() {
        try (selector;
                listener) {
            while (!closing) {
                selector.select(PAUSE_MS);
                for (SelectionKey key : selector.selectedKeys()) {
                    ready(key);
                }
                selector.selectedKeys().clear();
                sendMore(System.currentTimeMillis());
            }
            for (SelectionKey key : selector.keys()) {
                key.channel().close();
            }
            for (Socket socket : clogging) {
                socket.close();
            }
            stopped.complete(null);
        } catch (IOException | RuntimeException e) {
            stopped.completeExceptionally(e);
        }
    }

    private void ready(SelectionKey key) throws IOException {
        if (key.isAcceptable()) {
            SocketChannel channel = listener.accept();
            if (channel != null) {
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                channel.configureBlocking(false);
                channel.register(selector, SelectionKey.OP_READ, new Victim(channel));
            }
            return;
        }
        Victim victim = (Victim) key.attachment();
        try {
            if (victim.channel.read(in.clear()) < 0) {
                victim.channel.close();
            } else {
                answer(victim);
            }
        } catch (IOException hungUp) {
            victim.channel.close();
        }
    }

    private void answer(Victim victim) throws IOException {
        switch (manner) {
            case NEVER_ACCEPTS, HANGS -> {}
            case TRICKLES, ENDLESS_HEADERS, ENDLESS_BODY, GZIP_BOMB -> {
                ByteBuffer out = first.duplicate();
                victim.out = out;
                victim.channel.write(out);
                victim.moreAtMs = System.currentTimeMillis() + PACE_MS;
                answered.add(victim);
            }
            case RESETS -> {
                victim.channel.setOption(StandardSocketOptions.SO_LINGER, 0);
                victim.channel.close();
            }
            case REDIRECTS_TO_ITSELF -> victim.channel.write(redirect.duplicate());
        }
    }

    /** Outside the heap, so that to send them is no work of this program's collector, nor a copy. */
    private static ByteBuffer bytes(String text) {
        byte[] bytes = text.getBytes(ISO_8859_1);
        return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
    }

    private void sendMore(long nowMs) {
        while (!answered.isEmpty() && answered.element().moreAtMs <= nowMs) {
            Victim victim = answered.remove();
            if (sendMore(victim)) {
                victim.moreAtMs = nowMs + PACE_MS;
                answered.add(victim);
            }
        }
    }

    private boolean sendMore(Victim victim) {
        ByteBuffer out = victim.out;
        if (out == null || !victim.channel.isOpen()) {
            return false;
        }
        try {
            if (!out.hasRemaining()) {
                if (!again.hasRemaining()) {
                    return false;
                }
                out = again.duplicate();
                victim.out = out;
            }
            victim.channel.write(out);
            return true;
        } catch (IOException hungUp) {
            close(victim.channel);
            return false;
        }
    }

    private static void close(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        closing = true;
        selector.wakeup();
        stopped.join();
    }
}
