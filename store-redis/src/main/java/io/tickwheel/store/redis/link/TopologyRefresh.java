package io.tickwheel.store.redis.link;

import io.lettuce.core.api.StatefulRedisConnection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks where the masters are, again and again: one server after the other until one answers, and that one while it does. Of the
 * loop.
 */
final class TopologyRefresh {

    private static final long CALM_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long SOON_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final LinkContext context;
    private final CallSink sink;
    private final boolean sentinels;
    private final Supplier<List<Endpoint>> candidates;
    private final Consumer<Reply> receiver;
    private final String[] question;
    private final Backoff backoff;
    private Dialer.@Nullable Dial<?> dial;
    private @Nullable Session session;
    private boolean asking;
    private int next;
    private int failures;
    private String trouble = "";
    private long dueNanos;

    /**
     * A reply.
     *
     * @param teller who answered
     * @param value what
     */
    record Reply(Endpoint teller, @Nullable Object value) {}

    /**
     * @param receiver throws an {@code IllegalArgumentException} when a reply tells nothing, so that the next is asked
     */
    TopologyRefresh(
            LinkContext context,
            CallSink sink,
            boolean sentinels,
            Supplier<List<Endpoint>> candidates,
            Consumer<Reply> receiver,
            String... question) {
        this.context = context;
        this.sink = sink;
        this.sentinels = sentinels;
        this.candidates = candidates;
        this.receiver = receiver;
        this.question = question;
        backoff = context.newBackoff();
        dueNanos = context.now();
    }

    /** How many have failed to answer since one did. */
    int failures() {
        return failures;
    }

    /** How the last one failed. */
    String trouble() {
        return trouble;
    }

    /** Asks soon, perhaps somebody else. */
    void lookAgain() {
        long soon = context.now() + SOON_NANOS;
        if (failures == 0 && dueNanos - soon > 0) {
            dueNanos = soon;
        }
    }

    /** The one that answers may be the one that is cut off: asks soon, and another. */
    void askAnother() {
        if (session != null && !asking) {
            session.close("another is asked");
            session = null;
            next++;
        }
        lookAgain();
    }

    void care(long now) {
        if (session != null) {
            session.expire(now);
        }
        if (dial != null || asking || now - dueNanos < 0) {
            return;
        }
        if (session != null) {
            ask(session);
            return;
        }
        List<Endpoint> all = candidates.get();
        Endpoint candidate = all.get(Math.floorMod(next, all.size()));
        dial = sentinels
                ? context.dialer.sentinel(candidate, connection -> connected(candidate, connection), this::failed)
                : context.dialer.server(candidate, connection -> connected(candidate, connection), this::failed);
    }

    private void connected(Endpoint candidate, StatefulRedisConnection<byte[], byte[]> connection) {
        dial = null;
        Session started = new Session(context, sink, candidate, connection, context.nextNumber(), this::failed);
        session = started;
        context.dialer.watch(connection, started::disconnected);
        ask(started);
    }

    private void ask(Session started) {
        asking = true;
        started.order(new ControlCommand(started, (value, error) -> answered(started, value, error), question));
    }

    private void answered(Session asked, @Nullable Object value, @Nullable String error) {
        asking = false;
        if (error == null) {
            try {
                receiver.accept(new Reply(asked.endpoint, value));
            } catch (IllegalArgumentException tellsNothing) {
                asked.close("it does not answer");
                failed(asked.endpoint + " " + tellsNothing.getMessage());
                return;
            }
            failures = 0;
            trouble = "";
            backoff.reset();
            dueNanos = context.now() + CALM_NANOS;
            return;
        }
        asked.close("it does not answer");
        failed(asked.endpoint + " refuses " + String.join(" ", question) + ": " + error + hint(error));
    }

    private String hint(String error) {
        if (error.contains("cluster support disabled")) {
            return ", must be a node of a cluster: for one server there is RedisAddress.single";
        }
        return sentinels && error.contains("unknown command") ? ", must be a sentinel" : "";
    }

    private void failed(String reason) {
        dial = null;
        session = null;
        asking = false;
        next++;
        failures++;
        trouble = reason;
        dueNanos = context.now() + backoff.nextNanos();
    }
}
