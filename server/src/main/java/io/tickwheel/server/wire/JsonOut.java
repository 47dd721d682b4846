package io.tickwheel.server.wire;

import io.vertx.core.buffer.Buffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes JSON into one growing array. For one thread. */
public final class JsonOut {

    private static final byte[] HEX = {'0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'};

    private byte[] bytes;
    private int size;
    private boolean first = true;

    public JsonOut(int capacity) {
        bytes = new byte[capacity];
    }

    public JsonOut open(char bracket) {
        put(bracket);
        first = true;
        return this;
    }

    public JsonOut close(char bracket) {
        put(bracket);
        first = false;
        return this;
    }

    /** Begins an element of an array. */
    public JsonOut element() {
        if (!first) {
            put(',');
        }
        first = false;
        return this;
    }

    /** Begins a field; the name must need no escape. */
    public JsonOut field(String name) {
        element();
        put('"');
        raw(name);
        put('"');
        put(':');
        return this;
    }

    public JsonOut number(long value) {
        return raw(Long.toString(value));
    }

    /** Appends ASCII as it is. */
    JsonOut raw(String ascii) {
        int length = ascii.length();
        ensure(length);
        byte[] to = bytes;
        int at = size;
        for (int i = 0; i < length; i++) {
            to[at + i] = (byte) ascii.charAt(i);
        }
        size = at + length;
        return this;
    }

    /** Appends bytes as they are, which must be a JSON value in UTF-8. */
    public JsonOut utf8(byte[] json) {
        ensure(json.length);
        System.arraycopy(json, 0, bytes, size, json.length);
        size += json.length;
        return this;
    }

    public JsonOut put(char ascii) {
        ensure(1);
        bytes[size++] = (byte) ascii;
        return this;
    }

    public JsonOut string(String value) {
        put('"');
        int length = value.length();
        for (int i = plain(value); i < length; i++) {
            char c = value.charAt(i);
            ensure(6);
            if (isPlain(c)) {
                bytes[size++] = (byte) c;
            } else if (c < 0xA0) {
                escape(c);
            } else if (Character.isHighSurrogate(c)
                    && i + 1 < length
                    && Character.isLowSurrogate(value.charAt(i + 1))) {
                codePoint(Character.toCodePoint(c, value.charAt(++i)));
            } else if (Character.isSurrogate(c)) {
                unicodeEscape(c);
            } else {
                codePoint(c);
            }
        }
        return put('"');
    }

    /** Appends what needs no escape, which mostly is all of it, and returns how many characters that were. */
    private int plain(String value) {
        int length = value.length();
        ensure(length);
        byte[] to = bytes;
        int at = size;
        int i = 0;
        while (i < length && isPlain(value.charAt(i))) {
            to[at + i] = (byte) value.charAt(i);
            i++;
        }
        size = at + i;
        return i;
    }

    private static boolean isPlain(char c) {
        return c >= 0x20 && c < 0x7F && c != '"' && c != '\\';
    }

    /** Writes a neutral value: a string, a number, a boolean, a list, a map with strings as keys, or null. */
    public JsonOut value(@Nullable Object value) {
        if (value instanceof String text) {
            return string(text);
        }
        if (value instanceof Map<?, ?> fields) {
            open('{');
            fields.forEach((name, field) ->
                    element().string(String.valueOf(name)).put(':').value(field));
            return close('}');
        }
        if (value instanceof List<?> elements) {
            open('[');
            elements.forEach(element -> element().value(element));
            return close(']');
        }
        return raw(String.valueOf(value));
    }

    int size() {
        return size;
    }

    public Buffer toBuffer() {
        return Buffer.buffer(Arrays.copyOf(bytes, size));
    }

    private void escape(char c) {
        if (c == '"' || c == '\\') {
            bytes[size++] = '\\';
            bytes[size++] = (byte) c;
        } else if (c == '\n') {
            bytes[size++] = '\\';
            bytes[size++] = 'n';
        } else {
            unicodeEscape(c);
        }
    }

    private void unicodeEscape(char c) {
        bytes[size++] = '\\';
        bytes[size++] = 'u';
        for (int shift = 12; shift >= 0; shift -= 4) {
            bytes[size++] = HEX[c >> shift & 0xF];
        }
    }

    private void codePoint(int c) {
        if (c < 0x800) {
            bytes[size++] = (byte) (0xC0 | c >> 6);
        } else {
            if (c < 0x10000) {
                bytes[size++] = (byte) (0xE0 | c >> 12);
            } else {
                bytes[size++] = (byte) (0xF0 | c >> 18);
                bytes[size++] = (byte) (0x80 | (c >> 12 & 0x3F));
            }
            bytes[size++] = (byte) (0x80 | (c >> 6 & 0x3F));
        }
        bytes[size++] = (byte) (0x80 | (c & 0x3F));
    }

    private void ensure(int more) {
        if (bytes.length - size < more) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, size + more));
        }
    }
}
