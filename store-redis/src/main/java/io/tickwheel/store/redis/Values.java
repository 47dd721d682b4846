package io.tickwheel.store.redis;

import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.List;

/** Takes the values out of a list that the server answered, one after the other. */
final class Values {

    private final Iterator<?> values;

    Values(List<?> values) {
        this.values = values.iterator();
    }

    boolean hasNext() {
        return values.hasNext();
    }

    /** @throws IllegalArgumentException when there is none */
    byte[] bytes() {
        return next(byte[].class);
    }

    String text() {
        return new String(bytes(), StandardCharsets.UTF_8);
    }

    /** Empty for what is not there. */
    String textOrEmpty() {
        Object value = values.next();
        return value instanceof byte[] bytes ? new String(bytes, StandardCharsets.UTF_8) : "";
    }

    /** One that came as text. */
    long number() {
        return Long.parseLong(text());
    }

    long integer() {
        return next(Long.class);
    }

    List<?> list() {
        return next(List.class);
    }

    private <T> T next(Class<T> type) {
        Object value = values.hasNext() ? values.next() : null;
        if (!type.isInstance(value)) {
            throw new IllegalArgumentException("an answer has another form than asked for");
        }
        return type.cast(value);
    }
}
