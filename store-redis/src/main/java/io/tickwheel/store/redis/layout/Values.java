package io.tickwheel.store.redis.layout;

import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.List;

/** Takes the values out of a list that the server answered, one after the other. */
public final class Values {

    private final Iterator<?> values;

    public Values(List<?> values) {
        this.values = values.iterator();
    }

    public boolean hasNext() {
        return values.hasNext();
    }

    /**
     * The next value, a string.
     *
     * @throws IllegalArgumentException when there is none
     */
    public byte[] bytes() {
        return next(byte[].class);
    }

    public String text() {
        return new String(bytes(), StandardCharsets.UTF_8);
    }

    /** Empty for what is not there. */
    public String textOrEmpty() {
        Object value = values.next();
        return value instanceof byte[] bytes ? new String(bytes, StandardCharsets.UTF_8) : "";
    }

    /** One that came as text. */
    public long number() {
        return Long.parseLong(text());
    }

    public long integer() {
        return next(Long.class);
    }

    public List<?> list() {
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
