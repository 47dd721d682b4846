package io.tickwheel.target.message;

import io.tickwheel.engine.Attempt;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The span of an attempt in the trace that its timer belongs to. It follows from the timer and the number of the attempt: one that is made again after a crash has the same.
 * Immutable.
 *
 * @param trace the trace, 32 digits of base 16 in lower case
 * @param parent the span of who has scheduled the timer, 16 such digits
 * @param span the span of the attempt, 16 such digits
 * @param flags 0 to 3: 1 when the spans of the trace are recorded, and 2 when the trace is random
 */
public record TraceSpan(String trace, String parent, String span, int flags) {

    static final String VERSION = "00";
    static final String NO_SPAN = "0".repeat(16);
    static final int TRACE_AT = 3;
    static final int SPAN_AT = 36;
    static final int CHARS = 55;

    private static final int FLAGS_AT = 53;

    /** Whether the spans of the trace are recorded, and whether the trace is random: what a version that is not known may have besides is not sent on. */
    private static final int KNOWN_FLAGS = 3;

    /** @param parent a {@code traceparent} that {@link TraceContext#isParent is one} */
    static TraceSpan of(String parent, Attempt attempt) {
        int flags = Integer.parseInt(parent.substring(FLAGS_AT, CHARS), 16) & KNOWN_FLAGS;
        return new TraceSpan(
                parent.substring(TRACE_AT, SPAN_AT - 1),
                parent.substring(SPAN_AT, FLAGS_AT - 1),
                span(parent, attempt),
                flags);
    }

    /** As the {@code traceparent} of what the attempt brings about. */
    public String asParent() {
        return VERSION + "-" + trace + "-" + span + "-0" + flags;
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
