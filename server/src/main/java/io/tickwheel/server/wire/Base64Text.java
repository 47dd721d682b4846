package io.tickwheel.server.wire;

import java.util.Base64;

/** Base64 as RFC 4648 has it in its section 4, with the strictness that it leaves to a decoder: each sequence of bytes has one text. Linear in the text. */
final class Base64Text {

    private static final String RFC = " (RFC 4648, section ";

    private Base64Text() {}

    /** @throws IllegalArgumentException with the rule that the text breaks */
    static byte[] decode(String text) {
        int end = text.length();
        while (end > 0 && text.charAt(end - 1) == '=') {
            end--;
        }
        for (int i = 0; i < end; i++) {
            char c = text.charAt(i);
            if (c != '=' && !isOfTheAlphabet(c)) {
                throw new IllegalArgumentException(
                        "must be Base64 of the alphabet A-Z, a-z, 0-9, + and /, without line breaks" + RFC
                                + "4), has another character at " + i);
            }
        }
        int padding = text.indexOf('=');
        boolean isElsewhere = padding >= 0 && padding < end;
        if (text.length() % 4 != 0 || text.length() - end > 2 || isElsewhere) {
            throw new IllegalArgumentException("must be Base64 padded at its end with = to a multiple of 4 characters"
                    + RFC + "4), has " + text.length());
        }
        byte[] bytes = Base64.getDecoder().decode(text);
        if (!Base64.getEncoder().encodeToString(bytes).equals(text)) {
            throw new IllegalArgumentException(
                    "must be Base64 whose last character has its unused bits 0" + RFC + "3.5)");
        }
        return bytes;
    }

    private static boolean isOfTheAlphabet(char c) {
        return c < 0x80 && (Character.isLetterOrDigit(c) || c == '+' || c == '/');
    }
}
