package io.tickwheel.examples;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousSocketChannel;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** A server on loopback: whatever comes on a connection is a heartbeat, and answered with a dot as soon as it counts. The first dot says that the connection is watched. */
final class HeartbeatServer implements AutoCloseable {

    private static final int MOST_BYTES_AT_ONCE = 512;
    private static final byte[] DOT = {'.'};

    private final IdleConnections idle;
    private final LoopbackServer server;
    private final Map<String, AsynchronousSocketChannel> open = new ConcurrentHashMap<>();
    private final AtomicLong accepted = new AtomicLong();

    HeartbeatServer(IdleConnections idle) throws IOException {
        this.idle = idle;
        server = new LoopbackServer(0, this::accept);
    }

    int port() {
        return server.port();
    }

    private void accept(AsynchronousSocketChannel channel) {
        String connection = "socket-" + accepted.incrementAndGet();
        open.put(connection, channel);
        CompletableFuture<?> unused = idle.opened(connection).whenComplete((timer, failure) -> {
            if (failure == null) {
                answer(connection, channel);
            } else {
                drop(connection);
            }
        });
    }

    private void answer(String connection, AsynchronousSocketChannel channel) {
        channel.write(
                ByteBuffer.wrap(DOT),
                null,
                LoopbackServer.then(written -> read(connection, channel), failure -> end(connection)));
    }

    private void read(String connection, AsynchronousSocketChannel channel) {
        ByteBuffer heartbeat = ByteBuffer.allocate(MOST_BYTES_AT_ONCE);
        channel.read(
                heartbeat,
                null,
                LoopbackServer.then(
                        count -> {
                            if (count < 0) {
                                end(connection);
                            } else {
                                heard(connection, channel);
                            }
                        },
                        failure -> end(connection)));
    }

    private void heard(String connection, AsynchronousSocketChannel channel) {
        CompletableFuture<?> unused = idle.heard(connection).whenComplete((inTime, failure) -> {
            if (failure == null && inTime) {
                answer(connection, channel);
            } else {
                end(connection);
            }
        });
    }

    private void end(String connection) {
        drop(connection);
        // When it fails, the timer comes due, and finds nothing to drop.
        CompletableFuture<?> unused = idle.closed(connection);
    }

    /** Closes a connection; one that is not open, or is somebody else's, is left as it is. */
    void drop(String connection) {
        AsynchronousSocketChannel channel = open.get(connection);
        if (channel != null) {
            try {
                channel.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            open.remove(connection);
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        open.keySet().forEach(this::drop);
    }
}
