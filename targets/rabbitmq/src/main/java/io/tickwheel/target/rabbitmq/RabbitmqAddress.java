package io.tickwheel.target.rabbitmq;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Where a message goes. As a text: exchange, a slash, routing key, and where there are properties a slash and these; names are encoded as in the query of a URL, and {@code ~}
 * stands for one that is not given.
 *
 * @param exchange null for the one with the name of the timer's queue; empty for the default exchange
 * @param routingKey null for the name of the timer's queue
 * @param properties as {@link StoredProperties} writes them
 */
record RabbitmqAddress(
        @Nullable String exchange,
        @Nullable String routingKey,
        @Nullable String properties) {

    /** How long AMQP 0-9-1 lets names be, in bytes of UTF-8. */
    static final int MOST_NAME_BYTES = 255;

    private static final String ABSENT = "~";

    String text() {
        String names = encoded(exchange) + "/" + encoded(routingKey);
        return properties == null ? names : names + "/" + properties;
    }

    /**
     * Reads a stored address.
     *
     * @throws IllegalArgumentException when it is none
     */
    static RabbitmqAddress parse(String text) {
        String[] parts = text.split("/", -1);
        if (parts.length < 2 || parts.length > 3) {
            throw new IllegalArgumentException("has " + parts.length + " parts, must have 2 or 3");
        }
        return new RabbitmqAddress(decoded(parts[0]), decoded(parts[1]), parts.length == 3 ? parts[2] : null);
    }

    /** The part of a stored address that says which exchange, as it is written. */
    static String exchangeOf(String text) {
        int slash = text.indexOf('/');
        return slash < 0 ? text : text.substring(0, slash);
    }

    /** Whether a name has a length that AMQP 0-9-1 can send. */
    static boolean fits(String name) {
        return name.getBytes(StandardCharsets.UTF_8).length <= MOST_NAME_BYTES;
    }

    private static String encoded(@Nullable String name) {
        return name == null ? ABSENT : URLEncoder.encode(name, StandardCharsets.UTF_8);
    }

    private static @Nullable String decoded(String part) {
        return part.equals(ABSENT) ? null : URLDecoder.decode(part, StandardCharsets.UTF_8);
    }
}
