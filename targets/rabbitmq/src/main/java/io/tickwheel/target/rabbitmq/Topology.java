package io.tickwheel.target.rabbitmq;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.util.concurrent.TimeoutException;

/** Makes the queues and exchanges that a source needs, durable, where they are not there; those that are there stay as they are. */
final class Topology {

    /** Takes every message, whatever its routing key. */
    private static final String FANOUT = "fanout";

    private Topology() {}

    static void make(Connection connection, SourceSettings settings) throws IOException, TimeoutException {
        makeQueue(connection, settings.queue());
        makeQueue(connection, settings.refusedQueue());
        for (String exchange : settings.exchanges().keySet()) {
            if (!isThere(connection, channel -> channel.exchangeDeclarePassive(exchange))) {
                on(connection, channel -> channel.exchangeDeclare(exchange, FANOUT, true));
            }
            // Of a topic exchange, '#' is every routing key; a fanout exchange does not look at it.
            on(connection, channel -> channel.queueBind(settings.queue(), exchange, "#"));
        }
    }

    private static void makeQueue(Connection connection, String queue) throws IOException, TimeoutException {
        if (!isThere(connection, channel -> channel.queueDeclarePassive(queue))) {
            on(connection, channel -> channel.queueDeclare(queue, true, false, false, null));
        }
    }

    private interface Step {
        Object on(Channel channel) throws IOException;
    }

    private static boolean isThere(Connection connection, Step look) throws IOException, TimeoutException {
        try {
            on(connection, look);
            return true;
        } catch (IOException e) {
            if (e.getCause() instanceof ShutdownSignalException closed && !closed.isHardError()) {
                return false;
            }
            throw e;
        }
    }

    /** On a channel of its own, which the broker closes when it refuses. */
    private static void on(Connection connection, Step step) throws IOException, TimeoutException {
        try (Channel channel = connection.createChannel()) {
            step.on(channel);
        }
    }
}
