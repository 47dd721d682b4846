package io.tickwheel.store.file.record;

import java.nio.charset.StandardCharsets;

/** Numbers as short text: 5 bits a character, without leading zeros, in the alphabet of Crockford's base 32. Immutable. */
public final class TimerIds {

    private static final byte[] DIGITS = "0123456789abcdefghjkmnpqrstvwxyz".getBytes(StandardCharsets.ISO_8859_1);
    private static final byte[] NONE = {};

    /** What the ids of all timers of a store begin with. */
    private final byte[] prefix;

    public TimerIds(long storeId) {
        this.prefix = ("tmr_" + text(storeId) + "_").getBytes(StandardCharsets.ISO_8859_1);
    }

    /** As callers know a timer. */
    public String publicId(long id) {
        return text(prefix, id);
    }

    public static String text(long number) {
        return text(NONE, number);
    }

    private static String text(byte[] before, long number) {
        int digits = Math.max(1, (Long.SIZE - Long.numberOfLeadingZeros(number) + 4) / 5);
        byte[] text = new byte[before.length + digits];
        System.arraycopy(before, 0, text, 0, before.length);
        long rest = number;
        for (int i = text.length - 1; i >= before.length; i--) {
            text[i] = DIGITS[(int) (rest & 31)];
            rest >>>= 5;
        }
        return new String(text, StandardCharsets.ISO_8859_1);
    }
}
