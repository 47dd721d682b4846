package io.tickwheel.engine;

import io.tickwheel.engine.rule.Unicode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * Writes values as payloads, and reads them again; for values that a JSON library writes, two of its calls:
 *
 * <pre>{@code
 * PayloadCodec<Order> orders = PayloadCodec.of(
 *         "application/json", mapper::writeValueAsBytes, payload -> mapper.readValue(payload, Order.class));
 * timers.schedule(TimerRequest.after("rate", "order-42", Duration.ofHours(48)).withPayload(order, orders));
 * timers.handle("rate", orders, (attempt, order) -> ratings.ask(order));
 * }</pre>
 *
 * <p>An implementation is thread-safe.
 *
 * @param <T> the type of the values
 */
public interface PayloadCodec<T> {

    /** Texts, in UTF-8; one that is no valid Unicode is refused with an {@link IllegalArgumentException}. */
    PayloadCodec<String> TEXT = of(
            "text/plain;charset=utf-8",
            text -> Unicode.utf8("text", text),
            payload -> new String(payload, StandardCharsets.UTF_8));

    /** The media type of the payloads. */
    String contentType();

    /** The payload of a value. */
    byte[] encode(T value) throws IOException;

    /** The value of a payload, which must not be changed. */
    T decode(byte[] payload) throws IOException;

    /** Half of a codec. */
    @FunctionalInterface
    interface Conversion<A, B> {

        B convert(A from) throws IOException;
    }

    /** A codec of its two halves. */
    static <T> PayloadCodec<T> of(String contentType, Conversion<T, byte[]> encode, Conversion<byte[], T> decode) {
        return new PayloadCodec<>() {

            @Override
            public String contentType() {
                return contentType;
            }

            @Override
            public byte[] encode(T value) throws IOException {
                return encode.convert(value);
            }

            @Override
            public T decode(byte[] payload) throws IOException {
                return decode.convert(payload);
            }
        };
    }
}
