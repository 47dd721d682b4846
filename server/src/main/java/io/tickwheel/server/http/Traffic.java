package io.tickwheel.server.http;

import io.tickwheel.server.wire.Excerpt;
import io.tickwheel.server.wire.Problem;
import io.tickwheel.server.wire.ProblemCode;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes note of what goes over the HTTP edge. What goes wrong with a request is counted, and logged at DEBUG only: whoever reaches the port could fill the log otherwise.
 * For one event loop.
 */
public final class Traffic {

    private static final Logger LOG = LoggerFactory.getLogger(Traffic.class);

    /** A connection that breaks. */
    public enum Break {
        /** Before TLS is spoken. */
        HANDSHAKE,
        /** While it is open. */
        OPEN
    }

    private final Consumer<ProblemCode> problems;
    private final Consumer<Break> breaks;
    private final @Nullable AccessLog access;

    /**
     * Tells what is to be counted.
     *
     * @param problems of each request that is refused
     * @param breaks of each connection that breaks
     * @param access has a line for each answer; null for none
     */
    public Traffic(Consumer<ProblemCode> problems, Consumer<Break> breaks, @Nullable AccessLog access) {
        this.problems = problems;
        this.breaks = breaks;
        this.access = access;
    }

    /** Will take note when the connection breaks. */
    public void opened(HttpConnection connection) {
        connection.exceptionHandler(cause -> broken(Break.OPEN, cause));
    }

    /** Takes note of a connection that was closed, and not by its ends. */
    public void broken(Break when, Throwable cause) {
        breaks.accept(when);
        LOG.debug("a connection broke ({}): {}", when, Excerpt.sentence(String.valueOf(cause)));
    }

    /** When a request has come; of no meaning where there is no access log. */
    long startedNanos() {
        return access == null ? 0 : access.nanos();
    }

    void refused(HttpServerRequest request, Problem problem) {
        problems.accept(problem.code());
        if (LOG.isDebugEnabled()) {
            LOG.debug(
                    "a request of {} is refused, {}: {}",
                    request.remoteAddress(),
                    problem.code().code(),
                    Excerpt.line(problem.detail()));
        }
    }

    void answered(HttpServerRequest request, String token, long startedNanos, int status, int bytes) {
        if (access != null) {
            access.answered(request, token, startedNanos, status, bytes);
        }
    }
}
