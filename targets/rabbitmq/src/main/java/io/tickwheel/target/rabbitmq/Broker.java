package io.tickwheel.target.rabbitmq;

import com.rabbitmq.client.BlockedListener;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ChannelContinuationTimeoutException;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.ShutdownSignalException;
import io.tickwheel.engine.Clock;
import java.io.EOFException;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The connection to the broker, which is opened when it is needed. While the broker is known to be away, nobody waits for it: once in a second one attempt tries again.
 * Thread-safe.
 */
final class Broker implements AutoCloseable {

    private static final long PROBE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int ABORT_MS = 500;

    private final ConnectionFactory factory;
    private final String place;
    private final Clock clock;
    private volatile @Nullable Connection connection;
    private volatile boolean closed;
    private volatile @Nullable Outage outage;
    private volatile @Nullable String blocked;

    private record Outage(String reason, long untilNanos) {}

    Broker(ConnectionFactory factory, Clock clock) {
        this.factory = factory;
        this.place = BrokerOptions.place(factory);
        this.clock = clock;
    }

    /** Why nothing can be sent at the moment; null when it can, or when it is time to try. Does not block. */
    @Nullable
    String away() {
        String alarm = blocked;
        if (alarm != null) {
            return "the broker " + place + " takes no messages: " + alarm;
        }
        Outage last = outage;
        return last != null && clock.monoNanos() - last.untilNanos < 0 ? last.reason : null;
    }

    /**
     * Opens a channel. Blocks until the broker is reached, or it is clear that it is not.
     *
     * @throws IOException with the reason, when it is not reached, or was not a moment ago
     */
    synchronized Channel channel() throws IOException {
        String reason = away();
        if (reason != null || closed) {
            throw new IOException(reason != null ? reason : "the target is closed");
        }
        try {
            Connection open = connection;
            if (open == null || !open.isOpen()) {
                open = connect();
            }
            Channel channel = create(open);
            if (channel == null) {
                throw new IOException("the broker " + place + " has no channel left");
            }
            outage = null;
            return channel;
        } catch (IOException | TimeoutException | RuntimeException e) {
            String why = "the broker " + place + " is away: " + reason(e);
            outage = new Outage(why, clock.monoNanos() + PROBE_NANOS);
            throw new IOException(why, e);
        }
    }

    private Channel create(Connection open) throws IOException {
        try {
            return open.createChannel();
        } catch (ChannelContinuationTimeoutException e) {
            drop(open);
            throw e;
        }
    }

    /** Ends a connection on which no answers come any more, though it lives: the next channel is one of another. */
    synchronized void drop(Connection silent) {
        if (connection == silent) {
            connection = null; // It says that it is open for a moment more.
        }
        silent.abort(ABORT_MS);
    }

    private Connection connect() throws IOException, TimeoutException {
        Connection open = factory.newConnection();
        blocked = null;
        open.addBlockedListener(new BlockedListener() {
            @Override
            public void handleBlocked(String reason) {
                blocked = reason;
            }

            @Override
            public void handleUnblocked() {
                blocked = null;
            }
        });
        open.addShutdownListener(cause -> blocked = null);
        connection = open;
        if (closed) {
            open.abort(ABORT_MS);
        }
        return open;
    }

    /** What an exception says, or what it is when it says nothing. */
    static String reason(Throwable e) {
        // Of an end that the broker has no part in, the client says "connection error", and the cause what it is.
        boolean isTold =
                e.getMessage() != null && !(e instanceof ShutdownSignalException end && end.getReason() == null);
        Throwable told = isTold || e.getCause() == null ? e : e.getCause();
        if (told instanceof EOFException) {
            return "the connection was closed by the broker, or on the way to it";
        }
        String message = told.getMessage();
        return message == null ? told.getClass().getSimpleName() : message;
    }

    /** Does not wait for a connection that is being opened: it is closed as soon as it is there. */
    @Override
    public void close() {
        closed = true;
        Connection open = connection;
        if (open != null) {
            open.abort(ABORT_MS);
        }
    }
}
