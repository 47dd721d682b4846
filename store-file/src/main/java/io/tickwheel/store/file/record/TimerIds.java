package io.tickwheel.store.file.record;

/** Numbers as short text: 5 bits a character, without leading zeros, in the alphabet of Crockford's base 32. */
public final class TimerIds {

    private static final char[] DIGITS = "0123456789abcdefghjkmnpqrstvwxyz".toCharArray();

    private TimerIds() {}

    /** What the ids of all timers of a store begin with. */
    public static String prefix(long storeId) {
        return "tmr_" + text(storeId) + "_";
    }

    public static String text(long number) {
        int digits = Math.max(1, (Long.SIZE - Long.numberOfLeadingZeros(number) + 4) / 5);
        char[] text = new char[digits];
        long rest = number;
        for (int i = digits - 1; i >= 0; i--) {
            text[i] = DIGITS[(int) (rest & 31)];
            rest >>>= 5;
        }
        return new String(text);
    }
}
