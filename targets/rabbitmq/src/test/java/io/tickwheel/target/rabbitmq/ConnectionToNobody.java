package io.tickwheel.target.rabbitmq;

import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.BlockedListener;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownListener;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;

/** A connection without a broker, whose channels take everything and answer nothing. */
final class ConnectionToNobody {

    private final CompletableFuture<Boolean> aborted = new CompletableFuture<>();
    private final Connection connection;
    private BlockedListener blocked;
    private ShutdownListener shutdown;

    ConnectionToNobody() {
        connection = (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> answer(method.getName(), arguments));
    }

    private Object answer(String called, Object[] arguments) {
        return switch (called) {
            case "isOpen" -> !aborted.isDone();
            case "createChannel" -> {
                if (aborted.isDone()) {
                    throw new AlreadyClosedException(new ShutdownSignalException(true, true, null, null));
                }
                yield channel();
            }
            case "addBlockedListener" -> {
                blocked = (BlockedListener) arguments[0];
                yield null;
            }
            case "addShutdownListener" -> {
                shutdown = (ShutdownListener) arguments[0];
                yield null;
            }
            case "abort" -> {
                aborted.complete(true);
                yield null;
            }
            default -> throw new AssertionError(called);
        };
    }

    private Channel channel() {
        return (Channel) Proxy.newProxyInstance(
                Channel.class.getClassLoader(),
                new Class<?>[] {Channel.class},
                (proxy, method, arguments) -> method.getName().equals("getConnection") ? connection : null);
    }

    Connection connection() {
        return connection;
    }

    void block(String reason) throws IOException {
        blocked.handleBlocked(reason);
    }

    void end(ShutdownSignalException cause) {
        abort();
        shutdown.shutdownCompleted(cause);
    }

    void abort() {
        aborted.complete(true);
    }

    boolean isAborted() {
        return aborted.isDone();
    }

    CompletableFuture<Boolean> aborted() {
        return aborted;
    }
}
