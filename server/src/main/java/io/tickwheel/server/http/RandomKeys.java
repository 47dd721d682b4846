package io.tickwheel.server.http;

import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.function.LongSupplier;

/** Names that nobody has had: 128 random bits in 22 characters. As thread-safe as its source. */
public final class RandomKeys {

    private final LongSupplier random;

    public RandomKeys(LongSupplier random) {
        this.random = random;
    }

    String next() {
        byte[] bits = ByteBuffer.allocate(2 * Long.BYTES)
                .putLong(random.getAsLong())
                .putLong(random.getAsLong())
                .array();
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bits);
    }
}
