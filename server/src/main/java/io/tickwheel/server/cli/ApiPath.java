package io.tickwheel.server.cli;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The path of a call with its parameters, percent-encoded where it must be: a slash in a key is part of the key. */
final class ApiPath {

    private static final String PLAIN = "-_.~";

    private final StringBuilder text;
    private boolean hasQuery;

    private ApiPath(String start) {
        text = new StringBuilder(start);
    }

    static ApiPath queues() {
        return new ApiPath("/v1/queues");
    }

    static ApiPath queue(String queue) {
        return queues().part(queue);
    }

    static ApiPath timers(String queue) {
        return queue(queue).part("timers");
    }

    static ApiPath timer(String queue, String key) {
        return timers(queue).part(key);
    }

    static ApiPath lease(String lease) {
        return new ApiPath("/v1/leases").part(lease);
    }

    static ApiPath tokens() {
        return new ApiPath("/v1/tokens");
    }

    static ApiPath bulk() {
        return new ApiPath("/v1/bulk");
    }

    /** Adds a part that may be any text. */
    ApiPath part(String part) {
        text.append('/');
        return encoded(part);
    }

    /** Adds what is written behind a part. */
    ApiPath suffix(String plain) {
        text.append(plain);
        return this;
    }

    /** Adds a parameter; none when there is no value. */
    ApiPath with(String name, @Nullable String value) {
        if (value == null) {
            return this;
        }
        text.append(hasQuery ? '&' : '?').append(name).append('=');
        hasQuery = true;
        return encoded(value);
    }

    private ApiPath encoded(String part) {
        for (byte each : part.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (each & 0xFF);
            if ((c < 0x80 && Character.isLetterOrDigit(c)) || PLAIN.indexOf(c) >= 0) {
                text.append(c);
            } else {
                text.append(String.format(Locale.ROOT, "%%%02X", (int) c));
            }
        }
        return this;
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
