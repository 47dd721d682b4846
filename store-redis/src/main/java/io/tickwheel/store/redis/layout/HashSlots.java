package io.tickwheel.store.redis.layout;

import java.nio.charset.StandardCharsets;
import java.util.List;

/** The hash slots of a Redis cluster: CRC-16 (XMODEM), modulo 16,384. */
public final class HashSlots {

    /** How many there are. */
    public static final int COUNT = 16_384;

    private static final String ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz";
    private static final int POLYNOMIAL = 0x1021;
    private static final int TOP_BIT = 0x8000;

    private HashSlots() {}

    /** The slot of a hash tag, without its braces. */
    public static int slot(byte[] tag) {
        int crc = 0;
        for (byte each : tag) {
            crc ^= (each & 0xff) << 8;
            for (int bit = 0; bit < 8; bit++) {
                crc = (crc & TOP_BIT) != 0 ? crc << 1 ^ POLYNOMIAL : crc << 1;
            }
        }
        return (crc & 0xffff) % COUNT;
    }

    /** For each slot the shortest text, and of these the first, that lies in it. */
    static List<String> tags() {
        return Tags.ALL;
    }

    /** Found when they are first asked for, which takes milliseconds. */
    private static final class Tags {

        static final List<String> ALL = List.of(find());
    }

    private static String[] find() {
        String[] tags = new String[COUNT];
        int missing = COUNT;
        for (int length = 1; missing > 0; length++) {
            long texts = Math.round(Math.pow(ALPHABET.length(), length));
            for (long number = 0; number < texts && missing > 0; number++) {
                String text = text(number, length);
                int slot = slot(text.getBytes(StandardCharsets.US_ASCII));
                if (tags[slot] == null) {
                    tags[slot] = text;
                    missing--;
                }
            }
        }
        return tags;
    }

    private static String text(long number, int length) {
        char[] text = new char[length];
        long rest = number;
        for (int i = length - 1; i >= 0; i--) {
            text[i] = ALPHABET.charAt((int) (rest % ALPHABET.length()));
            rest /= ALPHABET.length();
        }
        return new String(text);
    }
}
