package io.tickwheel.target.message;

import io.tickwheel.engine.Attempt;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
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

    private static final int TRACE_AT = 3;
    private static final int SPAN_AT = 36;
    private static final int FLAGS_AT = 53;
    private static final int CHARS = 55;

    /** Whether it is sampled, and whether the trace is random: what a version that is not known may have besides is not sent on. */
    private static final int KNOWN_FLAGS = 3;

    private static final Pattern FORM = Pattern.compile("[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(-.*)?");
    private static final String NO_VERSION = "ff";
    private static final String VERSION = "00";
    private static final String NO_TRACE = "0".repeat(32);
    private static final String NO_SPAN = "0".repeat(16);

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
        boolean isWhole = text.length() == CHARS || !text.startsWith(VERSION);
        return isWhole && !trace(text).equals(NO_TRACE) && !text.startsWith(NO_SPAN, SPAN_AT);
    }

    /** The headers that the sender of a timer wants sent along; a trace among them goes on in the span of the attempt, and what is none stays as it is. */
    public static Map<String, String> headersOf(Attempt attempt) {
        for (Map.Entry<String, String> header : attempt.headers().entrySet()) {
            if (header.getKey().equalsIgnoreCase(PARENT) && isParent(header.getValue())) {
                Map<String, String> headers = new LinkedHashMap<>(attempt.headers());
                headers.put(header.getKey(), next(header.getValue(), attempt));
                return headers;
            }
        }
        return attempt.headers();
    }

    private static String next(String parent, Attempt attempt) {
        int flags = Integer.parseInt(parent.substring(FLAGS_AT, CHARS), 16) & KNOWN_FLAGS;
        return VERSION + "-" + trace(parent) + "-" + span(parent, attempt) + "-0" + flags;
    }

    private static String trace(String parent) {
        return parent.substring(TRACE_AT, SPAN_AT - 1);
    }

    private static String span(String parent, Attempt attempt) {
        String text = parent + " " + attempt.id() + " " + attempt.number();
        String span = HexFormat.of().formatHex(sha256(text), 0, NO_SPAN.length() / 2);
        return span.equals(NO_SPAN) ? "1" + span.substring(1) : span;
    }

    private static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
