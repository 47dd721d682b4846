package io.tickwheel.server.http;

import io.tickwheel.engine.CommandOptions;
import io.tickwheel.server.wire.Excerpt;
import io.tickwheel.server.wire.Problem;
import io.tickwheel.server.wire.ProblemCode;
import io.tickwheel.server.wire.ProblemException;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The id of a timer as its entity tag, which a command can expect. */
final class IfMatch {

    private static final CharSequence ETAG = HttpHeaders.createOptimized("ETag");
    private static final List<String> OTHERS = List.of("If-None-Match", "If-Unmodified-Since");
    private static final int MOST_CHARS = 200;

    private IfMatch() {}

    /** The id that the request expects; null when it expects none. */
    static @Nullable String expectedId(HttpServerRequest request) {
        List<String> values = request.headers().getAll("If-Match");
        if (values.isEmpty()) {
            return null;
        }
        String value = values.get(0).strip();
        int last = value.length() - 1;
        boolean isOne = values.size() == 1
                && last > 1
                && last < MOST_CHARS
                && value.charAt(0) == '"'
                && value.indexOf('"', 1) == last;
        if (!isOne) {
            throw new Problem(
                            ProblemCode.INVALID_IF_MATCH,
                            "If-Match is " + Excerpt.quoted(String.join(", ", values))
                                    + ", must be the id of one timer between quotation marks",
                            "If-Match")
                    .exception();
        }
        return value.substring(1, last);
    }

    /**
     * Refuses the conditions that no call looks at, in one that changes something: who sends them relies on them.
     *
     * @throws ProblemException when there is one
     */
    static void checkOthers(HttpServerRequest request) {
        for (String name : OTHERS) {
            String value = request.getHeader(name);
            if (value != null) {
                throw new Problem(
                                ProblemCode.INVALID_IF_MATCH,
                                name + " is " + Excerpt.quoted(value)
                                        + ", must be absent: onConflict says what becomes of a timer that is there",
                                name)
                        .exception();
            }
        }
    }

    static CommandOptions options(HttpServerRequest request) {
        String expected = expectedId(request);
        return expected == null ? CommandOptions.NONE : CommandOptions.NONE.withExpectedId(expected);
    }

    /** Says which timer the answer is about. */
    static void tag(Exchange exchange, String id) {
        if (!exchange.request().response().ended()) {
            exchange.request().response().headers().set(ETAG, '"' + id + '"');
        }
    }
}
