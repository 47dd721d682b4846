package io.tickwheel.store.redis.link;

import io.lettuce.core.api.StatefulRedisConnection;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps one session with a server: opens it, checks the server, and opens another when it ends, for ever. Of the loop. */
final class Reconnector {

    private static final Logger LOG = LoggerFactory.getLogger(Reconnector.class);
    private static final long GREET_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** Makes a session of a kind. */
    interface Sessions {
        Session start(StatefulRedisConnection<byte[], byte[]> connection, Consumer<String> whenLost);
    }

    private final LinkContext context;
    private final ServerEvents events;
    private final Endpoint endpoint;
    private final Sessions sessions;
    private final Backoff backoff;
    private Dialer.@Nullable Dial<?> dial;

    /** Its server has not been checked yet. */
    private @Nullable Session checking;

    private @Nullable Session session;
    private String trouble = "";
    private long retryNanos;

    /** The server could not say yet what it has: it is asked again at {@link #retryNanos}. */
    private boolean mustGreet;

    Reconnector(LinkContext context, ServerEvents events, Endpoint endpoint, Sessions sessions) {
        this.context = context;
        this.events = events;
        this.endpoint = endpoint;
        this.sessions = sessions;
        backoff = context.newBackoff();
        retryNanos = context.now();
    }

    /** The session that calls can be sent on, or null. */
    @Nullable
    Session session() {
        return session;
    }

    /** Why there is no session; empty while the first try is on its way. */
    String trouble() {
        return trouble;
    }

    void flush() {
        if (session != null) {
            session.flush();
        }
    }

    /** Looks at what time does: timeouts, and the next try. */
    void care(long now) {
        Session current = session == null ? checking : session;
        if (current != null) {
            current.expire(now);
            if (mustGreet && now - retryNanos >= 0) {
                greet(current);
            }
        } else if (dial == null && now - retryNanos >= 0) {
            dial = context.dialer.server(endpoint, this::connected, this::failed);
        }
    }

    private void connected(StatefulRedisConnection<byte[], byte[]> connection) {
        dial = null;
        Session started = sessions.start(connection, this::lost);
        checking = started;
        context.dialer.watch(connection, started::disconnected);
        started.order(new ControlCommand(started, (value, error) -> checked(started, value, error), "INFO"));
    }

    private void checked(Session started, @Nullable Object value, @Nullable String error) {
        String problem;
        if (value instanceof byte[] info) {
            ServerReport report = new ServerReport(endpoint, new String(info, StandardCharsets.UTF_8));
            started.server = report;
            problem = report.problem(context.address.kind());
        } else {
            problem = endpoint + " refuses INFO, must allow it: " + error;
        }
        if (problem != null) {
            events.misfit(problem);
            refuse(started, problem);
            return;
        }
        greet(started);
    }

    private void greet(Session started) {
        mustGreet = false;
        Link.Greeting greeting = events.greeting();
        if (greeting == null) {
            open(started);
            return;
        }
        started.order(new ControlCommand(
                started, (answer, refusal) -> greeted(greeting, started, answer, refusal), greeting.question()));
    }

    private void greeted(Link.Greeting greeting, Session started, @Nullable Object answer, @Nullable String refusal) {
        if (refusal == null) {
            if (!greeting.take(answer)) {
                events.foundOther(endpoint);
            }
            open(started);
            return;
        }
        switch (Refusal.of(refusal)) {
            case MOVED, ASK -> open(started);
            case FOR_GOOD -> refuse(started, endpoint + " refuses to be asked: " + refusal);
            default -> {
                note(endpoint + " is not ready: " + refusal);
                mustGreet = true;
                retryNanos = context.now() + GREET_AGAIN_NANOS;
            }
        }
    }

    private void refuse(Session started, String problem) {
        checking = null;
        started.close(problem);
        failed(problem);
    }

    private void open(Session started) {
        checking = null;
        session = started;
        if (!trouble.isEmpty()) {
            LOG.info("connected to {} again", endpoint);
        }
        trouble = "";
        backoff.reset();
    }

    private void lost(String reason) {
        session = null;
        checking = null;
        failed(reason);
    }

    private void failed(String reason) {
        dial = null;
        mustGreet = false;
        note(reason);
        retryNanos = context.now() + backoff.nextNanos();
        events.askAnother();
    }

    private void note(String reason) {
        if (trouble.isEmpty()) {
            LOG.warn("{}", reason);
        }
        trouble = reason;
    }

    /** Ends the session and opens no other. */
    void close(String reason) {
        if (dial != null) {
            dial.giveUp();
        }
        Session current = session == null ? checking : session;
        if (current != null) {
            current.close(reason);
        }
        session = null;
        checking = null;
        trouble = reason;
    }
}
