package io.tickwheel.engine.rule;

import java.nio.charset.StandardCharsets;

/** The rule for texts that are kept or sent in UTF-8, which has no bytes for half of a surrogate pair. Linear in the text. */
public final class Unicode {

    private Unicode() {}

    /**
     * Returns the text.
     *
     * @param what the text is, for the message
     * @throws IllegalArgumentException when it has half of a surrogate pair
     */
    public static String check(String what, String text) {
        int length = text.length();
        for (int i = 0; i < length; i++) {
            if (Character.isSurrogate(text.charAt(i))) {
                if (!Character.isSupplementaryCodePoint(text.codePointAt(i))) {
                    throw new IllegalArgumentException(
                            what + " has half of a surrogate pair at " + i + ", must be valid Unicode");
                }
                i++;
            }
        }
        return text;
    }

    /**
     * The bytes of a text.
     *
     * @param what the text is, for the message
     * @throws IllegalArgumentException when it has half of a surrogate pair
     */
    public static byte[] utf8(String what, String text) {
        return check(what, text).getBytes(StandardCharsets.UTF_8);
    }
}
