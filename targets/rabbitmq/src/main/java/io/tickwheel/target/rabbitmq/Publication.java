package io.tickwheel.target.rabbitmq;

import com.rabbitmq.client.AMQP.BasicProperties;
import io.tickwheel.engine.Delivery;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A message on its way to the broker, and the attempt that waits for its confirm. Ends once, whoever comes first. Thread-safe. */
final class Publication {

    /** As many as there are. */
    static final int ANY_NUMBER = Integer.MAX_VALUE;

    private static final int MOST_REPEATS = 8;

    final String id;
    final String exchange;
    final String routingKey;
    final BasicProperties properties;
    final byte[] body;
    final long deadlineNanos;
    private final Delivery delivery;
    private final AtomicBoolean ended = new AtomicBoolean();
    private volatile @Nullable String returned;
    private volatile int repeats;
    private volatile int together = ANY_NUMBER;

    Publication(
            String id,
            String exchange,
            String routingKey,
            BasicProperties properties,
            byte[] body,
            long deadlineNanos,
            Delivery delivery) {
        this.id = id;
        this.exchange = exchange;
        this.routingKey = routingKey;
        this.properties = properties;
        this.body = body;
        this.deadlineNanos = deadlineNanos;
        this.delivery = delivery;
    }

    boolean hasEnded() {
        return ended.get();
    }

    /** Notes that no queue took the message; the broker confirms it all the same. */
    void returned(String reason) {
        returned = reason;
    }

    /** Returns how many messages may be under way at once when this one is. */
    int together() {
        return together;
    }

    /** Notes that the broker has closed a channel over this message or another one, and does not say which. */
    void sendTogether(int atMost) {
        together = atMost;
    }

    void confirmed() {
        String reason = returned;
        if (reason != null) {
            fail(reason);
        } else if (!ended.getAndSet(true)) {
            delivery.acknowledge();
        }
    }

    void fail(String reason) {
        if (!ended.getAndSet(true)) {
            delivery.fail(reason);
        }
    }

    /** Nobody has taken it, and nobody has refused it. */
    void unreachable(String reason) {
        if (!ended.getAndSet(true)) {
            delivery.unreachable(reason);
        }
    }

    void reject(String reason) {
        if (!ended.getAndSet(true)) {
            delivery.reject(reason);
        }
    }

    /** Asks whether it may be sent once more, because the channel was closed over another message. Called by one thread at a time. */
    @SuppressWarnings(
            "NonAtomicVolatileUpdate") // of two channels of a lane, the second is opened when the first is closed
    boolean mayRepeat() {
        return !hasEnded() && ++repeats <= MOST_REPEATS;
    }
}
