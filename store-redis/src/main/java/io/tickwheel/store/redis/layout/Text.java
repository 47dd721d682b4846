package io.tickwheel.store.redis.layout;

import java.nio.charset.StandardCharsets;

/** Numbers and names as scripts take and give them: as text in ASCII. */
public final class Text {

    public static final byte[] ZERO = bytes("0");
    public static final byte[] ONE = bytes("1");

    private Text() {}

    public static byte[] bytes(String ascii) {
        return ascii.getBytes(StandardCharsets.US_ASCII);
    }

    public static byte[] bytes(long number) {
        return bytes(Long.toString(number));
    }

    public static String string(byte[] ascii) {
        return new String(ascii, StandardCharsets.US_ASCII);
    }

    public static long number(byte[] ascii) {
        return Long.parseLong(string(ascii));
    }
}
