package io.tickwheel.server.wire;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Which headers a caller may have sent along with a callback: RFC 9110 fields that are not the transport's or ours. A name with '_' is taken for
 * the one with '-', as many receivers do (CGI and what came of it).
 */
public final class CallbackHeaders {

    static final int MAX_COUNT = 32;
    static final int MAX_CHARS = 8_192;

    private static final Set<String> REFUSED = Set.of(
            "host",
            "content-length",
            "content-type",
            "content-encoding",
            "transfer-encoding",
            "te",
            "trailer",
            "connection",
            "keep-alive",
            "upgrade",
            "http2-settings",
            "expect",
            "forwarded",
            "via",
            "x-real-ip",
            "client-ip",
            "x-client-ip",
            "true-client-ip",
            "cf-connecting-ip",
            "idempotency-key");
    private static final List<String> REFUSED_PREFIXES = List.of("proxy-", "x-forwarded-", "webhook-", "tickwheel-");

    private static final String NOT_YOURS = "must not be set: it belongs to the transport or to Tickwheel";

    private CallbackHeaders() {}

    /** @throws IllegalArgumentException with the rule that the name breaks */
    static void checkName(String name) {
        if (name.isEmpty()) {
            throw new IllegalArgumentException("must not be empty");
        }
        for (int i = 0; i < name.length(); i++) {
            if (!isToken(name.charAt(i))) {
                throw new IllegalArgumentException("must be a token: letters, digits and !#$%&'*+-.^_`|~");
            }
        }
        String lower = name.toLowerCase(Locale.ROOT).replace('_', '-');
        if (lower.equals("content-type")) {
            throw new IllegalArgumentException("must not be set here: it follows from payload or contentType");
        }
        if (REFUSED.contains(lower)) {
            throw new IllegalArgumentException(NOT_YOURS);
        }
        for (String prefix : REFUSED_PREFIXES) {
            if (lower.startsWith(prefix)) {
                throw new IllegalArgumentException(NOT_YOURS);
            }
        }
    }

    /**
     * Checks headers that came another way than over this API: a program may have scheduled them in the same store.
     *
     * @throws IllegalArgumentException with the name and the rule that it or its value breaks
     */
    public static void check(Map<String, String> headers) {
        headers.forEach((name, value) -> {
            try {
                checkName(name);
                checkValue(value);
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(Excerpt.quoted(name) + " " + e.getMessage(), e);
            }
        });
    }

    /** @throws IllegalArgumentException with the rule that the value breaks */
    static void checkValue(String value) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c != '\t' && (c < 0x20 || c > 0x7E)) {
                throw new IllegalArgumentException("has the character "
                        + String.format(Locale.ROOT, "U+%04X", (int) c) + " at " + i
                        + ", must be visible ASCII, blanks and tabs");
            }
        }
    }

    /** @throws IllegalArgumentException when it is no media type of RFC 9110 */
    static void checkMediaType(String type) {
        int slash = type.indexOf('/');
        int semicolon = type.indexOf(';');
        int end = semicolon < 0 ? type.length() : semicolon;
        while (semicolon >= 0 && end > 0 && type.charAt(end - 1) == ' ') {
            end--;
        }
        boolean valid = slash > 0 && slash < end - 1 && type.length() <= 255;
        for (int i = 0; valid && i < end; i++) {
            valid = i == slash || isToken(type.charAt(i));
        }
        if (!valid) {
            throw new IllegalArgumentException("must be a media type such as text/plain; charset=utf-8");
        }
        checkValue(type);
    }

    private static boolean isToken(char c) {
        boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        return letter || (c >= '0' && c <= '9') || "!#$%&'*+-.^_`|~".indexOf(c) >= 0;
    }
}
