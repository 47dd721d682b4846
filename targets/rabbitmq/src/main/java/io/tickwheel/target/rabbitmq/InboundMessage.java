package io.tickwheel.target.rabbitmq;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.LongString;
import io.tickwheel.engine.Destination;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.store.OnConflict;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A message that came in, and the timer that is made of it. The timer has the message-id as its key, so that a message that comes again makes no second one; or the header
 * {@code tickwheel-key}, so that its owner can cancel it; or else a key of its own. The message that comes out is the one that came in, with {@code x-delay} negated as the
 * plugin did, and with headers of Tickwheel beside its own.
 */
final class InboundMessage {

    static final String KEY = "tickwheel-key";
    static final String EXCHANGE = "tickwheel-exchange";
    static final String ROUTING_KEY = "tickwheel-routing-key";
    static final String REFUSED = "tickwheel-refused";
    static final String USER_ID = "tickwheel-user-id";

    final Envelope envelope;
    final BasicProperties properties;
    final byte[] body;
    private final Instant arrivedAt;

    InboundMessage(Envelope envelope, BasicProperties properties, byte[] body, Instant arrivedAt) {
        this.envelope = envelope;
        this.properties = properties;
        this.body = body;
        this.arrivedAt = arrivedAt;
    }

    /**
     * Makes the request for the timer. One by message-id is made once, also when the timer has been delivered or cancelled since. One with a key takes the place of the
     * timer under it; when it may have come before, {@link #hash} tells whether the timer that is there is of this message.
     *
     * @param exchanges where messages go, by the exchange that they were sent to
     * @param newKey for a message that has none
     * @throws IllegalArgumentException with the rule, when no timer can be made of it
     */
    TimerRequest request(String queue, Map<String, String> exchanges, Supplier<String> newKey, boolean replaces) {
        long delayMs = DelayHeader.delayMs(properties.getHeaders());
        if (delayMs > TimerRequest.LAST_DUE.toEpochMilli() - arrivedAt.toEpochMilli()) {
            throw new Refusal(DelayHeader.NAME + " is " + delayMs + ", must be due before " + TimerRequest.LAST_DUE);
        }
        String exchange = header(EXCHANGE);
        if (exchange == null) {
            exchange = exchanges.get(envelope.getExchange());
        }
        if (exchange == null) {
            throw new Refusal("exchange '" + envelope.getExchange() + "' has no exchange behind it, must have one in"
                    + " sources.rabbitmq.exchanges, or the message the header " + EXCHANGE);
        }
        String routingKey = header(ROUTING_KEY);
        RabbitmqAddress address = new RabbitmqAddress(
                exchange,
                routingKey == null ? envelope.getRoutingKey() : routingKey,
                StoredProperties.write(outgoing()));
        String key = key();
        try {
            return TimerRequest.at(queue, key == null ? newKey.get() : key, arrivedAt.plusMillis(delayMs))
                    .withPayload(body)
                    .withDestination(new Destination(RabbitmqTargetKind.NAME, address.text()))
                    .withOnConflict(replaces ? OnConflict.REPLACE : OnConflict.ONCE)
                    .withRequestHash(hash());
        } catch (DateTimeException e) {
            throw new Refusal(DelayHeader.NAME + " is " + delayMs + ", which no calendar holds");
        }
    }

    /** Whether a timer of another message under the same key is to make room: its sender has named the key. */
    boolean hasOwnKey() {
        return given(KEY) != null;
    }

    private @Nullable String key() {
        String own = header(KEY);
        return own == null ? properties.getMessageId() : own;
    }

    private @Nullable Object given(String name) {
        Map<String, Object> headers = properties.getHeaders();
        return headers == null ? null : headers.get(name);
    }

    /** A string, or a number as it is written: what else a header may be would be the name of nothing. */
    private @Nullable String header(String name) {
        Object value = given(name);
        if (value instanceof LongString string) {
            return text(name, string);
        }
        if (value == null || value instanceof String || value instanceof Number) {
            return value == null ? null : value.toString();
        }
        throw new Refusal(name + " is of the type " + value.getClass().getSimpleName() + ", must be a string");
    }

    private static String text(String name, LongString string) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(string.getBytes()))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new Refusal(name + " is no text, must be in UTF-8");
        }
    }

    private BasicProperties outgoing() {
        Map<String, Object> headers = new LinkedHashMap<>();
        if (properties.getHeaders() != null) {
            headers.putAll(properties.getHeaders());
        }
        headers.remove(EXCHANGE);
        headers.remove(ROUTING_KEY);
        if (headers.containsKey(DelayHeader.NAME)) {
            headers.put(DelayHeader.NAME, -DelayHeader.delayMs(properties.getHeaders()));
        }
        return withoutUser(properties, headers);
    }

    /** The broker takes a user-id only from the user of that name, and closes the channel of any other. */
    private static BasicProperties withoutUser(BasicProperties properties, Map<String, Object> headers) {
        if (properties.getUserId() != null) {
            headers.put(USER_ID, properties.getUserId());
        }
        return properties.builder().headers(headers).userId(null).build();
    }

    /**
     * The message as it is kept when it is refused: with the reason, and where it was sent to. Its headers are left out where there is no room for both.
     *
     * @param frameMax how many bytes a frame may have; 0 for any number
     */
    BasicProperties refused(String reason, int frameMax) {
        Map<String, Object> given = properties.getHeaders() == null ? Map.of() : properties.getHeaders();
        BasicProperties whole = refused(given, reason);
        boolean hasRoom = frameMax == 0 || StoredProperties.frameBytes(whole) <= frameMax;
        return hasRoom ? whole : refused(Map.of(), reason + "; its headers are too large to be kept here");
    }

    private BasicProperties refused(Map<String, Object> given, String reason) {
        Map<String, Object> headers = new LinkedHashMap<>(given);
        headers.put(REFUSED, reason);
        headers.putIfAbsent(EXCHANGE, envelope.getExchange());
        headers.putIfAbsent(ROUTING_KEY, envelope.getRoutingKey());
        // Kept until its owner decides: nothing of it may expire.
        return withoutUser(properties, headers).builder().expiration(null).build();
    }

    /** By which a message is known again: its id, where it was sent to, and its body. Never 0. */
    long hash() {
        MessageDigest digest;
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
        for (String part : new String[] {
            properties.getMessageId(),
            header(EXCHANGE),
            header(ROUTING_KEY),
            envelope.getExchange(),
            envelope.getRoutingKey()
        }) {
            byte[] bytes = String.valueOf(part).getBytes(StandardCharsets.UTF_8);
            digest.update(
                    ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).array());
            digest.update(bytes);
        }
        long hash = ByteBuffer.wrap(digest.digest(body)).getLong();
        return hash == 0 ? 1 : hash;
    }
}
