package io.tickwheel.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;

/** An HTTP server on one thread that answers every request with 200 and notes it: the lightest target of callbacks. */
public final class CallbackReceiver implements AutoCloseable {

    private static final byte[] OK = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".getBytes(UTF_8);
    private static final int BACKLOG = 1_024;

    /** Told each request; on the receiver's thread. */
    @FunctionalInterface
    public interface Listener {
        /** The request was read at {@code atMicros}, in microseconds since the epoch. */
        void arrived(HttpReader request, long atMicros);
    }

    private record Connection(SocketChannel channel, HttpReader in, HttpWriter out) {}

    private final Selector selector;
    private final ServerSocketChannel server;
    private final Listener listener;
    private final CompletableFuture<Void> stopped = new CompletableFuture<>();
    private volatile boolean closing;

    public CallbackReceiver(Listener listener) throws IOException {
        this.listener = listener;
        selector = Selector.open();
        server = ServerSocketChannel.open();
        server.bind(Loopback.port(0), BACKLOG);
        server.configureBlocking(false);
        server.register(selector, SelectionKey.OP_ACCEPT);
        Thread thread = new Thread(this::loop, "callback-receiver");
        thread.setDaemon(true);
        thread.start();
    }

    public InetSocketAddress address() {
        return Loopback.port(server.socket().getLocalPort());
    }

    @Override
    public void close() {
        closing = true;
        selector.wakeup();
        stopped.join();
    }

    private void loop() {
        try (selector;
                server) {
            while (!closing) {
                selector.select();
                for (SelectionKey key : selector.selectedKeys()) {
                    ready(key);
                }
                selector.selectedKeys().clear();
            }
            for (SelectionKey key : selector.keys()) {
                key.channel().close();
            }
            stopped.complete(null);
        } catch (IOException | RuntimeException e) {
            stopped.completeExceptionally(e);
        }
    }

    private void ready(SelectionKey key) throws IOException {
        if (key.isAcceptable()) {
            accept();
            return;
        }
        Connection connection = (Connection) key.attachment();
        try {
            if (!connection.in.fill(connection.channel)) {
                connection.channel.close();
                return;
            }
            long now = micros(Instant.now());
            while (connection.in.next()) {
                listener.arrived(connection.in, now);
                connection.out.append(OK);
            }
            connection.out.flush(connection.channel, key);
        } catch (IOException reset) {
            connection.channel.close();
        }
    }

    private void accept() throws IOException {
        SocketChannel channel = server.accept();
        if (channel != null) {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.configureBlocking(false);
            channel.register(
                    selector, SelectionKey.OP_READ, new Connection(channel, new HttpReader(), new HttpWriter()));
        }
    }

    private static long micros(Instant instant) {
        return instant.getEpochSecond() * 1_000_000 + instant.getNano() / 1_000;
    }
}
