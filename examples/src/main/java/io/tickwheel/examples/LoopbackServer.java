package io.tickwheel.examples;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.CompletionHandler;
import java.util.function.Consumer;

/** Takes connections of this machine, on threads of the JDK, and hands each of them on. */
final class LoopbackServer implements AutoCloseable {

    private final AsynchronousServerSocketChannel listening;
    private final Consumer<AsynchronousSocketChannel> accepted;

    /** @param port 0 for any that is free */
    LoopbackServer(int port, Consumer<AsynchronousSocketChannel> accepted) throws IOException {
        this.accepted = accepted;
        listening = AsynchronousServerSocketChannel.open()
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        acceptNext();
    }

    int port() {
        try {
            return ((InetSocketAddress) listening.getLocalAddress()).getPort();
        } catch (IOException e) {
            throw new IllegalStateException("the server is closed", e);
        }
    }

    private void acceptNext() {
        listening.accept(
                null,
                then(
                        channel -> {
                            acceptNext();
                            accepted.accept(channel);
                        },
                        failure -> {
                            if (listening.isOpen()) {
                                acceptNext();
                            }
                        }));
    }

    /** What is done when a channel has done something, or has failed to. */
    static <T> CompletionHandler<T, Void> then(Consumer<T> completed, Consumer<Throwable> failed) {
        return new CompletionHandler<>() {

            @Override
            public void completed(T result, Void nothing) {
                completed.accept(result);
            }

            @Override
            public void failed(Throwable failure, Void nothing) {
                failed.accept(failure);
            }
        };
    }

    @Override
    public void close() throws IOException {
        listening.close();
    }
}
