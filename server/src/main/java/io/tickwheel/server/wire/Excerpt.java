package io.tickwheel.server.wire;

import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** Text of a stranger, made fit for a log line or an answer: short, and without characters that do things. */
public final class Excerpt {

    private static final int MAX_CHARS = 64;
    private static final int MAX_PAYLOAD_BYTES = 200;

    private Excerpt() {}

    /** The text in quotes, at most {@value #MAX_CHARS} characters of it. */
    public static String quoted(String text) {
        StringBuilder out = new StringBuilder().append('"');
        append(out, text, MAX_CHARS);
        return out.append('"').toString();
    }

    /** The text without quotes, at most {@value #MAX_CHARS} characters of it. */
    public static String of(String text) {
        StringBuilder out = new StringBuilder();
        append(out, text, MAX_CHARS);
        return out.toString();
    }

    /** A sentence of ours that quotes a stranger: long enough for both. */
    public static String sentence(String text) {
        StringBuilder out = new StringBuilder();
        append(out, text, 4 * MAX_CHARS);
        return out.toString();
    }

    /** All of a text in one line. */
    public static String line(String text) {
        StringBuilder out = new StringBuilder(text.length());
        append(out, text, text.length());
        return out.toString();
    }

    /** A payload as text, at most {@value #MAX_PAYLOAD_BYTES} bytes of it. */
    public static String ofPayload(byte[] payload) {
        int length = Math.min(payload.length, MAX_PAYLOAD_BYTES);
        StringBuilder out = new StringBuilder();
        append(out, new String(payload, 0, length, StandardCharsets.UTF_8), MAX_PAYLOAD_BYTES);
        if (length < payload.length) {
            out.append("... (").append(payload.length).append(" bytes)");
        }
        return out.toString();
    }

    private static void append(StringBuilder out, String text, int maxChars) {
        int end = Math.min(text.length(), maxChars);
        int at = 0;
        while (at < end) {
            int c = text.codePointAt(at);
            at += Character.charCount(c);
            if (isPlain(c)) {
                out.appendCodePoint(c);
            } else {
                out.append(String.format(Locale.ROOT, "\\u%04x", c));
            }
        }
        if (at < text.length()) {
            out.append("...");
        }
    }

    private static boolean isPlain(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.UNASSIGNED,
                    Character.PRIVATE_USE -> false;
            default -> true;
        };
    }
}
