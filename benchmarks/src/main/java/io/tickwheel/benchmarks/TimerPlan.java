package io.tickwheel.benchmarks;

import io.tickwheel.benchmarks.wheel.SplitMix;
import java.nio.ByteBuffer;

/**
 * The timers of a load by number: whoever is given a number makes the same key, delay and payload of it. Payloads begin with
 * the number and go on with random bytes, so that no store gains by compressing them. Immutable and thread-safe.
 *
 * @param keyPrefix begins all keys
 * @param delays how long the timers wait
 */
record TimerPlan(String keyPrefix, Delays delays) {

    static final int PAYLOAD_BYTES = 128;

    String key(long number) {
        return keyPrefix + number;
    }

    long delayMs(long number) {
        return delays.atMs(SplitMix.at(number));
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
