package io.tickwheel.server.wire;

/**
 * Checks bytes before a JSON parser sees them, so that the parser can neither guess another encoding nor repair one: strict
 * UTF-8 of RFC 3629 without a byte order mark, and no control characters but tab, line feed and carriage return.
 */
final class JsonBytes {

    private JsonBytes() {}

    /** @throws ProblemException when the bytes are not what JSON is made of */
    static void check(byte[] bytes, int from, int to) {
        if (to - from >= 3
                && bytes[from] == (byte) 0xEF
                && bytes[from + 1] == (byte) 0xBB
                && bytes[from + 2] == (byte) 0xBF) {
            throw new Problem(ProblemCode.INVALID_UTF8, "the body begins with a byte order mark, must have none")
                    .exception();
        }
        int at = from;
        while (at < to) {
            byte b = bytes[at];
            if (b >= 0x20) {
                at++;
            } else if (b >= 0) {
                if (b != '\n' && b != '\t' && b != '\r') {
                    throw new Problem(
                                    ProblemCode.MALFORMED_JSON,
                                    "the body has the control character " + hex(b) + " at byte " + (at - from)
                                            + ", must be escaped")
                            .exception();
                }
                at++;
            } else {
                int length = sequence(bytes, at, to);
                if (length == 0) {
                    throw new Problem(
                                    ProblemCode.INVALID_UTF8,
                                    "the body has the byte " + hex(b) + " at " + (at - from) + ", must be UTF-8")
                            .exception();
                }
                at += length;
            }
        }
    }

    /** The length of the well-formed sequence at {@code at} (table 3-7 of the Unicode standard); 0 when there is none. */
    private static int sequence(byte[] bytes, int at, int to) {
        int first = bytes[at] & 0xFF;
        int length = first >= 0xC2 && first <= 0xDF
                ? 2
                : first >= 0xE0 && first <= 0xEF ? 3 : first >= 0xF0 && first <= 0xF4 ? 4 : 0;
        if (length == 0 || to - at < length) {
            return 0;
        }
        int second = bytes[at + 1] & 0xFF;
        int lowest = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
        int highest = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
        if (second < lowest || second > highest) {
            return 0;
        }
        for (int i = at + 2; i < at + length; i++) {
            if ((bytes[i] & 0xC0) != 0x80) {
                return 0;
            }
        }
        return length;
    }

    private static String hex(byte b) {
        return "0x" + Character.forDigit(b >> 4 & 0xF, 16) + Character.forDigit(b & 0xF, 16);
    }
}
