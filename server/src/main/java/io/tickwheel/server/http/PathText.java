package io.tickwheel.server.http;

import io.tickwheel.server.wire.Excerpt;
import io.tickwheel.server.wire.Problem;
import io.tickwheel.server.wire.ProblemCode;
import io.tickwheel.server.wire.ProblemException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Segments of a raw path. Nothing is normalised: {@code a/..}, {@code .} and {@code %2F} are parts of a key like others. */
final class PathText {

    private PathText() {}

    /** Decodes one segment; '+' stands for itself. */
    static String decode(String segment) {
        int length = segment.length();
        int at = 0;
        while (at < length && isPlain(segment.charAt(at))) {
            at++;
        }
        if (at == length) {
            return segment;
        }
        byte[] bytes = new byte[length];
        int size = 0;
        for (int i = 0; i < length; i++) {
            char c = segment.charAt(i);
            if (c == '%') {
                bytes[size++] = escaped(segment, i);
                i += 2;
            } else if (isPlain(c)) {
                bytes[size++] = (byte) c;
            } else {
                throw malformed("has a character that must be percent-encoded", segment);
            }
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes, 0, size))
                    .toString();
        } catch (CharacterCodingException e) {
            throw malformed("must be percent-encoded UTF-8", segment);
        }
    }

    private static byte escaped(String segment, int percent) {
        if (percent + 2 < segment.length()) {
            int high = Character.digit(segment.charAt(percent + 1), 16);
            int low = Character.digit(segment.charAt(percent + 2), 16);
            if (high >= 0 && low >= 0) {
                return (byte) (high << 4 | low);
            }
        }
        throw malformed("must have two hex digits after each '%'", segment);
    }

    private static boolean isPlain(char c) {
        return c > 0x20 && c < 0x7F && c != '%';
    }

    private static ProblemException malformed(String rule, String segment) {
        return new Problem(ProblemCode.MALFORMED_PATH, "path segment " + Excerpt.quoted(segment) + " " + rule)
                .exception();
    }
}
