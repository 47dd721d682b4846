package io.tickwheel.target.message;

import io.tickwheel.engine.Attempt;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The trace that a timer belongs to, as W3C Trace Context has it. It is among the headers that its sender wants sent along, and each attempt goes on in it with a span of
 * its own:
 *
 * <pre>
 *   00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01     as it was scheduled
 *   version, trace, span of who scheduled it, flags
 *   00-4bf92f3577b34da6a3ce929d0e0e4736-8a3c60f7d188f8fa-01     of an attempt
 * </pre>
 *
 * <p>The span of an attempt follows from the timer and the number of the attempt: one that is made again after a crash has the same.
 */
public final class TraceContext {

    /** The header with the trace and the span. */
    public static final String PARENT = "traceparent";

    /** The header with what the systems of a trace say to each other. */
    public static final String STATE = "tracestate";

    private static final Pattern FORM = Pattern.compile("[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(-.*)?");
    private static final String NO_VERSION = "ff";
    private static final String NO_TRACE = "0".repeat(32);

    private TraceContext() {}

    /** Whether a header is one of a trace. */
    public static boolean isHeader(String name) {
        return name.equalsIgnoreCase(PARENT) || name.equalsIgnoreCase(STATE);
    }

    /** Whether a text is a {@code traceparent}, of this version or of one that is still to come. */
    public static boolean isParent(String text) {
        if (!FORM.matcher(text).matches() || text.startsWith(NO_VERSION)) {
            return false;
        }
        boolean isWhole = text.length() == TraceSpan.CHARS || !text.startsWith(TraceSpan.VERSION);
        return isWhole
                && !text.startsWith(NO_TRACE, TraceSpan.TRACE_AT)
                && !text.startsWith(TraceSpan.NO_SPAN, TraceSpan.SPAN_AT);
    }

    /** The headers that the sender of a timer wants sent along; a trace among them goes on in the span of the attempt, and what is none stays as it is. */
    public static Map<String, String> headersOf(Attempt attempt) {
        for (Map.Entry<String, String> header : attempt.headers().entrySet()) {
            if (isParentHeader(header)) {
                Map<String, String> headers = new LinkedHashMap<>(attempt.headers());
                headers.put(
                        header.getKey(),
                        TraceSpan.of(header.getValue(), attempt).asParent());
                return headers;
            }
        }
        return attempt.headers();
    }

    /** The span of an attempt in the trace of its timer, the one that {@link #headersOf} names; empty when the timer has no trace. */
    public static Optional<TraceSpan> spanOf(Attempt attempt) {
        return attempt.headers().entrySet().stream()
                .filter(TraceContext::isParentHeader)
                .findFirst()
                .map(header -> TraceSpan.of(header.getValue(), attempt));
    }

    private static boolean isParentHeader(Map.Entry<String, String> header) {
        return header.getKey().equalsIgnoreCase(PARENT) && isParent(header.getValue());
    }
}
