package io.tickwheel.target.message;

import io.tickwheel.engine.Attempt;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * An attempt as a message of a queue: payload, and headers in a fixed order: what Tickwheel knows of the attempt, the attributes of CloudEvents 1.0 in binary mode,
 * and what the sender wants sent along, where a trace goes on. All values are text; keys are as they are, in any characters. Immutable.
 *
 * @param attempt what is delivered
 * @param headers by name, in the order in which they are to be written; never changes
 */
public record TimerMessage(Attempt attempt, Map<String, String> headers) {

    /** The header with the {@link Attempt#id}, by which a receiver knows a message that comes again. */
    public static final String ID = "tickwheel-id";

    /** The header with the media type of the payload, when the sender named one. */
    public static final String CONTENT_TYPE = "content-type";

    /** The type of all events. */
    public static final String EVENT_TYPE = "io.tickwheel.timer";

    private static final String OURS = "tickwheel-";
    private static final String SPEC_VERSION = "1.0";
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSX", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    public TimerMessage {
        headers = Collections.unmodifiableMap(new LinkedHashMap<>(headers));
    }

    /**
     * Makes the message of an attempt. A header of the sender with the name of an attribute, such as {@code ce_type}, takes the place of the attribute.
     *
     * @param prefix what the binding of CloudEvents to the protocol puts before the names of attributes: {@code ce_} for Kafka, {@code cloudEvents:} for AMQP 0-9-1
     * @throws IllegalArgumentException with the rule, when the sender has a header that belongs to Tickwheel. The server refuses such a timer
     *     when it is scheduled; one that was scheduled inside of a program can never be delivered
     */
    public static TimerMessage of(Attempt attempt, String prefix) {
        Map<String, String> headers = new LinkedHashMap<>();
        putMetadata(headers, attempt);
        attributes(attempt).forEach((name, value) -> headers.put(prefix + name, value));
        TraceContext.headersOf(attempt).forEach((name, value) -> {
            checkName(name);
            headers.put(name, value);
        });
        return new TimerMessage(attempt, headers);
    }

    private static void putMetadata(Map<String, String> headers, Attempt attempt) {
        headers.put(ID, attempt.id());
        headers.put("tickwheel-queue", attempt.queue());
        headers.put("tickwheel-key", attempt.key());
        headers.put("tickwheel-version", Long.toString(attempt.version()));
        headers.put("tickwheel-attempt", Integer.toString(attempt.number()));
        headers.put("tickwheel-due-at", text(attempt.dueAt()));
        headers.put("tickwheel-attempt-at", text(attempt.attemptAt()));
        headers.put("tickwheel-lateness-ms", Long.toString(attempt.lateness().toMillis()));
        attempt.run().ifPresent(run -> headers.put("tickwheel-run", Long.toString(run)));
        String contentType = attempt.contentType();
        if (contentType != null) {
            headers.put(CONTENT_TYPE, contentType);
        }
    }

    /**
     * The attributes of CloudEvents by their names without a prefix, in a fixed order. The content type is none of them: in binary mode the one of the message stands for
     * {@code datacontenttype}.
     */
    public static Map<String, String> attributes(Attempt attempt) {
        Map<String, String> attributes = new LinkedHashMap<>();
        attributes.put("specversion", SPEC_VERSION);
        attributes.put("id", attempt.id());
        attributes.put("source", source(attempt.queue()));
        attributes.put("type", EVENT_TYPE);
        attributes.put("subject", attempt.key());
        attributes.put("time", text(attempt.dueAt()));
        return attributes;
    }

    /** A relative reference as of RFC 3986, so that a queue has the same one on each node. */
    private static String source(String queue) {
        return "/tickwheel/queues/"
                + URLEncoder.encode(queue, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private static void checkName(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        if (lower.startsWith(OURS) || lower.equals(CONTENT_TYPE)) {
            throw new IllegalArgumentException(
                    "header " + name + " is the sender's, must not be " + CONTENT_TYPE + " nor begin with " + OURS);
        }
    }

    private static String text(Instant time) {
        return TIME.format(time);
    }
}
