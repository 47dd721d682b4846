package io.tickwheel.benchmarks;

import io.tickwheel.benchmarks.wheel.SplitMix;
import java.nio.ByteBuffer;
import java.util.function.LongUnaryOperator;

/**
 * The timers of a load by number: whoever is given a number makes the same key and payload of it. Payloads begin with the
 * number and go on with random bytes, so that no store gains by compressing them. Immutable and thread-safe.
 *
 * @param keyPrefix begins all keys
 * @param dueAtMs when the timer of a number is due, asked once for each
 */
record TimerPlan(String keyPrefix, LongUnaryOperator dueAtMs) {

    static final int PAYLOAD_BYTES = 128;

    /** Timers that wait from the moment when they are asked for. */
    static TimerPlan after(String keyPrefix, Delays delays) {
        return new TimerPlan(keyPrefix, number -> System.currentTimeMillis() + delays.atMs(SplitMix.at(number)));
    }

    String key(long number) {
        return keyPrefix + number;
    }

    long dueAtMs(long number) {
        return dueAtMs.applyAsLong(number);
    }

    static byte[] payload(long number) {
        ByteBuffer payload = ByteBuffer.allocate(PAYLOAD_BYTES);
        SplitMix random = new SplitMix(number);
        payload.putLong(number);
        while (payload.hasRemaining()) {
            payload.putLong(random.next());
        }
        return payload.array();
    }

    static long number(byte[] payload) {
        return ByteBuffer.wrap(payload).getLong();
    }
}
