package io.tickwheel.target.rabbitmq;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.impl.ContentHeaderPropertyWriter;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The properties of a message as a text: their bytes as they are in a content header frame of AMQP 0-9-1, from the flags on, in Base64 for URLs without padding. So all
 * types of header values stay what they are.
 */
final class StoredProperties {

    /** The weight and the size of the body, which are not stored. */
    private static final int BEFORE_FLAGS = Short.BYTES + Long.BYTES;

    /** Of a frame: its type, channel and size, the class of the content, and its end. */
    private static final int AROUND = Byte.BYTES + Short.BYTES + Integer.BYTES + Short.BYTES + Byte.BYTES;

    private StoredProperties() {}

    static String write(BasicProperties properties) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes(properties));
    }

    /** Returns how large the frame of these properties is. */
    static int frameBytes(BasicProperties properties) {
        return AROUND + BEFORE_FLAGS + bytes(properties).length;
    }

    private static byte[] bytes(BasicProperties properties) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            ContentHeaderPropertyWriter writer = new ContentHeaderPropertyWriter(new DataOutputStream(bytes));
            properties.writePropertiesTo(writer);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /**
     * Reads what {@link #write} wrote, and refuses what makes a broker close the channel, whatever else is sent on it.
     *
     * @throws IllegalArgumentException with the rule
     */
    static BasicProperties read(String text) {
        byte[] stored;
        try {
            stored = Base64.getUrlDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("must be in Base64 for URLs", e);
        }
        byte[] frame = new byte[BEFORE_FLAGS + stored.length];
        System.arraycopy(stored, 0, frame, BEFORE_FLAGS, stored.length);
        BasicProperties properties;
        try {
            properties = new BasicProperties(new DataInputStream(new ByteArrayInputStream(frame)));
        } catch (IOException | RuntimeException e) {
            throw new IllegalArgumentException("must be the properties of a message of AMQP 0-9-1", e);
        }
        if (properties.getUserId() != null) {
            throw new IllegalArgumentException("must have no user-id, which is that of Tickwheel");
        }
        String expiration = properties.getExpiration();
        if (expiration != null && !expiration.matches("[0-9]{1,10}")) {
            throw new IllegalArgumentException("must have an expiration of milliseconds, or none");
        }
        if (hasNoNumber(properties.getHeaders())) {
            throw new IllegalArgumentException("must have no header that is infinite or no number");
        }
        return properties;
    }

    /** Asks for what Erlang cannot read: then the broker closes the connection. */
    private static boolean hasNoNumber(@Nullable Object value) {
        if (value instanceof Map<?, ?> table) {
            return table.values().stream().anyMatch(StoredProperties::hasNoNumber);
        }
        if (value instanceof List<?> list) {
            return list.stream().anyMatch(StoredProperties::hasNoNumber);
        }
        return (value instanceof Double || value instanceof Float) && !Double.isFinite(((Number) value).doubleValue());
    }
}
