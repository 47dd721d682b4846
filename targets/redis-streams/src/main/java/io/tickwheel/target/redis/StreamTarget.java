package io.tickwheel.target.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.XAddArgs;
import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Delivery;
import io.tickwheel.engine.Destination;
import io.tickwheel.engine.Target;
import io.tickwheel.target.message.TimerMessage;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Adds attempts to streams, one command each, on one connection and without waiting for the answers of others; the engine bounds how many run. Acknowledged is what the server has
 * answered, and what as many replicas have as was asked for. Each attempt ends within three times the timeout: a connection is waited for, an answer, and the replicas.
 */
final class StreamTarget implements Target {

    private static final String CLOUD_EVENTS = "ce-";
    private static final byte[] PAYLOAD = "payload".getBytes(StandardCharsets.UTF_8);

    /** Something else has the name of the stream, and no attempt takes it away. */
    private static final String WRONG_TYPE = "WRONGTYPE";

    /** What a server answers that is no master any more, or none that can be used: another one may be. */
    private static final Set<String> NO_MASTER = Set.of("READONLY", "MASTERDOWN");

    /** How Lettuce refuses what it has no connection for, such as the first command to a node of a cluster. */
    private static final String NOT_CONNECTED = "Currently not connected";

    private static final Duration CONNECTS = Duration.ofMillis(100);

    private final Dialer dialer;
    private final Link link;
    private final StreamNames allowed;
    private final boolean cluster;
    private final int replicas;
    private final long replicationMs;

    /** What is added, and who waits for it. */
    private record Entry(byte[] stream, XAddArgs args, Object[] fields, boolean keepsExcerpt, Delivery delivery) {}

    private StreamTarget(Dialer dialer, ServerOptions servers, StreamNames allowed) {
        this.dialer = dialer;
        this.allowed = allowed;
        link = new Link(dialer);
        cluster = servers.isCluster();
        replicas = servers.replicas();
        // Less than what the client waits for the answer, which would end the connection.
        replicationMs = servers.timeout().toMillis() / 2;
    }

    static StreamTarget open(Dialer dialer, ServerOptions servers, StreamNames allowed) {
        return new StreamTarget(dialer, servers, allowed);
    }

    /** The servers are one address, so that what waits for them waits together, whatever its stream. */
    @Override
    public String route(String address) {
        return "servers";
    }

    @Override
    public void deliver(Attempt attempt, Delivery delivery) {
        Destination destination = attempt.destination();
        StreamAddress address = destination == null ? null : StreamAddress.parse(destination.address());
        if (address == null) {
            delivery.reject("the address is of no stream");
            return;
        }
        String stream = address.stream().isEmpty() ? attempt.queue() : address.stream();
        String refusal = allowed.refusal(stream);
        if (refusal != null) {
            delivery.reject("the stream " + refusal);
            return;
        }
        Object[] fields;
        try {
            fields = fields(TimerMessage.of(attempt, CLOUD_EVENTS));
        } catch (IllegalArgumentException e) {
            delivery.reject(String.valueOf(e.getMessage()));
            return;
        }
        XAddArgs args = new XAddArgs();
        if (address.maxLen() > 0) {
            args.maxlen(address.maxLen()).approximateTrimming(address.approximate());
        }
        Entry entry =
                new Entry(stream.getBytes(StandardCharsets.UTF_8), args, fields, attempt.keepsExcerpt(), delivery);
        link.use(session -> add(session, entry, cluster), delivery::unreachable);
    }

    /** The payload comes last, so that whoever makes a map of the fields has it whatever headers there are. */
    private static Object[] fields(TimerMessage message) {
        List<byte[]> fields = new ArrayList<>();
        message.headers().forEach((name, value) -> {
            fields.add(name.getBytes(StandardCharsets.UTF_8));
            fields.add(value.getBytes(StandardCharsets.UTF_8));
        });
        fields.add(PAYLOAD);
        fields.add(message.attempt().payload());
        return fields.toArray();
    }

    /** @param again whether it is tried once more when there is no connection yet, so that nothing was sent */
    private void add(Session session, Entry entry, boolean again) {
        try {
            var unused = session.commands()
                    .xadd(entry.stream, entry.args, entry.fields)
                    .whenComplete((id, error) -> added(session, entry, again, id, error));
            if (replicas > 0) {
                var unusedToo = session.commands()
                        .waitForReplication(replicas, replicationMs)
                        .whenComplete((reached, error) -> replicated(session, reached, error, entry.delivery));
            }
        } catch (RuntimeException | Error e) {
            failed(session, e, entry.delivery);
        }
    }

    private void added(Session session, Entry entry, boolean again, @Nullable String id, @Nullable Throwable error) {
        if (error != null && again && Dialer.reason(error).startsWith(NOT_CONNECTED)) {
            dialer.later(CONNECTS, () -> add(session, entry, false));
        } else if (error != null) {
            failed(session, error, entry.delivery);
        } else {
            if (entry.keepsExcerpt && id != null) {
                entry.delivery.answered(0, id);
            }
            if (replicas == 0) {
                entry.delivery.acknowledge();
            }
        }
    }

    /** When the entry itself was not added, that was told before: answers come in the order of commands. */
    private void replicated(Session session, @Nullable Long reached, @Nullable Throwable error, Delivery delivery) {
        if (error != null) {
            failed(session, error, delivery);
        } else if (reached == null || reached < replicas) {
            delivery.unreachable("only " + reached + " replicas of " + replicas + " have it");
        } else {
            delivery.acknowledge();
        }
    }

    private void failed(Session session, Throwable error, Delivery delivery) {
        String reason = Dialer.reason(error);
        String code = reason.split(" ", 2)[0];
        if (error instanceof RedisCommandExecutionException && code.equals(WRONG_TYPE)) {
            delivery.reject(reason);
            return;
        }
        if (error instanceof RedisCommandExecutionException) {
            delivery.fail(reason);
        } else {
            delivery.unreachable(reason);
        }
        // A cluster has a connection for each node, and mends them by itself.
        if (!cluster && (error instanceof RedisCommandTimeoutException || NO_MASTER.contains(code))) {
            link.lost(session);
        }
    }

    @Override
    public void close() {
        link.close();
    }
}
