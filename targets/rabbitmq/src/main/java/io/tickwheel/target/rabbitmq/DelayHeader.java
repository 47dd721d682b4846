package io.tickwheel.target.rabbitmq;

import com.rabbitmq.client.LongString;
import java.math.BigDecimal;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The header {@code x-delay}, in milliseconds, as the plugin for delayed messages took it: an integer, a string with one, or a decimal number, whose fraction is dropped. What
 * is zero or less, of another type or not there means at once.
 */
final class DelayHeader {

    static final String NAME = "x-delay";

    private DelayHeader() {}

    /**
     * Reads the delay.
     *
     * @throws Refusal when it is a string without an integer, over which the plugin closed the channel
     */
    static long delayMs(@Nullable Map<String, Object> headers) {
        Object value = headers == null ? null : headers.get(NAME);
        if (value instanceof LongString || value instanceof String) {
            return Math.max(0, parse(value.toString()));
        }
        if (value instanceof BigDecimal || value instanceof Double || value instanceof Float) {
            return Math.max(0, ((Number) value).longValue());
        }
        if (value instanceof Long || value instanceof Integer || value instanceof Short || value instanceof Byte) {
            return Math.max(0, ((Number) value).longValue());
        }
        return 0;
    }

    private static long parse(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new Refusal(NAME + " is '" + (text.length() > 40 ? text.substring(0, 40) + "..." : text)
                    + "', must be an integer of milliseconds");
        }
    }
}
