package io.tickwheel.server.cli;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The path of a call with its parameters, percent-encoded where it must be: a slash in a key is part of the key. */
final class ApiPath {

    private static final String PLAIN = "-_.~";

    private final StringBuilder text;
    private String repetition;
    private boolean hasQuery;

    private ApiPath(String start, String repetition) {
        this.text = new StringBuilder(start);
        this.repetition = repetition;
    }

    static ApiPath queues() {
        return new ApiPath("/v1/queues", "look with 'queues show' before you repeat it");
    }

    static ApiPath queue(String queue) {
        return queues().part(queue);
    }

    static ApiPath timers(String queue) {
        return queue(queue).part("timers");
    }

    static ApiPath timer(String queue, String key) {
        return timers(queue).part(key).repeated("look with 'timers show' before you repeat it");
    }

    static ApiPath lease(String lease) {
        return new ApiPath("/v1/leases", "it is safe to repeat it: a lease that has ended is refused").part(lease);
    }

    static ApiPath tokens() {
        return new ApiPath("/v1/tokens", "look with 'tokens list' before you repeat it");
    }

    static ApiPath bulk() {
        return new ApiPath("/v1/bulk", "look with 'bulk list' before you repeat it");
    }

    /** Says how to repeat the call when its outcome is not known. */
    ApiPath repeated(String how) {
        repetition = how;
        return this;
    }

    String repetition() {
        return repetition;
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
