package io.tickwheel.server.http;

import io.tickwheel.target.message.TraceContext;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.util.List;
import java.util.Map;

/**
 * The trace that a request belongs to. One that is not as W3C Trace Context has it is no trace, and is ignored, as that demands: proxies and agents put it there, and a timer
 * must not be lost by what they do.
 */
final class RequestTrace {

    private static final CharSequence PARENT = HttpHeaders.createOptimized(TraceContext.PARENT);
    private static final CharSequence STATE = HttpHeaders.createOptimized(TraceContext.STATE);

    /** As long as all must take it; a longer one may be dropped. */
    private static final int MOST_STATE = 512;

    private RequestTrace() {}

    /** The headers of the trace, for the timer to keep; none when there is no trace. */
    static Map<String, String> of(HttpServerRequest request) {
        MultiMap headers = request.headers();
        List<String> parents = headers.getAll(PARENT);
        if (parents.size() != 1 || !TraceContext.isParent(parents.get(0))) {
            return Map.of();
        }
        String state = String.join(",", headers.getAll(STATE));
        boolean isKept = !state.isEmpty()
                && state.length() <= MOST_STATE
                && state.chars().allMatch(c -> c >= 0x20 && c < 0x7F);
        return isKept
                ? Map.of(TraceContext.PARENT, parents.get(0), TraceContext.STATE, state)
                : Map.of(TraceContext.PARENT, parents.get(0));
    }
}
