package io.tickwheel.store.redis;

import java.nio.charset.StandardCharsets;

/** Numbers and names as scripts take and give them: as text in ASCII. */
final class Text {

    static final byte[] ZERO = bytes("0");
    static final byte[] ONE = bytes("1");

    private Text() {}

    static byte[] bytes(String ascii) {
        return ascii.getBytes(StandardCharsets.US_ASCII);
    }

    static byte[] bytes(long number) {
        return bytes(Long.toString(number));
    }

    static String string(byte[] ascii) {
        return new String(ascii, StandardCharsets.US_ASCII);
    }

    static long number(byte[] ascii) {
        return Long.parseLong(string(ascii));
    }
}
