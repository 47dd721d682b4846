package io.tickwheel.store.redis.link;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A reply as it is: a number is a {@code Long}, a string or a status is a {@code byte[]}, an array is a {@code List}. An error
 * is kept beside the value, one inside an array too.
 */
final class RawReply extends CommandOutput<byte[], byte[], Object> {

    /** An array that is not complete yet. */
    private record Open(List<@Nullable Object> items, int size) {}

    private @Nullable ArrayDeque<Open> open;
    private @Nullable Object value;

    @SuppressWarnings("NullAway") // The value comes with the reply.
    RawReply() {
        super(ByteArrayCodec.INSTANCE, null);
    }

    @Nullable
    Object value() {
        return value;
    }

    @Override
    public void set(@Nullable ByteBuffer bytes) {
        if (bytes == null) {
            put(null);
            return;
        }
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        put(copy);
    }

    @Override
    public void set(long integer) {
        put(integer);
    }

    @Override
    public void setError(ByteBuffer bytes) {
        super.setError(bytes);
        if (open != null) {
            put(null);
        }
    }

    @Override
    public void multi(int count) {
        if (count < 0) {
            put(null);
            return;
        }
        List<@Nullable Object> items = new ArrayList<>(count);
        if (count == 0) {
            put(items);
            return;
        }
        if (open == null) {
            open = new ArrayDeque<>();
        }
        open.push(new Open(items, count));
    }

    private void put(@Nullable Object item) {
        Object complete = item;
        while (open != null && !open.isEmpty()) {
            Open innermost = open.element();
            innermost.items.add(complete);
            if (innermost.items.size() < innermost.size) {
                return;
            }
            open.pop();
            complete = innermost.items;
        }
        value = complete;
    }
}
