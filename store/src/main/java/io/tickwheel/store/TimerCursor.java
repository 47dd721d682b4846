package io.tickwheel.store;

import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Where a page of a list ended: the next page begins behind it. It names a place in the order of due time and age, not a
 * timer, so it stays valid for good: over restarts, and when the timer that stood there is gone. Immutable and thread-safe.
 *
 * <p>Callers keep it as {@link #text}, which says nothing about its parts. The text is 28 characters of base64url: 1 byte of
 * version, the due time, the seq, and a CRC32C, so that a cut or mistyped one is refused and not taken for another place.
 *
 * @param dueAtMs when the last timer of the page was due, in milliseconds since the epoch
 * @param seq its age: the number by which the store orders timers that are due at the same time
 */
public record TimerCursor(long dueAtMs, long seq) {

    private static final byte VERSION = 1;
    private static final int CRC_AT = 1 + 2 * Long.BYTES;
    private static final int BYTES = CRC_AT + Integer.BYTES;
    private static final int TEXT_CHARS = BYTES / 3 * 4;

    /** The text that {@link #parse} reads. */
    public String text() {
        ByteBuffer bytes =
                ByteBuffer.allocate(BYTES).put(VERSION).putLong(dueAtMs).putLong(seq);
        return Base64.getUrlEncoder()
                .encodeToString(bytes.putInt(crc(bytes.array())).array());
    }

    /**
     * Reads what {@link #text} gave.
     *
     * @throws IllegalArgumentException when the text is another one
     */
    public static TimerCursor parse(String text) {
        if (text.length() != TEXT_CHARS) {
            throw new IllegalArgumentException(
                    "cursor has " + text.length() + " characters, must be one that a page was answered with");
        }
        byte[] bytes;
        try {
            bytes = Base64.getUrlDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            throw broken(text, e);
        }
        ByteBuffer in = ByteBuffer.wrap(bytes);
        if (bytes.length != BYTES || in.get() != VERSION || in.getInt(CRC_AT) != crc(bytes)) {
            throw broken(text, null);
        }
        return new TimerCursor(in.getLong(), in.getLong());
    }

    private static IllegalArgumentException broken(String text, @Nullable Exception cause) {
        return new IllegalArgumentException("cursor is " + text + ", must be one that a page was answered with", cause);
    }

    private static int crc(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, CRC_AT);
        return (int) crc.getValue();
    }
}
