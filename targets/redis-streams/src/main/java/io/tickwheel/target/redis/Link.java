package io.tickwheel.target.redis;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One way to the servers, opened when somebody asks for it first, and again when it ends. While it is opened after it was well, those who ask wait for it; when that has failed, the servers are known to be away:
 * who asks is told so at once, and the servers are tried again every {@link #PROBE}. Thread-safe.
 */
final class Link implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Link.class);

    static final Duration PROBE = Duration.ofMillis(500);

    private final Dialer dialer;
    private final Queue<Use> waiting = new ArrayDeque<>();

    /** At most one of these is there; none while those who ask wait. */
    private @Nullable Session session;

    private @Nullable String away;

    /** Whether somebody has asked: nobody needs servers to which nothing goes. */
    private boolean begun;

    private boolean closed;

    private record Use(Consumer<Session> with, Consumer<String> without) {}

    Link(Dialer dialer) {
        this.dialer = dialer;
    }

    /**
     * Calls one of the two, now or when it is known which.
     *
     * @param with takes the way to the servers
     * @param without takes the reason why there is none
     */
    void use(Consumer<Session> with, Consumer<String> without) {
        Session open;
        String reason;
        boolean isFirst;
        synchronized (this) {
            open = session;
            reason = away;
            isFirst = !begun;
            begun = true;
            if (open == null && reason == null) {
                waiting.add(new Use(with, without));
            }
        }
        if (open != null) {
            with.accept(open);
        } else if (reason != null) {
            without.accept(reason);
        } else if (isFirst) {
            dial();
        }
    }

    private void dial() {
        var unused = dialer.dial().whenComplete(this::dialed);
    }

    private void dialed(@Nullable Session opened, @Nullable Throwable error) {
        List<Use> uses;
        String reason = "Redis is away: " + (error == null ? "no connection" : Dialer.reason(error));
        synchronized (this) {
            if (closed) {
                if (opened != null) {
                    opened.end();
                }
                return;
            }
            if (opened == null && !reason.equals(away)) {
                LOG.warn("{}; tried again every {} ms", reason, PROBE.toMillis());
            } else if (opened != null && away != null) {
                LOG.info("Redis is back");
            }
            session = opened;
            away = opened == null ? reason : null;
            uses = new ArrayList<>(waiting);
            waiting.clear();
        }
        if (opened != null) {
            uses.forEach(use -> use.with().accept(opened));
            dialer.watch(opened, () -> lost(opened));
        } else {
            uses.forEach(use -> use.without().accept(reason));
            dialer.later(PROBE, this::dial);
        }
    }

    /** A session has ended, or is of no more use: another one is opened, unless that was seen to already. */
    void lost(Session ended) {
        synchronized (this) {
            if (closed || !ended.equals(session)) {
                return;
            }
            session = null;
        }
        ended.end();
        dial();
    }

    @Override
    public void close() {
        Session open;
        synchronized (this) {
            closed = true;
            open = session;
            waiting.clear();
        }
        if (open != null) {
            open.end();
        }
        dialer.close();
    }
}
