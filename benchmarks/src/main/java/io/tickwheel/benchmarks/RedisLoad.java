package io.tickwheel.benchmarks;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.tickwheel.benchmarks.wheel.SplitMix;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * The timers of a load on Redis by number: a key of 27 bytes, and a payload of 100 that tells number and due time. All of it
 * is printable, so that it has the same length as a value and within JSON.
 */
final class RedisLoad {

    static final int PAYLOAD_BYTES = 100;

    private static final String KEY_PREFIX = "redis-load-";
    private static final int DIGITS = 16;
    private static final HexFormat HEX = HexFormat.of();

    private RedisLoad() {}

    static String key(long number) {
        return KEY_PREFIX + HEX.toHexDigits(number);
    }

    static byte[] payload(long number, long dueAtMs) {
        byte[] payload = new byte[PAYLOAD_BYTES];
        put(payload, 0, number);
        put(payload, DIGITS, dueAtMs);
        SplitMix random = new SplitMix(number);
        for (int at = 2 * DIGITS; at < PAYLOAD_BYTES; at += DIGITS) {
            put(payload, at, random.next());
        }
        return payload;
    }

    static long number(byte[] payload) {
        return at(payload, 0);
    }

    static long dueAtMs(byte[] payload) {
        return at(payload, DIGITS);
    }

    private static void put(byte[] payload, int at, long value) {
        byte[] digits = HEX.toHexDigits(value).getBytes(US_ASCII);
        System.arraycopy(digits, 0, payload, at, Math.min(DIGITS, payload.length - at));
    }

    private static long at(byte[] payload, int at) {
        return HexFormat.fromHexDigitsToLong(new String(Arrays.copyOfRange(payload, at, at + DIGITS), US_ASCII));
    }
}
